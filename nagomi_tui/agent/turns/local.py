"""A conversation in this process: runs turns, each in its own task, and slash commands."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectSendStream

from nagomi_tui.agent.conversations.conversation import Conversation
from nagomi_tui.agent.conversations.entries import Busy, ConversationFault
from nagomi_tui.agent.providers.interface import TextPiece
from nagomi_tui.agent.talk import events
from nagomi_tui.agent.tools.interface import Plan
from nagomi_tui.agent.turns import slash_commands
from nagomi_tui.agent.turns.library import Library
from nagomi_tui.agent.turns.open_conversation import RUNS, OpenConversation
from nagomi_tui.system.sockets import background
from nagomi_tui.text.words import Words

_MOST_UNTAKEN: Final = 100


@asynccontextmanager
async def open_talk(
    library: Library,
    words: Words,
    *,
    conversation: str = "",
    new: str | None = None,
    folders: Sequence[Path] = (),
) -> AsyncIterator[LocalTalk]:
    """Open a conversation with the parameters of `opened`, and close it at the end of the block.

    Raises:
        TalkFault: there is no such conversation, or it is open elsewhere.
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
    """Return an open conversation, which the caller has to close.

    It is a new one with the label `new` if that is not None; else the one named by `conversation`;
    else, if that is empty, the latest that is not open elsewhere. Its tools may see `folders`, its
    turns run in `tasks`. `environment` may hold the model's key, and `sessions_env` is the
    environment of sessions started in its turns.

    Raises:
        TalkFault: there is no such conversation, or it is open elsewhere.
    """
    try:
        found = _found(library, conversation, new)
    except ConversationFault as fault:
        raise events.TalkFault(fault.say(words)) from fault
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
    """Open the conversation that `opened` describes; if there is none yet, make one."""
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
    """One conversation in this process, with one turn at a time; implements `Talk`."""

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
        self._events: MemoryObjectSendStream[events.TurnEvent] | None = None
        self._scope = self._lightening = anyio.CancelScope()
        self._lightened = anyio.Event()
        self._lightened.set()
        self._turn_over = anyio.Event()
        self._turn_over.set()
        toolbox = library.toolboxes.make(
            self._ask_user, folders, words, sessions_env, self._acted, lambda: self.chat.id
        )
        self.chat = OpenConversation(
            library,
            conversation,
            toolbox,
            words,
            tell=self._tell,
            ask_user=self._ask_user,
            environment=environment,
        )
        self.last = self.chat.last_exchange(greets=True)
        """The last words when it was opened; None if there are none."""
        self.notice = self.chat.notice
        """Sentences on what prevents a turn and on unreadable lines of the file; may be empty."""

    @property
    def status(self) -> events.Status:
        """The current state that is shown beside the prompt."""
        return self.chat.status

    @property
    def gone(self) -> bool:
        """Always False, since the conversation is in this process."""
        return False

    def listen(
        self,
        heard: Callable[[str], object],
        greeted: events.Greeted | None = None,
        changed: Callable[[], object] | None = None,
    ) -> None:
        """Call `heard` with what the agent says of its own accord; here nobody greets or changes it."""

        async def tell(text: str) -> None:
            heard(text)

        self.chat.on_unasked = tell

    async def say(self, text: str) -> AsyncGenerator[events.TurnEvent]:
        """Run a turn; leaving the iteration cancels the turn and keeps the text so far.

        Raises:
            TalkFault: another turn runs.
        """
        if (lines := self.chat.work.command(text)) is not None:
            answer = "\n".join(lines)
            yield TextPiece(answer)
            yield events.TurnEnded("done", answer)
            return
        if not self._turn_over.is_set():
            raise events.TalkFault(self._words.gettext(RUNS))
        await self._stop_lightening()
        told, heard = anyio.create_memory_object_stream[events.TurnEvent](_MOST_UNTAKEN)
        scope = anyio.CancelScope()
        self._events, self._turn_over = told, anyio.Event()
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

    async def answer(self, question: str, choice: events.Choice) -> None:
        """Answer a question of the running turn; a question that is over is ignored."""
        if asked := self._questions.get(question):
            asked.choice = choice
            asked.answered.set()

    async def command(self, line: str) -> events.Reply:
        """Carry out a slash command."""
        await self._stop_lightening()
        return await slash_commands.answer(self.chat, line)

    async def completions(self, line: str) -> tuple[str, ...]:
        """Return whole lines that complete the beginning of a slash command."""
        return slash_commands.completions(self.chat, line)

    async def close(self) -> None:
        """Cancel the running turn, keep its text so far, and close the conversation."""
        self._scope.cancel()
        await self._stop_lightening()
        with anyio.CancelScope(shield=True):
            await self._turn_over.wait()
        self.chat.close()

    # --- a turn

    async def _run(self, text: str, scope: anyio.CancelScope) -> None:
        self.chat.busy = True
        try:
            with scope:
                ended = await self.chat.run(text)
                if ended.outcome == "done":
                    self._lightening, self._lightened = anyio.CancelScope(), anyio.Event()
                    self._tasks.start_soon(self._lighten, self._lightening, self._lightened)
        finally:
            self.chat.busy = False
            self.chat.write_unasked()
            self._turn_over.set()
            if self._events is not None:
                self._events.close()

    async def _lighten(self, scope: anyio.CancelScope, done: anyio.Event) -> None:
        """Make the light summary after a turn, while the user does not wait (W-31)."""
        try:
            with scope:
                await self.chat.lighten()
        finally:
            done.set()

    async def _stop_lightening(self) -> None:
        """Cancel a light summary that is being made, since the user goes on."""
        self._lightening.cancel()
        with anyio.CancelScope(shield=True):
            await self._lightened.wait()

    async def _tell(self, event: events.TurnEvent) -> None:
        """Pass on an event; it is dropped if the caller has left the turn."""
        if self._events is not None:
            try:
                await self._events.send(event)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return

    async def _acted(self, plan: Plan) -> None:
        await self._tell(events.Acted(plan.title, plan.detail))

    async def _ask_user(self, question: events.Question) -> events.Choice:
        asked = self._questions[question.id] = _Asked()
        try:
            await self._tell(question)
            await asked.answered.wait()
        finally:
            del self._questions[question.id]
        return asked.choice


class _Asked:
    """A question that waits for the user's answer."""

    def __init__(self) -> None:
        self.answered = anyio.Event()
        self.choice: events.Choice = "no"
