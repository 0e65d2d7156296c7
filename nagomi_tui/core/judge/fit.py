"""Notices that an agent's own rules no longer fit what it draws: a newer version, mostly.

Two things tell it: a whole turn in which none of its rules held on any view, and a dialog that
was answered while the agent was shown at rest.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.judge.evidence import Key, Typed
from nagomi_tui.core.judge.verdict import BUSY, OVER, State

if TYPE_CHECKING:
    from nagomi_tui.core.judge.evidence import Corrected

LEAST_LOOKS: Final = 6
"""Views of a turn without which nothing is said of the rules."""

LEAST_SECONDS: Final = 2.0
"""The same: seconds from the first of these views to the last."""

TAKEN_UP: Final = 2.5
"""Seconds within which an agent goes on with its work after a dialog was answered."""

_RESTS: Final = frozenset({State.UNKNOWN, *OVER})


class Misfit(StrEnum):
    """Why an agent's rules are taken not to fit."""

    NO_RULE = "no-rule-held"
    """None of them held in a whole turn."""
    ANSWERED = "answered-at-rest"
    """A key was pressed that made it go on, at something that was taken for a rest."""
    CORRECTED = "corrected"
    """The user said that it waits while it was shown at rest."""


class Fit:
    """What is seen of one agent under its own rules."""

    def __init__(self) -> None:
        self.misfit: Misfit | None = None
        self._turn = -1
        self._from = self._until = 0.0
        self._looks = 0
        self._held = False
        self._worked = False
        self._typing = False
        self._answered_at: float | None = None

    def looked(self, at: float, turn: int, *, held: bool, works: bool) -> None:
        """A view was read in a turn: whether a rule of its own held, and whether it works."""
        if turn != self._turn:
            self._end_turn()
            self._turn, self._from, self._looks = turn, at, 0
            self._held = self._worked = False
        self._until = at
        self._looks += 1
        self._held |= held
        self._worked |= works

    def typed(self, typed: Typed, shown: State, *, field: bool) -> None:
        """The user typed: at a field it is text, without one it may be an answer."""
        lone = not self._typing
        self._typing = typed.key is Key.TEXT
        if field or shown not in _RESTS or not lone or typed.key not in (Key.TEXT, Key.ENTER):
            self._answered_at = None
        else:
            self._answered_at = typed.at

    def shows(self, state: State, at: float) -> None:
        """The agent is found in a state: one that goes on after a key was asked for it."""
        if state in BUSY and self._answered_at is not None:
            if at <= self._answered_at + TAKEN_UP:
                self._note(Misfit.ANSWERED)
            self._answered_at = None

    def corrected(self, said: Corrected, shown: State) -> None:
        """The user says how the agent stands."""
        if said.state is State.ATTENTION and shown in _RESTS:
            self._note(Misfit.CORRECTED)

    def _end_turn(self) -> None:
        lasted = self._until - self._from >= LEAST_SECONDS
        if self._worked and not self._held and lasted and self._looks >= LEAST_LOOKS:
            self._note(Misfit.NO_RULE)

    def _note(self, misfit: Misfit) -> None:
        self.misfit = self.misfit or misfit
