"""Lines that are at hand, for rules that work on a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nagomi_tui.text.selection import MissingLine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.text.selection import GridRow


class Page(NamedTuple):
    """A grid of these rows, by number."""

    rows: Mapping[int, GridRow]
    first: int
    last: int

    def row(self, line: int) -> GridRow:
        """Return a line."""
        if line not in self.rows:
            raise MissingLine(line)
        return self.rows[line]
