"""One setting of a project changed by name, and checked as the whole file is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from nagomi_tui.guard.decide.documents import Config, plain, typed

KINDS: Final = {
    "go": "implementation_mode",
    "no": "discussion_mode",
    "create": "task_creation",
    "start": "task_startup",
    "complete": "task_completion",
    "compact": "context_compaction",
}
"""Short names of the kinds of phrases."""
SWITCHES: Final = {
    "branch_enforcement": ("features", "branch_enforcement"),
    "task_detection": ("features", "task_detection"),
    "auto_ultrathink": ("features", "auto_ultrathink"),
    "warn_85": ("features", "context_warnings", "warn_85"),
    "warn_90": ("features", "context_warnings", "warn_90"),
    "extrasafe": ("blocked_actions", "extrasafe"),
    "strict_phrases": ("nagomi", "strict_phrases"),
    "todos_required": ("nagomi", "todos_required"),
}
"""What is on or off, by name, and where it stands."""
_YES: Final = frozenset({"true", "on", "yes", "1", "auto", "super"})
_NO: Final = frozenset({"false", "off", "no", "0", "ask", "standard"})


class Unfit(ValueError):
    """A value does not fit; the message says why."""


def changed(config: Config, way: Sequence[str], value: Any) -> Config:
    """Return the settings with one value set.

    Raises:
        Unfit: the value is none that may stand there.
    """
    raw = plain(config)
    place = raw
    for name in way[:-1]:
        place = place[name]
    place[way[-1]] = value
    try:
        return typed(raw, Config)
    except msgspec.ValidationError as exc:
        raise Unfit(str(exc)) from exc


def value_at(config: Config, way: Sequence[str]) -> Any:
    """Return one value, as JSON has it."""
    found: Any = plain(config)
    for name in way:
        found = found[name]
    return found


def added(config: Config, way: Sequence[str], item: str) -> Config:
    """Return the settings with an item at the end of a list.

    Raises:
        Unfit: it is empty, or there already.
    """
    before = value_at(config, way)
    if not item.strip():
        raise Unfit("it is empty")
    if item in before:
        raise Unfit(f"{item} is there already")
    return changed(config, way, [*before, item])


def removed(config: Config, way: Sequence[str], item: str) -> Config:
    """Return the settings without an item of a list.

    Raises:
        Unfit: it is not there, or is the last phrase that stops agents.
    """
    before = value_at(config, way)
    if item not in before:
        raise Unfit(f"{item} is not there")
    rest = [one for one in before if one != item]
    if not rest and way[-1] == KINDS["no"]:
        raise Unfit("without any phrase agents could not be stopped by a prompt")
    return changed(config, way, rest)


def switch(word: str) -> bool:
    """Return whether a word means on.

    Raises:
        Unfit: it means neither.
    """
    if word.casefold() in _YES:
        return True
    if word.casefold() in _NO:
        return False
    raise Unfit(f"{word} is neither on nor off")
