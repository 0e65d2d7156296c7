"""In which order sessions are shown, and which of them are folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.core.layout.tiling import columns_for
from nagomi_tui.core.session.session import has_ended
from nagomi_tui.core.session.waiting import by_need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.core.session.session import Session

FEW: Final = 4
"""So many sessions are shown as they are: nothing is folded, and tiles have room."""
_FOLDED_FROM: Final = 2
"""One line says less than the one session that it would stand for."""
_NARROW: Final = 100
"""Columns below which more than a few tiles are too narrow to be read."""
_LOW: Final = 30
_CROWD: Final = 100
"""Sessions beyond which tiles are many screens of what nobody reads, and each has its costs."""
_TILE_ROWS: Final = 7
"""Rows of a tile, frame included, below which a low screen is better off with a list."""


class Listing(NamedTuple):
    """Sessions in the order in which they are shown, and those that one line stands for."""

    shown: list[Session]
    folded: list[Session]


def arranged(
    sessions: Sequence[Session],
    focused: str,
    *,
    held: str = "",
    needy_first: bool = False,
    unfolded: bool = False,
) -> Listing:
    """Return sessions, given by their place, with those that have ended at the end and folded.

    What has ended and was not seen yet stays among those that run, as does `held`, and all where
    there are few.
    """
    first = by_need(sessions) if needy_first else []
    known = {session.session_id for session in first}
    rest = [session for session in sessions if session.session_id not in known]
    ended = [session for session in rest if is_over(session) and session.session_id != held]
    if len(sessions) <= FEW and not needy_first:
        return Listing(rest, [])
    over = {session.session_id for session in ended}
    running = [session for session in rest if session.session_id not in over]
    kept = [session for session in ended if unfolded or session.session_id == focused]
    seen = {session.session_id for session in kept}
    folded = [session for session in ended if session.session_id not in seen]
    if len(folded) < _FOLDED_FROM or len(sessions) <= FEW:
        return Listing([*first, *running, *ended], [])
    return Listing([*first, *running, *kept], folded)


def is_over(session: Session) -> bool:
    """Return whether a session has ended and its end was seen."""
    return has_ended(session) and not session.waits


def is_list(count: int, width: int, height: int, *, wish: bool | None) -> bool:
    """Tell whether `count` sessions are listed by lines; `wish` is what the user has chosen."""
    if wish is not None:
        return wish
    if count <= FEW:
        return False
    lowest = -(-height // -(-count // columns_for(width, count)))
    return count > _CROWD or width < _NARROW or (height < _LOW and lowest < _TILE_ROWS)
