"""What calls the user and how: which turns ring and which give notice, and calls told as one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from nagomi_tui.core.judge.verdict import State, shorten
from nagomi_tui.core.masking import mask_line
from nagomi_tui.core.text.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind: TypeAlias = Literal["failure", "attention", "success"]
Sound: TypeAlias = Literal["sound_file", "tts", "off"]

FIRST_PAUSE: Final = 0.15
"""Seconds in which calls that come together are gathered; short enough to seem at once."""
SPACE: Final = 1.0
"""Seconds between two notices; what calls meanwhile is told as one."""
IN_SIGHT: Final = 8.0
"""Seconds a notice is taken to be in sight; what calls meanwhile is told together with it."""
SURE_SECONDS: Final = 20.0
"""How long a user who did something counts as looking, where the terminal does not tell."""

_STRENGTH: Final[Mapping[Kind, int]] = {"success": 0, "failure": 1, "attention": 2}
_KINDS: Final[Mapping[State, Kind]] = {
    State.FAILURE: "failure",
    State.ATTENTION: "attention",
    State.SUCCESS: "success",
}
_SPACES: Final = re.compile(r"\s+")


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What the user wants of one kind of turn."""

    sound: Sound
    notice: bool


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One session calls; `name` and `summary` are plain and masked."""

    session: str
    name: str
    kind: Kind
    summary: str
    summaries: dict[str, str] = {}
    """The summary by language, as far as it was worded."""


def kind_of(state: State) -> Kind | None:
    """Return what a turn that stands like this calls as, or None where it does not (N-48)."""
    return _KINDS.get(state)


def wanted(wishes: Wishes, *, quiet: bool, looked_at: bool) -> Wishes:
    """Return what happens: nothing for a turn that its user ended or is looking at (NB-18)."""
    return Wishes(sound="off", notice=False) if quiet or looked_at else wishes


def looks(*, told: bool, idle: float) -> bool:
    """Tell whether a user with the session in front of them looks at it.

    A terminal that tells of its focus is believed; before another, one who did nothing for
    `idle` seconds may look elsewhere.
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


def strongest(calls: Sequence[Call]) -> Kind:
    """Return the kind that counts for all of these."""
    return max((call.kind for call in calls), key=_STRENGTH.__getitem__)


class Cooldown:
    """Lets each kind ring once in a while; one kind never swallows another (N-55, NB-14)."""

    def __init__(self) -> None:
        self._rang: dict[str, float] = {}

    def lets(self, kind: str, *, now: float, seconds: float) -> bool:
        """Tell whether this kind may ring now, and take note that it does."""
        if now - self._rang.get(kind, float("-inf")) < seconds:
            return False
        self._rang[kind] = now
        return True


class Gathering:
    """Calls that wait to be told together with those still in sight, the newest of each session."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}
        self._in_sight: dict[str, Call] = {}
        self._told_at = float("-inf")

    def add(self, call: Call, *, now: float) -> float:
        """Take a call in; return in how many seconds all that wait are to be told."""
        self._calls.pop(call.session, None)
        self._calls[call.session] = call
        return max(FIRST_PAUSE, self._told_at + SPACE - now)

    def drop(self, session: str) -> None:
        """The session needs nobody any more."""
        self._calls.pop(session, None)
        self._in_sight.pop(session, None)

    def take(self, *, now: float) -> tuple[Call, ...]:
        """Return the calls to be told now, the newest last; none wait afterwards."""
        new, self._calls = self._calls, {}
        if not new:
            return ()
        old = self._in_sight if now - self._told_at < IN_SIGHT else {}
        kept = {session: call for session, call in old.items() if session not in new}
        self._told_at, self._in_sight = now, kept | new
        return tuple(self._in_sight.values())
