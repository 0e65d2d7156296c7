"""The workplace as the agent's loop sees it over the socket, and which messages wake the loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import anyio
import msgspec

from nagomi_tui.agent.providers.interface import ModelEvent, ModelRequest
from nagomi_tui.agent.resident.orchestrator_link import OrchestratorLink
from nagomi_tui.agent.resident.thought import MOST_LINES, Gathered, Proposal, SessionSeen
from nagomi_tui.agent.tools.interface import ToolFault, Workplace, is_own
from nagomi_tui.agent.tools.session_readers import SessionGiven, read_session
from nagomi_tui.agent.turns.library import Library
from nagomi_tui.api import messages
from nagomi_tui.sessions.session import AT_WORK, Condition, Session, State
from nagomi_tui.system import files
from nagomi_tui.text.words import of, translatable

MOST_SESSIONS: Final = 30
"""Sessions that the model is told of; those that call come first, then the latest."""
MOST_SHOWN: Final = 10
"""Most sessions of which the model is shown lines."""
_LOOKED_THROUGH: Final = 200
"""Rows among which the last lines are found, since a screen may be empty at its end."""
_USED_UP: Final = translatable(
    "What I may ask by myself in an hour is used up; I look again at {time}."
)
_NONE_ALLOWED: Final = translatable("The settings allow me no request by myself.")
OVER: Final = (State.EXITED, State.LOST)
_CALLS: Final = (Condition.ATTENTION, Condition.ERROR)


@dataclass(eq=False)
class LoopWorkplace:
    """Gathers what there is to see, masked, and hands on what was thought."""

    library: Library
    workplace: Workplace
    orchestrator: OrchestratorLink
    language: Callable[[], str]

    def __post_init__(self) -> None:
        self._moments: dict[str, str] = {}
        """What happened last in each session that a user would want to know."""

    async def gather(self) -> Gathered:
        """Return how everything stands, without any lines yet.

        Raises:
            OSError: the workplace or `NEXT.md` cannot be asked.
        """
        try:
            sessions = await self.workplace.list_sessions()
            status = await self.workplace.request(messages.Status(id=0))
        except ToolFault as fault:
            raise ConnectionError(str(fault)) from fault
        told = [one for one in sessions if not is_own(one) and one.state is not State.SAVED]
        self._moments = {
            one.session_id: moment(one, self._moments.get(one.session_id, "")) for one in told
        }
        return Gathered(
            sessions=tuple(self._seen(one) for one in sorted(told, key=_rank)[:MOST_SESSIONS]),
            next_steps=self.library.modes.notes.next_steps(),
            away=not status.front_ends,
            language=self.language(),
        )

    def _seen(self, session: Session) -> SessionSeen:
        mask = self.library.mask
        return SessionSeen(
            id=session.session_id,
            name=mask(session.name),
            phase=f"{session.state}, {session.phase}",
            verdict=mask(session.summary),
            moment=self._moments[session.session_id],
            turn=session.turn,
        )

    async def look_closer(self, gathered: Gathered) -> Gathered:
        """Return what was gathered with the last lines of the first sessions, masked.

        Raises:
            OSError: the workplace cannot be asked.
        """
        shown = [await self._with_lines(one) for one in gathered.sessions[:MOST_SHOWN]]
        rest = gathered.sessions[MOST_SHOWN:]
        return msgspec.structs.replace(
            gathered,
            sessions=(*shown, *rest),
            chat=tuple(map(self.library.mask, self.library.unasked.last_lines())),
            memory=self.library.mask(self.library.room.memory()),
        )

    async def _with_lines(self, session: SessionSeen) -> SessionSeen:
        try:
            found = await read_session(
                self.workplace,
                self.library.mask,
                SessionGiven(session=session.id, last=_LOOKED_THROUGH),
            )
        except ToolFault:
            return session  # it is gone meanwhile
        lines = [line for line in (found.data or "").splitlines() if line.strip()]
        return msgspec.structs.replace(session, lines=tuple(lines[-MOST_LINES:]))

    async def say(self, sentence: str) -> None:
        """Have the character say a sentence, and call the user with it if they are elsewhere."""
        await self.orchestrator.send(messages.AgentThought(says=sentence))
        self.orchestrator.speak(sentence)
        await self.library.unasked.say(sentence)

    async def used_up(self, until: float | None) -> None:
        """Have the character say that the hour's budget is used up."""
        words = of(self.language())
        if until is None:
            await self.say(words.gettext(_NONE_ALLOWED))
        else:
            when = f"{datetime.fromtimestamp(until, UTC).astimezone():%H:%M}"
            await self.say(words.say(_USED_UP, time=when))

    async def digest(self, lines: tuple[str, ...]) -> None:
        """Keep what happened for when the user is back."""
        await self.orchestrator.send(messages.AgentThought(digest=lines))

    async def propose(self, proposals: tuple[Proposal, ...]) -> None:
        """Show next steps to choose from."""
        steps = tuple(
            messages.ProposedStep(session=one.session, command=one.command, reason=one.reason)
            for one in proposals
        )
        await self.orchestrator.send(messages.AgentThought(steps=steps))


def moment(session: Session, before: str) -> str:
    """Return the last event: a turn that ended or waits, or the end of the command.

    While a session is busy it is the one before, so that a spinner or an answer is no change.
    """
    if session.state in OVER:
        return f"{session.turn} {session.state} {session.started_at}"
    if session.phase is Condition.ATTENTION:
        return f"{session.turn} waits"
    return before if session.phase in AT_WORK else f"{session.turn} rests"


def _rank(session: Session) -> tuple[bool, float]:
    return session.phase not in _CALLS, -(session.last_output_at or 0.0)


class LibraryModel:
    """The model of the settings, as they are when it is asked."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer.

        Raises:
            ModelFault: there is none.
        """
        model = await self._library.models.guarded()
        async with aclosing(model.ask(request)) as events:
            async for event in events:
                yield event


_LOOK_SECONDS: Final = 10.0


def wakes(message: messages.ToClient) -> bool:
    """Return whether a message of the orchestrator wakes the loop."""
    match message:
        case messages.TurnCompleted() | messages.Welcome() | messages.SettingsChanged():
            return True
        case messages.SessionChanged(session=session):
            calls = session.state in OVER or session.phase is Condition.ATTENTION
            return calls and not is_own(session)
        case _:
            return False


async def watch(path: Path, changed: Callable[[], object]) -> None:
    """Call `changed` whenever the file has changed, for ever."""
    before = files.stamp(path)
    while True:
        await anyio.sleep(_LOOK_SECONDS)
        if (now := files.stamp(path)) != before:
            before = now
            changed()
