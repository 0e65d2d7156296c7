"""What a client tells a hook, as far as the guard reads it; both clients have these names (H-2, H-3, H-5)."""

from __future__ import annotations

from typing import Any

import msgspec

from nagomi_tui.decoding import decoder


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """One event. Fields may be absent, and there may be others (H-2)."""

    hook_event_name: str = ""
    session_id: str | None = None
    cwd: str | None = None
    transcript_path: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    tool_name: str = ""
    tool_input: Any = None
    tool_response: Any = None
    prompt: str = ""
    source: str | None = None
    """How a session began, or who wrote a prompt."""
    model: Any = None
    last_assistant_message: str | None = None


def read(data: bytes) -> Payload:
    """Return the event that a client wrote.

    Raises:
        msgspec.DecodeError: it is none, or a field is not what it should be.
    """
    return _decode(data)


_decode = decoder(Payload).decode
