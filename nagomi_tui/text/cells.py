"""Text in terminal cells: measured, cut, padded, and made plain where it comes from outside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from types import ModuleType
from typing import Final

HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0 and C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # direction
    "\u2028\u2029"  # line ends
    "\xad\u180e\u200b\u2060-\u2065\ufeff\ufff9-\ufffb"  # nothing to be seen
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Control and format characters, but for the joiners and variation selectors that emoji and
scripts need."""
_BETWEEN_ITEMS: Final = re.compile(r"\s·\s+")


def printable(text: str) -> str:
    """Return the text on one line, with a space for each character that is not to be shown."""
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub(" ", text)


def printable_lines(text: str) -> str:
    """Return text of several lines, which keeps its line ends and tabs."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


def link_target(target: str) -> str:
    """Return the target of a link as it may stand in a terminal's sequence."""
    return "".join(char for char in target if char.isprintable())


def visible(command: str) -> str:
    """Return the command with control and direction characters escaped, to be shown verbatim."""
    return "".join(char if char.isprintable() else _escaped(char) for char in command)


def _escaped(char: str) -> str:
    return repr(char)[1:-1] if ord(char) < 0x100 else f"\\u{ord(char):04x}"


ELLIPSIS: Final = "…"
_NEVER_FIRST: Final = frozenset(
    "。、，．・：；！？…‥ー～）」』】〉》〕］｝ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ々"
)
_NEVER_LAST: Final = frozenset("（「『【〈《〔［｛")
"""Signs that no line of Japanese begins or ends with (the simple part of JIS X 4051)."""


@cache
def _library() -> ModuleType:
    """Return the library that knows widths; most commands never meet text that needs it."""
    import wcwidth

    return wcwidth


def _clusters(text: str) -> Iterator[str]:
    clusters: Iterator[str] = _library().iter_graphemes(text)
    return clusters


def _width(cluster: str) -> int:
    width: int = _library().wcswidth(cluster)
    return max(0, width)


@lru_cache(maxsize=4096)
def cells(text: str) -> int:
    """Return how many cells the text takes; characters without a width count as none."""
    if text.replace(ELLIPSIS, "").isascii() and text.isprintable():
        return len(text)
    return sum(_width(cluster) for cluster in _clusters(text))


def head(text: str, width: int) -> str:
    """Return the longest beginning of whole clusters that fits into `width` cells (NB-19)."""
    if cells(text) <= width:
        return text
    kept: list[str] = []
    used = 0
    for cluster in _clusters(text):
        used += _width(cluster)
        if used > width:
            break
        kept.append(cluster)
    return "".join(kept)


def cut(text: str, width: int) -> str:
    """Return the text in at most `width` cells; an ellipsis says that its end is missing."""
    if width <= 0:
        return ""
    if cells(text) <= width:
        return text
    return head(text, width - 1).rstrip() + ELLIPSIS


def fitting_items(text: str, width: int) -> str:
    """Leave out items apart by " · ", the last but one first, until the text has at most `width` cells."""
    items = _BETWEEN_ITEMS.split(text)
    while len(items) > 1 and cells(" · ".join(items)) > width:
        del items[-2]
    return " · ".join(items)


def cut_left(text: str, width: int) -> str:
    """Return the text in at most `width` cells with its end kept, as suits a folder."""
    if width <= 0:
        return ""
    return text if cells(text) <= width else ELLIPSIS + _end(text, width - 1)


def cut_middle(text: str, width: int) -> str:
    """Return the text in at most `width` cells with both ends kept, as suits a name.

    Names that begin alike, such as `…-claude-1` and `…-claude-2`, often differ at their ends.
    """
    if width <= 0:
        return ""
    if cells(text) <= width:
        return text
    end = _end(text, (width - 1) // 2)
    return head(text, width - 1 - cells(end)) + ELLIPSIS + end


def _end(text: str, width: int) -> str:
    """Return the longest end of whole clusters that fits into `width` cells."""
    kept: list[str] = []
    used = 0
    for cluster in reversed(list(_clusters(text))):
        used += _width(cluster)
        if used > width:
            break
        kept.append(cluster)
    return "".join(reversed(kept))


def fold(text: str, width: int) -> list[str]:
    """Return the text in lines of at most `width` cells, broken as `line_starts` says."""
    text = text.strip()
    starts = [0, *line_starts(text, max(1, width)), len(text)]
    return [text[start:end].strip() for start, end in pairwise(starts)]


def line_starts(text: str, width: int) -> list[int]:
    """Return where the second and later lines begin when the text is broken to `width` cells.

    Lines are broken at spaces and beside wide characters, but not before 。 or after 「; of items
    apart by " · ", none is broken that fits on a line.
    """
    starts: list[int] = []
    start = at = used = 0
    chance, before, was_wide = 0, "", False
    begins = [found.end() for found in _BETWEEN_ITEMS.finditer(text)]
    fits = {at: cells(text[at:end].rstrip()) <= width for at, end in pairwise([*begins, len(text)])}
    item = 0
    """Where an item begins that fits on a line."""
    for cluster in _clusters(text):
        size = _width(cluster)
        if at in fits:
            item = at if fits[at] else 0
        if at == item or (
            item <= start and before and _may_part(before, cluster, wide=was_wide or size == 2)
        ):
            chance, used_at_chance = at, used
        if used + size > width and not cluster.isspace() and at > start:
            if chance > start:
                start, used = chance, used - used_at_chance
            else:
                start, used = at, 0
            starts.append(start)
        used += size
        at += len(cluster)
        before, was_wide = cluster, size == 2
    return starts


def _may_part(before: str, after: str, *, wide: bool) -> bool:
    if after.isspace():
        return False
    if before.isspace():
        return True
    return wide and after[0] not in _NEVER_FIRST and before[-1] not in _NEVER_LAST


def pad(text: str, width: int) -> str:
    """Return the text cut or filled with spaces to exactly `width` cells."""
    shown = cut(text, width)
    return shown + " " * (width - cells(shown))


def wrap(text: str, width: int) -> list[str]:
    """Return the text in lines of at most `width` cells, broken at spaces where there are any."""
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".strip()
        if cells(joined) <= width:
            lines[-1] = joined
            continue
        while cells(word) > width:
            # A long word, or Japanese: fill the line.
            gap = 1 if lines[-1] else 0
            begun = head(word, width - cells(lines[-1]) - gap)
            if not begun and not lines[-1]:
                break
            lines[-1] += " " * gap + begun if begun else ""
            word = word[len(begun) :]
            lines.append("")
        lines[-1:] = [word] if not lines[-1] else [lines[-1], word]
    return [line for line in lines if line]


def clock(seconds: float) -> str:
    """Return a duration as mm:ss (N-43), from an hour on as "15 h", from two days on as "3 d"."""
    whole = max(0, int(seconds))
    minutes, left = divmod(whole, 60)
    hours = minutes // 60
    if hours >= 48:
        return f"{hours // 24} d"
    return f"{hours} h" if hours else f"{minutes:02}:{left:02}"


def short_folder(path: str, home: str) -> str:
    """Return a folder with the home folder as `~`."""
    home = home.rstrip("/")
    if home and (path == home or path.startswith(home + "/")):
        return "~" + path[len(home) :]
    return path


SCATTERED: Final = 100
"""The least score of a text that has the letters, but not the query as it is."""


def fuzzy_score(query: str, text: str) -> int | None:
    """Return how well the letters of `query` occur in order in `text`: less is better.

    None says that they do not. A run of neighbours and a match at a word's start count more.
    """
    wanted, found = query.casefold().replace(" ", ""), text.casefold()
    whole = found.find(query.casefold())
    if whole >= 0:
        starts_word = whole == 0 or not found[whole - 1].isalnum()
        return min(whole, 1) if starts_word else min(1 + whole, SCATTERED - 1)
    score, at = SCATTERED, -1
    for char in wanted:
        place = found.find(char, at + 1)
        if place < 0:
            return None
        starts_word = place == 0 or not found[place - 1].isalnum()
        score += 0 if starts_word else place - at - 1
        at = place
    return score + len(found) // 8
