"""Links in plain text: found over wrapped rows, without the punctuation behind them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from nagomi_tui.core.copy.grid import At, whole

if TYPE_CHECKING:
    from nagomi_tui.core.copy.grid import Grid

SCHEMES: Final = ("http", "https", "file", "mailto")
_URL: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])(?:(?:https?|file)://|mailto:)[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+",
    re.IGNORECASE,
)
_BEHIND: Final = ".,;:!?'*"
_PAIRS: Final = {")": "(", "]": "["}


class Hyperlink(NamedTuple):
    """A target and the cells that show it, the last character's first cell included."""

    target: str
    first: At
    last: At


def urls(text: str) -> list[tuple[int, int]]:
    """Return where links stand in a text, first and end."""
    found = []
    for match in _URL.finditer(text):
        start, end = match.span()
        end = start + len(_trimmed(match.group()))
        if text[start:end].partition(":")[2].strip("/"):
            found.append((start, end))
    return found


def _trimmed(url: str) -> str:
    """Return a link without what belongs to the sentence around it."""
    while url:
        last = url[-1]
        opened = _PAIRS.get(last)
        if last in _BEHIND or (opened and url.count(last) > url.count(opened)):
            url = url[:-1]
        else:
            break
    return url


def links_of(grid: Grid, line: int) -> list[Hyperlink]:
    """Return the links of the line that a row belongs to.

    Raises:
        Absent: a row of it was not read yet.
    """
    found = whole(grid, line)
    return [
        Hyperlink(found.text[start:end], found.places[start], found.places[end - 1])
        for start, end in urls(found.text)
    ]


def link_at(grid: Grid, at: At) -> Hyperlink | None:
    """Return the link that shows in a cell.

    Raises:
        Absent: a row of its line was not read yet.
    """
    return next((link for link in links_of(grid, at.line) if link.first <= at <= link.last), None)


def may_open(target: str, *, host: str = "") -> bool:
    """Return whether a link may be opened: of a known scheme, and no file of another machine."""
    if not target.isprintable():
        return False
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    if parts.scheme not in SCHEMES:
        return False
    return parts.scheme != "file" or parts.netloc in ("", "localhost", host)
