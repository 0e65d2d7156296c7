"""Input history: a private file in which secrets are masked (N-86)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from prompt_toolkit.history import History

from nagomi_tui import files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST: Final = 1000
"""Most entries to keep; a file with more than twice as many is cut to this number when read."""


class MaskedHistory(History):
    """A history file with one JSON string a line; errors in reading or writing it are ignored."""

    def __init__(self, path: Path) -> None:
        self._path = path
        super().__init__()

    def load_history_strings(self) -> Iterable[str]:
        """Return the entries, the latest first."""
        try:
            lines = files.read(self._path).split(b"\n")
        except OSError:
            return []
        found = [text for line in lines if (text := _decoded(line))]
        if len(found) > 2 * MOST:
            self._shorten(found)
        return reversed(found[-MOST:])

    def store_string(self, string: str) -> None:
        """Append an entry whose secrets are masked."""
        # Imported here and not above, so that the prompt appears sooner.
        from nagomi_tui.core.masking import mask_lines

        masked = "\n".join(mask_lines(string.split("\n")))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with files.append(self._path) as file:
                file.write(_encoded(masked))
        except OSError:
            return

    def _shorten(self, found: list[str]) -> None:
        try:
            files.write(self._path, b"".join(map(_encoded, found[-MOST:])))
        except OSError:
            return


def _encoded(text: str) -> bytes:
    return json.dumps(text).encode() + b"\n"


def _decoded(line: bytes) -> str:
    """Return the entry in a line of the file, or an empty string if the line is not valid."""
    try:
        text = json.loads(line)
    except ValueError:
        return ""
    return text if isinstance(text, str) else ""
