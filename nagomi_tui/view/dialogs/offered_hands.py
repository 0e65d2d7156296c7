"""The hands that a dialog offers: what each is, the one that a folder has, and folders there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from nagomi_tui import words
from nagomi_tui.api.machine import standing_words
from nagomi_tui.core.session.place import beginning_of
from nagomi_tui.core.session.session import LOCAL
from nagomi_tui.view.common.translate import language

if TYPE_CHECKING:
    from nagomi_tui.api.messages import HandStanding
    from nagomi_tui.core.session.place import Beginning

FindFar: TypeAlias = Callable[[str, str, Callable[[Sequence[str]], None]], None]
"""Asks for the folders on a hand that begin so, and hands them on when they are there."""


class OfferedHands:
    """The hands as they stood when the dialog was opened."""

    def __init__(self, find_folders: FindFar) -> None:
        self._hands: tuple[HandStanding, ...] = ()
        self._find = find_folders
        self._wanted: tuple[str, str, Callable[[Sequence[str]], None]] | None = None
        """What is asked for next, while an answer is still to come."""
        self._asked = False

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(hand.name for hand in self._hands)

    def take(self, hands: tuple[HandStanding, ...]) -> None:
        """Offer these from now on."""
        self._hands = hands

    def beginning_of(self, folder: str) -> Beginning | None:
        """Return where sessions of a folder begin, if that is on a hand."""
        return beginning_of(folder, self._hands)

    def fitting(self, typed: str) -> list[str]:
        """Return a line for each hand that begins as typed, and all where the name of one is whole."""
        spoken = words.of(language())
        whole = typed in {"", LOCAL, *self.names}
        lines = [
            standing_words(hand, spoken)
            for hand in self._hands
            if whole or hand.name.startswith(typed)
        ]
        return [LOCAL, *lines] if lines and whole else lines

    def find(self, hand: str, typed: str, then: Callable[[Sequence[str]], None]) -> None:
        """Ask for folders there; while one answer is awaited only the newest question is kept."""
        if hand not in self.names or not typed.startswith(("/", "~/")):
            return
        self._wanted = (hand, typed, then)
        self._ask()

    def _ask(self) -> None:
        if self._asked or self._wanted is None:
            return
        hand, typed, then = self._wanted
        self._wanted, self._asked = None, True

        def answered(found: Sequence[str]) -> None:
            self._asked = False
            then(found)
            self._ask()

        self._find(hand, typed, answered)
