"""Has a model summarise messages, in pieces that each fit into a request (S-24, SC-8, SB-7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Final

import msgspec

from nagomi_tui.agent.context.sizes import tokens_in
from nagomi_tui.agent.providers import interface as llm
from nagomi_tui.agent.providers.stream import WHOLE
from nagomi_tui.text.words import translatable

SYSTEM: Final = "You are a conversation summarizer. Be concise and factual."
PROMPT: Final = (
    "Summarize the following conversation concisely, preserving key facts and decisions. "
    "Output only the summary, no preamble.\n\n"
)
MAX_TOKENS: Final = 2048
_NO_SUMMARY: Final = translatable("the summary of the conversation is empty")
_RESULT_CHARACTERS: Final = 500
_HALVINGS: Final = 4
_LEAST_TOKENS: Final = 200


async def summary_of(
    provider: llm.Provider,
    messages: Iterable[llm.Message],
    *,
    limit: int,
    max_tokens: int,
    spent: Callable[[llm.Usage], object],
    prompt: str,
) -> str:
    """Return a model's summary of messages; each request has about half of `limit` tokens at most.

    Each request begins with the summary so far. If the server refuses one as too long, all pieces
    are halved, up to four times. `max_tokens` limits the summary, and `spent` is called with the
    usage of each request.

    Raises:
        ModelFault: the model gave no summary.
    """
    text = "\n\n".join(line for message in messages for line in _lines(message))
    room = max(limit // 4, limit // 2 - max_tokens)
    for halving in range(_HALVINGS + 1):
        try:
            summary = ""
            for piece in pieces(text, room >> halving):
                before = f"[summary so far]: {summary}\n\n" if summary else ""
                content = prompt + before + piece
                summary = await _asked(provider, content, min(max_tokens, MAX_TOKENS), spent)
            return summary
        except llm.ModelFault as fault:
            if halving == _HALVINGS or fault.cause != "overflow":
                raise
    raise AssertionError("unreachable")


async def _asked(
    provider: llm.Provider, content: str, max_tokens: int, spent: Callable[[llm.Usage], object]
) -> str:
    request = llm.ModelRequest(
        system=SYSTEM,
        messages=[{"role": "user", "content": content}],
        max_tokens=max_tokens,
        route="summary",
    )
    answer: llm.Answered | None = None
    async with aclosing(provider.ask(request)) as events:
        async for event in events:
            answer = event if isinstance(event, llm.Answered) else answer
    if answer is not None:
        spent(answer.usage)
        if answer.stop_reason == "model_context_window_exceeded":
            raise llm.ModelFault("overflow", "the piece to sum up is too long")
    summary = llm.text_of(answer.content).strip() if answer is not None else ""
    if answer is None or not summary or answer.stop_reason not in (*WHOLE, "", "max_tokens"):
        raise llm.ModelFault("garbled", _NO_SUMMARY)
    return summary


def pieces(text: str, tokens: int) -> Iterator[str]:
    """Cut a text into pieces of about `tokens` tokens (at least 200), if possible at line ends."""
    tokens = max(_LEAST_TOKENS, tokens)
    while text:
        # Begin with four characters a token, and shrink the piece until its estimate fits.
        size = min(len(text), tokens * 4)
        while size > 1 and tokens_in(text[:size]) > tokens:
            size = max(1, int(size * 0.8))
        if size < len(text) and (line := text.rfind("\n", size // 2, size)) > 0:
            size = line + 1
        yield text[:size]
        text = text[size:]


def _lines(message: llm.Message) -> Iterator[str]:
    """Yield a message's blocks as plain text, in the form that SC-8 gives."""
    content, role = message["content"], message["role"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks:
        if line := _line(role, block):
            yield line


def _line(role: str, block: llm.Block) -> str:
    match block.get("type"):
        case "text":
            return f"[{role}]: {block['text']}"
        case "tool_use":
            input = msgspec.json.encode(block["input"]).decode()
            return f"[{role} called {block['name']}]: {input}"
        case "tool_result":
            return f"[tool_result]: {llm.text_of(block.get('content') or '')[:_RESULT_CHARACTERS]}"
        case _:
            return ""
