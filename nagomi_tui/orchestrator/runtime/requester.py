"""Who makes a request: all that carrying it out may depend on, whichever way it came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from nagomi_tui.words import Words


class Caller(Protocol):
    """A client, as far as it is to be proved who it is."""

    @property
    def pid(self) -> int:
        """The process that made its connection, while that lives; else 0."""

    @property
    def began(self) -> float:
        """When it connected, in seconds since the epoch."""


class Requester(msgspec.Struct, frozen=True, kw_only=True):
    """A front end, a command, or any other program that asks."""

    identity: int = 0
    """A number that tells requesters apart; 0 for none in particular."""
    env: Mapping[str, str] = {}
    """Its environment, which sessions that it starts get."""
    words: Words
    """The translations into the language of its answers."""
    size: tuple[int, int] = (0, 0)
    """Columns and rows of its terminal; zeros if it has none."""
    is_front_end: bool = False
    """Whether it shows sessions to a user."""
    caller: Caller | None = None
    """The client itself; None for nobody in particular, who is never proved to be the user."""
