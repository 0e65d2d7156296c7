"""Runs next steps of a session for the user, each with its risk computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.api.messages import Acted
from nagomi_tui.judge.next_steps import risk_of
from nagomi_tui.judge.verdict import Risk
from nagomi_tui.orchestrator.guard.gate import only_reads
from nagomi_tui.orchestrator.lifecycle.creating import SessionSpec
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.text.cells import visible
from nagomi_tui.text.words import of, translatable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from anyio.abc import TaskGroup

    from nagomi_tui.judge.verdict import Verdict
    from nagomi_tui.orchestrator.input.answering import Asking
    from nagomi_tui.orchestrator.input.sender import InputSender
    from nagomi_tui.orchestrator.lifecycle.creating import Creating
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
    from nagomi_tui.settings.model import Settings


class Acting:
    """Runs next steps for the user; the risk of each command is computed again."""

    def __init__(
        self,
        sender: InputSender,
        creating: Creating,
        asking: Asking,
    ) -> None:
        self._sender = sender
        self._asking = asking
        self._creating = creating

    async def act(
        self,
        who: Requester,
        session: SessionRuntime,
        command: str,
        *,
        sure: bool = False,
        anew: bool = False,
        only_here: bool = False,
    ) -> Acted:
        """Run a command at the shell's prompt, or `anew` in a session in the same folder.

        A session that has ended is followed by a new one, unless it may run `only_here`.

        Raises:
            Refusal: it is risky and the user is not `sure`, or a program is in front.
        """
        given, command = command, command.strip()
        if not command or not command.isprintable():
            sentence = translatable("This command cannot be run from here: {command}")
            raise Refusal("bad_request", sentence, command=visible(given))
        risk = risk_of(command)
        if risk is not Risk.LOW and not sure:
            sentence = translatable("`{command}` does more than read; it was not run.")
            raise Refusal("risky", sentence, command=visible(command))
        anew = anew or not (session.running or only_here)
        if not anew:
            await self._asking.look(session)
            if not self._asking.at_prompt(session):
                sentence = translatable(
                    "{name} is not at a shell's prompt; the command can run in a new session."
                )
                raise Refusal("busy", sentence, name=session.info.name)
            self._sender.send_text(who, session, command, enter=True)
            return Acted(session_id=session.session_id, risk=risk, new=False)
        made = await self._creating.create(
            who,
            SessionSpec(
                cmd=command,
                cwd=session.info.here,
                worker_id=session.info.worker_id,
                cols=session.info.cols,
                rows=session.info.rows,
            ),
        )
        return Acted(session_id=made.session_id, risk=risk, new=True)


_RAN: Final = translatable("In {name} ran by itself what only reads: {command}")
_NOBODY: Final = Requester(words=of("en"))


class ReadingSteps:
    """Types such a step at the prompt of a shell that no guard holds; one after each turn of the user."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        find: Callable[[str], SessionRuntime | None],
        acting: Acting,
        *,
        tell: Tell,
        typed: Callable[[SessionRuntime], None],
        reads: Callable[[SessionRuntime, str], Awaitable[bool]] = only_reads,
    ) -> None:
        """`find` returns a session by its id; `reads` tells whether a command only reads there.

        `typed` hears of a session in which such a step was just typed.
        """
        self._typed = typed
        self._reads = reads
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
        if after is not None and done.turn <= after + 1:
            return  # this turn was the step's
        self._ran.pop(done.session, None)
        if not self._settings().run_reading_steps or done.quiet:
            return
        commands, session = harmless(done.verdict), self._find(done.session)
        if (
            commands
            and session is not None
            and session.info.guard is None
            and self._tasks is not None
        ):
            self._ran[done.session] = done.turn
            self._tasks.start_soon(self._run, session, commands)

    async def _run(self, session: SessionRuntime, commands: Sequence[str]) -> None:
        for command in commands:
            if await self._reads(session, command) and session.info.guard is None:
                break
        else:
            self._ran.pop(session.session_id, None)
            return
        try:
            await self._acting.act(_NOBODY, session, command, only_here=True)
        except Refusal:
            self._ran.pop(session.session_id, None)  # a program is in front, or something is typed
        else:
            self._typed(session)
            self._tell("info", _RAN, name=session.info.name, command=command)


def harmless(verdict: Verdict) -> list[str]:
    """Return the commands of the steps of low risk."""
    commands = (action.command for action in verdict.next_actions)
    return [one for one in commands if one and risk_of(one) is Risk.LOW]
