"""What a worker says, from its bytes: all whole lines of a read are decoded in one go."""

from __future__ import annotations

import logging

from nagomi_worker import protocol
from nagomi_worker.framing import LINE_LIMIT, LineSplitter, LineTooLong

_log = logging.getLogger(__name__)


class WorkerReader:
    """Decodes one worker's stream; a line that is no message is noted and left out."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines = LineSplitter(LINE_LIMIT)

    def feed(self, data: bytes) -> list[protocol.FromWorker]:
        """Return the messages that `data` completes; it is far shorter than a line may be."""
        begun = data.find(b"\n") + 1 if self._lines.unfinished else 0
        end = data.rfind(b"\n") + 1
        if end <= begun:
            return self._one_by_one(data)
        first = self._one_by_one(data[:begun])
        between = self._together(data[begun:end])
        self._one_by_one(data[end:])
        return first + between

    def _together(self, lines: bytes) -> list[protocol.FromWorker]:
        try:
            return protocol.decode_lines_from_worker(lines)
        except protocol.BadMessage:
            return self._one_by_one(lines)

    def _one_by_one(self, data: bytes) -> list[protocol.FromWorker]:
        found = [self._decoded(line) for line in self._lines.feed(data)] if data else []
        return [message for message in found if message is not None]

    def _decoded(self, line: bytes | LineTooLong) -> protocol.FromWorker | None:
        try:
            if isinstance(line, LineTooLong):
                raise line
            return protocol.decode_from_worker(line)
        except (LineTooLong, protocol.BadMessage) as exc:
            _log.warning("worker %s: %s", self._name, exc)
            return None
