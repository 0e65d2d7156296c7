"""Which turns call the user, how several become one notice, and the user's quiet hours."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from nagomi_tui.judge.verdict import SUMMARY_LIMIT, State, shorten
from nagomi_tui.masking import mask_line
from nagomi_tui.text.cells import printable

Kind: TypeAlias = Literal["failure", "attention", "success"]
Sound: TypeAlias = Literal["sound_file", "tts", "off"]

FIRST_PAUSE: Final = 0.15
"""Seconds for which calls are collected before the first notice; short enough to go unnoticed."""
SPACE: Final = 1.0
"""Seconds between two notices; calls in between share the next one."""
IN_SIGHT: Final = 8.0
"""Seconds for which a notice counts as visible; a call in that time is shown together with it."""
SURE_SECONDS: Final = 20.0
"""Seconds after input for which the user counts as looking, if the terminal reports no focus."""

_STRENGTH: Final[Mapping[Kind, int]] = {"success": 0, "failure": 1, "attention": 2}
_KINDS: Final[Mapping[State, Kind]] = {
    State.FAILURE: "failure",
    State.ATTENTION: "attention",
    State.SUCCESS: "success",
}
_BETWEEN: Final = " · "
_TOLD_TOGETHER: Final = 4
"""Most calls whose summaries share one notice."""
_SPACES: Final = re.compile(r"\s+")


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What the user has set for one kind of turn."""

    sound: Sound
    notice: bool


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One session calls the user; `name` and `summary` are plain text and masked."""

    session: str
    name: str
    kind: Kind
    summary: str
    ended: bool = False
    """Whether its command has ended."""
    summaries: dict[str, str] = {}
    """The summary by language code; languages without a translation are missing."""
    key: str = ""
    """Tells apart calls that do not replace each other though they are of one session."""

    @property
    def replaces(self) -> str:
        """A key that calls share of which only the newest counts."""
        return self.key or self.session


def kind_of(state: State) -> Kind | None:
    """Return the kind of call for a turn in this state, or None if it does not call (N-48)."""
    return _KINDS.get(state)


def wanted(wishes: Wishes, *, quiet: bool, looked_at: bool) -> Wishes:
    """Return what is done of it: nothing if the user ended the turn or looks at it (NB-18)."""
    return Wishes(sound="off", notice=False) if quiet or looked_at else wishes


def looks(*, told: bool, idle: float) -> bool:
    """Tell whether the user looks at the session that is in front.

    If the terminal reports its focus (`told`), that is believed. Otherwise a user who has typed
    nothing for `idle` seconds may be looking elsewhere.
    """
    return told or idle < SURE_SECONDS


def plain(text: str) -> str:
    """Return a text on one line, without control characters and secrets."""
    return mask_line(_SPACES.sub(" ", printable(text)).strip())


def title(template: str, name: str) -> str:
    """Return a notice's title; the template names the session `{つくり名}` or `{name}` (N-50)."""
    return plain(template).replace("{つくり名}", name).replace("{name}", name)


def body(text: str) -> str:
    """Return a notice's body: plain, at most 120 characters (N-51)."""
    return shorten(plain(text))


def together(said: Sequence[tuple[str, str]]) -> str:
    """Return one body for several calls: each name, and as much of its summary as there is room for.

    The newest call is the last one; where not all fit, it is told and the oldest are left out.
    """
    kept = said[-_TOLD_TOGETHER:]
    room = SUMMARY_LIMIT // len(kept) - len(_BETWEEN)
    return body(_BETWEEN.join(shorten(f"{name}: {text}", room) for name, text in kept))


def strongest(calls: Sequence[Call]) -> Kind:
    """Return the strongest kind of these calls."""
    return max((call.kind for call in calls), key=_STRENGTH.__getitem__)


class Cooldown:
    """Limits how often each kind may ring, independently of the other kinds (N-55, NB-14)."""

    def __init__(self) -> None:
        self._rang: dict[str, float] = {}

    def lets(self, kind: str, *, now: float, seconds: float) -> bool:
        """Tell whether this kind may ring now; if so, its cooldown of `seconds` begins."""
        if now - self._rang.get(kind, float("-inf")) < seconds:
            return False
        self._rang[kind] = now
        return True


class Gathering:
    """Collects calls for the next notice: the newest of each session, visible ones included."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}
        self._in_sight: dict[str, Call] = {}
        self._told_at = float("-inf")

    def add(self, call: Call, *, now: float) -> float:
        """Add a call; return the seconds until the collected ones are to be shown."""
        self._calls.pop(call.replaces, None)
        self._calls[call.replaces] = call
        return max(FIRST_PAUSE, self._told_at + SPACE - now)

    def drop(self, session: str) -> None:
        """Drop the calls of a session that no longer needs the user."""
        self._calls.pop(session, None)
        self._in_sight.pop(session, None)

    def take(self, *, now: float) -> tuple[Call, ...]:
        """Return the calls to show now, the newest last, and collect anew."""
        new, self._calls = self._calls, {}
        if not new:
            return ()
        old = self._in_sight if now - self._told_at < IN_SIGHT else {}
        kept = {session: call for session, call in old.items() if session not in new}
        self._told_at, self._in_sight = now, kept | new
        return tuple(self._in_sight.values())


HOURS: Final = r"^$|^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$"
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)?", re.IGNORECASE)
_SECONDS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
LONGEST: Final = 7 * 86400.0
"""Longest duration in seconds; for more, sound is to be turned off."""


def in_hours(hours: str, minute: int) -> bool:
    """Tell whether a minute of the day (0 to 1439) lies in the hours, which may pass midnight."""
    if not re.match(HOURS, hours) or not hours:
        return False
    begin, end = (_minute(part) for part in hours.split("-"))
    if begin <= end:
        return begin <= minute < end
    return minute >= begin or minute < end


def _minute(clock: str) -> int:
    hour, _, minute = clock.partition(":")
    return int(hour) * 60 + int(minute)


def seconds(text: str) -> float | None:
    """Return a duration in seconds; a bare number is minutes, and None says that it is none."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        return None
    amount = float(match[1]) * _SECONDS[(match[2] or "m").lower()]
    return amount if 0 < amount <= LONGEST else None
