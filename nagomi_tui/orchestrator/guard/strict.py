"""Strict mode: has workers write-protect a session's project as its guard stands."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final, NamedTuple

import anyio
import msgspec

import nagomi_tui
from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.agents.resume import agent_of
from nagomi_tui.guard.decide.documents import Mode
from nagomi_tui.guard.files.held import NotHeld, caches, held
from nagomi_tui.guard.files.project import find
from nagomi_tui.guard.files.state import Broken, read_config
from nagomi_tui.guard.install.hooks import roots
from nagomi_tui.orchestrator.guard.watch import is_set_up
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.run import Run
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.workers.link import WorkerLink
from nagomi_tui.sessions.session import GUARD, GuardStanding
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines, paths
from nagomi_tui.system.strict_door import DOOR
from nagomi_tui.text.words import Said, translatable
from nagomi_worker.wire import protocol
from nagomi_worker.wire.messages import Guard

CAPABILITY: Final = "guard"
"""What a worker says that can have the kernel hold a project."""
_SECONDS: Final = 5.0
_AT_ONCE: Final = 8
_READ_ONLY_SECONDS: Final = 10.0
"""How long a change to discussion waits for the last program that has a file open for writing."""
_PROJECT_VARIABLES: Final = tuple(
    agent.project_variable for agent in GUARDED.values() if agent.project_variable
)
"""Variables by which hooks know the project; those that decide outside believe nothing else."""


class _Ordered(NamedTuple):
    run: Run
    link: WorkerLink
    writable: bool
    number: int


class StrictMode:
    """Has workers hold the projects of strict sessions, and follows the guard of each."""

    def __init__(self, settings: Callable[[], Settings], audience: Audience) -> None:
        self._settings = settings
        self._audience = audience
        self._slots = BoundedSemaphore(_AT_ONCE)
        self._orders: dict[str, _Ordered] = {}
        """What the worker of each session was told last."""
        self._held: dict[str, protocol.Held] = {}
        """What it said last."""
        self._news = anyio.Event()
        """Set when one says something."""
        self._told: dict[str, str] = {}
        """Sessions of which the user was told why their projects are not as they should be: the sentence."""

    async def prepare(
        self, session: SessionRuntime, order: protocol.StartSession
    ) -> protocol.StartSession:
        """Return the order with what is to be held; the same for a session that is not strict.

        Raises:
            Refusal: it is to be strict and cannot be.
        """
        asked = order.env.get(GUARD, "")
        if asked == "strict":
            session.strict = True
        if not session.strict and (asked == "hook" or not self._settings().guard_strict):
            return order
        work = partial(_guard, order, must=session.strict)
        try:
            guard = await deadlines.run(work, seconds=_SECONDS, slots=self._slots)
        except (NotHeld, Broken, OSError) as exc:
            sentence = translatable("Strict mode is off, and nothing was started: {reason}.")
            reason = exc.said if isinstance(exc, NotHeld) else exc
            raise Refusal("refused", sentence, reason=reason) from exc
        if guard is None:
            return order
        session.strict = True
        session.change(strict=True, strict_fault="")
        folder = str(paths.socket_folder().resolve())
        path = f"{folder}/g-{secrets.token_hex(4)}"
        guard = msgspec.structs.replace(guard, door=path, program=tuple(_outside()))
        told = {DOOR: path, **{name: guard.held[0] for name in _PROJECT_VARIABLES}}
        env = {**caches(guard.held[0], order.env), **order.env, **told}
        return msgspec.structs.replace(order, guard=guard, env=env)

    def follow(self, session: SessionRuntime, standing: GuardStanding | None) -> None:
        """Have the project of a strict session made as its guard stands; a new run begins read-only."""
        run, link, name = session.run, session.run.link, session.session_id
        if not session.strict or link is None:
            return
        if CAPABILITY not in link.capabilities:
            self._set_fault(session, Said(_TOO_OLD, {}))
            return
        writable = standing is not None and (
            standing.mode == Mode.IMPLEMENTATION.value or standing.bypassed
        )
        before = self._orders.get(name)
        if before is None or (before.run, before.link, before.writable) != (run, link, writable):
            number = before.number + 1 if before else 1
            self._orders[name] = _Ordered(run, link, writable, number)
            link.send(protocol.Hold(session_id=name, writable=writable, number=number))

    async def all_read_only(self, sessions: Sequence[SessionRuntime]) -> bool:
        """Wait until no program of these sessions can write to their projects, for some seconds at most."""
        with anyio.move_on_after(_READ_ONLY_SECONDS):
            while not all(map(self._is_read_only, sessions)):
                await self._news.wait()
        return all(map(self._is_read_only, sessions))

    def _is_read_only(self, session: SessionRuntime) -> bool:
        order, held = self._orders.get(session.session_id), self._held.get(session.session_id)
        if not session.strict or not session.running or order is None:
            return True
        done = held is not None and held.number >= order.number and not held.writable
        return order.writable or done

    def heard(self, session: SessionRuntime, message: protocol.Held) -> None:
        """A worker says how the project of a session is now."""
        name = session.info.name
        self._held[session.session_id] = message
        self._news.set()
        self._news = anyio.Event()
        writers = ", ".join(f"{one.command} ({one.pid}): {one.path}" for one in message.writers)
        sentence, fault = "", None
        if message.moved:
            sentence, fault = _MOVED, Said(_MOVED_AWAY, {"path": message.moved})
        elif message.waits:
            sentence, fault = _WAITS, Said(_OPEN, {"writers": writers or "?"})
        self._set_fault(session, fault)
        before = self._told.pop(session.session_id, "")
        if sentence:
            self._told[session.session_id] = sentence
            if sentence != before:
                self._audience.tell(
                    "error", sentence, name=name, writers=writers or "?", path=message.moved
                )
        elif before == _WAITS and not message.writable:
            self._audience.tell("info", _HELD_NOW, name=name)

    def _set_fault(self, session: SessionRuntime, fault: Said | None) -> None:
        session.run.strict_fault = fault
        if session.change(strict_fault=str(fault or "")) and session.listed:
            self._audience.publish_soon(session)


def _outside() -> list[str]:
    """Return the command line of the program that answers those inside."""
    program = Path(nagomi_tui.__file__).with_name("outside.py")
    return [sys.executable, "-I", "-S", str(program), os.pathsep.join(roots())]


_WAITS: Final = translatable(
    "{name} is back in discussion, but its project can still be written, since programs have "
    "files there open: {writers}. nagomi goes on trying; `nagomi stop` ends them."
)
_MOVED: Final = translatable(
    "Another folder than the guarded project of {name} stands at {path} now. The session stays in its "
    "folder, which is read-only until it is back; to go on elsewhere, start the session again."
)
_MOVED_AWAY: Final = translatable("another folder than the guarded one stands at {path}")
_OPEN: Final = translatable("files are open for writing: {writers}")
_TOO_OLD: Final = translatable(
    "its worker is of an older nagomi and does not follow the guard; start it again"
)
_HELD_NOW: Final = translatable("The project of {name} is read-only now.")


def _guard(order: protocol.StartSession, *, must: bool) -> Guard | None:
    """Return what is held of the project that a command runs in; None where nothing guards it and it need not be.

    Raises:
        NotHeld: nothing guards it, and it must be held; or it cannot be.
        Broken: its settings cannot be read.
        OSError: a file cannot be read.
    """
    cwd = order.cwd or "/"
    project = find(cwd, {})
    if not is_set_up(project):
        if must:
            raise NotHeld(
                "nothing guards {project}; `nagomi guard install` sets that up",
                project=project.root,
            )
        return None
    return held(
        project,
        read_config(project),
        ours=_ours(),
        sockets=paths.socket_places(),
        env=order.env,
        place=cwd,
        started=agent_of(order.cmd),
    )


def _ours() -> Iterator[Path]:
    """Yield what is nagomi's: settings, state, and the program that answers outside with its Python.

    Folders that do not exist are made: what runs a command of the user's, as the setting `on_event`
    does, could else be written where nothing was yet.
    """
    yield paths.make_private(paths.state_folder())
    yield paths.make_private(paths.config_folder())
    yield from map(Path, (*roots(), sys.prefix))
