"""A conversation held in this process: turns in a task of their own, and slash commands."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.agent.conversations.faults import Busy, ConversationFault
from nagomi_tui.agent.providers.interface import TextPiece
from nagomi_tui.agent.talk.events import TurnEnded, TurnEvent
from nagomi_tui.agent.talk.interface import TalkFault
from nagomi_tui.agent.turns.commands import table
from nagomi_tui.agent.turns.commands.completing import completions
from nagomi_tui.agent.turns.desk import OpenDesk
from nagomi_tui.tasks import background
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from anyio.abc import TaskGroup
    from anyio.streams.memory import MemoryObjectSendStream

    from nagomi_tui.agent.conversations.conversation import Conversation
    from nagomi_tui.agent.talk.events import Choice, Question, Reply, Status
    from nagomi_tui.agent.turns.library import Library
    from nagomi_tui.words import Words

_MOST_UNTAKEN: Final = 100
_RUNS: Final = translatable(
    "Another turn runs in this conversation; wait for its end, or end it with Ctrl+C."
)


@asynccontextmanager
async def open_talk(
    library: Library,
    words: Words,
    *,
    conversation: str = "",
    new: str | None = None,
    folders: Sequence[Path] = (),
) -> AsyncIterator[LocalTalk]:
    """Open a conversation as `opened` says, and close it in the end.

    Raises:
        TalkFault: there is none of that name, or somebody else has it open.
    """
    async with background() as tasks:
        talk = opened(library, words, tasks, conversation=conversation, new=new, folders=folders)
        try:
            yield talk
        finally:
            await talk.close()


def opened(
    library: Library,
    words: Words,
    tasks: TaskGroup,
    *,
    conversation: str = "",
    new: str | None = None,
    folders: Sequence[Path] = (),
    environment: Mapping[str, str] | None = None,
    sessions_env: Mapping[str, str] | None = None,
) -> LocalTalk:
    """Return a conversation by a name, a new one by its label, or the latest that nobody holds.

    Its turns run in `tasks`; whoever opens it closes it. `environment` may hold the user's key,
    `sessions_env` is that of sessions which are started in its turns.

    Raises:
        TalkFault: there is none of that name, or somebody else has it open.
    """
    try:
        found = _found(library, conversation, new)
    except ConversationFault as fault:
        raise TalkFault(fault.say(words)) from fault
    return LocalTalk(
        library,
        found,
        words,
        tasks=tasks,
        folders=folders,
        environment=environment or {},
        sessions_env=sessions_env or {},
    )


def _found(library: Library, name: str, new: str | None) -> Conversation:
    """Return the conversation that is meant, open."""
    known = library.conversations
    if new is not None:
        return known.open(known.create(new).id)
    if name:
        return known.open(known.find(name).id)
    for entry in known.entries():
        try:
            return known.open(entry.id)
        except Busy:
            continue
    return known.open(known.create("initial").id)


class LocalTalk:
    """One conversation, a turn at a time; it is a `Talk`."""

    def __init__(
        self,
        library: Library,
        conversation: Conversation,
        words: Words,
        *,
        tasks: TaskGroup,
        folders: Sequence[Path],
        environment: Mapping[str, str],
        sessions_env: Mapping[str, str],
    ) -> None:
        self._words = words
        self._tasks = tasks
        self._questions: dict[str, _Asked] = {}
        self._told: MemoryObjectSendStream[TurnEvent] | None = None
        self._scope = self._lightening = anyio.CancelScope()
        self._lightened = anyio.Event()
        self._lightened.set()
        self._turn_over = anyio.Event()
        self._turn_over.set()
        toolbox = library.toolboxes.make(self._ask_user, folders, words, sessions_env)
        self.desk = OpenDesk(
            library, conversation, toolbox, words, tell=self._tell, environment=environment
        )
        self.notice = self.desk.notice
        """What is in the way of a turn, and whether something in the file was garbled, one a line."""

    @property
    def status(self) -> Status:
        """What stands beside the prompt now."""
        return self.desk.status

    @property
    def gone(self) -> bool:
        """It is in this process."""
        return False

    async def say(self, text: str) -> AsyncGenerator[TurnEvent]:
        """Run a turn; leaving the iteration ends the turn and keeps what came."""
        if (lines := self.desk.work.command(text)) is not None:
            answer = "\n".join(lines)
            yield TextPiece(answer)
            yield TurnEnded("done", answer)
            return
        if not self._turn_over.is_set():
            raise TalkFault(self._words.gettext(_RUNS))
        await self._stop_lightening()
        told, heard = anyio.create_memory_object_stream[TurnEvent](_MOST_UNTAKEN)
        scope = anyio.CancelScope()
        self._told, self._turn_over = told, anyio.Event()
        self._scope = scope
        self._tasks.start_soon(self._run, text, scope)
        try:
            async for event in heard:
                yield event
        finally:
            heard.close()
            scope.cancel()
            with anyio.CancelScope(shield=True):
                await self._turn_over.wait()

    async def answer(self, question: str, choice: Choice) -> None:
        """Answer a question of the running turn; one that nobody asked any more is passed over."""
        if asked := self._questions.get(question):
            asked.choice = choice
            asked.answered.set()

    async def command(self, line: str) -> Reply:
        """Do what a line says that begins with `/`."""
        await self._stop_lightening()
        return await table.answer(self.desk, line)

    async def completions(self, line: str) -> tuple[str, ...]:
        """Return what could follow a line that begins with `/`."""
        return completions(self.desk, line)

    async def close(self) -> None:
        """End the running turn, keep what came of it, and let others open the conversation."""
        self._scope.cancel()
        await self._stop_lightening()
        with anyio.CancelScope(shield=True):
            await self._turn_over.wait()
        self.desk.close()

    # --- a turn

    async def _run(self, text: str, scope: anyio.CancelScope) -> None:
        self.desk.busy = True
        try:
            with scope:
                ended = await self.desk.run(text)
                if ended.outcome == "done":
                    self._lightening, self._lightened = anyio.CancelScope(), anyio.Event()
                    self._tasks.start_soon(self._lighten, self._lightening, self._lightened)
        finally:
            self.desk.busy = False
            self._turn_over.set()
            if self._told is not None:
                self._told.close()

    async def _lighten(self, scope: anyio.CancelScope, done: anyio.Event) -> None:
        """Sum up what is old while nobody waits for an answer (W-31)."""
        try:
            with scope:
                await self.desk.lighten()
        finally:
            done.set()

    async def _stop_lightening(self) -> None:
        """Give up a summary that is being made: the user goes on."""
        self._lightening.cancel()
        with anyio.CancelScope(shield=True):
            await self._lightened.wait()

    async def _tell(self, event: TurnEvent) -> None:
        """Hand an event on; to one who has left the turn nothing is told any more."""
        if self._told is not None:
            try:
                await self._told.send(event)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return

    async def _ask_user(self, question: Question) -> Choice:
        asked = self._questions[question.id] = _Asked()
        try:
            await self._tell(question)
            await asked.answered.wait()
        finally:
            del self._questions[question.id]
        return asked.choice


class _Asked:
    """A question that waits for the user."""

    def __init__(self) -> None:
        self.answered = anyio.Event()
        self.choice: Choice = "no"
