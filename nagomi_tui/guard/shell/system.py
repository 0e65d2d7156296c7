"""Which folders hold the system's programs, as opposed to a project's or unknown ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell.verdict import Writes

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.words import Word

_SYSTEM: Final = (
    "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/",
    "/opt/homebrew/bin/", "/snap/bin/", "/run/current-system/sw/bin/",
)  # fmt: skip


def program_of(head: Word) -> str:
    """Return the name of a program of the system, without its folder.

    Raises:
        Writes: the program is the project's, or of unknown origin.
    """
    folder, slash, name = head.text.rpartition("/")
    if slash and folder + "/" not in _SYSTEM:
        if head.text in ("sessions/bin/sessions", "./sessions/bin/sessions"):
            return "sessions"
        raise Writes("a program that is not the system's", head.at)
    return name
