"""Lines that are at hand, for rules that work on a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nagomi_tui.text.selection import Absent

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
            raise Absent(line)
        return self.rows[line]
