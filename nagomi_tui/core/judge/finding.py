"""The result of the rules: a state, its confidence, and the rule that found it."""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui.core.judge.evidence import Evidence
from nagomi_tui.core.judge.lines import Profile
from nagomi_tui.core.judge.manifest import Manifest
from nagomi_tui.core.judge.steps.actions import ActionRule
from nagomi_tui.core.judge.verdict import State


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A state with its reason. An unconfirmed one is a candidate that output may take back."""

    state: State
    confidence: float
    rule: str
    because: tuple[Evidence, ...] = ()
    confirmed: bool = True
    until: float | None = None
    """When the passing of time alone may change it; None if it cannot."""


_MOST_COMMANDS: Final = 1000
"""Commands whose manifests are kept; there are no more at once, unless they change all the time."""


class Rulebook(msgspec.Struct, frozen=True):
    """The data that the rules work with: the generic profile, manifests, and next actions."""

    profile: Profile
    manifests: tuple[Manifest, ...] = ()
    actions: tuple[ActionRule, ...] = ()
    _by_command: dict[str, Manifest | None] = msgspec.field(default_factory=dict)

    def manifest(self, command: str) -> Manifest | None:
        """Return the manifest of the program that this command runs, if there is one.

        Each look at a session asks for a few commands, which seldom change, so answers are kept.
        """
        kept = self._by_command
        if command not in kept:
            if len(kept) >= _MOST_COMMANDS:
                kept.clear()
            kept[command] = next((one for one in self.manifests if one.runs(command)), None)
        return kept[command]

    def named(self, name: str) -> Manifest | None:
        """Return a manifest by its name."""
        return next((found for found in self.manifests if found.name == name), None)


def because(*found: Evidence | None) -> tuple[Evidence, ...]:
    """Return these pieces of evidence, without None."""
    return tuple(item for item in found if item is not None)
