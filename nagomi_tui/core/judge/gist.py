"""The last lines of a screen that say something, for where there is no room for the screen."""

from __future__ import annotations

import re
from collections import Counter
from operator import itemgetter
from typing import Final

from nagomi_tui.core.judge.shapes.field import above_field_of
from nagomi_tui.core.text.text import cells

_FRAME: Final = " \t│┃║|▌▐▎█"
_PROMPT: Final = re.compile(r"^.{0,60}[$#%>❯➜»›]\s*$")
_TELLS: Final = re.compile(r"\w.*\w")
_FOOTER: Final = re.compile(
    r"^[^\w\s]\s+\w+ for \d+[hms]\b|^[Tt]okens?: ?\d|^▣ |^(?:[⎿└]\s+)?Tip: "
    r"|^(?:(?i:shift|ctrl|alt|esc|tab|enter)\b\S*|\?) (?:to|for) \w"
)
"""What an agent's turn took in time or tokens, by which model, a tip, or a key and what it does."""

_KEYS: Final = re.compile(r"^\^\S +\w.* \^\S +\w")
"""The keys that nano and its like tell below the text."""
_RULE: Final = re.compile(r"\s*[─━═]{3,}$")
"""The rest of a row that is a rule, as behind the count in fzf."""

_LINED: Final = re.compile(r"[^│┃]+(?=[│┃])")
"""What stands before a vertical line, where no frame or table begins the row."""
_PANEL_AT: Final = 40
"""The first column at which a panel may stand beside an agent's words."""
_ASIDE: Final = re.compile(rf" {{{_PANEL_AT},}}")
"""What begins a row that stands at the right edge, such as Claude Code's hint above its field."""
_ART: Final = re.compile(r"\s*[▀-█▐]*[▖-▟]")
"""What begins a row of a banner's picture: quarters of a cell, which no bar of progress has."""
_PANEL_ROWS: Final = 6
"""The fewest rows of such a panel."""


def gist(text: str, count: int, *, agent: bool = False, rests: bool = True) -> tuple[str, ...]:
    """Return the last `count` lines of a screen's text that say something, the newest last.

    Frames and rules are left out; so are the prompt at the end where the program `rests`, and where
    it stands above with no command behind it, and rows of keys at the bottom. Of an `agent` the
    field to type in with all that is below it, a picture and what stands beside it, what stands at
    the right edge, and what its turn took or keys do are left out, too.
    """
    rows = tuple(text.rstrip().split("\n"))
    if agent:
        rows = _without_panel(above_field_of(rows))
        rows = tuple(row for row in rows if not (_ASIDE.match(row) or _ART.match(row)))
    lines = [line for row in rows if _TELLS.search(line := _RULE.sub("", row.strip(_FRAME)))]
    if agent:
        lines = [line for line in lines if not _FOOTER.match(line)]
    prompt = lines[-1] if rests and lines and _PROMPT.match(lines[-1]) else ""
    said = [line for line in lines if line != prompt and not _KEYS.match(line)]
    return tuple(said[-count:])


def _without_panel(rows: tuple[str, ...]) -> tuple[str, ...]:
    """Cut off the panel that an agent shows beside its words, such as Claude Code's of changes."""
    words = [found[0] if (found := _LINED.match(row)) else "" for row in rows]
    places = [cells(before) for before in words]
    lines = Counter(place for place in places if place >= _PANEL_AT)
    at, count = max(lines.items(), key=itemgetter(1), default=(0, 0))
    if count < _PANEL_ROWS:
        return rows
    return tuple(
        before if place == at else row
        for row, before, place in zip(rows, words, places, strict=True)
    )
