"""The open conversation with its tools, model and work overlay; slash commands and turns use it."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeVar

import anyio.to_thread
import msgspec

from nagomi_tui.agent.context.sizes import estimate
from nagomi_tui.agent.context.window import ContextGuard
from nagomi_tui.agent.conversations.conversation import SUMMARY, Conversation
from nagomi_tui.agent.conversations.entries import ConversationFault, Entry, seconds_of
from nagomi_tui.agent.modes.modes import allowance_lines
from nagomi_tui.agent.overlay import Overlay, WorkMode, overlaid
from nagomi_tui.agent.providers.interface import ModelFault, ModelRequest, Usage, text_of
from nagomi_tui.agent.providers.models import Today
from nagomi_tui.agent.talk import events
from nagomi_tui.agent.tools.folders import FolderConsent
from nagomi_tui.agent.tools.interface import ToolFault
from nagomi_tui.agent.tools.toolbox import Grant, Toolbox
from nagomi_tui.agent.turns import unasked
from nagomi_tui.agent.turns.library import Library
from nagomi_tui.agent.turns.models import sentence_of
from nagomi_tui.agent.turns.room import Told, asked_lines, greeting
from nagomi_tui.agent.turns.runner import TurnRunner
from nagomi_tui.api import messages
from nagomi_tui.text.words import Words, translatable

_log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")
RUNS: Final = translatable(
    "Another turn runs in this conversation; wait for its end, or end it with Ctrl+C."
)
_CONSENT: Final = translatable("Send this conversation to {model} at {place}?")
_SENT: Final = (
    translatable(
        "What you say here, and what it reads to answer: lines of sessions, names, commands, "
        "folders, files that you grant. Secrets are masked."
    ),
    translatable("Once: as long as this conversation is open."),
    translatable(
        "From now on: `llm_consent` in the settings, section Privacy, which the judge's model goes "
        "by, too."
    ),
)
_NOT_SENT: Final = translatable(
    "Nothing was sent. `/retry` asks again; `llm_consent` in the settings, section Privacy, agrees "
    "from now on."
)
_NOT_KEPT: Final = translatable("That could not be kept, and holds for this conversation.")
_FROM_NOW_ON: Final = translatable("from now on, in all of nagomi")
_LIGHT_PAUSE: Final = 20
"""Messages after which a light summary that failed or was broken off is tried again."""
_ROOM: Final = translatable("how the sessions stand now")
_ANSWERED: Final = translatable("{session} is answered: {choice}")
_GARBLED: Final = translatable(
    "{count} lines of this conversation's file could not be read; they were left as they are."
)


class ContextUse(msgspec.Struct, frozen=True, kw_only=True):
    """How much of the model's context window the next request takes, in tokens and messages."""

    tokens: int
    limit: int
    messages: int


class ToolLine(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as `/tools` lists it."""

    name: str
    acts: bool
    allowed: bool = False
    """The user has granted the tool something for this conversation."""


class OpenConversation:
    """Keeps one conversation open, runs its turns, and can switch to another conversation.

    The slash commands act on it. `tell` gets the events of a turn; `environment` may hold
    the model's key.
    """

    def __init__(
        self,
        library: Library,
        conversation: Conversation,
        toolbox: Toolbox,
        words: Words,
        *,
        tell: Callable[[events.TurnEvent], Awaitable[None]],
        ask_user: Callable[[events.Question], Awaitable[events.Choice]],
        environment: Mapping[str, str],
    ) -> None:
        self.words = words
        self.busy = False
        """Whether a turn is running; set by the owner."""
        self._library = library
        self._toolbox = toolbox
        self._tell = tell
        self._ask_user = ask_user
        self._agreed = False
        """Whether the user has agreed here that this conversation goes to the model."""
        self._environment = environment
        self.model = ""
        """The model that is asked from the next turn on; empty for that of the settings."""
        self._unpriced = ""
        """What was told last of a model that has no prices."""
        self._unwritten: list[str] = []
        """What was said unasked while a turn ran."""
        self.on_unasked: Callable[[str], Awaitable[None]] | None = None
        """Called with what the agent says of its own accord, to show it."""
        self._take(conversation)
        library.unasked.open_chats.append(self)

    def _take(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self.usage = Usage()
        """What it used since it was opened, summaries included."""
        self._said = ""
        self._cuts: dict[str, str] = {}
        """Results of tools that were cut for the model, by the ids of their calls."""
        self._room, self._room_seen = "", dict[str, str]()
        """How the room stood with the user's newest message, and its sessions by their ids."""
        self._foreign = frozenset[str]()
        """What the model was told so that the user did not say."""
        self._last_line_at = seconds_of(conversation.entry.last_active)
        self._light_from = 0
        """With fewer messages than this, no light summary is made: the last attempt failed."""
        entry = conversation.entry
        self.work = WorkMode(
            Overlay(entry.work_overlay_turns_left, entry.work_overlay_directive),
            lambda overlay: conversation.change(**overlay.fields()),
            self._library.directive(),
            self.words.language,
        )
        self._count()

    async def run(self, text: str) -> events.TurnEnded:
        """Run a turn with the user's message, and return its last event."""
        self._said = text
        told = await self._look_around()
        self._room, self._room_seen = told.text, told.names
        self._note_foreign(told.foreign, self.words.gettext(_ROOM))
        self._last_line_at = time.time()
        try:
            if self._library.models.needs_consent and not self._agreed:
                await self._ask_consent()
                if not self._agreed:
                    await self._tell(events.Notice(self.words.gettext(_NOT_SENT)))
                    await self._tell(declined := events.TurnEnded("cancelled"))
                    return declined
            guard = await self._guard(self._directive(), self._room)
        except ModelFault as fault:
            ended = events.TurnEnded("failed", sentence_of(fault, self.words))
            await self._tell(ended)
            return ended
        if (note := self._library.models.unpriced_note(self.words, self.model)) != self._unpriced:
            self._unpriced = note
            if note:
                await self._tell(events.Notice(note))
        runner = TurnRunner(
            self._conversation,
            guard,
            self._toolbox,
            work=self.work,
            request=self._request,
            words=self.words,
            tell=self._tell,
        )
        try:
            ended = await runner.run(text)
        finally:
            self.usage += guard.take_spent()
            self._count()
        self.usage += ended.usage
        return ended

    async def _ask_consent(self) -> None:
        """Ask for the consent to use the model, with what would be sent and where.

        A yes for once holds for this conversation, as long as it is open; the other one is stored.
        """
        models, words = self._library.models, self.words
        question = events.Question(
            events.CONSENT,
            events.CONSENT,
            words.say(_CONSENT, model=models.name(self.model), place=models.place),
            "\n".join(map(words.gettext, _SENT)),
            scope=words.gettext(_FROM_NOW_ON),
        )
        choice = await self._ask_user(question)
        self._agreed = choice != "no"
        if choice == "conversation" and not await self._library.agree():
            await self._tell(events.Notice(words.gettext(_NOT_KEPT)))

    async def lighten(self) -> None:
        """Make the light summary if it is due; after a failure, only some turns later again.

        It is tried after a turn, while the user does not wait, and broken off when they go on.
        """
        request = self._request()
        if len(request.messages) < self._light_from:
            return
        guard, made = None, False
        try:
            guard = await self._guard()
            if not guard.is_light_due(request):
                return
            self._light_from = len(request.messages) + _LIGHT_PAUSE
            made = await guard.lighten(request)
        except (ModelFault, ConversationFault) as fault:
            _log.info("no light summary: %s", fault)
        finally:
            if guard is not None:
                self.usage += guard.take_spent()
        if made:
            self._light_from = 0
            self._count()

    async def greeting(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the lines of a greeting, and what its keys begin to say; empty without a workplace."""
        known = await self._library.room.ask()
        if known is None:
            return (), ()
        now = time.time()
        last = unasked.said_last(self._conversation.messages())
        said = [unasked.readable(line, now) for line in last]
        return greeting(known, said, self.words, self._library.mask, now)

    async def answer(self, session: str, choice: str) -> tuple[str, ...]:
        """Answer the question of a session with a choice; without one, return what it asks.

        Raises:
            TalkFault: it asks nothing, or the answer was refused.
        """
        if not choice:
            asks = await self.request(messages.Asks(id=0, session=session))
            return asked_lines(asks, self.words, self._library.mask)
        await self.request(messages.Answer(id=0, session=session, choice=choice))
        return (self.words.say(_ANSWERED, session=session, choice=choice),)

    async def request(self, request: messages.Request[_Answer]) -> _Answer:
        """Make a request of the workplace, and return its answer.

        Raises:
            TalkFault: it was refused, or nobody answers.
        """
        try:
            return await self._library.workplace.request(request)
        except ToolFault as fault:
            raise events.TalkFault(fault.data or self.words.told(fault.sentence)) from fault

    async def hear(self, line: str) -> None:
        """Write what the agent said of its own accord into the conversation, and show it.

        Raises:
            ConversationFault: the disk does not take it.
        """
        if self.busy:
            self._unwritten.append(line)
        elif await anyio.to_thread.run_sync(unasked.write, self._conversation, line):
            self._count()
            self._note_foreign(frozenset({line}), line)
        else:
            return
        if self.on_unasked is not None:
            await self.on_unasked(unasked.readable(line, time.time()))

    def write_unasked(self) -> None:
        """Write what was said unasked while a turn ran."""
        lines, self._unwritten = self._unwritten, []
        for line in lines:
            self._note_foreign(frozenset({line}), line)
            try:
                unasked.write(self._conversation, line)
            except ConversationFault as fault:
                _log.warning("what was said is not in its conversation: %s", fault)

    def close(self) -> None:
        self._library.unasked.open_chats.remove(self)
        self.write_unasked()
        self._conversation.close()

    @property
    def notice(self) -> str:
        """Sentences on what prevents a turn and on unreadable lines of the file; may be empty."""
        return "\n".join(filter(None, (self._missing(), self._garbled())))

    def _missing(self) -> str:
        """Return a sentence if a key is missing, else an empty string; consent is asked for later."""
        try:
            self._library.models.provider(self.model, self._environment, agreed=True)
        except ModelFault as fault:
            return sentence_of(fault, self.words)
        return ""

    def _garbled(self) -> str:
        faults = self._conversation.faults
        count = faults.garbled + faults.torn
        return self.words.say(_GARBLED, count=count) if count else ""

    # --- for slash commands

    @property
    def id(self) -> str:
        """The id of the open conversation."""
        return self._conversation.id

    @property
    def status(self) -> events.Status:
        """The current state that is shown beside the prompt."""
        entry = self._conversation.entry
        return events.Status(
            conversation=entry.id,
            label=entry.label,
            turns_left=self.work.overlay.turns_left,
            mode=self._library.modes.mode,
            model=self._library.models.name(self.model),
            tokens=self._tokens,
            limit=self._library.models.limit(self.model),
        )

    def entries(self) -> Sequence[Entry]:
        """Return all conversations, the latest first."""
        return self._library.conversations.entries()

    def find(self, name: str) -> Entry:
        """Return the conversation whose id or label is, or begins with, `name`."""
        return self._library.conversations.find(name)

    async def begin(self, label: str) -> Entry:
        try:
            return await self.switch(self._library.conversations.create(label).id)
        except ConversationFault as fault:
            raise events.TalkFault(fault.say(self.words)) from fault

    async def switch(self, id: str) -> Entry:
        """Open the conversation `id` in place of the current one, with its history (S-30)."""
        if self.busy:
            raise events.TalkFault(self.words.gettext(RUNS))
        if id != self._conversation.id:
            try:
                opened = self._library.conversations.open(id)
            except ConversationFault as fault:
                raise events.TalkFault(fault.say(self.words)) from fault
            self._conversation.close()
            self._toolbox.forget()
            self._take(opened)
        return self._conversation.entry

    def export(self) -> str:
        """Return the conversation as Markdown."""
        return self._conversation.export()

    def last_said(self) -> str:
        """Return the user's latest message, answered or not; empty if there is none."""
        said = (
            text_of(one["content"])
            for one in reversed(self._conversation.messages())
            if one["role"] == "user"
        )
        return self._said or next(filter(None, said), "")

    def last_exchange(self, *, greets: bool = False) -> events.Exchange | None:
        """Return the user's latest message and the answer to it; None if nothing was said.

        With it goes what the agent said unasked since then, unless a greeting that follows tells it.
        """
        said = answered = ""
        for message in self._conversation.messages():
            text = unasked.words_of(message, None if greets else time.time())
            if message["role"] == "assistant":
                answered = text or answered
            elif text and not text.startswith(SUMMARY):
                said, answered = text, ""
        return events.Exchange(said, answered) if said else None

    async def use(self) -> ContextUse:
        """Return how much of the model's context window the next request takes."""
        request = overlaid(self._request(), self._directive(), (await self._look_around()).text)
        return ContextUse(
            tokens=estimate(request),
            limit=self._library.models.limit(self.model),
            messages=len(self._conversation.messages()),
        )

    async def preview(self) -> str:
        """Return what the next request would send, as JSON with secrets masked."""
        request = overlaid(self._request(), self._directive(), (await self._look_around()).text)
        told = {
            "system": request.system,
            "messages": request.messages,
            "tools": [tool.name for tool in request.tools],
        }
        return self._library.mask(json.dumps(told, ensure_ascii=False, indent=2))

    async def compact(self) -> tuple[int, int]:
        """Have the model summarise the older half of the messages (S-29).

        Return how many the next request had, and has now; equal if no summary was made.
        """
        if self.busy:
            raise events.TalkFault(self.words.gettext(RUNS))
        before = len(self._conversation.messages())
        try:
            guard = await self._guard()
            try:
                await guard.compact(self._request())
            finally:
                self.usage += guard.take_spent()
        except ModelFault as fault:
            raise events.TalkFault(sentence_of(fault, self.words)) from fault
        except ConversationFault as fault:
            raise events.TalkFault(fault.say(self.words)) from fault
        self._count()
        return before, len(self._conversation.messages())

    async def change_mode(self, mode: str) -> tuple[str, ...]:
        """Change the agent mode; return a line for each step, or the mode if nothing changed."""
        report = await self._library.change_mode(mode)
        return tuple(step.text for step in report.steps) or (report.mode,)

    def tools(self) -> Sequence[ToolLine]:
        """Return the tools that the model is offered."""
        return tuple(
            ToolLine(
                name=schema.name,
                acts=self._toolbox.acts(schema.name),
                allowed=self._toolbox.allowed(schema.name),
            )
            for schema in self._toolbox.schemas
        )

    def grants(self) -> tuple[tuple[Grant, bool], ...]:
        """Return what the user granted for this conversation, and whether it is asked again."""
        box = self._toolbox
        return tuple((grant, box.is_asked_again(grant)) for grant in box.grants)

    def revoke(self, grant: Grant) -> None:
        """Take a grant back."""
        self._toolbox.revoke(grant)

    @property
    def folders(self) -> FolderConsent:
        """The folders that may be read, for `/folder`."""
        assert self._toolbox.folders is not None, "conversations have tools that read files"
        return self._toolbox.folders

    def today(self) -> Today:
        """Return what the agent used today in all it does, by why the model was asked."""
        return self._library.models.ledger.today()

    def allowance(self) -> tuple[str, ...]:
        """Return lines on what the agent may still ask by itself; none where it does not."""
        found = self._library.modes.allowance()
        return allowance_lines(found, self.words) if found else ()

    @property
    def day_limit(self) -> float:
        """The most US dollars for a day; 0 for no limit."""
        return self._library.models.day_limit()

    # --- steps

    def _note_foreign(self, texts: frozenset[str], what: str) -> None:
        """Have grants asked again if the model is told a foreign text that it did not know."""
        if texts - self._foreign:
            self._foreign |= texts
            self._toolbox.note_read(what)

    async def _look_around(self) -> Told:
        """Return how the room stands."""
        return await self._library.room.block(
            since=self._last_line_at,
            before=self._room_seen,
            conversation=self.id,
            limit=self._library.models.limit(self.model),
        )

    async def _guard(self, directive: str = "", room: str = "") -> ContextGuard:
        """Return the model behind a context guard.

        It adds the directive, and how the room stands, to each attempt (WB-2).

        Raises:
            ModelFault: the user's consent or a key is missing.
        """
        provider = self._library.models.provider(self.model, self._environment, agreed=self._agreed)
        return ContextGuard(
            provider,
            limit=await self._library.models.ask_limit(provider, self.model),
            save=self._compact,
            is_set=self._library.models.is_limit_set,
            finish=lambda request: overlaid(request, directive, room),
            learned=provider.learned,
            cuts=self._cuts,
        )

    def _compact(self, summary: str, upto: int) -> None:
        """Store a summary of the first `upto` messages.

        If these are not whole turns, the summary is not stored, and holds for this request only.
        """
        try:
            self._conversation.compact(summary, upto)
        except ValueError as exc:
            _log.warning("a summary is not kept: %s", exc)

    def _request(self) -> ModelRequest:
        return ModelRequest(
            system=self._library.chat_prompt(self.words.language),
            messages=self._conversation.messages(),
            tools=self._toolbox.schemas,
        )

    def _directive(self) -> str:
        return self.work.directive("chat", self.work.begin())

    def _count(self) -> None:
        """Update the estimated tokens of the next request."""
        request = overlaid(self._request(), self._directive(), self._room)
        self._tokens = estimate(request)
