"""The result of the rules: a state, its confidence, and the rule that found it."""

from __future__ import annotations

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


class Rulebook(msgspec.Struct, frozen=True):
    """The data that the rules work with: the generic profile, manifests, and next actions."""

    profile: Profile
    manifests: tuple[Manifest, ...] = ()
    actions: tuple[ActionRule, ...] = ()

    def manifest(self, command: str) -> Manifest | None:
        """Return the manifest of the program that this command runs, if there is one."""
        return next((found for found in self.manifests if found.runs(command)), None)

    def named(self, name: str) -> Manifest | None:
        """Return a manifest by its name."""
        return next((found for found in self.manifests if found.name == name), None)


def because(*found: Evidence | None) -> tuple[Evidence, ...]:
    """Return these pieces of evidence, without None."""
    return tuple(item for item in found if item is not None)
