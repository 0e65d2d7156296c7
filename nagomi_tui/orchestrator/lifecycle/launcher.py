"""Starts a session's command in a worker, here or on a hand, and has workers give sessions up."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from threading import BoundedSemaphore
from typing import Final

import anyio

from nagomi_tui.api.launch import NO_PROCESS
from nagomi_tui.masking import REDACTED
from nagomi_tui.orchestrator.guard.strict import CAPABILITY, StrictMode
from nagomi_tui.orchestrator.guard.watch import VARIABLES, given_hooks
from nagomi_tui.orchestrator.hands import FarWorkers
from nagomi_tui.orchestrator.lifecycle.environment import Surroundings
from nagomi_tui.orchestrator.runtime.requests import Caller, Refusal, Requester
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.screens import COLS_LIMIT, ROWS_LIMIT
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.workers.link import told_fault
from nagomi_tui.orchestrator.workers.pool import Workers
from nagomi_tui.sessions.session import Session
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines, paths
from nagomi_tui.text.words import nearest_name, translatable
from nagomi_tui.worktrees.project import variables_at
from nagomi_worker.pty.command import Start, StartError, integrated, launch
from nagomi_worker.wire import protocol

_START_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 1.0
_CHECK_SECONDS: Final = 5.0
_MOST_CHECKS: Final = 16
_INHERIT: Final = "inherit"
"""What a worker on a hand must be able to do: give sessions the environment that it has itself."""


class Launcher:
    """Gives commands to workers, with the environment and shell integration that belong to them."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        workers: Workers,
        hands: FarWorkers,
        audience: Audience,
        *,
        surroundings: Surroundings,
        strict: StrictMode,
        proves: Callable[[Caller | None], Awaitable[bool]],
    ) -> None:
        """Make it; `proves` tells whether a client is proved to be the user's own."""
        self._settings = settings
        self._workers = workers
        self._hands = hands
        self._audience = audience
        self._surroundings = surroundings
        self._strict = strict
        self._slots = BoundedSemaphore(_MOST_CHECKS)
        self._proves = proves

    async def order(
        self, session: SessionRuntime, who: Requester, added: Mapping[str, str], *, cmd: str = ""
    ) -> protocol.StartSession:
        """Return the order to start the session's command, or `cmd` in its place.

        It gets the environment of `who`, and `added` beside it.

        Raises:
            Refusal: there is no such program, the session is to be strict and cannot be, or its
                hand cannot be reached.
        """
        if not session.info.is_local:
            return await self._far_order(session, who, added, cmd or session.info.cmd)
        if session.info.guard is not None:
            added = VARIABLES | dict(added)
        added = {**await _of_worktree(session.info.cwd), **added}
        whole = self._surroundings.child_env(who.env, added)
        wanted = cmd or session.info.cmd
        if session.guarded:
            wanted = await given_hooks(wanted, session.info.cwd)
        start = self._with_integration(wanted, whole)
        order = protocol.StartSession(
            session_id=session.session_id,
            cmd=start.cmd,
            cwd=session.info.cwd,
            env=whole | start.env,
            cols=session.info.cols,
            rows=session.info.rows,
        )
        await self._look_for_program(order)
        return await self._strict.prepare(session, order)

    async def _far_order(
        self, session: SessionRuntime, who: Requester, added: Mapping[str, str], cmd: str
    ) -> protocol.StartSession:
        """Return the order to start `cmd` on the session's hand, which must be there.

        Of the environment of `who` it gets what the hand names.

        Raises:
            Refusal: the hand cannot be reached, is of an older version, or is full.
        """
        hand = await self._hands.hand(session.info.worker_id)
        link = await self._hands.reach(hand.name)
        if _INHERIT not in link.capabilities:
            sentence = translatable(
                "The worker on {name} is of an older version; upgrade it there."
            )
            raise Refusal("refused", sentence, name=hand.name)
        if hand.most and len(link.sessions - {session.session_id}) >= hand.most:
            sentence = translatable("{name} holds {most} sessions, and may not hold more.")
            raise Refusal("refused", sentence, name=hand.name, most=hand.most)
        passed = {name: who.env[name] for name in hand.env if name in who.env}
        return protocol.StartSession(
            session_id=session.session_id,
            cmd=cmd,
            cwd=session.info.cwd,
            env=self._surroundings.far_env(passed, added),
            cols=session.info.cols,
            rows=session.info.rows,
            inherit=True,
            marks=self._settings().shell_integration,
        )

    async def start(
        self, session: SessionRuntime, who: Requester, order: protocol.StartSession
    ) -> None:
        """Have a worker carry the order out, and wait until the command runs.

        While it is not proved that `who` is the user, no phrase counts in the session's prompts.

        Raises:
            Refusal: the worker cannot start it, or has not within 20 s; no worker holds it then.
        """
        able = CAPABILITY if order.guard else ""
        if session.info.is_local:
            link = await self._workers.choose(self._settings().pool_size, able=able)
        else:
            link = await self._hands.reach(session.info.worker_id)
        if able not in {"", *link.capabilities}:
            raise Refusal("refused", "Strict mode is off: it needs Linux.")
        session.run.link, session.run.worker = link, link.name
        link.sessions.add(session.session_id)
        session.change(by_program=True)
        self._audience.publish(session)
        link.send(order)
        if await self._proves(who.caller) and session.change(by_program=False):
            self._audience.publish(session)
        with anyio.move_on_after(_START_SECONDS):
            await session.run.settled.wait()
        if not session.run.start_fault and session.run.settled.is_set():
            return
        if session.run.start_fault:
            leave_worker(session, forget=False)
            raise Refusal("bad_request", "{fault}", fault=session.run.start_fault)
        link.send(protocol.StopSession(session_id=session.session_id))  # should it start yet
        leave_worker(session, forget=False)
        raise Refusal("internal", "The worker did not start the session in time.")

    def _with_integration(self, cmd: str, env: Mapping[str, str]) -> Start:
        """Return how to start the command: a shell with its marks, anything else as it is."""
        if not self._settings().shell_integration:
            return Start(cmd, {})
        return integrated(cmd, env, str(paths.shipped("config") / "shell"))

    # --- checks, each in a thread that is abandoned after a deadline

    async def check_folder(self, cwd: str) -> None:
        """Refuse a folder in which nothing can be started.

        Raises:
            Refusal: it does not exist, is no folder, may not be entered, or does not answer.
        """
        try:
            await deadlines.run(
                partial(_check_folder, cwd), seconds=_CHECK_SECONDS, slots=self._slots
            )
        except TimeoutError as exc:
            sentence = translatable(
                "The folder {cwd} does not answer; is the disk or server there?"
            )
            raise _late(exc, sentence, cwd=cwd) from exc

    async def _look_for_program(self, order: protocol.StartSession) -> None:
        """Look for the program as the worker will, so that the worker is not blocked by it.

        Raises:
            Refusal: it is not there, or a folder in which it is looked for does not answer.
        """
        try:
            await deadlines.run(partial(launch, order), seconds=_CHECK_SECONDS, slots=self._slots)
        except StartError as exc:
            fault = told_fault(str(exc), exc.sentence, exc.values)
            raise Refusal("bad_request", "{fault}", fault=fault) from exc
        except TimeoutError as exc:
            sentence = translatable(
                "Looking for the program takes too long; does a folder of PATH not answer?"
            )
            raise _late(exc, sentence) from exc


def _late(exc: TimeoutError, sentence: str, **values: object) -> Refusal:
    """Return the refusal of what took too long, or was not begun since the system is full."""
    if isinstance(exc, deadlines.NoThread):
        return Refusal("refused", NO_PROCESS, reason=exc)
    return Refusal("refused", sentence, **values)


async def _of_worktree(folder: str) -> dict[str, str]:
    """Return the variables that the worktree has which a folder is in."""
    try:
        return await deadlines.run(lambda: variables_at(folder), seconds=_LOOK_SECONDS)
    except (OSError, TimeoutError):
        return {}


def leave_worker(session: SessionRuntime, *, forget: bool = True) -> None:
    """Part the session from its worker, which is told to `forget` it unless it never had it."""
    run = session.run
    if run.link is not None:
        if forget:
            run.link.send(protocol.Forget(session_id=session.session_id))
        run.link.sessions.discard(session.session_id)
        run.link, run.worker = None, ""


def check_command(info: Session, given: str) -> None:
    """Refuse to run a command that is not known whole; a masked one is never run.

    Raises:
        Refusal: it must be given, or given whole.
    """
    if REDACTED in given:
        sentence = translatable(
            "The command still holds {mark}; put what belongs there in its place."
        )
        raise Refusal("bad_request", sentence, mark=REDACTED)
    if given:
        return
    if info.cmd_masked:
        sentence = translatable(
            "The command of {name} held a secret, which nagomi does not store. Give the command "
            "again: `nagomi restart {number} -- COMMAND`, or start it anew with `nagomi new`."
        )
        raise Refusal("refused", sentence, name=info.name, number=info.number)
    if not info.cmd:
        sentence = translatable("What {name} ran is not known; make a new session.")
        raise Refusal("refused", sentence, name=info.name)


def check_profile(name: str, known: Collection[str]) -> None:
    """Refuse the name of a profile that no file of rules has; `known` are those there are.

    Raises:
        Refusal: there is no such profile.
    """
    if name in known:
        return
    if near := nearest_name(name, known):
        sentence = translatable("There are no rules for an agent `{agent}`; did you mean `{near}`?")
        raise Refusal("bad_request", sentence, agent=name, near=near)
    sentence = translatable("There are no rules for an agent `{agent}`, only for {known}.")
    raise Refusal("bad_request", sentence, agent=name, known=", ".join(sorted(known)))


def check_size(cols: int, rows: int) -> None:
    """Refuse a size that no terminal has.

    Raises:
        Refusal: it is out of bounds.
    """
    if not (1 <= cols <= COLS_LIMIT and 1 <= rows <= ROWS_LIMIT):
        raise Refusal(
            "bad_request",
            "A session of {cols}×{rows} cells cannot be made; at most {most_cols}×{most_rows}.",
            cols=cols,
            rows=rows,
            most_cols=COLS_LIMIT,
            most_rows=ROWS_LIMIT,
        )


def _check_folder(cwd: str) -> None:
    """Refuse a folder in which nothing can be started.

    Raises:
        Refusal: it does not exist, is no folder, or may not be entered.
    """
    if "\0" in cwd or not os.path.isabs(cwd):
        raise Refusal(
            "bad_request",
            "The folder {cwd} is not an absolute path.",
            cwd=cwd.replace("\0", "?"),
        )
    if not os.path.exists(cwd):
        raise Refusal("bad_request", "The folder {cwd} does not exist.", cwd=cwd)
    if not os.path.isdir(cwd):
        raise Refusal("bad_request", "{cwd} is not a folder.", cwd=cwd)
    if not os.access(cwd, os.X_OK):
        raise Refusal("bad_request", "The folder {cwd} may not be entered.", cwd=cwd)
