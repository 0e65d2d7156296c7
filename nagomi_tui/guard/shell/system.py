"""Where a program has to lie to be the system's, and not the project's or anybody's."""

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
    """Return the name of a program that the system has.

    Raises:
        Writes: it is one of the project's, or of nobody known.
    """
    folder, slash, name = head.text.rpartition("/")
    if slash and folder + "/" not in _SYSTEM:
        if head.text in ("sessions/bin/sessions", "./sessions/bin/sessions"):
            return "sessions"
        raise Writes("a program that is not the system's", head.at)
    return name
