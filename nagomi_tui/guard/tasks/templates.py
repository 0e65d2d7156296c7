"""Shipped texts of the guard, and a project's own in their place (D-67)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui import files
from nagomi_tui.paths import listed, shipped

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.guard.decide.state import Protocol
    from nagomi_tui.guard.files.project import Project

_LARGEST: Final = 64 * 1024


def protocol_template(project: Project, protocol: Protocol) -> str:
    """Return the text of a protocol: the project's own, or the shipped one; empty if neither is there.

    A project from cc-sessions has them in folders; there the one of the protocol's own name counts.
    """
    own = project.sessions / "protocols"
    name = f"{protocol.value}.md"
    for path in (own / name, own / protocol.value / name, _shipped("protocols") / name):
        if text := text_of(path):
            return text
    return ""


def shipped_texts(folder: str) -> dict[str, str]:
    """Return the shipped texts of a folder by name, in order: `agents` or `onboarding`."""
    place = _shipped(folder)
    return {path.stem: text_of(path) for path in listed(place, "*.md")}


def text_of(path: Path) -> str:
    """Return a file's text; empty where it cannot be read."""
    try:
        return files.read_text(path, _LARGEST)
    except (OSError, UnicodeDecodeError):
        return ""


def _shipped(folder: str) -> Path:
    return shipped("config") / "guard" / folder
