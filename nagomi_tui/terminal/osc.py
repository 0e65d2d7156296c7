"""Finds OSC sequences in a child's output, also those that are split between reads.

Both engines use it, so that they report the same events; and with it they carry out what libraries
for terminals do not know or do otherwise: see `Stop`. It scans only chunks that can hold such a
sequence.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

import msgspec

from nagomi_tui.core.text.screen import ScreenEvent
from nagomi_tui.terminal.osc_words import Notice, answer, event, notice

STATUS_ANSWER: Final = b"\x1b]7501;?\x1b\\"
"""The answer to `OSC 7501;?`. Programs send a DA1 behind it, and report their status if this answer
comes before that of the DA1."""

LIMIT: Final = 2 * 1024 * 1024
"""Bytes of the longest sequence that is read; a longer one is skipped."""

DISARM: Final = b"".join(
    (
        b"".join(
            b"\x1b[?%dl" % mode for mode in (9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016)
        ),
        b"\x1b[?2026l\x1b[?2031l\x1b[?2048l",  # frames, and reports of colours and size
        b"\x1b[<99u\x1b[=0u",  # kitty's keys
        b"\x1b[?25h\x1b[?7h\x1b[?5l\x1b[4l\x1b>\x1b(B\x0f",
        b"\x1b7\x1b[r\x1b8\x1b[m",
    )
)
"""Ends the modes of a full-screen program, which one that was killed has left. A shell reads its
line by others that it sets itself: bracketed paste (2004) and the cursor keys' (1) stay."""
LEAVE: Final = b"\x1b[?1049l"
_TITLES: Final = 10
"""Titles that a program can save, as xterm has it."""
_PARTS: Final = 16
"""Notices of which parts have come at the same time."""
CAN: Final = b"\x18"
"""Aborts a sequence."""

# An OSC up to its end or the chunk's, xterm's modifyOtherKeys and stack of titles, a full reset, the
# history's erasure, or the extended cursor report.
_FOUND: Final = re.compile(
    rb"\x1b(?:\](?P<osc>[^\x07\x1b\x18\x1a]*)(?P<end>\x07|\x1b\\?|[\x18\x1a])?"
    rb"|\[>4(?:;(?P<keys>[0-9]*))?(?P<how>[mn])|(?P<reset>c)"
    rb"|\[2(?P<title>[23])(?:;0*(?P<which>[0-9]*)[0-9;]*)?t|(?P<clear>\[3J)|(?P<where>\[\?6n)"
    rb"|P\+q(?P<terminfo>[0-9a-fA-F;]*)\x1b\\)"
)
_OTHER: Final = re.compile(rb"\x1b[^\[]")
_FIRST: Final = re.compile(rb"\x1b(?:[\]c]|P\+q)")
_KEYS: Final = b"\x1b[>4"
_TITLE_STACK: Final = re.compile(rb"\x1b\[2[23](?:;[0-9;]*)?t")
_END: Final = re.compile(rb"[\x07\x1b\x18\x1a]")
_CUT: Final = re.compile(
    rb"\x1b(?:\[(?:>[0-9;]{0,8}|\?6?|3|2[23]?[0-9;]{0,7})?|P(?:\+(?:q[0-9a-fA-F;]{0,200}\x1b?)?)?)?\Z"
)
_LONGEST_CUT: Final = 210
_QUERY: Final = b"7501;?"
_PART: Final = re.compile("(?:^|:)id=")
"""Matches a status of a part of the program, such as a task."""
_ABORTED: Final = (b"\x18", b"\x1a")


_MARK: Final = (
    rb"(?:\xcc[\x80-\xbf]|\xcd[\x80-\xaf]|\xd6[\x91-\xbf]|\xf3\xa0[\x80-\x87][\x80-\xbf])"
)
"""Combining marks (U+0300 to U+036F), Hebrew points, tags and variation selectors, in UTF-8."""
_MARKS: Final = re.compile(rb"(" + _MARK + rb"{16})" + _MARK + rb"+")
_NO_MARK: Final = bytes(set(range(256)) - set(b"\xcc\xcd\xd6\xf3"))
_STRIDE: Final = 61
_DENSE: Final = 12


def plain_enough(data: bytes) -> bytes:
    """Return output without what no terminal shows and each pays for.

    That is DEL; and of marks that flood in, those after the sixteenth on one letter: a letter with
    hundreds costs as much as hundreds of letters, in each copy of it.
    """
    if b"\x7f" in data:
        data = data.replace(b"\x7f", b"")
    if data.isascii():
        return data
    sample = data[::_STRIDE]
    is_flood = _DENSE * len(sample.translate(None, _NO_MARK)) > len(sample)
    return _MARKS.sub(rb"\1", data) if is_flood else data


def scheme_report(dark: bool) -> bytes:
    """Return the report of a dark or light colour scheme (`CSI ? 997`)."""
    return b"\x1b[?997;1n" if dark else b"\x1b[?997;2n"


class Stop(NamedTuple):
    """A place in a chunk at which an engine does something itself.

    It has drawn up to the sequence's end, except for `clear`: it decides before its beginning
    whether to leave it out. `begin` is below 0 where a chunk before holds the beginning.
    """

    begin: int
    end: int
    does: Literal["answer", "where", "terminfo", "clear", "prompt"]
    """Send `answer`; report the cursor by DECXCPR; answer for names of terminfo, which `answer` holds;
    erase the history; end a killed program's modes."""
    answer: bytes = b""


class Scanner(msgspec.Struct, omit_defaults=True):
    """The events of one session's output; its fields are its whole state."""

    title: str = ""
    titles: list[str] = []
    """Those that the program has saved (`CSI 22 t`)."""
    notices: dict[str, Notice] = {}
    """Notices of kitty's (OSC 99) of which more is to come, by their ids."""
    status: str = ""
    """The program's last status (OSC 7501); empty once it was cleared."""
    modify_other_keys: int = 0
    events: list[ScreenEvent] = []
    held: list[bytes] = []
    """Pieces of a sequence that has not ended; the first begins with ESC."""
    size: int = 0

    def feed(self, data: bytes) -> list[Stop]:
        """Scan the next bytes; return what the engine has to do itself, in order."""
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
        shift = size - len(data)
        return [
            stop._replace(begin=stop.begin + shift, end=stop.end + shift)
            for stop in self._scan(data)
        ]

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
        at = data.rfind(b"\x1bP+", -_LONGEST_CUT)
        if at < 0 or not _CUT.match(data, at):
            at = data.rfind(b"\x1b", -12)
        if at >= 0 and _CUT.match(data, at):
            self.held, self.size = [data[at:]], len(data) - at

    def _scan(self, data: bytes) -> list[Stop]:
        at, stops = 0, list[Stop]()
        while found := _FOUND.search(data, at):
            at = found.end()
            if found["reset"]:
                self.modify_other_keys = 0
                self._retitle("")
                self.titles, self.notices = [], {}
            elif found["title"]:
                if found["which"] != b"1":
                    self._stack(found["title"])
            elif found["clear"]:
                stops.append(Stop(found.start(), at, "clear"))
            elif (names := found["terminfo"]) is not None:
                stops.append(Stop(found.start(), at, "terminfo", names))
            elif found["where"]:
                stops.append(Stop(found.start(), at, "where"))
            elif found["how"]:
                self._keys(found)
            elif (end := found["end"]) is None or (end == b"\x1b" and at == len(data)):
                self.held, self.size = [data[found.start() :]], len(data) - found.start()
                return stops
            else:
                if end == b"\x1b":  # another sequence begins and ends this one
                    at -= 1
                if end in _ABORTED:
                    continue
                body = found["osc"]
                if body.startswith(_QUERY):
                    stops.append(Stop(found.start(), at, "answer", STATUS_ANSWER))
                elif reply := answer(body):
                    stops.append(Stop(found.start(), at, "answer", reply))
                else:
                    self._say(body)
                    if body.startswith(b"133;D"):
                        self.modify_other_keys = 0
                        stops.append(Stop(found.start(), at, "prompt"))
        self._hold_cut(data[at:])
        return stops

    def _stack(self, what: bytes) -> None:
        """Save the title, or take back the one that was saved last."""
        if what == b"2":
            self.titles = [*self.titles[1 - _TITLES :], self.title]
        elif self.titles:
            *self.titles, last = self.titles
            self._retitle(last)

    def _retitle(self, title: str) -> None:
        if title != self.title:
            self.title = title
            self.events.append(ScreenEvent("title", title))

    def _keys(self, found: re.Match[bytes]) -> None:
        asked = int(found["keys"] or 0) if found["how"] == b"m" else 0
        self.modify_other_keys = asked if asked in (1, 2) else 0

    def _say(self, body: bytes) -> None:
        said = self._notice(body) if body.startswith(b"99;") else event(body)
        if said is None:
            return
        if said.kind == "title":
            self.title = said.text
        elif said.kind == "status" and not _PART.search(said.text):
            self.status = said.text
        elif said.kind == "command":
            self.status = ""
        self.events.append(said)

    def _notice(self, body: bytes) -> ScreenEvent | None:
        """Return kitty's notice once its last part has come."""
        key, part = notice(body)
        whole = self.notices.pop(key, Notice()).joined(part)
        if part.done:
            return whole.event()
        if key:
            self.notices = dict([*self.notices.items()][1 - _PARTS :]) | {key: whole}
            return None
        return whole.event()


def _may_say(data: bytes) -> bool:
    """Tell whether `data` holds the beginning of anything that is looked for.

    Colours are the most of what begins with ESC: it costs half as much to pass over them first.
    """
    # One byte that is rare is found in a fraction of the time that four take.
    if b">" in data and _KEYS in data:
        return True
    if (b"J" in data and b"\x1b[3J" in data) or (b"?" in data and b"\x1b[?6n" in data):
        return True
    if _TITLE_STACK.search(data):
        return True
    other = _OTHER.search(data)
    return other is not None and _FIRST.search(data, other.start()) is not None
