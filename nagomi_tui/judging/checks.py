"""Checks of patterns that a user may have written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.core.judge.lines import Profile


def broken(pattern: str) -> str:
    """Return what is wrong with a pattern, or ""."""
    try:
        re.compile(pattern)
    except re.error as exc:
        return f"a pattern is broken: {pattern}: {exc}"
    return ""


def broken_patterns(profile: Profile) -> list[str]:
    """Return what is wrong with the profile's patterns, each with the field that it is in."""
    faults = ((name, broken(pattern)) for name, pattern in _patterns(profile))
    return [f"{name}: {fault}" for name, fault in faults if fault]


def _patterns(profile: Profile) -> Iterator[tuple[str, str]]:
    for name, value in msgspec.structs.asdict(profile).items():
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, tuple):
            for item in value:
                yield from ((name, part) for part in ((item,) if isinstance(item, str) else item))
