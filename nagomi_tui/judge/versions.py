"""For which versions of an agent rules hold, and the sign that they no longer do.

Two things tell it: a whole turn in which none of its rules held on any view, and a dialog that
was answered while the agent was shown at rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from nagomi_tui.judge.evidence import Corrected, Key, Typed
from nagomi_tui.judge.patterns import multiline
from nagomi_tui.judge.verdict import BUSY, OVER, State
from nagomi_tui.text.words import Said, translatable

LOOKS: Final = 40
"""Views of a program that has begun in which its banner is looked for."""

_BOUND: Final = re.compile(r"(>=|<=|>|<)?\s*(\d+(?:\.\d+)*)")
_NUMBERS: Final = re.compile(r"\d{1,9}")


def fault(spec: str) -> Said | None:
    """Return what is wrong with the versions that a rule names, or None."""
    wrong = [part for part in _parts(spec) if not _BOUND.fullmatch(part)]
    if not wrong:
        return None
    sentence = translatable(
        "no such versions: {versions} (`>=2.1.300, <2.2` or a beginning such as `2.1`)"
    )
    return Said(sentence, {"versions": wrong[0]})


def holds(spec: str, version: str) -> bool:
    """Tell whether a rule for these versions counts in this one; where it is unknown all do."""
    if not spec or not version:
        return True
    return all(_within(part, _numbers(version)) for part in _parts(spec))


def from_banner(banner: str, rows: Sequence[str]) -> str:
    """Return the version that the group `version` of a pattern finds on a screen, or nothing."""
    found = multiline(banner).search("\n".join(rows))
    return found["version"] if found else ""


def _within(part: str, version: tuple[int, ...]) -> bool:
    found = _BOUND.fullmatch(part)
    if found is None:
        return True
    named = _numbers(found[2])
    longest = max(len(named), len(version))
    ours, theirs = (one + (0,) * (longest - len(one)) for one in (version, named))
    match found[1]:
        case ">=":
            return ours >= theirs
        case "<=":
            return ours <= theirs
        case ">":
            return ours > theirs
        case "<":
            return ours < theirs
        case _:
            return version[: len(named)] == named


def _parts(spec: str) -> list[str]:
    return [part.strip() for part in spec.split(",") if part.strip()]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBERS.findall(version)[:4])


LEAST_LOOKS: Final = 6
"""Views of a turn without which nothing is said of the rules."""

LEAST_SECONDS: Final = 2.0
"""Seconds from the first of these views to the last without which nothing is said of the rules."""

TAKEN_UP: Final = 2.5
"""Seconds within which an agent goes on with its work after a dialog was answered."""

RESTS: Final = frozenset({State.UNKNOWN, *OVER})


class Mismatch(StrEnum):
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
        self.mismatch: Mismatch | None = None
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
        if field or shown not in RESTS or not lone or typed.key not in (Key.TEXT, Key.ENTER):
            self._answered_at = None
        else:
            self._answered_at = typed.at

    def shows(self, state: State, at: float) -> None:
        """The agent is found in a state: one that goes on after a key was asked for it."""
        if state in BUSY and self._answered_at is not None:
            if at <= self._answered_at + TAKEN_UP:
                self._note(Mismatch.ANSWERED)
            self._answered_at = None

    def corrected(self, said: Corrected, shown: State) -> None:
        """The user says how the agent stands."""
        if said.state is State.ATTENTION and shown in RESTS:
            self._note(Mismatch.CORRECTED)

    def _end_turn(self) -> None:
        lasted = self._until - self._from >= LEAST_SECONDS
        if self._worked and not self._held and lasted and self._looks >= LEAST_LOOKS:
            self._note(Mismatch.NO_RULE)

    def _note(self, mismatch: Mismatch) -> None:
        self.mismatch = self.mismatch or mismatch
