"""Reads a view by the rules of whatever is in the foreground, and an agent's by its shapes, too."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.judge.evidence import AT_WORK, Evidence, Says, Source
from nagomi_tui.core.judge.manifest import ANY, ENDS, menus_of, read_screen
from nagomi_tui.core.judge.shapes.field import above_field, has_field
from nagomi_tui.core.judge.shapes.motion import Motion, form_of
from nagomi_tui.core.judge.versions import LOOKS, from_banner

if TYPE_CHECKING:
    from nagomi_tui.core.judge.evidence import View
    from nagomi_tui.core.judge.manifest import Manifest

WITHOUT_FIELD: Final = f"{ANY}:without-field"
"""The rule by which a turn goes on while the agent shows no field to type in."""

FIELD_GONE: Final = f"{ANY}:field-gone"
"""The same, of an agent that shows its field while it works: it may ask."""

FLOWS: Final = f"{ANY}:text-flows"
"""The rule by which an agent works that writes its answer while its field stays where it is."""

_FLOWING: Final = 3
"""Looks with new words above the field that make a flow: a command's answer comes at once."""
_PAUSE: Final = 1.0
"""Most seconds between two of them."""
_TYPING: Final = 1.0
"""Seconds after the user's keys in which new words are an answer to these."""

_OUTRANKED: Final = frozenset({Says.REST, Says.SUCCEEDED, Says.FAILED, Says.INTERRUPTED})


class Asked(msgspec.Struct, frozen=True):
    """What the user did, as far as it explains what a screen shows."""

    at: float | None = None
    """When the turn began; None before the first one that is known of."""
    typed_at: float = float("-inf")
    """When anything but Enter was last typed."""
    answered: bool = False
    """The turn was shown to be over."""


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
        self._menus = menus_of(shapes) if shapes is not None else None
        """The shapes by which any program asks that reads single keys."""
        self._shapes = shapes if manifest is not None and manifest.kind == "agent" else None
        self._motion = Motion()
        self.had_field = False
        """A field to type in was there once."""
        self._keeps_field = False
        self._works = False
        self._before = Counter[str]()
        """The rows on which the last work began, and how often each stood there."""
        self._began_at: float | None = None
        self._above: tuple[str, ...] = ()
        self._flowed = 0
        self._flowed_at = float("-inf")

    def read(
        self, view: View, now: float, asked: Asked | None = None, *, keys: bool = False
    ) -> Evidence | None:
        """Return what the screen says, in the light of what the user did; `keys` are read singly."""
        if self.manifest is None:
            return None
        if self._shapes is None:
            said = read_screen(self.manifest, view)
            return said or (read_screen(self._menus, view) if self._menus and keys else None)
        asked = asked or Asked()
        self.had_field |= bool(view.prompt)
        self._began_at = view.at if self._began_at is None else self._began_at
        self._motion.take(view, begun=asked.at is not None and asked.at > self._began_at)
        until = self._motion.lasts(now, patient=self.manifest is self._shapes)
        moves = until > now
        own = None if self.manifest is self._shapes else self._own(view, moves=moves)
        shape = read_screen(self._shapes, view, moves=moves)
        begun = self.had_field or has_field(view) or asked.at is not None
        if shape and shape.says in AT_WORK and not begun:
            # It starts: no turn has begun.
            shape = None
        said = _weighed(own, shape) or self._by_absence(view)
        flows = self._flows(view, now, asked)
        if flows and said is not None and said.kind == ENDS and said.rule.startswith(f"{ANY}:"):
            said = msgspec.structs.replace(
                said, says=Says.THINKING, rule=FLOWS, kind="", expires=view.at + _PAUSE
            )
        if said is not None and said.rule == f"{ANY}:moves":
            said = msgspec.structs.replace(said, expires=until)
        return self._remember(view, self._without_old(view, said))

    def _without_old(self, view: View, said: Evidence | None) -> Evidence | None:
        """Take an error for the last turn's that stood there before this one, if words follow it."""
        if said is None or said.says is not Says.FAILED or not said.rule.startswith(f"{ANY}:"):
            return said
        rows = [row.strip() for row in above_field(view) if row.strip()]
        if said.text not in rows or rows.count(said.text) > self._before[said.text]:
            return said
        below = rows[len(rows) - rows[::-1].index(said.text) :]
        if all(row in self._before for row in below):
            return said
        return msgspec.structs.replace(
            said, says=Says.REST, kind=ENDS, rule=f"{ANY}:field", text=""
        )

    def _flows(self, view: View, now: float, asked: Asked) -> bool:
        """Tell whether new words come above the field again and again, after something was asked."""
        above = tuple(form_of(row) for row in above_field(view) if row.strip())
        grown, self._above = above != self._above, above
        if not has_field(view) or asked.at is None or asked.answered:
            self._flowed = 0
            return False
        if now - self._flowed_at >= _PAUSE:
            self._flowed = 0
        typing = view.at - asked.typed_at <= _TYPING
        if grown and (self._flowed >= _FLOWING or not typing):
            self._flowed += 1
            self._flowed_at = view.at
        return self._flowed >= _FLOWING

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
        if works and not self._works:
            self._before = Counter(row.strip() for row in view.rows)
        self.had_field |= shown
        self._keeps_field |= shown and works
        if said is None or said.rule not in (WITHOUT_FIELD, FIELD_GONE):
            self._works = works
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
