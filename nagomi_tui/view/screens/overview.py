"""How the overview is arranged, as its user has chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.session.listing import arranged, is_list, is_over

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nagomi_tui.core.session.listing import Listing
    from nagomi_tui.core.session.session import Session


class Overview:
    """Tiles or a list, whether ended sessions are folded, and which sessions are marked."""

    def __init__(self) -> None:
        self.wish: bool | None = None
        """A list (True) or tiles (False), as the user has chosen; None goes by the room."""
        self.listed = False
        """Whether sessions are listed now."""
        self.unfolded = False
        """Whether ended sessions are shown one by one."""
        self._marked: set[str] = set()
        self._focused = ""
        self._held = ""
        """Id of the focused session if it stood among those that run when it got the focus: it
        does not jump away from its user when its end is seen."""
        self._over: set[str] | None = None
        """Ids of those that stood at the end last; None before anything was shown."""

    def fits(self, count: int, width: int, height: int) -> bool:
        """Return whether `count` sessions are to be listed in a view of this size; note it."""
        self.listed = is_list(count, width, height, wish=self.wish)
        return self.listed

    def switch(self) -> None:
        """Change between tiles and a list, until it is changed again."""
        self.wish = not self.listed

    def arranged(self, sessions: Sequence[Session], focused: str) -> Listing:
        """Return the sessions, which are given by their place, as they are shown now."""
        if focused != self._focused:
            stays = self._over is not None and focused not in self._over
            self._focused, self._held = focused, focused if stays else ""
        self._over = {one.session_id for one in sessions if is_over(one)} - {self._held}
        return arranged(
            sessions,
            focused,
            held=self._held,
            needy_first=self.listed,
            unfolded=self.unfolded,
        )

    def mark(self, session_id: str) -> None:
        """Mark a session for what is done with several at once, or take its mark off."""
        self._marked ^= {session_id}

    def unmark_all(self) -> None:
        """Take off all marks."""
        self._marked.clear()

    def marked(self, sessions: Iterable[Session]) -> list[Session]:
        """Return those of the sessions that are marked; marks are seen in the list, and count there."""
        found = [session for session in sessions if session.session_id in self._marked]
        return found if self.listed else []
