"""The guards of sessions: how each stands, what holds it, and what the user does to it.

Everything that touches the project's files runs in a thread that is given up if a disk does not answer.
"""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import BoundedSemaphore
from typing import Final, NamedTuple, TypeVar

import anyio

from nagomi_tui.api import messages
from nagomi_tui.guard.decide import prompt
from nagomi_tui.guard.decide.documents import State
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import (
    SECONDS,
    Broken,
    Busy,
    Loaded,
    edit_state,
    read_config,
    read_state,
    remove_seal,
)
from nagomi_tui.guard.install.fitness import SECONDS as WRITE_SECONDS
from nagomi_tui.guard.install.fitness import probed
from nagomi_tui.orchestrator.guard.gate import InputGate
from nagomi_tui.orchestrator.guard.strict import StrictMode
from nagomi_tui.orchestrator.guard.unapproved import Unapproved
from nagomi_tui.orchestrator.guard.watch import PATIENCE, GuardWatch
from nagomi_tui.orchestrator.runtime.requests import Lifetime, Refusal
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import naming
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines
from nagomi_tui.text.words import Said, Words, translatable

_log = logging.getLogger(__name__)
_FRESH_SECONDS: Final = 60.0
"""An answer is good for so long: the user may have changed what stood in the way."""
_slots: Final = BoundedSemaphore(1)


class _Answer(NamedTuple):
    at: float
    refusal: Said | None


_answers: list[_Answer] = []
"""The latest one."""


async def strict_refusal() -> Said | None:
    """Return why there can be no strict mode; None if there can, or it is not known."""
    now = time.monotonic()
    if not _answers or now - _answers[0].at > _FRESH_SECONDS:
        try:
            told = await deadlines.run(probed, seconds=WRITE_SECONDS, slots=_slots)
        except (OSError, subprocess.SubprocessError, TimeoutError):
            _log.exception("it could not be tried whether the kernel would hold a project")
            return None
        _answers[:] = [_Answer(now, told)]
    return _answers[0].refusal


_SECONDS: Final = 4.0
"""Longer than another process is waited for that holds the lock of a state."""
_STOP_SECONDS: Final = 3.0
"""The longest wait for that lock by a stop, which is not to fail where a slow disk delays a hook."""
_AT_ONCE: Final = 8
_Found = TypeVar("_Found")


class Guards:
    """Follows the guards of sessions, and changes their states as their user says.

    Who that is was proved before, by its `gate`.
    """

    def __init__(
        self,
        sessions: Callable[[], Sequence[SessionRuntime]],
        settings: Callable[[], Settings],
        audience: Audience,
        lifetime: Lifetime,
    ) -> None:
        self.strict = StrictMode(settings, audience)
        self.unapproved = Unapproved(settings, audience)
        self.watch = GuardWatch(
            sessions, audience.publish_soon, self.strict.follow, self.unapproved.follow
        )
        self.gate = InputGate(lifetime, self.watch)
        self._slots = BoundedSemaphore(_AT_ONCE)

    async def run(self) -> None:
        """Look at guards, and at what changes in discussion, for ever."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.watch.run)
            tasks.start_soon(self.unapproved.run)

    def heard(self, event: messages.Hook) -> None:
        """An agent's hook may have told of a change of its guard, or of its project."""
        self.watch.ask()
        self.unapproved.heard(event)

    async def show(self, session: SessionRuntime, words: Words) -> messages.GuardShown:
        """Return how the guard of a session stands, and what can be approved.

        Why it does not hold is said in these words.

        Raises:
            Refusal: nothing guards it, or its project cannot be read.
        """
        project = await self.project(session)
        loaded = await self._within(project, partial(_loaded, project))
        state = loaded.state
        return messages.GuardShown(
            **naming(session),
            project=str(project.root),
            mode=state.mode.value,
            protocol=state.active_protocol.value if state.active_protocol else "",
            bypassed=state.flags.bypass_mode,
            proposal=state.own.proposal,
            offered=prompt.offered(state),
            todos=tuple(
                messages.GuardTodo(content=todo.content, status=todo.status)
                for todo in state.todos.active
            ),
            stashed=len(state.todos.stashed) + sum(map(len, state.todos.below)),
            notices=(*loaded.notices, *loaded.unknown),
            strict=session.strict,
            strict_fault=await _strict_fault(session, words),
            others=tuple(
                other.info.name
                for other in self.watch.guarded().get(project, [])
                if other.session_id != session.session_id
            ),
        )

    async def approve(self, session: SessionRuntime, todos: tuple[str, ...]) -> str:
        """Let the agent do these todos; return what it is to be told.

        Raises:
            Refusal: they are not what is offered now, or the project cannot be changed.
        """
        project = await self.project(session)
        try:
            text = await self._within(project, partial(_approve, project, todos))
        except prompt.NotOffered as exc:
            sentence = translatable(
                "What {name} proposes has changed meanwhile; look at it again. Nothing was approved."
            )
            raise Refusal("refused", sentence, name=session.info.name) from exc
        await self.watch.look()
        return text

    async def discuss(self, session: SessionRuntime) -> None:
        """Go back to discussion; the todos stay.

        Raises:
            Refusal: nothing guards it, or its project cannot be changed.
        """
        project = await self.project(session)
        await self._within(project, partial(_change, project, prompt.discussed))
        await self.watch.look(PATIENCE)
        await self._settle(project)

    async def stop(self, session: SessionRuntime) -> None:
        """Stop what a session's agent was allowed.

        Raises:
            Refusal: nothing guards it, or its project cannot be changed.
        """
        project = await self.project(session)
        await self._stopped(project)
        await self.watch.look(PATIENCE)
        await self._settle(project)

    async def stop_all(self) -> tuple[tuple[str, ...], tuple[Refusal, ...]]:
        """Stop all guarded sessions at the same time; return whom, and what went wrong."""
        await self.watch.look(PATIENCE)
        guarded = self.watch.guarded()
        faults: list[Refusal] = []

        limit = anyio.CapacityLimiter(_AT_ONCE)

        async def stop(project: Project) -> None:
            try:
                async with limit:
                    await self._stopped(project)
            except Refusal as exc:
                faults.append(exc)
                del guarded[project]

        async def settle(project: Project) -> None:
            try:
                await self._settle(project)
            except Refusal as exc:
                faults.append(exc)

        for step in (stop, settle):
            async with anyio.create_task_group() as tasks:
                for project in list(guarded):
                    tasks.start_soon(step, project)
            await self.watch.look(PATIENCE)
        stopped = (session.info.name for sessions in guarded.values() for session in sessions)
        return tuple(stopped), tuple(faults)

    async def project(self, session: SessionRuntime) -> Project:
        """Return the project that guards a session.

        Raises:
            Refusal: there is none.
        """
        project = await self.watch.project(session)
        if project is None:
            sentence = translatable(
                "Nothing guards {name}. `nagomi guard install` sets the guard up in a project, and "
                "`nagomi new --guard` starts a session with it."
            )
            raise Refusal("refused", sentence, name=session.info.name)
        return project

    # --- steps

    async def _settle(self, project: Project) -> None:
        """Wait until the kernel lets nobody in strict sessions write to a project in discussion.

        All was looked at before.

        Raises:
            Refusal: it still lets somebody, after some seconds.
        """
        sessions = self.watch.guarded().get(project, [])
        if await self.strict.all_read_only(sessions):
            return
        faults = [str(fault) for one in sessions if (fault := one.run.strict_fault)]
        sentence = translatable(
            "The mode is discussion, but programs of strict sessions can still write to {folder}: "
            "{reason}. nagomi goes on trying; `nagomi stop` ends them."
        )
        reason = "; ".join(faults) or "?"
        raise Refusal("busy", sentence, folder=project.root, reason=reason)

    async def _stopped(self, project: Project) -> None:
        """Stop, whatever else waits for a disk."""
        await self._in_time(project, partial(_stop, project), slots=None)

    async def _within(self, project: Project, work: Callable[[], _Found]) -> _Found:
        return await self._in_time(project, work, slots=self._slots)

    async def _in_time(
        self, project: Project, work: Callable[[], _Found], *, slots: BoundedSemaphore | None
    ) -> _Found:
        try:
            return await deadlines.run(work, seconds=_SECONDS, slots=slots)
        except (Busy, TimeoutError) as exc:
            sentence = translatable(
                "The guard's files in {folder} are in use or do not answer; try again in a moment."
            )
            raise Refusal("busy", sentence, folder=project.root) from exc
        except OSError as exc:
            sentence = translatable(
                "The guard's files in {folder} cannot be read or written: {reason}."
            )
            reason = exc.strerror or exc
            raise Refusal("refused", sentence, folder=project.root, reason=reason) from exc
        except Broken as exc:
            raise Refusal("refused", "{reason}", reason=exc) from exc


async def _strict_fault(session: SessionRuntime, words: Words) -> str:
    """Return why the kernel does not hold a session's project as the guard stands; empty if it does."""
    fault = session.run.strict_fault if session.strict else await strict_refusal()
    if fault is not None:
        return words.say(fault.message, **fault.values)
    # One that an earlier orchestrator has found is known in English only.
    return session.info.strict_fault


def _loaded(project: Project) -> Loaded:
    """Return the state; one that nobody can read is discussion, as for the hook."""
    try:
        return read_state(project)
    except Broken as exc:
        return Loaded(State(), (str(exc),))


def _approve(project: Project, todos: tuple[str, ...]) -> str:
    config = read_config(project)
    with edit_state(project) as editing:
        editing.state = prompt.approved(editing.state, todos)
    return prompt.go_ahead(todos, config)


def _stop(project: Project) -> None:
    """Stop; where nothing can be written, as on a full disk, take back what makes a state count."""
    try:
        _change(project, prompt.stopped, _STOP_SECONDS)
    except Busy:
        raise
    except OSError:
        remove_seal(project)


def _change(project: Project, change: Callable[[State], State], seconds: float = SECONDS) -> None:
    with edit_state(project, seconds) as editing:
        editing.state = change(editing.state)
