"""Runs a turn of a conversation: the user's message, requests, tool calls and the answer.

Each part is stored on disk as soon as it is complete.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Final, TypeVarTuple, Unpack

import anyio
import anyio.to_thread
import msgspec

from nagomi_tui.agent.conversations.conversation import Conversation
from nagomi_tui.agent.conversations.entries import ConversationFault
from nagomi_tui.agent.conversations.records import CallResult
from nagomi_tui.agent.modes.inner_notes import InnerFilter, inner_blocks
from nagomi_tui.agent.overlay import WorkMode
from nagomi_tui.agent.providers import interface as llm
from nagomi_tui.agent.providers.stream import WHOLE
from nagomi_tui.agent.talk.events import Notice, Stage, ToolEnded, ToolStarted, TurnEnded, TurnEvent
from nagomi_tui.agent.tools.toolbox import Toolbox
from nagomi_tui.agent.turns import models
from nagomi_tui.text.words import Words

_Given = TypeVarTuple("_Given")
_log = logging.getLogger(__name__)
MOST_ROUNDS: Final = 30
"""The most requests of one turn; if the last still calls tools, the turn fails."""
_MAY_CALL: Final = frozenset({*WHOLE, "", "max_tokens"})
_INTERRUPTED: Final = "The user ended the turn before this was done."


@dataclass(eq=False)
class TurnRunner:
    """Runs turns in one open conversation, one at a time.

    `tell` gets each event as it happens. `run` returns the last event, after the turn is stored. A
    cancelled turn keeps its text so far and can be replayed (SB-14). `request` makes the next
    request; `model` adds the work overlay's directive to each attempt of it (WB-2).
    """

    conversation: Conversation
    model: llm.Model
    toolbox: Toolbox
    _: KW_ONLY
    work: WorkMode
    request: Callable[[], llm.ModelRequest]
    words: Words
    tell: Callable[[TurnEvent], Awaitable[None]]

    async def run(self, text: str) -> TurnEnded:
        """Answer the user's message; after a fault, the last event has a sentence on it.

        A turn that failed can be repeated.
        """
        turn = _Turn()
        began = self.work.begin()
        try:
            await _written(self.conversation.append_user, text)
            answer = await self._answer(turn)
            ended = TurnEnded("done", answer, turn.usage)
            await _written(partial(self.work.end, began, route="chat", answer=answer, done=True))
        except llm.ModelFault as fault:
            ended = await self._failed(turn, models.sentence_of(fault, self.words))
        except _Unanswered as fault:
            ended = await self._failed(turn, str(fault))
        except ConversationFault as fault:
            ended = TurnEnded("failed", fault.say(self.words), turn.usage)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await _written(self._keep, turn)
                await self.tell(TurnEnded("cancelled", turn.shown, turn.usage))
            raise
        await self.tell(ended)
        return ended

    # --- steps

    async def _answer(self, turn: _Turn) -> str:
        """Ask the model, carry out its tool calls and ask again, until there is an answer.

        Raises:
            ModelFault: a request failed.
            _Unanswered: all requests succeeded, but gave no answer.
        """
        for _ in range(MOST_ROUNDS):
            answered = await self._ask(turn, self.request())
            content = _kept(answered)
            if not content:
                odd = models.odd_end(answered.stop_reason, self.words)
                raise _Unanswered(odd or self.words.gettext(models.NO_WORDS))
            await _written(self.conversation.append_assistant, content)
            turn.said, turn.calls, turn.stored = "", _calls(content), True
            if not turn.calls:
                return await self._final(answered, content)
            await self._use(turn)
        sentence = self.words.say(models.TOO_MANY_ROUNDS, count=MOST_ROUNDS)
        raise _Unanswered(sentence)

    async def _ask(self, turn: _Turn, request: llm.ModelRequest) -> llm.Answered:
        """Send one request, and show its text without inner blocks (MB-8)."""
        shown = InnerFilter()
        answered = None
        async with aclosing(self.model.ask(request)) as events:
            async for event in events:
                if isinstance(event, llm.TextPiece):
                    await self._show(turn, shown.feed(event.text))
                elif isinstance(event, llm.Answered):
                    answered = event
                elif isinstance(event, llm.Progress):
                    await self.tell(Stage(models.stage_of(event, self.words)))
        await self._show(turn, shown.finish())
        if answered is None:
            raise llm.ModelFault("broken")
        turn.usage += answered.usage
        return answered

    async def _show(self, turn: _Turn, text: str) -> None:
        if text:
            turn.said += text
            turn.shown += text
            await self.tell(llm.TextPiece(text))

    async def _final(self, answered: llm.Answered, content: list[llm.Block]) -> str:
        """Return the answer's text, after a notice if it was cut or the model declined to go on."""
        if odd := models.odd_end(answered.stop_reason, self.words):
            await self.tell(Notice(odd))
        return "".join(block["text"] for block in content if _is_text(block))

    async def _use(self, turn: _Turn) -> None:
        """Carry out tool calls one after the other, then store all results together (SB-2)."""
        for call in turn.calls:
            await self.tell(ToolStarted(call.id, call.name, self.toolbox.summary(call)))
            result = await self.toolbox.use(call)
            turn.results.append(CallResult(call.id, result.text, is_error=not result.ok))
            await self.tell(ToolEnded(call.id, result.ok, result.summary))
        await _written(self.conversation.append_tool_results, turn.results)
        turn.calls, turn.results = [], []

    # --- turns that end early

    async def _failed(self, turn: _Turn, sentence: str) -> TurnEnded:
        try:
            await _written(self.conversation.fail_turn)
        except ConversationFault as fault:
            sentence = fault.say(self.words)
        return TurnEnded("failed", sentence, turn.usage)

    def _keep(self, turn: _Turn) -> None:
        """Store the text and results of a cancelled turn, so that it can be replayed."""
        try:
            if turn.calls:
                self.conversation.append_tool_results(_completed(turn.calls, turn.results))
            if turn.said.strip():
                self.conversation.append_assistant([{"type": "text", "text": turn.said}])
            elif not turn.stored:
                self.conversation.fail_turn()
        except ConversationFault as fault:
            _log.warning("a cancelled turn was not kept: %s", fault)


async def _written(write: Callable[[Unpack[_Given]], None], *given: *_Given) -> None:
    """Call `write` in a thread, since a disk may be slow, and wait for its end even if cancelled."""
    with anyio.CancelScope(shield=True):
        await anyio.to_thread.run_sync(write, *given)


class _Turn(msgspec.Struct):
    """The state of a turn."""

    said: str = ""
    """Text that was shown and is not stored yet."""
    shown: str = ""
    stored: bool = False
    """A part of the answer is stored on disk."""
    calls: list[llm.ToolCall] = []
    """Tool calls that are stored, but whose results are not stored yet."""
    results: list[CallResult] = []
    """The results of those of `calls` that have ended."""
    usage: llm.Usage = llm.Usage()


class _Unanswered(Exception):
    """The model's requests succeeded without an answer; the message is a sentence for the user."""


def _kept(answered: llm.Answered) -> list[llm.Block]:
    """Return the blocks to store: without inner blocks, and without text that is blank.

    Tools that an answer calls which was broken off are not used.
    """
    found = []
    for block in answered.content:
        if block.get("type") == "tool_use" and answered.stop_reason not in _MAY_CALL:
            continue
        if _is_text(block):
            visible = inner_blocks(block["text"]).visible
            if visible.strip():
                found.append({**block, "text": visible})
        else:
            found.append(block)
    return found


def _is_text(block: llm.Block) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def _calls(blocks: Sequence[llm.Block]) -> list[llm.ToolCall]:
    uses = [block for block in blocks if block.get("type") == "tool_use"]
    return [llm.ToolCall(use["id"], use["name"], use["input"]) for use in uses]


def _completed(calls: Sequence[llm.ToolCall], results: Sequence[CallResult]) -> list[CallResult]:
    """Return a result for each call; a call that has not ended gets an error as its result."""
    ended = {result.id: result for result in results}
    return [ended.get(call.id, CallResult(call.id, _INTERRUPTED, is_error=True)) for call in calls]
