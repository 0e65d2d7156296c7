"""Who asks for something: all that carrying it out may depend on, whatever way it came."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from nagomi_tui.words import Words


class Requester(msgspec.Struct, frozen=True, kw_only=True):
    """A front end, a command, or any other program that asks."""

    identity: int = 0
    """Tells requesters apart while they are there; 0 is nobody in particular."""
    env: Mapping[str, str] = {}
    """Its environment: what a session that it starts gets."""
    words: Words
    """The language of what it is answered."""
    size: tuple[int, int] = (0, 0)
    """Columns and rows of its terminal, or zeros where it has none."""
    is_front_end: bool = False
    """It shows sessions to somebody."""
