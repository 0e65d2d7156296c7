"""Messages about what a connection carries: bytes behind a line, and what has arrived of them."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import msgspec

from nagomi_worker.wire.message import Message

CHUNK_BYTES: Final = 4096
"""Most raw bytes in one `output` (N-105)."""

RAW_CHUNKS: Final = 256
"""Most chunks behind one `raw`: 1 MiB, which is also the limit of a line."""

PACKED_MOST: Final = 4 * 1024 * 1024
"""Most bytes of the messages in one `packed`, and of what they become."""

_ChunkSize: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=CHUNK_BYTES)]


# --- orchestrator to worker


class Received(Message, frozen=True, kw_only=True, tag="received"):
    """So many bytes of this connection have arrived, since the first one of the worker's `hello`."""

    size: Annotated[int, msgspec.Meta(ge=0)]


# --- worker to orchestrator


class Typed(Message, frozen=True, kw_only=True, tag="typed"):
    """The input up to this number was taken, and is not needed again."""

    session_id: str
    number: int


class Raw(Message, frozen=True, kw_only=True, tag="raw"):
    """Chunks of the session's output, whose bytes follow right behind the line's newline.

    Sent instead of `output` where both hellos name `raw`, for chunks that are UTF-8. `sizes` are
    the chunks' lengths in bytes; the next line begins behind the last chunk. `offset` is the
    position after the last chunk.
    """

    session_id: str
    offset: int
    sizes: Annotated[tuple[_ChunkSize, ...], msgspec.Meta(min_length=1, max_length=RAW_CHUNKS)]


class Packed(Message, frozen=True, kw_only=True, tag="packed"):
    """Whole messages, compressed; their bytes follow right behind the line's newline.

    `size` is the number of these, and `whole` of those that come of them. The bytes of all `packed`
    of a connection are one zlib stream, flushed at the end of each. None is inside of another.
    """

    size: Annotated[int, msgspec.Meta(ge=1, le=PACKED_MOST)]
    whole: Annotated[int, msgspec.Meta(ge=1, le=PACKED_MOST)]
