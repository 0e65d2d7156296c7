"""What a session printed, as one message of its worker brought it: bytes, never cut in a character.

Both ways in which a worker says it, `output` and `raw`, come to this.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class OutputBatch(NamedTuple):
    """Consecutive chunks; `offset` is the position after the last one, or None if not told."""

    session_id: str
    data: bytes
    sizes: tuple[int, ...]
    """Sizes in bytes of the chunks in `data`."""
    offset: int | None

    def pieces(self, most: int) -> list[OutputBatch]:
        """Return the same output as batches of at most `most` chunks."""
        if len(self.sizes) <= most:
            return [self]
        ends = list(accumulate(self.sizes, initial=0))
        edges = [*ends[:-1:most], ends[-1]]
        before = (self.offset or 0) - ends[-1]
        return [
            OutputBatch(
                self.session_id, self.data[start:end], self.sizes[at : at + most], before + end
            )
            for at, start, end in zip(range(0, len(ends), most), edges, edges[1:], strict=False)
        ]


WorkerMessage: TypeAlias = (
    OutputBatch | protocol.Phase | protocol.Exit | protocol.Error
    | protocol.Hello | protocol.Checkpoint | protocol.Pong | protocol.Started
    | protocol.Held | protocol.Sessions | protocol.Attached | protocol.Typed | protocol.Resized
    | protocol.Hook | protocol.Asked | protocol.Located
    | protocol.Host | protocol.Folders
)  # fmt: skip
"""A message of a worker, with its output as bytes."""


def of_output(message: protocol.Output) -> OutputBatch:
    """Return the one chunk of an `output`."""
    data = message.chunk.encode("utf-8", "replace")
    return OutputBatch(message.session_id, data, (len(data),), message.offset)


def of_raw(head: protocol.Raw, pieces: Sequence[memoryview]) -> OutputBatch:
    """Return the chunks of a `raw`, whose bytes were read in these pieces."""
    return OutputBatch(head.session_id, b"".join(pieces), head.sizes, head.offset)
