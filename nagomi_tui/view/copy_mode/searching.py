"""Searching in copy mode with the keys: what is typed after `/` or `?`, and where `n` goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.copy.roam import Place
from nagomi_tui.view.copy_mode.search import Finder

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

    from nagomi_tui.view.copy_mode.cursor import CopyCursor


class Searching:
    """Moves the cursor from match to match. `show` updates the line, `work` handles the next keys."""

    def __init__(
        self, cursor: CopyCursor, *, show: Callable[[], None], work: Callable[[], None]
    ) -> None:
        self.finder = Finder(cursor.pane.link)
        self.typed: str | None = None
        """`/` or `?` and the text typed after it; None while no text is being typed."""
        self._cursor = cursor
        self._origin = cursor.place
        """The cursor's cell when the search began."""
        self._show = show
        self._work = work
        self._ended = False

    @property
    def waits(self) -> bool:
        """Whether the next key must wait for what is found."""
        return self.finder.pending and self.typed is None

    def end(self) -> None:
        """End searching: a result that is still awaited moves the cursor no more."""
        self._ended = True
        self.finder.forget()

    def begin(self, sign: str) -> None:
        """Search for what is typed from now on: `/` downwards, `?` upwards."""
        self.typed, self._origin = sign, self._cursor.place
        self.finder.step = 1 if sign == "/" else -1
        self._show()

    def word(self) -> None:
        """Search for the word under the cursor."""

        def search(text: str) -> None:
            if text and not self._ended:
                self.finder.step = 1
                self.finder.ask(self._session, text, lambda: self.jump(1))

        self._cursor.word(search)

    def type(self, event: events.Key) -> None:
        """Edit the text that is searched for."""
        typed = self.typed or "/"
        if event.key == "enter":
            self._accept()
        elif event.key in ("escape", "ctrl+c") or (event.key == "backspace" and len(typed) == 1):
            self._take_back()
        elif event.key == "backspace":
            self._change(typed[:-1])
        elif event.key == "ctrl+u":
            self._change(typed[:1])
        elif event.character and event.character.isprintable():
            self._change(typed + event.character)

    def paste(self, text: str) -> None:
        """Add the first line of the pasted text to the one that is searched for."""
        if self.typed is not None:
            self._change(self.typed + text.partition("\n")[0])

    def jump(self, way: int) -> None:
        """Go to the next match (1), or the previous one (-1)."""
        if (at := self.finder.go(self._cursor.place.at, self.finder.step * way)) is not None:
            self._cursor.go(Place.of(at))
        self._show()
        self._work()

    def renumbered(self) -> None:
        """Find the matches again, since lines have other numbers."""
        if self.typed is not None:
            self.finder.ask(self._session, self.finder.text, self._found)
        elif self.finder.text:
            self.finder.again(self._session, self._found_again)

    @property
    def _session(self) -> str:
        return self._cursor.pane.session_id

    def _change(self, typed: str) -> None:
        """Search for what is typed so far, from where the search began."""
        self.typed = typed
        self.finder.ask(self._session, typed[1:], self._found)
        self._show()

    def _found(self) -> None:
        at = self.finder.go(self._origin.at, self.finder.step, here=self.finder.step > 0)
        self._cursor.go(self._origin if at is None else Place.of(at))
        self._work()

    def _found_again(self) -> None:
        self._show()
        self._work()

    def _accept(self) -> None:
        typed, self.typed = self.typed or "", None
        if len(typed) == 1:
            self.jump(1)
        self._show()

    def _take_back(self) -> None:
        self.typed = None
        self.finder.forget()
        self._cursor.go(self._origin)
