"""What a request tells the model about its mode and its notes."""

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
"""A part of the loop's prompt only, since answers to questions write no notes (MB-10, MB-11)."""

_FROZEN: Final = ' frozen="true" note="kept from the mode reserved; they do not change in calm"'


def note_sections(mode: AgentMode, notes: Notes) -> str:
    """Return the notes for a question's context; empty if there are none.

    In the mode reserved these are both notes (M-9, M-19), in calm the inner notes, marked as frozen
    (X-2), in autonomous none.

    Raises:
        OSError: the notes cannot be read.
    """
    if mode == "autonomous":
        return ""
    if mode == "calm":
        return _section("inner_notes", notes.inner(), _FROZEN)
    parts = (_section("inner_notes", notes.inner()), _section("tracking_notes", notes.tracking()))
    return "\n".join(part for part in parts if part)


def _section(name: str, text: str, attributes: str = "") -> str:
    """Return the text between tags that it cannot close (MB-9); empty if the text is blank."""
    if not (words := text.strip()):
        return ""
    return f"<{name}{attributes}>\n{escaped(words)}\n</{name}>"


def escaped(text: str) -> str:
    """Return the text with `&`, `<` and `>` escaped, so that it holds no tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
