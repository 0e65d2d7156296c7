"""Decodes a worker's bytes: lines, and raw output between them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.workers.output_batch import of_output, of_raw
from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import LINE_LIMIT, LineSplitter, LineTooLong
from nagomi_worker.wire.packer import Unpacker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage

_log = logging.getLogger(__name__)


class WorkerReader:
    """Decodes one worker's stream; a line that is no message is logged and skipped.

    `raw` tells that we asked for output as bytes, and `packed` that for messages that are compressed.
    A worker that was not asked sends lines only, so that the start of a message is never lost.
    """

    def __init__(self, name: str, *, raw: bool = True, packed: bool = False) -> None:
        self._name = name
        self._raw = raw
        self._unpacker = Unpacker() if packed else None
        self._lines = LineSplitter(LINE_LIMIT)
        self._head: protocol.Raw | protocol.Packed | None = None
        self._pieces: list[memoryview] = []
        self._missing = 0
        """Bytes after `_head` that have not been read yet."""

    def feed(self, data: bytes) -> list[WorkerMessage]:
        """Return the messages that `data` completes.

        Raises:
            StreamLost: it is not known where the next message begins.
        """
        messages: list[WorkerMessage] = []
        view, at = memoryview(data), 0
        while at < len(data):
            if self._head is not None:
                at += self._take_bytes(self._head, view[at : at + self._missing], messages)
            else:
                end = data.find(b"\n", at) + 1 or len(data)
                for line in self._lines.feed(data[at:end]):
                    self._take_line(line, messages)
                at = end
        return messages

    def _take_bytes(
        self,
        head: protocol.Raw | protocol.Packed,
        piece: memoryview,
        messages: list[WorkerMessage],
    ) -> int:
        self._pieces.append(piece)
        self._missing -= len(piece)
        if not self._missing:
            pieces, self._pieces, self._head = self._pieces, [], None
            if isinstance(head, protocol.Packed):
                messages += self._unpacked(head, pieces)
            else:
                messages.append(of_raw(head, pieces))
        return len(piece)

    def _unpacked(self, head: protocol.Packed, pieces: Sequence[memoryview]) -> list[WorkerMessage]:
        assert self._unpacker is not None
        try:
            whole = self._unpacker.unpack(head, b"".join(pieces))
        except ValueError as exc:
            raise protocol.StreamLost(str(exc)) from exc
        # None is inside of another, so that nobody has us unpack without end.
        unpacker, self._unpacker = self._unpacker, None
        messages = self.feed(whole)
        self._unpacker = unpacker
        return messages

    def _take_line(self, line: bytes | LineTooLong, messages: list[WorkerMessage]) -> None:
        message = self._decoded(line)
        if isinstance(message, protocol.Output):
            messages.append(of_output(message))
        elif isinstance(message, protocol.Raw):
            self._head, self._missing = message, sum(message.sizes)
        elif isinstance(message, protocol.Packed):
            self._head, self._missing = message, message.size
        elif message is not None:
            messages.append(message)

    def _decoded(self, line: bytes | LineTooLong) -> protocol.FromWorker | None:
        try:
            if isinstance(line, LineTooLong):
                raise line
            message = protocol.decode_from_worker(line)
            if isinstance(message, protocol.Raw) and not self._raw:
                raise protocol.BadMessage("a `raw` message that was not asked for")
            if isinstance(message, protocol.Packed) and self._unpacker is None:
                raise protocol.BadMessage("a `packed` message that was not asked for")
        except (LineTooLong, protocol.BadMessage) as exc:
            if self._raw and isinstance(exc, protocol.StreamLost):
                raise
            _log.warning("worker %s: %s", self._name, exc)
            return None
        return message
