"""Decodes a worker's bytes: lines, and raw output between them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.workers.output_batch import of_output, of_raw
from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import LINE_LIMIT, LineSplitter, LineTooLong

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage

_log = logging.getLogger(__name__)


class WorkerReader:
    """Decodes one worker's stream; a line that is no message is logged and skipped.

    `raw` tells that we asked for output as bytes. A worker that was not asked sends it in lines
    only, so that the start of a message is never lost.
    """

    def __init__(self, name: str, *, raw: bool = True) -> None:
        self._name = name
        self._raw = raw
        self._lines = LineSplitter(LINE_LIMIT)
        self._head: protocol.Raw | None = None
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
        self, head: protocol.Raw, piece: memoryview, messages: list[WorkerMessage]
    ) -> int:
        self._pieces.append(piece)
        self._missing -= len(piece)
        if not self._missing:
            messages.append(of_raw(head, self._pieces))
            self._head = None
            self._pieces.clear()
        return len(piece)

    def _take_line(self, line: bytes | LineTooLong, messages: list[WorkerMessage]) -> None:
        message = self._decoded(line)
        if isinstance(message, protocol.Output):
            messages.append(of_output(message))
        elif isinstance(message, protocol.Raw):
            self._head, self._missing = message, sum(message.sizes)
        elif message is not None:
            messages.append(message)

    def _decoded(self, line: bytes | LineTooLong) -> protocol.FromWorker | None:
        try:
            if isinstance(line, LineTooLong):
                raise line
            message = protocol.decode_from_worker(line)
            if isinstance(message, protocol.Raw) and not self._raw:
                raise protocol.BadMessage("a `raw` message that was not asked for")
        except (LineTooLong, protocol.BadMessage) as exc:
            if self._raw and isinstance(exc, protocol.StreamLost):
                raise
            _log.warning("worker %s: %s", self._name, exc)
            return None
        return message
