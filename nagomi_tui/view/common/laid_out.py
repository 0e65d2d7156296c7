"""What a dialog tells when it has another place or size, since no notice may lie over it."""

from __future__ import annotations

from textual.message import Message


class LaidOut(Message):
    """Something that no notice may lie over has come, gone, or changed its place or size."""
