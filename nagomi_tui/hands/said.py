"""What a command has said, as lines: in UTF-8, or in UTF-16 as Windows programs such as `wsl.exe` do."""

from __future__ import annotations

from typing import Final

_LINE_LENGTH: Final = 500
KEPT: Final = 16 * 1024
"""Bytes of the last words that are kept, so that they can be understood at the end."""


def lines_of(data: bytes) -> list[str]:
    """Return the lines that say something, without what only a terminal would use."""
    text = data.decode("utf-16-le" if b"\n\0" in data else "utf-8", "replace")
    lines = (line.replace("\0", "").lstrip("\ufeff").strip() for line in text.splitlines())
    return [line[:_LINE_LENGTH] for line in lines if line]


def last_of(data: bytes) -> bytes:
    """Return what is kept of data; an even number of bytes is dropped, for the sake of UTF-16."""
    surplus = max(0, len(data) - KEPT)
    return data[surplus + surplus % 2 :]
