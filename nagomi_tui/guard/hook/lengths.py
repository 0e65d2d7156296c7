"""Bounds an answer: clients move longer texts out of the agent's sight (H-20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui import files

if TYPE_CHECKING:
    from nagomi_tui.guard.files.project import Project

NAME: Final = "last-answer.md"
_REST: Final = (
    "\n\n[…] The whole text, of {length:,} characters, is in `{path}`: read it before you go on."
)


def bounded(text: str, project: Project, longest: int) -> str:
    """Return a text; of one that is too long the beginning, and the whole in a file of the project's.

    Raises:
        OSError: the file cannot be written.
    """
    if len(text) <= longest:
        return text
    path = project.sessions / NAME
    files.write(path, text.encode("utf-8", "replace"), mode=0o600)
    rest = _REST.format(length=len(text), path=path)
    return text[: longest - len(rest)] + rest
