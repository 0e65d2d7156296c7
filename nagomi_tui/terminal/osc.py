"""Finds OSC sequences in a child's output, also those that are split between reads.

Both engines use it, so that they report the same events. It scans only chunks that can hold such
a sequence.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from nagomi_tui.core.text.screen import ScreenEvent
from nagomi_tui.terminal.osc_words import event

STATUS_ANSWER: Final = b"\x1b]7501;?\x1b\\"
"""The answer to `OSC 7501;?`. Programs send a DA1 behind it, and report their status if this answer
comes before that of the DA1."""

LIMIT: Final = 2 * 1024 * 1024
"""Bytes of the longest sequence that is read; a longer one is skipped."""

# An OSC up to its end or the chunk's, xterm's modifyOtherKeys, or a full reset.
_FOUND: Final = re.compile(
    rb"\x1b(?:\](?P<osc>[^\x07\x1b\x18\x1a]*)(?P<end>\x07|\x1b\\?|[\x18\x1a])?"
    rb"|\[>4(?:;(?P<keys>[0-9]*))?(?P<how>[mn])|(?P<reset>c))"
)
_OTHER: Final = re.compile(rb"\x1b[^\[]")
_FIRST: Final = re.compile(rb"\x1b[\]c]")
_KEYS: Final = b"\x1b[>4"
_END: Final = re.compile(rb"[\x07\x1b\x18\x1a]")
_CUT: Final = re.compile(rb"\x1b(?:\[(?:>[0-9;]{0,8})?)?\Z")
_QUERY: Final = b"7501;?"
_PART: Final = re.compile("(?:^|:)id=")
"""Matches a status of a part of the program, such as a task."""
_ABORTED: Final = (b"\x18", b"\x1a")


def scheme_report(dark: bool) -> bytes:
    """Return the report of a dark or light colour scheme (`CSI ? 997`)."""
    return b"\x1b[?997;1n" if dark else b"\x1b[?997;2n"


class Scanner(msgspec.Struct):
    """The events of one session's output; its fields are its whole state."""

    title: str = ""
    status: str = ""
    """The program's last status (OSC 7501); empty once it was cleared."""
    modify_other_keys: int = 0
    events: list[ScreenEvent] = []
    held: list[bytes] = []
    """Pieces of a sequence that has not ended; the first begins with ESC."""
    size: int = 0

    def feed(self, data: bytes) -> list[int]:
        """Scan the next bytes; return the indexes in `data` behind which a status query ended."""
        size = len(data)
        if self.held:
            joined = self._join(data)
            if joined is None:
                return []
            data = joined
        elif b"\x1b" not in data:
            return []
        elif not _may_say(data):
            self._hold_cut(data)
            return []
        return [at - len(data) + size for at in self._scan(data)]

    def take(self) -> list[ScreenEvent]:
        """Return the events since the last call."""
        events, self.events = self.events, []
        return events

    def _join(self, data: bytes) -> bytes | None:
        """Return what was held with `data`, or None while its sequence goes on."""
        first, last = self.held[0], self.held[-1]
        in_osc = first.startswith(b"\x1b]") and not last.endswith(b"\x1b")
        if in_osc and not _END.search(data):
            self.size += len(data)
            if self.size <= LIMIT:
                self.held.append(data)
            else:  # no event has this number, and the end is still recognised
                self.held = [b"\x1b]!"]
            return None
        joined = b"".join(self.held) + data
        self.held, self.size = [], 0
        return joined

    def _hold_cut(self, data: bytes) -> None:
        """Keep the beginning of a sequence that stands at the chunk's end."""
        at = data.rfind(b"\x1b", -12)
        if at >= 0 and _CUT.match(data, at):
            self.held, self.size = [data[at:]], len(data) - at

    def _scan(self, data: bytes) -> list[int]:
        at, asked = 0, list[int]()
        while found := _FOUND.search(data, at):
            at = found.end()
            if found["reset"]:
                self.modify_other_keys = 0
            elif found["how"]:
                self._keys(found)
            elif (end := found["end"]) is None or (end == b"\x1b" and at == len(data)):
                self.held, self.size = [data[found.start() :]], len(data) - found.start()
                return asked
            else:
                if end == b"\x1b":  # another sequence begins and ends this one
                    at -= 1
                if end in _ABORTED:
                    continue
                if found["osc"].startswith(_QUERY):
                    asked.append(at)
                else:
                    self._say(found["osc"])
        self._hold_cut(data[at:])
        return asked

    def _keys(self, found: re.Match[bytes]) -> None:
        asked = int(found["keys"] or 0) if found["how"] == b"m" else 0
        self.modify_other_keys = asked if asked in (1, 2) else 0

    def _say(self, body: bytes) -> None:
        said = event(body)
        if said is None:
            return
        if said.kind == "title":
            self.title = said.text
        elif said.kind == "status" and not _PART.search(said.text):
            self.status = said.text
        elif said.kind == "command":
            self.status = ""
        self.events.append(said)


def _may_say(data: bytes) -> bool:
    """Tell whether `data` holds the beginning of anything that is looked for.

    Colours are the most of what begins with ESC: it costs half as much to pass over them first.
    """
    if b">" in data and _KEYS in data:
        return True
    other = _OTHER.search(data)
    return other is not None and _FIRST.search(data, other.start()) is not None
