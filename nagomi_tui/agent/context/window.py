"""Keeps a conversation's requests within the model's context window.

Room is made between turns, before the limit is reached: results of tools are shortened first, then
the older messages are summarised by the model.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Final

import anyio.to_thread
import msgspec

from nagomi_tui.agent.context import sizes
from nagomi_tui.agent.context.summary import MAX_TOKENS as SUMMARY_TOKENS
from nagomi_tui.agent.context.summary import PROMPT as SUMMARY_PROMPT
from nagomi_tui.agent.context.summary import summary_of
from nagomi_tui.agent.conversations.conversation import SUMMARY as HEADING
from nagomi_tui.agent.conversations.conversation import summed_up
from nagomi_tui.agent.conversations.replay import begins_turn
from nagomi_tui.agent.providers import interface as llm

SHARES: Final = (0.5, 0.7, 0.8)
"""Shares of the messages to summarise, tried in order until the request fits (S-23, SB-4)."""
LEAST: Final = 4
"""The fewest messages to keep; a history of this length or less is not summarised (SC-9)."""


def cut_for(messages: Sequence[llm.Message], share: float) -> int:
    """Return how many messages to summarise, about `share` of them; 0 if there is no place to cut.

    At least `LEAST` messages, and a fifth of all, are aimed to be kept.
    """
    total = len(messages)
    keep = max(LEAST, int(total * 0.2))
    wanted = min(max(2, int(total * share)), total - keep)
    return boundary(messages, wanted, total - 1) if total > LEAST and wanted >= 2 else 0


def boundary(messages: Sequence[llm.Message], wanted: int, most: int) -> int:
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
_HEADINGS: Final = 3
_HEADING: Final = re.compile(
    r"(?:^|(?<=[。.!?！？;；]))\s*(?:[-*•]\s+|\d[.)]\s+)?"
    r"(?:#{1,6}\s+\S|\*\*[^*\n]{1,40}\*\*|【[^】\n]{1,40}】|[■●◆▼]\s*\S|[^:：。.\n]{2,40}(?:：|:(?=\s|$)))",
    re.MULTILINE,
)
"""The beginning of a line or sentence that is a heading, in any language and the usual forms."""
LENGTH: Final = (200, 400)
"""The fewest and most characters that the model is asked for."""
_TOKENS: Final = 2 * sizes.tokens_in("字" * LENGTH[1])
"""The longest light summary: models do not count well, and other languages need more characters."""

PROMPT: Final = """\
次の会話を200〜400字で要約してください。見出しは「決定事項」「未解決」「次の一手」の3つだけにし、\
会話の言語で書いてください。前置きは要りません。

"""


def fits_form(summary: str) -> bool:
    """Tell whether a summary has three headings, in any language, and is not far too long."""
    return len(_HEADING.findall(summary)) >= _HEADINGS and sizes.tokens_in(summary) <= _TOKENS


_TRIES: Final = 3
"""The most requests for one answer: the first, and two shortened ones (S-17)."""
_SMALLER: Final = 0.8
"""The size of the next request relative to one that the server refused as too long."""
_SURELY: Final = 0.5
"""A request estimated below this share of the limit is sent without asking for a token count."""


def _unchanged(request: llm.ModelRequest) -> llm.ModelRequest:
    return request


class Learned:
    """What refusals tell of a server's limit; all guards of one model share it."""

    def __init__(self) -> None:
        self.most: int | None = None
        """The most tokens that a request may have; None before a refusal."""

    def refused(self, tokens: int) -> None:
        """Note that so many tokens were too many."""
        self.most = min(self.most or tokens, int(tokens * _SMALLER))

    def taken(self, tokens: int) -> None:
        """Note that so many tokens were taken: the server's limit may have been raised."""
        if self.most is not None:
            self.most = max(self.most, tokens)


class _Draft:
    """A request that is being shortened; the caller's own stays as it is until the server takes it."""

    def __init__(self, request: llm.ModelRequest) -> None:
        self.request = msgspec.structs.replace(request, messages=list(request.messages))
        self.summary = ""
        self.upto = 0
        """How many of the caller's messages the summary replaces."""
        self.cut = False
        """Whether results of tools were cut already."""

    @property
    def messages(self) -> list[llm.Message]:
        """The messages, to be changed in place."""
        return self.request.messages

    def replace(self, summary: str, cut: int) -> None:
        """Put a summary in the place of the first `cut` messages, the former summary included."""
        self.upto = cut + self.upto - _PAIR if self.summary else cut
        self.summary = summary
        self.messages[:cut] = summed_up(summary)


_PAIR: Final = 2
"""The messages that a summary takes."""
SUMMED: Final = "summed_up"
"""The `kind` of the fault of a request that is too long although it was summed up."""
OVER_SETTING: Final = "over_setting"
"""The `kind` of the fault of a request that is longer than the user allows, which was not sent."""


class ContextGuard:
    """Wraps a provider, and makes requests fit into `limit` tokens before it sends them.

    Once the server takes a request, the caller's list of messages is replaced in place by what was
    sent, and stays shortened (S-19).
    """

    def __init__(
        self,
        provider: llm.Provider,
        *,
        limit: int,
        save: Callable[[str, int], object],
        is_set: bool = False,
        finish: Callable[[llm.ModelRequest], llm.ModelRequest] = _unchanged,
        shorten: Callable[[list[llm.Message], int], object] | None = None,
        learned: Learned | None = None,
        cuts: dict[str, str] | None = None,
    ) -> None:
        """`limit` is the model's context window in tokens, answer included.

        `save` stores a summary, with the number of the request's messages that it replaces (SB-5).
        `is_set` tells that the limit is the user's own: what does not fit in is not sent.
        `finish` adds to each attempt what must be neither in the history nor in a summary (WB-2).
        `shorten` cuts messages in place to about a number of tokens, where summaries do not suffice.
        `cuts` keeps the results of tools that were cut, by the ids of their calls, for later turns.
        """
        self._provider = provider
        self._limit = limit
        self._is_set = is_set
        self._save = save
        self._finish = finish
        self._shorten = shorten
        self._learned = learned or Learned()
        self._cuts = {} if cuts is None else cuts
        self._spent = llm.Usage()
        """The usage of summaries that was not yet reported."""

    @property
    def model(self) -> str:
        """The model's name."""
        return self._provider.model

    async def ask(self, request: llm.ModelRequest) -> AsyncGenerator[llm.ModelEvent]:
        """Stream an answer; the last event is `Answered`.

        Its usage includes that of the summaries that were made since the last answer.

        Raises:
            ModelFault: there is no answer, it broke off, or the request cannot be made to fit.
        """
        draft = _Draft(self._bounded(request))
        draft.messages[:] = _with_cuts(draft.messages, self._cuts)
        if await self._tokens(draft.request) > self._room(draft.request):
            async for step in self._shortened(draft):
                yield step
            if self._is_set and (tokens := await self._tokens(draft.request)) > self._limit:
                raise llm.ModelFault("overflow", f"{tokens:,} > {self._limit:,}", kind=OVER_SETTING)
        for left in reversed(range(_TRIES)):
            begun = False
            try:
                async with aclosing(self._provider.ask(self._finish(draft.request))) as events:
                    async for event in events:
                        if not begun and not isinstance(event, llm.Progress):
                            begun = True
                            await self._keep(request, draft)
                        yield await self._seen(event, draft)
                return
            except llm.ModelFault as fault:
                if begun or fault.cause != "overflow":
                    raise
                too_long = fault
            self._learned.refused(await self._tokens(draft.request))
            shorter = False
            if left:
                async for step in self._shortened(draft):
                    shorter = True
                    yield step
            if not shorter:
                raise _named(too_long, draft) from too_long

    async def compact(self, request: llm.ModelRequest) -> bool:
        """Summarise the older half of the messages; return False if there are too few.

        Raises:
            ModelFault: the model gave no summary; the messages are as they were.
        """
        cut = cut_for(request.messages, SHARES[0])
        if cut:
            await self._put(
                request, await self._summary(request.messages[:cut], SUMMARY_PROMPT), cut
            )
        return bool(cut)

    def is_light_due(self, request: llm.ModelRequest) -> bool:
        """Tell whether the light summary is due (W-31)."""
        messages = request.messages
        return len(messages) > LEAST and (
            len(messages) > MESSAGES or sizes.estimate(request) > self._limit * SHARE
        )

    async def lighten(self, request: llm.ModelRequest) -> bool:
        """Make the light summary if it is due, and return whether it was made (W-31…W-33).

        If the model's text does not have the form of a light summary, nothing changes.

        Raises:
            ModelFault: the model gave no summary; the messages are as they were.
        """
        wanted = len(request.messages) - LEAST
        cut = boundary(request.messages, wanted, wanted) if self.is_light_due(request) else 0
        if not cut:
            return False
        summary = await self._summary(request.messages[:cut], PROMPT)
        if not fits_form(summary):
            return False
        await self._put(request, summary, cut)
        return True

    def take_spent(self) -> llm.Usage:
        """Return the usage of summaries that no answer has reported, once."""
        spent, self._spent = self._spent, llm.Usage()
        return spent

    # --- steps

    async def _seen(self, event: llm.ModelEvent, draft: _Draft) -> llm.ModelEvent:
        """Return an event as it is passed on, and learn from the answer."""
        if not isinstance(event, llm.Answered):
            return event
        if event.stop_reason == "model_context_window_exceeded":
            self._learned.refused(await self._tokens(draft.request))
        else:
            self._learned.taken(sizes.estimate(self._finish(draft.request)))
        return msgspec.structs.replace(event, usage=event.usage + self.take_spent())

    async def _keep(self, request: llm.ModelRequest, draft: _Draft) -> None:
        """Store what was summed up and cut, now that the server has taken the request (SB-5)."""
        if draft.summary:
            await anyio.to_thread.run_sync(self._save, draft.summary, draft.upto)
        if draft.cut:
            self._cuts.update(_cut_texts(draft.messages))
        request.messages[:] = draft.messages

    def _spend(self, usage: llm.Usage) -> None:
        self._spent += usage

    def _bounded(self, request: llm.ModelRequest) -> llm.ModelRequest:
        """Return the request with an answer of at most a quarter of the limit."""
        most = max(1, min(request.max_tokens, self._limit // 4))
        return msgspec.structs.replace(request, max_tokens=most)

    @property
    def _most(self) -> int:
        """The most tokens in a request: the limit, or less once a server refused that many."""
        return min(self._limit, self._learned.most or self._limit)

    def _room(self, request: llm.ModelRequest) -> int:
        return min(self._most, self._limit - request.max_tokens)

    async def _tokens(self, request: llm.ModelRequest) -> int:
        """Return a request's tokens (S-31).

        They are estimated, and counted by the server if it can and the estimate is near the limit.
        """
        request = self._finish(request)
        guessed = sizes.estimate(request)
        if guessed < self._limit * _SURELY:
            return guessed
        counted = await self._provider.count(request)
        return guessed if counted is None else counted

    async def _shortened(self, draft: _Draft) -> AsyncGenerator[llm.Progress]:
        """Cut the results of tools; where that does not suffice, sum up. Yield what is done."""
        if not draft.cut:
            before = _results_size(draft.messages)
            cut = sizes.cut_results(draft.messages, int(self._most * sizes.SHARE))
            draft.cut = cut is not None
            if cut is not None:
                draft.messages[:] = cut
                yield llm.Progress(kind="cut", size=_results_size(cut), messages=before)
                if await self._tokens(draft.request) <= self._room(draft.request):
                    return
        async for step in self._sum_up(draft):
            yield step

    async def _sum_up(self, draft: _Draft) -> AsyncGenerator[llm.Progress]:
        """Summarise as much as is needed for the request to fit, if that can help at all.

        Raises:
            ModelFault: the model gave no summary; the caller's messages are as they were.
        """
        for _ in SHARES:
            cut = await self._cut(draft)
            if not cut:
                break
            yield llm.Progress(kind="sum", messages=cut)
            draft.replace(await self._summary(draft.messages[:cut], SUMMARY_PROMPT), cut)
            tokens = await self._tokens(draft.request)
            yield llm.Progress(
                kind="summed", messages=cut, percent=100 * tokens // max(1, self._limit)
            )
            if tokens <= self._room(draft.request):
                break
        if self._shorten is not None:
            excess = await self._tokens(draft.request) - self._room(draft.request)
            before = sizes.estimate_messages(draft.messages)
            if excess > 0:
                self._shorten(draft.messages, before - excess)
            if sizes.estimate_messages(draft.messages) < before:
                yield llm.Progress(kind="cut", size=_size(draft.messages))

    async def _cut(self, draft: _Draft) -> int:
        """Return how many messages to summarise: the smallest share that makes the request fit.

        Return 0 where no summary helps: what stays anyhow, the newest turn with prompt and tools,
        is too long by itself, or there is nothing before it but a summary.
        """
        messages, room = draft.messages, self._room(draft.request)
        whole = await self._tokens(draft.request)
        last = max((at for at, one in enumerate(messages) if begins_turn(one)), default=0)
        stays = whole - sizes.estimate_messages(messages[:last])
        if stays > room:
            return 0
        cuts = [cut for share in SHARES if (cut := cut_for(messages, share))]
        summed = _PAIR if _is_summary(messages) else 0
        useful = [cut for cut in cuts if cut > summed]
        for cut in useful:
            part = sizes.estimate_messages(messages[:cut])
            if whole - part + min(SUMMARY_TOKENS, max(_LEAST, part // 4)) <= room:
                return cut
        return useful[-1] if useful else 0

    async def _summary(self, messages: list[llm.Message], prompt: str) -> str:
        return await summary_of(
            self._provider,
            messages,
            limit=self._most,
            max_tokens=max(1, self._limit // 4),
            spent=self._spend,
            prompt=prompt,
        )

    async def _put(self, request: llm.ModelRequest, summary: str, cut: int) -> None:
        """Save a summary, then replace the first `cut` messages by it (S-25, SB-5)."""
        await anyio.to_thread.run_sync(self._save, summary, cut)
        request.messages[:cut] = summed_up(summary)


def _named(fault: llm.ModelFault, draft: _Draft) -> llm.ModelFault:
    """Return the fault of a request that is too long, marked if it was summed up before."""
    kind = SUMMED if draft.summary else ""
    return llm.ModelFault("overflow", str(fault), status=fault.status, kind=kind)


def _is_summary(messages: Sequence[llm.Message]) -> bool:
    return bool(messages) and llm.text_of(messages[0]["content"]).startswith(HEADING)


def _size(messages: Sequence[llm.Message]) -> int:
    return sum(len(llm.text_of(message["content"]).encode()) for message in messages)


def _results_size(messages: Sequence[llm.Message]) -> int:
    blocks = (block for message in messages for block in llm.results_of(message))
    return sum(len(llm.text_of(block.get("content") or "").encode()) for block in blocks)


def _cut_texts(messages: Sequence[llm.Message]) -> dict[str, str]:
    """Return the results of tools in messages that were cut, by the ids of their calls."""
    blocks = [block for message in messages for block in llm.results_of(message)]
    return {
        str(block.get("tool_use_id")): block["content"]
        for block in blocks
        if isinstance(block.get("content"), str) and sizes.CUT_MARK in block["content"]
    }


def _with_cuts(messages: Sequence[llm.Message], cuts: dict[str, str]) -> list[llm.Message]:
    """Return messages whose results of tools are as short as they were sent before (S-19)."""
    if not cuts:
        return list(messages)
    return [
        message
        if not (llm.results_of(message))
        else message
        | {
            "content": [
                block | {"content": cuts[block["tool_use_id"]]}
                if block.get("type") == "tool_result" and block.get("tool_use_id") in cuts
                else block
                for block in message["content"]
            ]
        }
        for message in messages
    ]


_LEAST: Final = 200
"""The fewest characters that are left of a question, however small the window is."""


def guarded(
    provider: llm.Provider,
    limit: int,
    shorten: Callable[[str, int], str] = sizes.shortened,
    learned: Learned | None = None,
    is_set: bool = False,
) -> ContextGuard:
    """Return a guard that fits a question with its answer into `limit` tokens.

    `shorten(text, n)` cuts a text to about `n` characters; by default it leaves out the middle.
    """

    def cut(messages: list[llm.Message], tokens: int) -> None:
        text = messages[-1]["content"]
        if isinstance(text, str):
            share = max(0, tokens) / max(1, sizes.tokens_in(text))
            messages[-1] = messages[-1] | {
                "content": shorten(text, max(_LEAST, int(len(text) * min(1.0, share))))
            }

    return ContextGuard(
        provider, limit=limit, save=_nothing_kept, is_set=is_set, shorten=cut, learned=learned
    )


def _nothing_kept(summary: str, upto: int) -> None:
    """Store nothing: a single question has no history to summarise."""
