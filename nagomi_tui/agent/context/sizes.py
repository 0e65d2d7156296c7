"""Estimates the tokens of texts and requests, and shortens the results of tools.

Each class of characters has a number of tokens per character: about a quarter for Latin letters,
about one for kanji, kana and hangul, and 0.6 for ASCII punctuation. The estimate of a request
includes its system prompt and tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from nagomi_tui.agent.providers import interface as llm

_EACH_MESSAGE: Final = 6
_EACH_BLOCK: Final = 4
_CLASSES: Final = (
    (re.compile(r"[A-Za-z]+"), 0.27),
    (re.compile(r"[0-9]+"), 0.5),
    (re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u3000-\u303f]+"), 1.1),
    (re.compile(r"[!-/:-@\[-`{-~]+"), 0.6),
)  # fmt: skip
"""Tokens per character of each class; a single space is part of the word after it."""
_SPACES: Final = re.compile(r"\s+")
_OTHER: Final = 0.7
"""Tokens per other character: accented and Cyrillic letters, signs and emoji."""


def tokens_in(text: str) -> int:
    rest = len(text)
    tokens = 0.0
    for pattern, each in _CLASSES:
        length = sum(map(len, pattern.findall(text)))
        tokens += length * each
        rest -= length
    spaces = _SPACES.findall(text)
    rest -= sum(map(len, spaces))
    # A line break with its indent is a token; a single space is part of the next word.
    tokens += sum(1 for space in spaces if len(space) > 1 or space == "\n")
    return int(tokens + rest * _OTHER + 0.999)


def estimate(request: llm.ModelRequest) -> int:
    """Return the estimated tokens of a request, its system prompt and tools included."""
    tools = sum(
        tokens_in(tool.name) + tokens_in(tool.description) + tokens_in(_json(tool.parameters))
        for tool in request.tools
    )
    return tokens_in(request.system) + tools + estimate_messages(request.messages)


def estimate_messages(messages: Iterable[llm.Message]) -> int:
    return sum(_EACH_MESSAGE + _content(message["content"]) for message in messages)


def _content(content: Any) -> int:
    if isinstance(content, str):
        return tokens_in(content)
    return sum(_EACH_BLOCK + _block(block) for block in content)


def _block(block: dict[str, Any]) -> int:
    match block.get("type"):
        case "text":
            return tokens_in(str(block.get("text", "")))
        case "thinking":
            return tokens_in(str(block.get("thinking", "")))
        case "tool_use":
            return tokens_in(str(block.get("name", ""))) + tokens_in(_json(block.get("input")))
        case "tool_result":
            return _content(block.get("content") or "")
        case _:
            return tokens_in(_json(block))


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


SHARE: Final = 0.3
"""The share of the limit for all tool results together."""
_LEAST: Final = 2_000
"""The fewest characters that are left of a shortened result."""
_HEAD: Final = 0.7
CUT_MARK: Final = "[... truncated"
"""How the line begins that stands for what was cut out of a text."""


def cut_results(messages: list[llm.Message], budget: int) -> list[llm.Message] | None:
    """Return messages whose tool results have at most `budget` tokens together, if possible.

    Return None if no result was shortened: they fit already, or none can be shortened. The
    messages passed in are not changed.
    """
    excess = (
        sum(_tokens(block) for message in messages for block in llm.results_of(message)) - budget
    )
    if excess <= 0:
        return None
    changed = False
    cut: list[llm.Message] = []
    for message in messages:
        content = message["content"]
        if excess > 0 and llm.results_of(message):
            blocks = []
            for block in content:
                shorter = _shorter(block, excess) if excess > 0 else block
                if shorter is not block:
                    excess -= _tokens(block) - _tokens(shorter)
                    changed = True
                blocks.append(shorter)
            content = blocks
        cut.append(message | {"content": content})
    return cut if changed else None


def shortened(text: str, characters: int) -> str:
    """Return a text cut to `characters`: 70 % of them from its beginning, the rest from its end.

    A line between the two parts, not counted, gives the former length. Shorter text is unchanged.
    """
    if len(text) <= characters:
        return text
    head = int(characters * _HEAD)
    tail = characters - head
    return (
        f"{text[:head]}\n\n{CUT_MARK} ({len(text)} chars total, showing first {head} "
        f"and last {tail}) ...]\n\n{text[-tail:]}"
    )


def _tokens(block: llm.Block) -> int:
    return tokens_in(llm.text_of(block.get("content") or ""))


def _shorter(block: llm.Block, excess: int) -> llm.Block:
    if block.get("type") != "tool_result":
        return block
    text, tokens = llm.text_of(block.get("content") or ""), _tokens(block)
    kept = max(_LEAST, int(len(text) * max(0, tokens - excess) / max(1, tokens)))
    # Shorten only if that saves clearly more than the line which is added.
    return (
        block
        if len(text) - kept < max(200, len(text) // 10)
        else block | {"content": shortened(text, kept)}
    )
