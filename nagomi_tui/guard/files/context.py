"""How full the context of a conversation is: as the client's status line noted it, or as its transcript says."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from nagomi_tui.guard.decide.documents import Config, State
from nagomi_tui.system import files, folders
from nagomi_tui.system.decoding import from_json

_PIECE: Final = 128 * 1024
_MOST: Final = 4 * 1024 * 1024
"""Bytes at the end of a transcript that are searched for a token count."""
_LIMITS: Final = {"opus": 160_000, "sonnet": 800_000}
"""Usable tokens, by a part of the model's name (D-35)."""
_LARGE: Final = {"[1m]": 800_000}
"""Usable tokens by a mark in the model's name that stands for a large context."""


class Fill(msgspec.Struct, frozen=True):
    """Tokens in the context, and the usable limit; 0 where unknown."""

    tokens: int = 0
    limit: int = 0


def write_fill(session_id: str, fill: Fill) -> None:
    """Note how full the context of a conversation is, if that is not what is noted.

    Raises:
        OSError: it cannot be noted.
    """
    if not session_id or read_fill(session_id) == fill:
        return
    path = _path(session_id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(fill))


def read_fill(session_id: str) -> Fill | None:
    """Return what the status line was told last; None if nothing was."""
    try:
        return from_json(files.read(_path(session_id), limit=1000), Fill)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _path(session_id: str) -> Path:
    name = hashlib.sha256(session_id.encode("utf-8", "surrogateescape")).hexdigest()
    return Path(folders.state()) / "guard" / f"{name[:32]}.context"


def fill(session_id: str, transcript: str, state: State, config: Config) -> Fill:
    """Return how full the context is; reads nothing if both warnings are switched off (D-49)."""
    wished = config.features.context_warnings
    if not (wished.warn_85 or wished.warn_90):
        return Fill()
    if (noted := read_fill(session_id)) or not transcript:
        return noted or Fill()
    limits, model = dict(config.nagomi.context_limits), state.own.model
    for mark, tokens in _LARGE.items():
        if mark in model:
            limits.setdefault(model.replace(mark, ""), tokens)
    return context_fill(transcript, limits)


def context_fill(path: str, limits: Mapping[str, int]) -> Fill:
    """Return how full the context is after the latest answer of the agent itself.

    Args:
        path: the transcript of either client.
        limits: tokens by a part of the model's name, before our own.
    """
    try:
        for line in _backwards(path):
            found = _told(line, limits)
            if found is not None:
                return found
    except (OSError, ValueError):
        pass
    return Fill()


def _backwards(path: str) -> Iterator[bytes]:
    """Yield the lines of a file from its end."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        at = os.fstat(fd).st_size
        least, rest = max(0, at - _MOST), b""
        while at > least:
            size = min(_PIECE, at - least)
            at -= size
            os.lseek(fd, at, os.SEEK_SET)
            first, *lines = (os.read(fd, size) + rest).split(b"\n")
            yield from reversed(lines)
            rest = first
        if at == 0:
            yield rest
    finally:
        os.close(fd)


def _told(line: bytes, limits: Mapping[str, int]) -> Fill | None:
    """Return the token count in a transcript line; None if it has none."""
    if b'"usage"' not in line and b'"token_count"' not in line and b"compact" not in line:
        return None
    try:
        entry = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None  # It is just being written.
    if not isinstance(entry, dict):
        return None
    if entry.get("type") in ("assistant", "system"):
        return _of_answer(entry, limits)
    return _of_count(entry)


def _of_answer(entry: dict[str, Any], limits: Mapping[str, int]) -> Fill | None:
    """Return the tokens of an answer; None for a subagent's or an error message (DC-9)."""
    if entry.get("subtype") == "compact_boundary":
        return Fill()
    message = entry.get("message")
    if entry.get("isSidechain") or entry.get("isApiErrorMessage") or not isinstance(message, dict):
        return None
    usage, model = message.get("usage"), str(message.get("model", ""))
    if not isinstance(usage, dict):
        return None
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    tokens = sum(count for name in names if isinstance(count := usage.get(name), int))
    return Fill(tokens, limit(model, limits)) if tokens else None


def _of_count(entry: dict[str, Any]) -> Fill | None:
    """Return the tokens of a rollout's `token_count`."""
    payload = entry.get("payload")
    if entry.get("type") == "compacted":
        return Fill()
    info = payload.get("info") if isinstance(payload, dict) else None
    last = info.get("last_token_usage") if isinstance(info, dict) else None
    if not isinstance(info, dict) or not isinstance(last, dict):
        return None
    tokens, room = last.get("total_tokens"), info.get("model_context_window")
    if not isinstance(tokens, int) or not isinstance(room, int):
        return None
    return Fill(tokens, room)


def limit(model: str, limits: Mapping[str, int]) -> int:
    """Return a model's usable tokens; 0 if unknown (DB-25)."""
    for table in (limits, _LIMITS):
        found = next((table[name] for name in table if name and name in model), 0)
        if found:
            return found
    return 0
