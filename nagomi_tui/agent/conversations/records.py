"""The four kinds of records in a transcript, one JSON object per line (S-6…S-11)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.agent.common.values import Block
    from nagomi_tui.agent.providers.interface import ToolCall

Record: TypeAlias = dict[str, Any]
_decode: Final = msgspec.json.Decoder().decode


class CallResult(msgspec.Struct, frozen=True):
    """The result of a tool call, with the call's id."""

    id: str
    content: str | list[dict[str, Any]]
    is_error: bool = False


def user(content: str, ts: float) -> Record:
    """Return the record of a user's message (S-7)."""
    return {"type": "user", "content": content, "ts": ts}


def assistant(blocks: list[Block], ts: float) -> Record:
    """Return the record of an answer; its tool calls have separate records (S-8, SB-1)."""
    said = [block for block in blocks if block.get("type") != "tool_use"]
    return {"type": "assistant", "content": said, "ts": ts}


def tool_use(call: ToolCall, ts: float) -> Record:
    """Return the record of a tool call (S-9)."""
    named = {"tool_use_id": call.id, "name": call.name, "input": call.input}
    return {"type": "tool_use", **named, "ts": ts}


def tool_result(result: CallResult, ts: float) -> Record:
    """Return the record of a tool's result; `is_error` is only there if true (S-10)."""
    record = {"type": "tool_result", "tool_use_id": result.id, "content": result.content}
    return {**record, **({"is_error": True} if result.is_error else {}), "ts": ts}


def encoded(records: list[Record]) -> bytes:
    """Return the records as lines in UTF-8; lone surrogates become question marks."""
    try:
        return b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    except UnicodeEncodeError:
        lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in records)
        return b"".join(line.encode("utf-8", "replace") + b"\n" for line in lines)


def parsed(line: bytes) -> Record | None:
    """Return the JSON object in a line; None if the line is anything else."""
    try:
        found = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = _parsed_patiently(line)
    return found if isinstance(found, dict) else None


def _parsed_patiently(line: bytes) -> object:
    """Parse a line with lone surrogates, which other programs write and msgspec refuses."""
    try:
        found = json.loads(line)
        return json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def is_sound(record: Record) -> bool | None:
    """Tell whether a record has the fields of its kind; None if the kind is unknown."""
    kind = record.get("type")
    if not isinstance(kind, str):
        return False
    check = _SOUND.get(kind)
    return None if check is None else check(record)


def _is_content(content: object) -> bool:
    if isinstance(content, str):
        return True
    if not isinstance(content, list):
        return False
    for block in content:
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            return False
    return True


def _is_said(record: Record) -> bool:
    content = record.get("content")
    if not _is_content(content):
        return False
    uses = [] if isinstance(content, str) else content or []
    return all([is_use(block) for block in uses if block["type"] == "tool_use"])


def is_use(block: Block) -> bool:
    """Tell whether a block is a complete tool call."""
    name, given = block.get("name"), block.get("input")
    return isinstance(block.get("id"), str) and isinstance(name, str) and isinstance(given, dict)


def _is_use_record(record: Record) -> bool:
    return is_use({**record, "id": record.get("tool_use_id")})


def _is_result(record: Record) -> bool:
    return isinstance(record.get("tool_use_id"), str) and _is_content(record.get("content", ""))


_SOUND: Final[dict[str, Callable[[Record], bool]]] = {
    "user": lambda record: _is_content(record.get("content")),
    "assistant": _is_said,
    "tool_use": _is_use_record,
    "tool_result": _is_result,
}
