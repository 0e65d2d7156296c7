"""Runs the first next step that only reads by itself, where the user has chosen that (N-17, X-19)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.core.judge.steps.risk import risk_of
from nagomi_tui.core.judge.verdict import Risk
from nagomi_tui.guard.shell import ANYWHERE, classify
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.orchestrator.runtime.requester import Requester
from nagomi_tui.words import of, translatable

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.abc import TaskGroup

    from nagomi_tui.core.judge.verdict import Verdict
    from nagomi_tui.orchestrator.lifecycle.acting import Acting
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.finished_turn import FinishedTurn
    from nagomi_tui.orchestrator.sessions.roles import Typable
    from nagomi_tui.settings.model import Settings

_RAN: Final = translatable("In {name} ran by itself what only reads: {command}")
_NOBODY: Final = Requester(words=of("en"))


class ReadingSteps:
    """Types such a step at the prompt of a shell that no guard holds; one after each turn of the user."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        find: Callable[[str], Typable | None],
        acting: Acting,
        *,
        tell: Tell,
    ) -> None:
        """`find` returns a session by its id."""
        self._settings = settings
        self._find = find
        self._acting = acting
        self._tell = tell
        self._tasks: TaskGroup | None = None
        self._ran: dict[str, int] = {}
        """By session: the turn after which a step ran, whose own turn is followed by none."""

    async def run(self) -> None:
        """Run the steps of `turn_over`, for ever."""
        async with anyio.create_task_group() as self._tasks:
            await anyio.sleep_forever()

    def turn_over(self, finished: FinishedTurn) -> None:
        """Run what the rules propose after a turn that has ended, or stands still."""
        done = finished.done
        after = self._ran.get(done.session)
        if after == done.turn:
            return
        if after is not None:
            del self._ran[done.session]  # this turn was the step's
            return
        if not self._settings().run_reading_steps or done.quiet:
            return
        command, session = first_reading(done.verdict), self._find(done.session)
        if (
            command
            and session is not None
            and session.info.guard is None
            and self._tasks is not None
        ):
            self._ran[done.session] = done.turn
            self._tasks.start_soon(self._run, session, command)

    async def _run(self, session: Typable, command: str) -> None:
        try:
            await self._acting.act(_NOBODY, session, command, only_here=True)
        except Refusal:
            self._ran.pop(session.session_id, None)  # a program is in front, or something is typed
        else:
            self._tell("info", _RAN, name=session.info.name, command=command)


def first_reading(verdict: Verdict) -> str:
    """Return the command of the first step of low risk that only reads; empty if there is none."""
    commands = (action.command for action in verdict.next_actions)
    return next((one for one in commands if _only_reads(one)), "")


def _only_reads(command: str) -> bool:
    return risk_of(command) is Risk.LOW and classify(command, ANYWHERE).verdict == "read"
