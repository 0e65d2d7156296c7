"""The inner notes and the tracking notes: files in the agent's workspace folder.

Each is replaced as a whole, as it describes the present state and is no log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui import files

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.common.values import Mask

INNER: Final = "memory/inner-notes.md"
TRACKING: Final = "memory/tracking-notes.md"
NEXT: Final = "NEXT.md"
INNER_LIMIT: Final = 8 * 1024
"""Most bytes of inner notes (MB-12)."""
_CUT: Final = "\n…"


class Notes:
    """Reads and replaces the notes in a workspace folder; secrets are masked before writing."""

    def __init__(self, folder: Path, *, mask: Mask) -> None:
        self.folder = folder
        self.inner_path = folder / INNER
        self.tracking_path = folder / TRACKING
        self._mask = mask

    def inner(self) -> str:
        """Return the inner notes, cut at `INNER_LIMIT` bytes; empty if there are none.

        Raises:
            OSError: the file cannot be read.
        """
        return _within(_read(self.inner_path))

    def tracking(self) -> str:
        """Return the tracking notes; empty if there are none.

        Raises:
            OSError: the file cannot be read.
        """
        return _read(self.tracking_path)

    def next_steps(self) -> str:
        """Return the content of `NEXT.md` with secrets masked; empty if there is no such file.

        Raises:
            OSError: the file cannot be read.
        """
        return self._mask(_read(self.folder / NEXT))

    def write_inner(self, text: str) -> None:
        """Replace the inner notes, cut at `INNER_LIMIT` bytes; blank text changes nothing.

        Raises:
            OSError: the file cannot be written; the former notes are still there.
        """
        if words := text.strip():
            _write(self.inner_path, _within(self._mask(words)) + "\n")

    def write_tracking(self, text: str) -> None:
        """Replace the tracking notes.

        Raises:
            OSError: the file cannot be written; the former notes are still there.
        """
        _write(self.tracking_path, self._mask(text))


def _within(text: str) -> str:
    """Return the text; one of more than `INNER_LIMIT` bytes is cut and ends in an ellipsis."""
    data = text.encode(errors="replace")
    if len(data) <= INNER_LIMIT:
        return data.decode()
    room = INNER_LIMIT - len(_CUT.encode()) - 1
    return data[:room].decode(errors="ignore") + _CUT


def _read(path: Path) -> str:
    try:
        return files.read(path).decode(errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, text.encode(errors="replace"))
