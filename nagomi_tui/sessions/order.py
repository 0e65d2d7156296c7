"""In which order sessions are listed and numbered, who needs the user first, and the digest."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

from nagomi_tui.sessions.session import Condition, Session, State, has_ended
from nagomi_tui.text.layout import TILE_COLUMNS, columns_for

Item = TypeVar("Item")


def moved(items: Sequence[Item], item: Item, number: int) -> list[Item]:
    """Return the items with `item` at place `number` (1 is first); the others make room."""
    others = [other for other in items if other != item]
    place = max(0, min(number - 1, len(others)))
    return [*others[:place], item, *others[place:]]


class Numbers:
    """Gives each session its number. None is given again before all are counted anew.

    A script that still has the number of a removed session must not reach another one by it.
    """

    def __init__(self) -> None:
        self.last = 0
        """The highest number given."""

    def give(self, wanted: int, taken: Collection[int]) -> int:
        """Return the number that a session had, if it is free, or the next one."""
        free = wanted > 0 and wanted not in taken
        number = wanted if free else max(self.last, *taken, 0) + 1
        self.last = max(self.last, number)
        return number

    def take_back(self, number: int) -> None:
        """The session with this number did not come to be."""
        self.last -= number == self.last


_RANK: Final = {Condition.ATTENTION: 0, Condition.ERROR: 1, Condition.SUCCESS: 2}


def by_need(sessions: Iterable[Session]) -> list[Session]:
    """Return those that wait for the user; among equals the one that has waited longest first."""
    return sorted((session for session in sessions if session.waits), key=_need)


def next_in_need(sessions: Iterable[Session], passed: Container[str] = ()) -> Session | None:
    """Return the session to go to first, without those in `passed`; None if none waits."""
    return next((one for one in by_need(sessions) if one.session_id not in passed), None)


def _need(session: Session) -> tuple[int, float, int]:
    since = session.phase_since or session.ended_at or session.last_output_at or 0.0
    return _RANK.get(session.phase, len(_RANK)), since, session.number


FEW: Final = 4
"""Most sessions that are shown as they are: nothing is folded, and tiles have room."""
_FOLDED_FROM: Final = 2
"""One line says less than the one session that it would stand for."""
_CROWD: Final = 100
"""Sessions beyond which tiles are many screens of what nobody reads, and each has its costs."""
_PREVIEW_ROWS: Final = 7
"""Rows of the lowest tile, frame included, that says something of its session."""


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


def is_list(
    count: int,
    width: int,
    height: int,
    *,
    wish: bool | None,
    tile_columns: int = TILE_COLUMNS,
    tile_rows: int = 10,
) -> bool:
    """Tell whether `count` sessions are listed by lines; `wish` is what the user has chosen.

    They are where not all tiles fit at a height that says something, or where one stands above the
    other and none has the `tile_rows` at which its session takes its size.
    """
    if wish is not None:
        return wish
    columns = columns_for(width, count, tile_columns)
    lowest = height // -(-count // columns) if count else height
    least = tile_rows if columns == 1 else min(tile_rows, _PREVIEW_ROWS)
    return count > _CROWD or (count > 1 and lowest < least)


def digest(sessions: Iterable[Session], *, since: float | None) -> tuple[tuple[str, str], ...]:
    """Return name and condition of what ended after `since` and of all that waits.

    `since` is None if no front end was ever attached; nothing is listed then.
    """
    if since is None:
        return ()
    told = ((session.name, _outcome(session, since)) for session in sessions)
    return tuple((name, outcome) for name, outcome in told if outcome)


def _outcome(session: Session, since: float) -> str:
    now = session.condition
    ended = (session.ended_at or 0.0) > since and session.state in (State.EXITED, State.LOST)
    return now.value if ended or now is Condition.ATTENTION else ""
