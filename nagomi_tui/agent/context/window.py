"""Keeps a conversation's requests within the model's context window.

Room is made between turns, before the limit is reached: results of tools are shortened first, then
the older messages are summarised by the model.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Final

import anyio.to_thread
import msgspec

from nagomi_tui.agent.context.sizes import SHARE as RESULTS_SHARE
from nagomi_tui.agent.context.sizes import (
    cut_results,
    estimate,
    estimate_messages,
    is_overflow,
    shortened,
    tokens_in,
)
from nagomi_tui.agent.context.summary import PROMPT as SUMMARY_PROMPT
from nagomi_tui.agent.context.summary import summary_of
from nagomi_tui.agent.conversations.conversation import SUMMARY as HEADING
from nagomi_tui.agent.conversations.conversation import UNDERSTOOD
from nagomi_tui.agent.conversations.replay import begins_turn
from nagomi_tui.agent.providers.interface import Answered, ModelFault, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from nagomi_tui.agent.providers.interface import Message, ModelEvent, ModelRequest, Provider

SHARES: Final = (0.5, 0.7, 0.8)
"""Shares of the messages to summarise, tried in order until the request fits (S-23, SB-4)."""
LEAST: Final = 4
"""The fewest messages to keep; a history of this length or less is not summarised (SC-9)."""


def cut_for(messages: Sequence[Message], share: float) -> int:
    """Return how many messages to summarise, about `share` of them; 0 if there is no place to cut.

    At least `LEAST` messages, and a fifth of all, are aimed to be kept.
    """
    total = len(messages)
    keep = max(LEAST, int(total * 0.2))
    wanted = min(max(2, int(total * share)), total - keep)
    return boundary(messages, wanted, total - 1) if total > LEAST and wanted >= 2 else 0


def boundary(messages: Sequence[Message], wanted: int, most: int) -> int:
    """Return the last index for a cut at or before `wanted`, else the first after it.

    Indices lie between 2 and `most`; 0 means that there is none.
    """
    places = [at for at in range(2, most + 1) if begins_turn(messages[at])]
    before = [at for at in places if at <= wanted]
    return before[-1] if before else next(iter(places), 0)


MESSAGES: Final = 40
"""The light summary is due with more messages than this."""
SHARE: Final = 0.75
"""The light summary is due for a request with more tokens than this share of the limit."""
HEADINGS: Final = ("決定事項", "未解決", "次の一手")
LENGTH: Final = (200, 400)
"""The fewest and most characters that the model is asked for."""
_SLACK: Final = 2

PROMPT: Final = """\
次の会話を200〜400字で要約してください。見出しは「決定事項」「未解決」「次の一手」の3つだけにし、\
会話の言語で書いてください。前置きは要りません。

"""


def fits_form(summary: str) -> bool:
    """Tell whether a summary has the three headings and is not far too long.

    Models do not count characters well, so up to twice the length asked for is accepted.
    """
    return all(heading in summary for heading in HEADINGS) and len(summary) <= LENGTH[1] * _SLACK


_TRIES: Final = 3
"""The most requests for one answer: the first, and two shortened ones (S-17)."""
_SMALLER: Final = 0.8
"""The size of the next request relative to one that the server refused as too long."""
_SURELY: Final = 0.5
"""A request estimated below this share of the limit is sent without asking for a token count."""


def _unchanged(request: ModelRequest) -> ModelRequest:
    return request


class ContextGuard:
    """Wraps a provider, and makes requests fit into `limit` tokens before it sends them.

    The list of messages in the caller's request is changed in place, and stays shortened (S-19).
    """

    def __init__(
        self,
        provider: Provider,
        *,
        limit: int,
        save: Callable[[str, int], object],
        finish: Callable[[ModelRequest], ModelRequest] = _unchanged,
        shorten: Callable[[list[Message], int], object] | None = None,
    ) -> None:
        """`limit` is the model's context window in tokens, answer included.

        `save` stores a summary, with the number of the request's messages that it replaces (SB-5).
        `finish` adds to each attempt what must be neither in the history nor in a summary (WB-2).
        `shorten` cuts messages in place to about a number of tokens, where summaries do not suffice.
        """
        self._provider = provider
        self._limit = limit
        self._save = save
        self._finish = finish
        self._shorten = shorten
        self._most = limit
        """The most tokens in a request: the limit, or less once a server refused that many."""
        self._spent = Usage()
        """The usage of summaries that was not yet reported with an answer."""

    @property
    def model(self) -> str:
        """The model's name."""
        return self._provider.model

    async def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer; the last event is `Answered`.

        Its usage includes that of the summaries that were made since the last answer.

        Raises:
            ModelFault: there is no answer, it broke off, or the request cannot be made to fit.
        """
        request = self._bounded(request)
        cut = False
        if await self._tokens(request) > self._room(request):
            cut = await self._fit(request)
        for left in reversed(range(_TRIES)):
            begun = False
            try:
                async with aclosing(self._provider.ask(self._finish(request))) as events:
                    async for event in events:
                        begun = True
                        yield self._with_summaries(event)
                return
            except ModelFault as fault:
                if begun or not left or not is_overflow(fault):
                    raise
                too_long = fault
            self._most = min(self._most, int(await self._tokens(request) * _SMALLER))
            if not cut and self._cut_results(request):
                cut = True
            elif not await self._sum_up(request):
                raise too_long

    async def compact(self, request: ModelRequest) -> bool:
        """Summarise the older half of the messages; return False if there are too few.

        Raises:
            ModelFault: the model gave no summary; the messages are as they were.
        """
        cut = cut_for(request.messages, SHARES[0])
        if cut:
            await self._replace(request, cut)
        return bool(cut)

    async def lighten(self, request: ModelRequest) -> bool:
        """Make the light summary if it is due, and return whether it was made (W-31…W-33).

        If the model's text does not have the form of a light summary, nothing changes.

        Raises:
            ModelFault: the model gave no summary; the messages are as they were.
        """
        messages = request.messages
        if len(messages) <= MESSAGES and estimate(request) <= self._limit * SHARE:
            return False
        if len(messages) <= LEAST:
            return False
        wanted = len(messages) - LEAST
        cut = boundary(messages, wanted, wanted)
        if not cut:
            return False
        summary = await self._summary(messages[:cut], PROMPT)
        if not fits_form(summary):
            return False
        await self._put(request, summary, cut)
        return True

    # --- steps

    def _with_summaries(self, event: ModelEvent) -> ModelEvent:
        if not isinstance(event, Answered):
            return event
        spent, self._spent = self._spent, Usage()
        return msgspec.structs.replace(event, usage=event.usage + spent)

    def _spend(self, usage: Usage) -> None:
        self._spent += usage

    def _bounded(self, request: ModelRequest) -> ModelRequest:
        """Return the request with an answer of at most a quarter of the limit."""
        most = max(1, min(request.max_tokens, self._limit // 4))
        return msgspec.structs.replace(request, max_tokens=most)

    def _room(self, request: ModelRequest) -> int:
        return min(self._most, self._limit - request.max_tokens)

    async def _tokens(self, request: ModelRequest) -> int:
        """Return a request's tokens (S-31).

        They are estimated, and counted by the server if it can and the estimate is near the limit.
        """
        request = self._finish(request)
        guessed = estimate(request)
        if guessed < self._limit * _SURELY:
            return guessed
        counted = await self._provider.count(request)
        return guessed if counted is None else counted

    async def _fit(self, request: ModelRequest) -> bool:
        """Shorten a request that is too long; return whether tool results were cut."""
        cut = self._cut_results(request)
        if not cut or await self._tokens(request) > self._room(request):
            await self._sum_up(request)
        return cut

    def _cut_results(self, request: ModelRequest) -> bool:
        cut = cut_results(request.messages, int(self._most * RESULTS_SHARE))
        if cut is not None:
            request.messages[:] = cut
        return cut is not None

    async def _sum_up(self, request: ModelRequest) -> bool:
        """Summarise ever larger shares until the request fits; return whether it got shorter.

        Raises:
            ModelFault: the model gave no summary; messages not yet summarised are as they were.
        """
        before = estimate_messages(request.messages)
        for share in SHARES:
            cut = cut_for(request.messages, share)
            if not cut:
                break
            await self._replace(request, cut)
            if await self._tokens(request) <= self._room(request):
                break
        if self._shorten is not None:
            excess = await self._tokens(request) - self._room(request)
            if excess > 0:
                self._shorten(request.messages, estimate_messages(request.messages) - excess)
        return estimate_messages(request.messages) < before

    async def _replace(self, request: ModelRequest, cut: int) -> None:
        summary = await self._summary(request.messages[:cut], SUMMARY_PROMPT)
        await self._put(request, summary, cut)

    async def _summary(self, messages: list[Message], prompt: str) -> str:
        return await summary_of(
            self._provider,
            messages,
            limit=self._most,
            max_tokens=max(1, self._limit // 4),
            spent=self._spend,
            prompt=prompt,
        )

    async def _put(self, request: ModelRequest, summary: str, cut: int) -> None:
        """Save a summary, then replace the first `cut` messages by it (S-25, SB-5)."""
        await anyio.to_thread.run_sync(self._save, summary, cut)
        request.messages[:cut] = summed_up(summary)


def summed_up(summary: str) -> list[Message]:
    """Return the two messages that replace the summarised ones (S-25)."""
    return [
        {"role": "user", "content": HEADING + summary},
        {"role": "assistant", "content": [{"type": "text", "text": UNDERSTOOD}]},
    ]


_LEAST: Final = 200
"""The fewest characters that are left of a question, however small the window is."""


def _middle_out(text: str, characters: int) -> str:
    return shortened(text, characters)


def guarded(
    provider: Provider, limit: int, shorten: Callable[[str, int], str] = _middle_out
) -> ContextGuard:
    """Return a guard that fits a question with its answer into `limit` tokens.

    `shorten(text, n)` cuts a text to about `n` characters; by default it leaves out the middle.
    """

    def cut(messages: list[Message], tokens: int) -> None:
        text = messages[-1]["content"]
        if isinstance(text, str):
            share = max(0, tokens) / max(1, tokens_in(text))
            messages[-1] = messages[-1] | {
                "content": shorten(text, max(_LEAST, int(len(text) * min(1.0, share))))
            }

    return ContextGuard(provider, limit=limit, save=_nothing_kept, shorten=cut)


def _nothing_kept(summary: str, upto: int) -> None:
    """Store nothing: a single question has no history to summarise."""
