"""A conversation as Markdown, for people."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nagomi_tui.agent.common.values import Block, Message
    from nagomi_tui.agent.conversations.entries import Entry


def written(entry: Entry, messages: list[Message]) -> str:
    """Return a conversation as Markdown."""
    head = f"# {entry.label or entry.id}\n\n{entry.id}, {entry.created_at} – {entry.last_active}"
    return "\n\n".join([head, *(part for one in messages for part in _parts(one))]) + "\n"


def _parts(message: Message) -> list[str]:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    shown = [text for block in blocks if (text := _shown(block))]
    if any(block["type"] == "tool_result" for block in blocks):
        return shown
    return [f"## {message['role'].capitalize()}", *shown]


def _shown(block: Block) -> str:
    kind = block["type"]
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "tool_use":
        given = json.dumps(block["input"], ensure_ascii=False, indent=2)
        return f"**{block['name']}**\n\n{_fenced(given, 'json')}"
    if kind == "tool_result":
        return _fenced(_text_of(block.get("content", "")))
    return ""


def _text_of(content: str | list[Block]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", f"[{block['type']}]")) for block in content)


def _fenced(text: str, language: str = "") -> str:
    """Put text between fences that are longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
