"""Finds OSC sequences in output, split ones too, and turns them into events.

Both engines use it, so that they report the same events, and to carry out what terminal libraries
do not know or do otherwise (see `Stop`). It scans only chunks that can hold such a sequence.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

import msgspec

from nagomi_tui.text.rows import Row, ScreenEvent

_TEXT_LIMIT: Final = 4096
"""Characters of a title, a message or a path."""
_ENCODED_LIMIT: Final = 2 * _TEXT_LIMIT
"""Those of a message in Base64: whole groups of four."""
_NAMES: Final = 16
"""Names of terminfo that are answered at once."""
_NAME: Final = dict.fromkeys((b"544e", b"6e616d65"), b"xterm-256color".hex().encode())
"""The terminal's own name, `TN` or `name`."""
_TOLD: Final = re.compile(rb"(\x1bP1\+r([0-9a-fA-F]+)[^\x1b]*\x1b\\)")


def event(body: bytes) -> ScreenEvent | None:
    """Return the event, or None for what only the engine or nobody cares about."""
    number, _, rest = body.partition(b";")
    reader = _READERS.get(number)
    return reader(rest) if reader else None


def _plain(raw: bytes) -> str:
    """Return readable text: control characters would act on whoever shows it."""
    text = raw.decode("utf-8", "replace")[:_TEXT_LIMIT]
    return "".join(char if char.isprintable() else " " for char in text)


def _title(rest: bytes) -> ScreenEvent:
    return ScreenEvent("title", _plain(rest))


def _osc9(rest: bytes) -> ScreenEvent | None:
    """Return a notification (iTerm2), a progress report or a folder (ConEmu)."""
    sub, _, tail = rest.partition(b";")
    if sub == b"4":
        return _progress(tail)
    if sub == b"9":
        return _folder(tail.strip(b'"'))
    # ConEmu's other commands are numbers up to 12; a message may well begin with any other one.
    if sub.isdigit() and len(sub) <= 2 and int(sub) <= 12:
        return None
    return _notify(rest)


def _notify(text: bytes, title: bytes = b"") -> ScreenEvent | None:
    """Return a notice; None for one that says nothing."""
    said = ScreenEvent("notify", _plain(text).strip(), _plain(title).strip())
    return said if said.text or said.title else None


def _progress(tail: bytes) -> ScreenEvent | None:
    state, _, percent = tail.partition(b";")
    if state not in (b"0", b"1", b"2", b"3", b"4"):
        return None
    digits = percent.partition(b";")[0]
    known = digits.isdigit() and len(digits) <= 3
    return ScreenEvent("progress", f"{state.decode()};{min(int(digits), 100) if known else ''}")


def _osc777(rest: bytes) -> ScreenEvent | None:
    command, _, tail = rest.partition(b";")
    if command != b"notify":
        return None
    title, _, text = tail.partition(b";")
    return _notify(text, title)


def _iterm(rest: bytes) -> ScreenEvent | None:
    """Return iTerm2's request for attention as the bell that it is."""
    name, _, how = rest.partition(b"=")
    wanted = name == b"RequestAttention" and how in (b"yes", b"once", b"fireworks")
    return ScreenEvent("bell") if wanted else None


class Notice(msgspec.Struct, frozen=True, array_like=True):
    """What has come of a notice of kitty's, which may come in parts (OSC 99)."""

    title: bytes = b""
    """In Base64, as the body: its parts may be cut anywhere."""
    body: bytes = b""
    done: bool = True
    """Whether nothing more of it is to come."""

    def joined(self, part: Notice) -> Notice:
        """Return it with one more part."""
        return Notice(
            (self.title + part.title)[:_ENCODED_LIMIT], (self.body + part.body)[:_ENCODED_LIMIT]
        )

    def event(self) -> ScreenEvent | None:
        """Return what is told of it: a title alone is its text."""
        title, body = _decoded(self.title), _decoded(self.body)
        return _notify(body, title) if body else _notify(title)


def notice(body: bytes) -> tuple[str, Notice | None]:
    """Return the id of kitty's notice, or nothing, and the part of it that has come.

    That is None where it is closed.
    """
    keys, payload = _kitty_notice(body)
    if keys.get(b"e") != b"1":
        payload = base64.b64encode(payload)
    kind, done = keys.get(b"p", b"title"), keys.get(b"d", b"1") != b"0"
    name = _plain(keys.get(b"i", b""))[:64]
    if kind == b"close":
        return name, None
    title = payload if kind == b"title" else b""
    text = payload if kind == b"body" else b""
    return name, Notice(title, text, done)


def answer(body: bytes) -> bytes:
    """Return the answer to a question, or nothing where an OSC is none.

    They are what of notices is known, and which of them are still shown, of which none is followed.
    """
    if not body.startswith(b"99;"):
        return b""
    keys, _ = _kitty_notice(body)
    known = {b"?": b"p=title,body", b"alive": b""}.get(kind := keys.get(b"p", b""))
    if known is None:
        return b""
    name = bytes(
        byte for byte in keys.get(b"i", b"0")[:64] if 33 <= byte < 127 and byte not in b":;"
    )
    return b"\x1b]99;i=%b:p=%b;%b\x1b\\" % (name, kind, known)


def terminfo(names: bytes, told: bytes) -> bytes:
    """Return the answers to XTGETTCAP for all names: `told` is what the engine knows to say of them."""
    known = {name.lower(): whole for whole, name in _TOLD.findall(told)}
    return b"".join(
        known.get(name.lower())
        or (b"\x1bP1+r%b=%b\x1b\\" if name.lower() in _NAME else b"\x1bP0+r%b%b\x1b\\")
        % (name, _NAME.get(name.lower(), b""))
        for name in names.split(b";")[:_NAMES]
    )


def _kitty_notice(body: bytes) -> tuple[dict[bytes, bytes], bytes]:
    fields, _, payload = body[3:].partition(b";")
    return {
        key: value for key, _, value in (one.partition(b"=") for one in fields.split(b":"))
    }, payload


def _cwd(rest: bytes) -> ScreenEvent | None:
    """Return the path of a `file://host/path` URL."""
    try:
        url = urlsplit(rest.decode("utf-8", "replace"))
    except ValueError:
        return None
    if url.scheme not in ("file", "kitty-shell-cwd"):
        return None
    path = url.path if url.scheme == "kitty-shell-cwd" else unquote_to_bytes(url.path)
    return _folder(path.encode("utf-8") if isinstance(path, str) else path)


def _folder(path: bytes) -> ScreenEvent | None:
    return ScreenEvent("cwd", _plain(path)) if path else None


def _clipboard(rest: bytes) -> ScreenEvent | None:
    """Return text to copy; a query for the clipboard is never answered.

    Tools such as `base64` break their lines, as tmux takes them.
    """
    _, _, data = rest.partition(b";")
    text = b"" if data == b"?" else _decoded(data)
    return ScreenEvent("clipboard", text.decode("utf-8", "replace")) if text else None


def _decoded(data: bytes) -> bytes:
    """Return what Base64 holds, in one piece or several, each with as many padding characters as it likes."""
    pieces = b"".join(data.split()).split(b"=")
    try:
        return b"".join(
            base64.b64decode(piece + b"=" * (-len(piece) % 4), validate=True) for piece in pieces
        )
    except (binascii.Error, ValueError):
        return b""


def _command(rest: bytes) -> ScreenEvent:
    return ScreenEvent("command", _plain(rest))


def _status(rest: bytes) -> ScreenEvent:
    return ScreenEvent("status", _plain(rest))


_READERS: Final[dict[bytes, Callable[[bytes], ScreenEvent | None]]] = {
    b"0": _title,
    b"2": _title,
    b"7": _cwd,
    b"9": _osc9,
    b"52": _clipboard,
    b"133": _command,
    b"777": _osc777,
    b"1337": _iterm,
    b"7501": _status,
}

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
        b"\x1b[?69l\x1b[?25h\x1b[?7h\x1b[?5l\x1b[4l\x1b[20l\x1b>\x1b(B\x0f",
        b"\x1b[?45l\x1b[?1045l\x1b[?1007h\x1b[?2027h\x1b]8;;\x1b\\",
        b"\x1b7\x1b[r\x1b8\x1b[m",
    )
)
"""Ends the modes of a full-screen program, which one that was killed has left. A shell reads its
line by others that it sets itself: bracketed paste (2004) and the cursor keys' (1) stay."""
SOFT: Final = b"\x1b[4l\x1b[?1l\x1b[?69l\x1b[?7h\x1b[?25h\x1b>\x1b(B\x0f\x1b[m\x1b7\x1b[r\x1b8"
"""What the soft reset (DECSTR) means, beside the end of origin mode; the cursor stays where it is."""
COLORS: Final = b"".join(b"\x1b]%d\x1b\\" % number for number in (104, 110, 111, 112))
"""Takes the colours back that programs set, as a full reset does."""
LOOKS: Final = COLORS + b"\x1b[0 q\x1b[?5W"
"""Takes back what a killed program has set besides, and others may set for good: the cursor's shape, tab stops."""
KEEPS_CURSOR: Final = 1049
LEAVE: Final = b"\x1b[?1049l\x1b[?1047l\x1b[?47l"
DISARM_LATE: Final = DISARM.replace(b"\x1b>", b"").replace(b"\x1b[m", b"") + b"\x1b[>4m"
"""Ends those modes while a shell's line may be edited already: what that has set itself stays, too."""
_TITLES: Final = 10
"""Titles that a program can save, as xterm has it."""
_PARTS: Final = 16
"""Notices of which parts have come at the same time."""
CAN: Final = b"\x18"
"""Aborts a sequence."""

# An OSC up to its end or the chunk's, xterm's modifyOtherKeys and stack of titles, a full and a soft
# reset, the history's erasure, the extended cursor report, or the question for modifyOtherKeys.
_FOUND: Final = re.compile(
    rb"\x1b(?:\](?P<osc>[^\x07\x1b\x18\x1a]*)(?P<end>\x07|\x1b\\?|[\x18\x1a])?"
    rb"|\[>4(?:;(?P<keys>[0-9]*))?(?P<how>[mn])|(?P<reset>c)"
    rb"|\[2(?P<title>[23])(?:;0*(?P<which>[0-9]*)[0-9;]*)?t|(?P<clear>\[\??0*3J)"
    rb"|(?P<where>\[\?6n)|(?P<level>\[\?4m)|(?P<soft>\[!p)"
    rb"|P\+q(?P<terminfo>[0-9a-fA-F;]*)\x1b\\)"
)
_OTHER: Final = re.compile(rb"\x1b[^\[]")
_FIRST: Final = re.compile(rb"\x1b(?:[\]c]|P\+q)")
_KEYS: Final = b"\x1b[>4"
_ASKED: Final = re.compile(rb"\x1b\[\?(?:6n|4m)")
_TITLE_STACK: Final = re.compile(rb"\x1b\[2[23](?:;[0-9;]*)?t")
_END: Final = re.compile(rb"[\x07\x1b\x18\x1a]")
_CUT: Final = re.compile(
    rb"\x1b(?:\[(?:>[0-9;]{0,8}|\??0{0,4}3?|\?[46]|!|2[23]?[0-9;]{0,7})?|P(?:\+(?:q[0-9a-fA-F;]{0,200}\x1b?)?)?)?\Z"
)
_LONGEST_CUT: Final = 210
_QUERY: Final = b"7501;?"
_KILLED: Final = re.compile(rb"133;D;(?!130|141)(?:129|1[3-9][0-9]|2[0-9][0-9])(?:;|\Z)")
"""The end of a command that a signal has ended: none by Ctrl+C or of a closed pipe, since the colours
may be the shell's own, and those end commands that set none."""
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


def below(rows: Sequence[Row]) -> bytes:
    """Return what leads the cursor below the text: only 1049 keeps where it stood before it."""
    texts = [y for y, row in enumerate(rows) if row.text.strip()]
    return b"\x1b[%d;1H\r\n" % (texts[-1] + 1) if texts else b"\x1b[H"


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
    does: Literal["answer", "where", "terminfo", "clear", "reset", "soft", "prompt"]
    """Send `data`; report the cursor by DECXCPR; answer for names of terminfo, which `data` holds; erase
    the history; reset the colours, too; reset softly; end a killed program's modes by `data`."""
    data: bytes = b""


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
        if b"\x1b" not in data:
            return []
        if not _may_say(data):
            self._hold_cut(data)
            return []
        shift = size - len(data)
        return [
            stop._replace(begin=stop.begin + shift, end=stop.end + shift)
            for stop in self._scan(data)
        ]

    def take(self) -> list[ScreenEvent]:
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
                stops.append(Stop(found.start(), at, "reset"))
            elif found["title"]:
                if found["which"] != b"1":
                    self._stack(found["title"])
            elif found["clear"]:
                stops.append(Stop(found.start(), at, "clear"))
            elif (names := found["terminfo"]) is not None:
                stops.append(Stop(found.start(), at, "terminfo", names))
            elif found["where"]:
                stops.append(Stop(found.start(), at, "where"))
            elif found["level"]:
                level = b"\x1b[>4;%dm" % self.modify_other_keys
                stops.append(Stop(found.start(), at, "answer", level))
            elif found["soft"]:
                stops.append(Stop(found.start(), at, "soft"))
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
                        ends = DISARM + LOOKS if _KILLED.match(body) else DISARM
                        stops.append(Stop(found.start(), at, "prompt", ends))
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
        asked = (found["keys"] or b"").lstrip(b"0") if found["how"] == b"m" else b""
        self.modify_other_keys = int(asked) if asked in (b"1", b"2") else 0

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
        begun = self.notices.pop(key, Notice())
        if part is None:
            return None
        whole = begun.joined(part)
        if part.done:
            return whole.event()
        self.notices = dict([*self.notices.items()][1 - _PARTS :]) | {key: whole}
        return None


def _may_say(data: bytes) -> bool:
    """Tell whether `data` holds the beginning of anything that is looked for.

    Colours are the most of what begins with ESC: it costs half as much to pass over them first.
    """
    # One byte that is rare is found in a fraction of the time that four take.
    if b">" in data and _KEYS in data:
        return True
    if (b"J" in data and b"3J" in data) or (b"?" in data and _ASKED.search(data)):
        return True
    if b"!" in data and b"\x1b[!p" in data:
        return True
    if _TITLE_STACK.search(data):
        return True
    other = _OTHER.search(data)
    return other is not None and _FIRST.search(data, other.start()) is not None
