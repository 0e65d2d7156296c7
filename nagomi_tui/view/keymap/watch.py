"""Notices when the user's keys have changed on disk, by hand or by the settings view."""

from __future__ import annotations

from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

from nagomi_tui import deadline_thread
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.keymap.file import keymap_file

if TYPE_CHECKING:
    from nagomi_tui.view.keymap.bindings import Keymap

_SECONDS: Final = 0.2


class KeymapWatch:
    """Reads the file again when its time or size is another one."""

    def __init__(self) -> None:
        self._slots = BoundedSemaphore()
        self._seen = (0, 0)
        self._seen = self._look()

    def changed(self) -> Keymap | None:
        """Return the keys in the file, or None if the file has not changed."""
        seen = self._look()
        if seen == self._seen:
            return None
        self._seen = seen
        return bindings.load(keymap_file())

    def _look(self) -> tuple[int, int]:
        try:
            found = deadline_thread.wait(keymap_file().stat, seconds=_SECONDS, slots=self._slots)
        except TimeoutError:
            return self._seen
        except OSError:
            return (0, 0)
        return (found.st_mtime_ns, found.st_size)
