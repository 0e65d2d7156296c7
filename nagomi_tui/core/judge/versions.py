"""Versions of agents: read from their banner, and compared with those that a rule holds for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.judge.patterns import multiline

if TYPE_CHECKING:
    from collections.abc import Sequence

LOOKS: Final = 40
"""Views of a program that has begun in which its banner is looked for."""

_BOUND: Final = re.compile(r"(>=|<=|>|<)?\s*(\d+(?:\.\d+)*)")
_NUMBERS: Final = re.compile(r"\d+")


def fault(spec: str) -> str:
    """Return what is wrong with the versions that a rule names, or nothing."""
    wrong = [part for part in _parts(spec) if not _BOUND.fullmatch(part)]
    if not wrong:
        return ""
    return f"no such versions: {wrong[0]} (`>=2.1.300, <2.2` or a beginning such as `2.1`)"


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
