"""The line at the top of a tile or lane: number, name, place, badge and time, as they fit."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Final, NamedTuple

from nagomi_tui.sessions.places import place_of
from nagomi_tui.sessions.session import GuardStanding, Session, has_ended
from nagomi_tui.sessions.standing import badge_words, changes_of
from nagomi_tui.text.cells import cells, clock, cut, cut_left, cut_middle, printable
from nagomi_tui.view.common.badge import guard_badge
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.screens.state import elapsed

_NAME_AT_LEAST: Final = 4
_FOLDER_AT_MOST: Final = 28


class Part(NamedTuple):
    """A piece of text and the name of its colour."""

    text: str
    color: str


_COLORS: Final = {
    "frame": "$frame", "focused": "$primary", "number": "$muted", "name": "$foreground",
    "name-focused": "$primary", "place": "$muted", "branch": "$secondary", "time": "$muted",
    "face": "$foreground", "foreground": "$foreground", "muted": "$muted", "primary": "$primary",
    "secondary": "$secondary", "accent": "$accent", "success": "$success", "warning": "$warning",
    "error": "$error",
}  # fmt: skip
"""The theme's colour of each part."""
_BOLD: Final = frozenset({"name-focused", "accent"})


def part_css(widget: str, of: str) -> str:
    """Return the rules of a widget's component classes `OF--PART`."""
    return "\n".join(
        f"{widget} > .{of}--{part} {{ color: {color}; {'text-style: bold;' if part in _BOLD else ''} }}"
        for part, color in _COLORS.items()
    )


def part_classes(of: str) -> set[str]:
    """Return the names of these component classes."""
    return {f"{of}--{part}" for part in _COLORS}


def places_differ(sessions: Collection[Session]) -> bool:
    """Return whether folder and branch tell sessions apart: where all are in one, they say nothing."""
    return len(sessions) < 2 or len({(one.worker_id, one.here, one.branch) for one in sessions}) > 1


def header(
    session: Session, width: int, now: float, face: str = "", *, place: bool = True
) -> list[Part]:
    """Return the parts of a line of exactly `width` cells between two corners.

    Without `place` neither folder nor branch are told. What does not fit goes in this order: folder, branch, the character's face, the badge's word,
    the guard's word, the time, the guard. The name goes last: only where it does not fit beside the
    badge's sign is it cut in the middle, by cells, never inside a character (NB-19).
    """
    number = f" {session.number} "
    name = printable(session.name)
    room = width - cells(number) - 2
    state, where = _fitting(session, room - cells(name), now, face, place=place)
    if not state:
        sign = _states(session, now)[-1]
        state = sign if _length(sign) + _NAME_AT_LEAST <= room else []
    used = sum(cells(part.text) for part in (*state, *where))
    shown = cut_middle(name, max(0, room - used))
    fill = width - cells(number) - cells(shown) - 1 - used
    line = [Part(number, "number"), Part(f"{shown} ", "name"), Part("─" * max(0, fill), "frame")]
    return [*line, *where, *state] if fill >= 0 else _narrow(session, width)


def _narrow(session: Session, width: int) -> list[Part]:
    shown = cut(f" {session.number}", width)
    return [Part(shown, "number"), Part("─" * (width - cells(shown)), "frame")]


def _fitting(
    session: Session, room: int, now: float, face: str, *, place: bool
) -> tuple[list[Part], list[Part]]:
    """Return the richest badge and place that leave the name its room."""
    full, *less = _states(session, now)
    with_face = [Part(f" {face}", "face"), *full] if face else full
    for where in _places(session) if place else [[]]:
        if _length(with_face) + _length(where) <= room:
            return with_face, where
    for state in (with_face, full, *less):
        if _length(state) <= room:
            return state, []
    return [], []


def _states(session: Session, now: float) -> list[list[Part]]:
    """Return what can be said of how it stands, the richest first."""
    look = session.condition
    shape = Part(f" {look.shape} ", look.color)
    word = Part(f"{badge_words(session, tr)} ", look.color)
    time = Part(f"{clock(elapsed(session, now))} ", "time")
    if session.guard is None or has_ended(session):
        return [[shape, word, time], [shape, time], [shape]]
    wide, small = _guard(session.guard, session), _guard(session.guard, session, briefly=True)
    return [
        [wide, shape, word, time],
        [wide, shape, time],
        [small, shape, time],
        [small, shape],
        [shape],
    ]


def _guard(guard: GuardStanding, session: Session, *, briefly: bool = False) -> Part:
    strict, fault, unheard = session.strict, session.strict_fault, session.guard_unheard
    text, color = guard_badge(guard, strict=strict, fault=fault, unheard=unheard, briefly=briefly)
    return Part(f" {text}", color)


def _places(session: Session) -> list[list[Part]]:
    folder = cut_left(printable(place_of(session, os.path.expanduser("~"))), _FOLDER_AT_MOST)
    branch = cut(printable(session.branch), 20)
    dash = Part("─", "frame")
    at_folder = Part(f" {folder} ", "place")
    at_branch = Part(f" {branch} ", "place")
    if not branch:
        return [[at_folder, dash], []]
    told = changes_of(session)
    where = [at_folder, Part(f"{branch} ", "branch")]
    if not told:
        return [[*where, dash], [at_branch, dash], []]
    first = [Part(f"{told[0]} ", "place")]
    return [
        [*where, Part(f"{' '.join(told)} ", "place"), dash],
        [*where, *first, dash],
        [at_branch, *first, dash],
        [at_branch, dash],
        [],
    ]


def _length(parts: list[Part]) -> int:
    return sum(cells(part.text) for part in parts)
