"""The leader key: the one key that no session gets, and the command after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.settings.model import Settings
from nagomi_tui.view.driver.events import key_name
from nagomi_tui.view.driver.strokes import ALT, CTRL, SHIFT, SUPER, Stroke

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT_LEADERS: Final = (Settings().leader, Settings().second_leader)

_MODS: Final = {"shift": SHIFT, "alt": ALT, "ctrl": CTRL, "super": SUPER}


class BadKey(ValueError):
    """A name does not name a key."""


def parse_key(name: str) -> tuple[str, int]:
    """Return key and modifiers of a name such as `ctrl+]` or `f12`.

    Raises:
        BadKey: a modifier is unknown or the key is missing.
    """
    *held, key = (
        name.strip().lower().split("+") if not name.endswith("++") else [*name[:-2].split("+"), "+"]
    )
    unknown = [mod for mod in held if mod not in _MODS]
    if unknown or not key:
        raise BadKey(f"{name!r} is no key: write it like ctrl+] or f12")
    return key, sum(_MODS[mod] for mod in held)


class Leader:
    """Knows the leader keys, and whether one was pressed and its command is awaited."""

    def __init__(self, names: Iterable[str] = DEFAULT_LEADERS) -> None:
        self.pending = False
        self.choose(names)

    def choose(self, names: Iterable[str]) -> None:
        """Set the leader keys.

        Raises:
            BadKey: one of the names does not name a key; nothing changes.
        """
        self._keys = frozenset([parse_key(name) for name in names])

    def is_leader(self, stroke: Stroke) -> bool:
        """Whether a stroke is the leader."""
        return (stroke.by_place().key, stroke.mods) in self._keys


def command_of(stroke: Stroke) -> str:
    """Return a command key's name: leader + Ctrl+letter is the same as leader + letter."""
    stroke = stroke.by_place()
    if len(stroke.key) == 1 and stroke.key.isalpha() and stroke.mods & CTRL:
        return stroke.key
    if len(stroke.text) == 1 and not stroke.mods & (ALT | CTRL | SUPER):
        return "space" if stroke.text == " " else stroke.text
    return key_name(stroke)
