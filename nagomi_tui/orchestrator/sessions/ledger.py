"""What a worker still keeps of one session's output, and which checkpoint may become its base.

A light checkpoint can become the base once the lines that have scrolled by since then fill the
history: replaying the output after it then restores the whole terminal.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

CHUNK_OVERHEAD: Final = 160
"""Bytes that the worker charges for each chunk beside its content."""
WHOLE_AFTER: Final = 6 * 1024 * 1024
"""Charge since the base from which on a checkpoint with history may be needed."""
_LOOK_AFTER: Final = 128 * 1024
_IN_TIME: Final = 7 * 1024 * 1024 + 256 * 1024
"""Charge up to which a light checkpoint that fills the history comes before the ring is full."""


class _Light(NamedTuple):
    offset: int
    line: int
    charge: int


class Ledger:
    """The base in the worker, the light checkpoints after it, and what was printed since."""

    def __init__(self) -> None:
        self.charge = 0
        """Charge of everything printed since the first base that was found."""
        self.needs_base = False
        """Whether the terminal cannot be restored from what the worker holds."""
        self._base = 0
        self._last = 0
        self._lights: deque[_Light] = deque()
        self._layout = 0
        self._looked = 0

    @property
    def since_base(self) -> int:
        """Charge since the base: about what the worker's ring holds."""
        return self.charge - self._base

    @property
    def since_last(self) -> int:
        """Charge since the last checkpoint of either kind."""
        return self.charge - self._last

    def add_output(self, size: int, chunks: int = 1) -> None:
        """Note that `chunks` chunks of `size` bytes together were applied."""
        self.charge += size + chunks * CHUNK_OVERHEAD

    def worth_a_look(self) -> bool:
        """Return now and then whether the newest light checkpoint may be good for a base by now."""
        if self.charge - self._looked < _LOOK_AFTER or not self._lights:
            return False
        self._looked = self.charge
        return True

    def skip(self) -> None:
        """Note that a checkpoint failed; the next one is due as if it had been taken."""
        self._last = self.charge

    def light(self, offset: int, *, line: int, layout: int) -> None:
        """Note a light checkpoint; `layout` changes when lines are renumbered."""
        if layout != self._layout or (self._lights and line < self._lights[-1].line):
            self._lights.clear()
        self._layout = layout
        self._lights.append(_Light(offset, line, self.charge))
        self._last = self.charge

    def rest(self, *, line: int, layout: int, reach: int) -> int | None:
        """Make the newest light checkpoint with `reach` lines after it the base; return its offset."""
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
        """Note a checkpoint with history, taken at this `charge`: it is the base now."""
        self._base, self.needs_base = charge, False
        self._last = max(self._last, charge)
        while self._lights and self._lights[0].charge <= charge:
            self._lights.popleft()

    def wants_whole(self, *, line: int, reach: int) -> bool:
        """Return whether no light checkpoint can become the base before the ring is full."""
        if self.needs_base or self.since_base < WHOLE_AFTER:
            return self.needs_base
        if not self._lights:
            return True
        oldest = self._lights[0]
        return (self.charge - oldest.charge) * reach > (line - oldest.line) * _IN_TIME
