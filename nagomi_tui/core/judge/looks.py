"""Reads a view by the rules of whatever is in the foreground, and an agent's by its shapes, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.judge.evidence import AT_WORK, Evidence, Says, Source
from nagomi_tui.core.judge.manifest import read_screen
from nagomi_tui.core.judge.shapes import Motion, has_field
from nagomi_tui.core.judge.versions import LOOKS, from_banner

if TYPE_CHECKING:
    from nagomi_tui.core.judge.evidence import View
    from nagomi_tui.core.judge.manifest import Manifest

ANY: Final = "any"
"""The name of the manifest that says what agents have in common."""

WITHOUT_FIELD: Final = f"{ANY}:without-field"
"""The rule by which a turn goes on while the agent shows no field to type in."""

FIELD_GONE: Final = f"{ANY}:field-gone"
"""The same, of an agent that shows its field while it works: it may ask."""

LASTING: Final = 3.0
"""Seconds for which what moves is taken to move on, though the screen was not looked at."""

_OUTRANKED: Final = frozenset({Says.REST, Says.SUCCEEDED, Says.FAILED, Says.INTERRUPTED})


class Looks:
    """The views of one program in the foreground, in order."""

    def __init__(
        self, manifest: Manifest | None, shapes: Manifest | None, *, version: str = ""
    ) -> None:
        self.manifest = manifest
        self.version = version
        """The agent's version, once its banner was seen."""
        self.held = False
        """One of the agent's own rules held on the last view."""
        self._unread = LOOKS
        self._shapes = shapes if manifest is not None and manifest.kind == "agent" else None
        self._motion = Motion()
        self.had_field = False
        """A field to type in was there once."""
        self._keeps_field = False
        self._works = False

    def read(self, view: View, now: float) -> Evidence | None:
        """Return what the screen says."""
        if self.manifest is None:
            return None
        if self._shapes is None:
            return read_screen(self.manifest, view)
        self._motion.take(view.rows, view.at)
        moves = self._motion.is_steady(now)
        own = None if self.manifest is self._shapes else self._own(view, moves=moves)
        shape = read_screen(self._shapes, view, moves=moves)
        if shape and shape.says in AT_WORK and not (self.had_field or has_field(view)):
            # It starts: no turn has begun.
            shape = None
        return self._remember(view, _weighed(own, shape) or self._by_absence(view))

    def _own(self, view: View, *, moves: bool) -> Evidence | None:
        if self.manifest is None:
            return None
        if self.manifest.banner and not self.version and self._unread:
            self._unread -= 1
            self.version = from_banner(self.manifest.banner, view.rows)
        said = read_screen(self.manifest, view, moves=moves, version=self.version)
        self.held = said is not None
        return said

    def _by_absence(self, view: View) -> Evidence | None:
        """The field was there and is gone: a turn began, or what it asks stands in its place."""
        if not self.had_field:
            return None
        if self._keeps_field or view.alt_screen:
            says = Says.BUSY if self._works else Says.REST
            return _said(view, says, FIELD_GONE)
        return _said(view, Says.BUSY, WITHOUT_FIELD)

    def _remember(self, view: View, said: Evidence | None) -> Evidence | None:
        shown = has_field(view)
        works = said is not None and said.says in AT_WORK
        self.had_field |= shown
        self._keeps_field |= shown and works
        if said is None or said.rule not in (WITHOUT_FIELD, FIELD_GONE):
            self._works = works
        if said is not None and said.rule == f"{ANY}:moves":
            return msgspec.structs.replace(said, expires=view.at + LASTING)
        return said


def _weighed(own: Evidence | None, shape: Evidence | None) -> Evidence | None:
    """A dialog by its shape outranks a rest by an agent's own rules, and so does work."""
    if own is None or shape is None:
        return own or shape
    if own.says in _OUTRANKED and (shape.says is Says.WAITS or shape.says in AT_WORK):
        return shape
    return own


def _said(view: View, says: Says, rule: str) -> Evidence:
    return Evidence(source=Source.SCREEN, says=says, at=view.at, rule=rule)
