"""Turns a native terminal into bytes and back, with what our side knows of it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import msgspec

from nagomi_tui.terminal.engine import EngineError
from nagomi_tui.terminal.ghostty.native import CONTINUATION_BYTES, Native
from nagomi_tui.terminal.osc import Scanner

_LEVEL: Final = 1
_MAGIC: Final = b"GHOSTSNP\x01\x00"
_RECORD: Final = struct.Struct("<HII")
"""Before each record of the native part: its kind, its length, a checksum."""
_READY: Final = 5
"""The record behind which only history follows."""
_LIMIT: Final = 1024 * 1024 * 1024
"""Bytes that a snapshot may grow to when it is unpacked."""


class Saved(msgspec.Struct, frozen=True, array_like=True):
    """A snapshot: the native part, and the numbers and strings beside it."""

    native: bytes
    painted: bytes
    """Text instead of the native part, for a state that the library cannot write."""
    cols: int
    rows: int
    base: int
    kept: int
    cell_bytes: int
    """Room for history, which a session of clusters and many styles has made larger."""
    scanner: Scanner
    foreground: int
    background: int
    synchronized: bool
    """Mode 2026, which the library leaves out."""
    light: bool = False
    """The native part ends before the history."""


def packer(saved: Saved) -> Callable[[], bytes]:
    """Return what compresses the snapshot; nothing of it changes any more."""
    return partial(zlib.compress, msgspec.msgpack.encode(saved), _LEVEL)


def unpack(data: bytes) -> Saved:
    """Return what `packer` was given.

    Raises:
        EngineError: the bytes are no such snapshot.
    """
    try:
        raw = zlib.decompressobj().decompress(data, _LIMIT)
        return msgspec.msgpack.decode(raw, type=Saved)
    except (zlib.error, msgspec.DecodeError) as exc:
        raise EngineError(f"this is not a snapshot of a terminal: {exc}") from exc


class _Taker:
    """Takes the native part as it is written, and ends the writing where enough was taken."""

    def __init__(self, ffi: Any, *, history: bool) -> None:
        self._ffi = ffi
        self._history = history
        self._pieces: list[bytes] = []
        self._at = len(_MAGIC)
        self.ready = False

    @property
    def data(self) -> bytes:
        """What was taken; without history it ends behind the ready part."""
        data = b"".join(self._pieces)
        return data[: self._at] if self.ready else data

    def take(self, _userdata: Any, data: Any, length: int) -> bool:
        """Take the next bytes; tell whether more are wanted."""
        self._pieces.append(self._ffi.buffer(data, length)[:])
        if not self._history:
            self._look_for_ready()
        return not self.ready

    def _look_for_ready(self) -> None:
        data = b"".join(self._pieces)
        while data.startswith(_MAGIC) and self._at + _RECORD.size <= len(data):
            kind, length, _ = _RECORD.unpack_from(data, self._at)
            if self._at + _RECORD.size + length > len(data):
                return
            self._at += _RECORD.size + length
            if kind == _READY:
                self.ready = True
                return


def encode(native: Native, terminal: Any, *, history: bool = True) -> bytes:
    """Return the native part of a snapshot; without history it takes about a millisecond.

    Raises:
        EngineError: the library could not write it (an unfinished sequence that is too long).
    """
    taker = _Taker(native.ffi, history=history)
    write = native.ffi.callback("GhosttyWriterFn", taker.take)
    writer = native.ffi.new("GhosttyWriter *", {"write": write})
    code = native.lib.ghostty_snapshot_encode(terminal, writer[0])
    if code and not taker.ready:
        raise EngineError(f"libghostty-vt wrote no snapshot ({code})")
    return taker.data


def decode(native: Native, data: bytes, *, history: bool = True) -> Any:
    """Return a new native terminal as the snapshot has it; `history` tells whether it has one.

    Raises:
        EngineError: the library cannot read it.
    """
    ffi, lib = native.ffi, native.lib
    decoder, terminal = ffi.new("GhosttySnapshotDecoder *"), ffi.new("GhosttyTerminal *")
    source = ffi.from_buffer("uint8_t[]", data)
    if lib.ghostty_snapshot_decoder_new_buf(ffi.NULL, decoder, source, len(data)):
        raise EngineError("libghostty-vt has no memory for a snapshot")
    try:
        limit, keep = ffi.new("size_t *", CONTINUATION_BYTES), ffi.new("bool *", True)
        for option, value in (
            (lib.GHOSTTY_SNAPSHOT_DECODER_OPT_MAX_CONTINUATION_BYTES, limit),
            (lib.GHOSTTY_SNAPSHOT_DECODER_OPT_RETAIN_CONTINUATION, keep),
        ):
            lib.ghostty_snapshot_decoder_set(decoder[0], option, value)
        code = lib.ghostty_snapshot_decoder_ready(decoder[0], terminal)
        if not code:
            # Pages that are read back are larger than those written, so the limit comes later.
            room = ffi.new("size_t *", _LIMIT)
            lib.ghostty_terminal_set(
                terminal[0], lib.GHOSTTY_TERMINAL_OPT_SCROLLBACK_MAX_BYTES, room
            )
            code = _read_history(lib, decoder[0]) if history else 0
            if code:
                lib.ghostty_terminal_free(terminal[0])
    finally:
        lib.ghostty_snapshot_decoder_free(decoder[0])
    if code:
        raise EngineError(f"libghostty-vt could not read a snapshot ({code})")
    return terminal[0]


def _read_history(lib: Any, decoder: Any) -> int:
    """Read the history part by part; return the library's error, or 0 at the end."""
    while not (code := lib.ghostty_snapshot_decoder_next(decoder)):
        pass
    return 0 if code == lib.GHOSTTY_NO_VALUE else int(code)


def rows_behind(native: Native, data: bytes) -> int:
    """Return how many rows above the primary screen there are in a ready part.

    It ends with a whole page, so that a few rows of history are in it; while the alternate
    screen is shown they can be counted on a copy only.

    Raises:
        EngineError: the library cannot read it.
    """
    ffi, lib = native.ffi, native.lib
    terminal = decode(native, data, history=False)
    leave = b"\x18\x1b[?1049l"
    lib.ghostty_terminal_vt_write(terminal, leave, len(leave))
    rows = ffi.new("size_t *")
    lib.ghostty_terminal_get(terminal, lib.GHOSTTY_TERMINAL_DATA_SCROLLBACK_ROWS, rows)
    lib.ghostty_terminal_free(terminal)
    return int(rows[0])
