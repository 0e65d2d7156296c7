"""Whether the user typed a prompt, and how full the model's context is."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.documents import Config, State
from nagomi_tui.guard.decide.prompt import meaning
from nagomi_tui.guard.files.documents import Fill, read_fill
from nagomi_tui.guard.hook.client import has_terminal, runs_hook, session_start, started_by_agent
from nagomi_tui.guard.hook.tools import Payload
from nagomi_tui.system.strict_door import OUTSIDE

_PIECE: Final = 128 * 1024
_MOST: Final = 4 * 1024 * 1024
"""Bytes at the end of a transcript that are searched for a token count."""
_LIMITS: Final = {"opus": 160_000, "sonnet": 800_000}
"""Usable tokens, by a part of the model's name (D-35)."""


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


_ASK_SECONDS: Final = 0.7
_WRITTEN_BY: Final = frozenset([None, "user", "sdk"])
"""Values of `source` for prompts typed by the user; older clients send none (DB-6)."""
_WRAPPED: Final = re.compile(r"\s*<([a-z][\w-]*)\b[^>]*>.*</\1>\s*", re.DOTALL)
"""A text that is a single XML element, such as `<task-notification>`: clients send these."""
_OWN: Final = (
    "<task-notification",
    "<teammate-message",
    "<channel",
    "<system-reminder",
    "<cross-session",
)
"""How prompts begin that a client writes itself."""
_LARGE: Final = {"[1m]": 800_000}
"""Usable tokens by a mark in the model's name that stands for a large context."""


def why_not_typed(text: str, source: str | None, client: int, config: Config) -> str:
    """Return why a prompt does not count as typed by the user; empty if it does, or is a stop."""
    if meaning(text, config) == "stop":
        return ""
    if os.environ.get(OUTSIDE):
        return "in strict mode you approve in nagomi, by its keys or `nagomi guard approve`"
    if source not in _WRITTEN_BY:
        return f"the client sent it by itself ({source})"
    if text.lstrip().startswith(_OWN) or _WRAPPED.fullmatch(text):
        return "the client sent it by itself"
    if not runs_hook(client):
        return "the client that it names did not start this hook"
    if sign := started_by_agent(client):
        return f"an agent started this client: {sign}"
    if not has_terminal(client) and not config.nagomi.prompts_without_terminal:
        return "this client was started without a terminal"
    return _why_not_the_users_session(client) if meaning(text, config) else ""


def _why_not_the_users_session(client: int) -> str:
    """Return why nothing proves that the user started the session of a client; empty if they did.

    Whoever starts a session chooses the first prompt of an agent there, by its command line.
    """
    start = session_start(client)
    if start is None:
        return ""
    from nagomi_tui.api.client import Connection
    from nagomi_tui.api.messages import ListSessions

    try:
        with Connection.open(timeout=_ASK_SECONDS) as nagomi:
            sessions = nagomi.request(ListSessions(id=0), timeout=_ASK_SECONDS).sessions
    except Exception as exc:
        return f"nagomi cannot be asked who started this session: {exc}"
    known = {one.pid: one for one in sessions} | {one.session_id: one for one in sessions}
    found = known.get(start.pid) or known.get(start.named)
    if found is None or found.by_program:
        return "nothing proves that you started this session"
    return ""


def told_refused(text: str, fault: str, config: Config) -> tuple[str, ...]:
    """Return a notice for the user if a phrase was ignored since they did not type it."""
    if not fault or meaning(text, config) is None:
        return ()
    return (texts.NOT_TYPED.format(why=fault.rstrip(".")),)


def fill(payload: Payload, state: State, config: Config) -> Fill:
    """Return how full the context is; reads nothing if both warnings are switched off (D-49)."""
    wished = config.features.context_warnings
    if (wished.warn_85 or wished.warn_90) and (noted := read_fill(payload.session_id or "")):
        return noted
    if not payload.transcript_path or not (wished.warn_85 or wished.warn_90):
        return Fill()
    limits, model = dict(config.nagomi.context_limits), state.own.model
    for mark, tokens in _LARGE.items():
        if mark in model:
            limits.setdefault(model.replace(mark, ""), tokens)
    return context_fill(payload.transcript_path, limits)
