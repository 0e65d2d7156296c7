"""The bytes that the orchestrator sends its supervisor through the pipe between them."""

from __future__ import annotations

from typing import Final

BEAT: Final = b"."
QUIT: Final = b"Q"
RELOAD: Final = b"R"
AGENT: Final = b"A"
"""The resident agent is wanted, and is missing."""
BUSY: Final = b"B"
"""Another orchestrator serves the workplace, so that this supervisor is not needed."""
