"""What a worker keeps of one session, as far as the orchestrator knows; pure bookkeeping.

A light checkpoint can be the base once so many lines have scrolled by since then that they fill
the history: what is replayed after it then gives the whole terminal again.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

CHUNK_OVERHEAD: Final = 160
"""The worker charges each chunk so much beside its bytes."""
WHOLE_AFTER: Final = 6 * 1024 * 1024
"""Charge since the base from which on a checkpoint with history may be needed."""
_LOOK_AFTER: Final = 128 * 1024
_IN_TIME: Final = 7 * 1024 * 1024 + 256 * 1024
"""A light one that fills the history within this charge comes before the worker's ring is full."""


class _Light(NamedTuple):
    offset: int
    line: int
    charge: int


class Ledger:
    """The base in the worker, the light checkpoints after it, and what was printed since."""

    def __init__(self) -> None:
        self.charge = 0
        """Of everything that was printed since the base that was found first."""
        self.needs_base = False
        """What the worker holds does not give this terminal again."""
        self._base = 0
        self._last = 0
        self._lights: deque[_Light] = deque()
        self._layout = 0
        self._looked = 0

    @property
    def since_base(self) -> int:
        """What the worker's ring holds, about."""
        return self.charge - self._base

    @property
    def since_last(self) -> int:
        """What was printed since the last checkpoint of either kind."""
        return self.charge - self._last

    def add_output(self, size: int, chunks: int = 1) -> None:
        """Some chunks, of `size` bytes together, were taken in."""
        self.charge += size + chunks * CHUNK_OVERHEAD

    def worth_a_look(self) -> bool:
        """Tell, now and then, whether the newest light one may have become good for a base."""
        if self.charge - self._looked < _LOOK_AFTER or not self._lights:
            return False
        self._looked = self.charge
        return True

    def skip(self) -> None:
        """A checkpoint failed; the next one is tried as if it had been taken."""
        self._last = self.charge

    def light(self, offset: int, *, line: int, layout: int) -> None:
        """There is a light checkpoint; `layout` is another one when lines were renumbered."""
        if layout != self._layout or (self._lights and line < self._lights[-1].line):
            self._lights.clear()
        self._layout = layout
        self._lights.append(_Light(offset, line, self.charge))
        self._last = self.charge

    def rest(self, *, line: int, layout: int, reach: int) -> int | None:
        """Make the newest light one the base after which `reach` lines scrolled by, if any did."""
        if layout != self._layout:
            return None
        found: _Light | None = None
        while self._lights and line - self._lights[0].line >= reach:
            found = self._lights.popleft()
        if found is None:
            return None
        self._base, self.needs_base = found.charge, False
        return found.offset

    def whole(self, charge: int) -> None:
        """A checkpoint with history was taken when `charge` was printed; it is the base."""
        self._base, self.needs_base = charge, False
        self._last = max(self._last, charge)
        while self._lights and self._lights[0].charge <= charge:
            self._lights.popleft()

    def wants_whole(self, *, line: int, reach: int) -> bool:
        """Tell whether no light checkpoint can become the base before the ring is full."""
        if self.needs_base or self.since_base < WHOLE_AFTER:
            return self.needs_base
        if not self._lights:
            return True
        oldest = self._lights[0]
        return (self.charge - oldest.charge) * reach > (line - oldest.line) * _IN_TIME
