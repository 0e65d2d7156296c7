"""Brings messages into the form that a server takes: alternating, without empty blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nagomi_tui.agent.common.values import Block, Message


def blocks_of(message: Message) -> list[Block]:
    """Return the content of a message as blocks, without the empty ones that servers refuse."""
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    return [block for block in content if not _is_empty(block)]


def alternating(messages: Iterable[Message]) -> list[Message]:
    """Return messages that alternate between user and assistant, as the APIs require (X-5).

    Consecutive messages of one role become one message, with tool results first.
    """
    merged: list[Message] = []
    for message in messages:
        blocks = blocks_of(message)
        if not blocks:
            continue
        if merged and merged[-1]["role"] == message["role"]:
            blocks = merged.pop()["content"] + blocks
        merged.append({"role": message["role"], "content": blocks})
    return [message | {"content": _results_first(message["content"])} for message in merged]


def text_of(content: str | list[Block]) -> str:
    """Return the text in a message's or a tool result's content."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in content if block.get("type") == "text")


def results_of(message: Message) -> list[Block]:
    """Return the results of tools in a message."""
    content = message["content"]
    if isinstance(content, str):
        return []
    return [block for block in content if block.get("type") == "tool_result"]


def _is_empty(block: Block) -> bool:
    return block.get("type") == "text" and not str(block.get("text", "")).strip()


def _results_first(blocks: list[Block]) -> list[Block]:
    # The sort is stable. The Messages API requires tool results first in a message.
    return sorted(blocks, key=lambda block: block.get("type") != "tool_result")
