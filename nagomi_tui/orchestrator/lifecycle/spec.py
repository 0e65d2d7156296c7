"""What a new session is to be."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class SessionSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever asks for a session wants of it; what is left out is chosen for them."""

    cmd: str
    """Run by a shell; without it the user's own shell runs."""
    cwd: str
    env: Mapping[str, str] = {}
    """Added to the environment of whoever asks."""
    name: str = ""
    agent: str = ""
    character: str = ""
    worker_id: str = "local"
    cols: int = 120
    rows: int = 30
