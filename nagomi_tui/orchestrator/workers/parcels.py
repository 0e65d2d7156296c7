"""Sends checkpoints over a line that may be slow, a small piece at a time, so that no key waits."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from msgspec import structs

from nagomi_worker.wire.protocol import Checkpoint, Ping

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_worker.wire.protocol import ToWorker

PIECE: Final = 4 * 1024
"""Characters of a checkpoint that are on their way at a time."""
MOST: Final = 2 * 1024 * 1024
"""Characters that wait, beyond which checkpoints are left out: without them a replay is longer."""


class Parcels:
    """The checkpoints of one connection, in their order; the next piece waits for a `pong`."""

    def __init__(self, send: Callable[[ToWorker], None]) -> None:
        self._send = send
        self._pieces: deque[Checkpoint] = deque()
        self._waiting = 0
        self._awaited = False
        self._skipping = False

    def add(self, message: Checkpoint) -> None:
        """Send a checkpoint, or one part of a longer one, or leave all of it out."""
        # What has begun is sent to its end: a part alone is of no use.
        if not (self._pieces and self._pieces[-1].more):
            self._skipping = self._skipping or self._waiting > MOST
        if self._skipping:
            self._skipping = message.more
            return
        for at in range(0, max(1, len(message.data)), PIECE):
            data = message.data[at : at + PIECE]
            more = message.more or at + PIECE < len(message.data)
            self._pieces.append(structs.replace(message, data=data, more=more))
        self._waiting += len(message.data)
        if not self._awaited:
            self.go_on()

    def go_on(self) -> None:
        """Send the next piece: the worker has what was sent before."""
        self._awaited = bool(self._pieces)
        if self._pieces:
            piece = self._pieces.popleft()
            self._waiting -= len(piece.data)
            self._send(piece)
            self._send(Ping())
