"""What one look at the evidence finds: a state, how sure it is, and by which rule."""

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
    """When time alone may change it."""


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
    """Return the evidence that there is."""
    return tuple(item for item in found if item is not None)
