"""What a request tells the model of its mode and its notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.agent.modes.notes import INNER_LIMIT

if TYPE_CHECKING:
    from nagomi_tui.agent.modes.mode import AgentMode
    from nagomi_tui.agent.modes.notes import Notes

TEACHES_INNER: Final = f"""\
You are in the mode "reserved": you go on looking and thinking, and say nothing to anybody by \
yourself. What you think you keep as inner notes, your working memory, by writing it between \
[INNER] and [/INNER]. Nobody is shown this block. It replaces the inner notes as a whole, so \
write down the state of now, not a log: all that is still worth knowing, in at most \
{INNER_LIMIT} bytes. Of several blocks the last one counts. Write none if nothing has changed. \
Do not put the tags into code."""
"""Taught to the loop only: answers to questions do not write notes (MB-10, MB-11)."""

_FROZEN: Final = ' frozen="true" note="kept from the mode reserved; they do not change in calm"'


def note_sections(mode: AgentMode, notes: Notes) -> str:
    """Return the notes for a question's context; empty where the mode gives none or there are none.

    In reserved both go with it (M-9, M-19), in calm the inner notes, marked as frozen (X-2).

    Raises:
        OSError: they cannot be read.
    """
    if mode == "autonomous":
        return ""
    if mode == "calm":
        return _section("inner_notes", notes.inner(), _FROZEN)
    parts = (_section("inner_notes", notes.inner()), _section("tracking_notes", notes.tracking()))
    return "\n".join(part for part in parts if part)


def _section(name: str, text: str, attributes: str = "") -> str:
    """Return a section that its text cannot close (MB-9)."""
    if not (words := text.strip()):
        return ""
    return f"<{name}{attributes}>\n{escaped(words)}\n</{name}>"


def escaped(text: str) -> str:
    """Return a text in which nothing reads as a tag of a section."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
