"""Shortens tool results, the oldest first, until together they fit into a budget (SB-9, SC-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.agent.context.estimate import tokens_in
from nagomi_tui.agent.providers.blocks import results_of, text_of

if TYPE_CHECKING:
    from nagomi_tui.agent.common.values import Block, Message

SHARE: Final = 0.3
"""The share of the limit for all tool results together."""
_LEAST: Final = 2_000
"""The fewest characters that are left of a shortened result."""
_HEAD: Final = 0.7


def cut_results(messages: list[Message], budget: int) -> list[Message] | None:
    """Return messages whose tool results have at most `budget` tokens together, if possible.

    Return None if no result was shortened: they fit already, or none can be shortened. The
    messages passed in are not changed.
    """
    excess = sum(_tokens(block) for message in messages for block in results_of(message)) - budget
    if excess <= 0:
        return None
    changed = False
    cut: list[Message] = []
    for message in messages:
        content = message["content"]
        if excess > 0 and results_of(message):
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
        f"{text[:head]}\n\n[... truncated ({len(text)} chars total, showing first {head} "
        f"and last {tail}) ...]\n\n{text[-tail:]}"
    )


def _tokens(block: Block) -> int:
    return tokens_in(text_of(block.get("content") or ""))


def _shorter(block: Block, excess: int) -> Block:
    if block.get("type") != "tool_result":
        return block
    text, tokens = text_of(block.get("content") or ""), _tokens(block)
    kept = max(_LEAST, int(len(text) * max(0, tokens - excess) / max(1, tokens)))
    # Shorten only if that saves clearly more than the line which is added.
    return (
        block
        if len(text) - kept < max(200, len(text) // 10)
        else block | {"content": shortened(text, kept)}
    )
