"""What the orchestrator says to its supervisor, a byte at a time, through the pipe between them."""

from __future__ import annotations

from typing import Final

BEAT: Final = b"."
QUIT: Final = b"Q"
RELOAD: Final = b"R"
AGENT: Final = b"A"
"""The resident agent is wanted, and is not here."""
BUSY: Final = b"B"
"""Another orchestrator serves: this supervisor is one too many."""
