"""Splits the outer terminal's bytes into tokens.

Nothing here has a clock: a sequence that is not complete stays until more bytes come or `flush`
says that none will, and `waiting` tells what is open, on which depends how long to wait. A line may
tear a sequence anywhere and bring its rest much later. Only what begins like a key of its own, such
as Escape, cannot be waited for; once the terminal speaks kitty's keyboard protocol, nothing does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from typing import Final, NamedTuple

from nagomi_tui.view.common.io_thread import READ, IoThread, Timer


class Kind(Enum):
    """What a token is."""

    TEXT = "text"
    """Printable characters, whole ones, as many as came together."""
    KEY = "key"
    """One key that is not plain text."""
    PASTE = "paste"
    BURST = "burst"
    """Lines that came in one go from a terminal that has marked no paste so far."""
    MOUSE = "mouse"
    FOCUS = "focus"
    REPLY = "reply"
    """An answer of the terminal to a question; never typed into a session."""


class Token(NamedTuple):
    """One piece of input; `data` of a paste comes without its marks."""

    kind: Kind
    data: bytes


class Waiting(Enum):
    """What an incomplete sequence may still become."""

    NOTHING = "nothing"
    """No sequence is open, or one that ends by what comes, and by no time, such as a paste."""
    ESCAPE = "escape"
    """A key by itself, Escape: it is waited for only a moment."""
    OPENER = "opener"
    """Alt with a key, which seldom anybody presses, and with which each report of the terminal begins."""
    SEQUENCE = "sequence"
    """The beginning of something that no key sends by itself."""
    BURST = "burst"
    """Lines without marks of a paste, of which more may follow at once."""
    STUCK = "stuck"
    """An Escape within a paste, which is its end mark's first byte or the user's way out of it."""


_CHARACTER: Final = (
    rb"(?:[\xc2-\xdf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])"
    rb"|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf])[\x80-\xbf]"
)
"""A character of UTF-8 beyond ASCII, as Unicode's table of well-formed byte sequences has it."""
_CSI: Final = rb"(?:\x1b\[|\x9b)"
_STRING: Final = rb"\x1b(?:\][0-9lL]|P[0-9>!$+|]|_G)"
"""How the strings begin that terminals answer with; anything else is Alt with that key."""
_STRING_START: Final = re.compile(_STRING)
_BODY: Final = rb"[^\x07\x1b\x18\x1a]*"
_TOKEN: Final = re.compile(
    rb"(?P<mouse>" + _CSI + rb"(?:<\d+;-?\d+;-?\d+[Mm]|M[\x20-\xff]{3}))"
    rb"|(?P<focus>" + _CSI + rb"[IO])"
    rb"|(?P<reply>" + _CSI + rb"(?:[<=>?][0-9:;]*[ -/]*[@-~]|[0-9:;]*[ -/]+[@-~]|[0-9:;]*[cntxy]|[0-9:;]+m)"
    rb"|" + _STRING + _BODY + rb"(?:\x07|\x1b\\))"
    rb"|(?P<key>\x1b?(?:" + _CSI + rb"(?:\[[A-E]|[0-9:;]*[@-LN-Z\\^-~]|[0-9:;]+M|[0-9]+\$)|(?:\x1bO|\x8f)[0-9]*[ -~])"
    rb"|\x1b(?:[\x00-\x1a\x1c-\x7f]|" + _CHARACTER + rb")"
    rb"|[\x00-\x1a\x1c-\x1f\x7f])"
    rb"|(?P<text>(?:[\x20-\x7e]|" + _CHARACTER + rb")+)",
    re.DOTALL,
)  # fmt: skip
_BEGINNING: Final = re.compile(
    rb"(?:\x1b?\x1b\[|\x9b)(?:[<=>?]?[0-9:;-]*[ -/]*|\[|M[\x20-\xff]{0,2})\Z"
    rb"|\x1b\x1b?O[0-9]*\Z|\x8f[0-9]*\Z"
    rb"|" + _STRING + _BODY + rb"\x1b?\Z"
    rb"|\x1b[\]P_]\Z"
    rb"|\x1b\x1b?\Z"
    rb"|\x1b?(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z",
    re.DOTALL,
)
_STRING_END: Final = re.compile(rb"\x07|\x1b\\|[\x18\x1a\x1b]")
_BROKEN: Final = re.compile(rb"\x1b?" + _CSI + rb"[0-?]*[ -/]*|" + _STRING + _BODY, re.DOTALL)
"""What is dropped of a sequence that goes on as none does."""
_LATE: Final = re.compile(
    rb"\x1b\[(?:<\d+;-?\d+;-?\d+[Mm]|M[\x20-\xff]{3}|[=>?][0-9:;]*[ -/]*[@-~]|\d[0-9:;]*(?:[ -/]+[@-~]|[A-HMP-S_~cnRtuxy])"
    rb")"
    rb"|" + _STRING + _BODY + rb"(?:\x07|\x1b\\)",
    re.DOTALL,
)
"""A sequence whose Escape was taken for the key: the rest came too late, but in one read."""
_LATE_KEY: Final = re.compile(rb"\x1b\[[A-DFHIO](?:\x1b|\Z)")
_STILL_LATE: Final = re.compile(
    rb"\x1b\[(?:<[0-9;-]*|M[\x20-\xff]{0,2}|[=>?][0-9:;]*[ -/]*|\d+[0-9:;]+[ -/]*)?\Z"
    rb"|" + _STRING + _BODY + rb"\x1b?\Z",
    re.DOTALL,
)
_PASTE_START: Final = b"\x1b[200~"
_PASTE_END: Final = b"\x1b[201~"
_PASTE_PIECE: Final = 8 * 1024 * 1024
"""Bytes of a paste after which it is handed on in pieces."""
_WAY_OUT: Final = re.compile(
    rb"\x1b\x1b|\x03|\x1b\[(?:27(?:;1(?::[12])?)?|99(?::[0-9:]*)?;5(?::1)?)u"
)
"""Escape twice, Escape by kitty's protocol, or Ctrl+C, alone in a read: it ends a paste that does not."""
_PLAIN: Final = re.compile(rb"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")
_LINE_END: Final = re.compile(rb"\r\n?|\n")
_TYPED_ALONE: Final = frozenset(bytes((code,)) for code in range(32)) - {b"\x07", b"\x1b"}
"""A control character alone in a read: whoever types that is not in a reply."""
_OPENERS: Final = frozenset(b"[O]P_")
"""What turns an Escape into the beginning of a sequence, and Alt with that key alone."""
_LEGACY: Final = re.compile(rb"[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f]|\x1b[^\[O]", re.DOTALL)
"""Keys as kitty's protocol never sends them: Ctrl as one byte, Alt as an Escape before it."""
_KITTY: Final = re.compile(rb"\x1b\[\?(\d+)u")
_CURSOR_REPORT: Final = re.compile(rb"(?:\x1b\[|\x9b)(\d+);(\d+)R")
STRING_LIMIT: Final = 1024 * 1024
"""Bytes of the longest reply; a longer one is skipped to its end."""


def number(digits: str | bytes) -> int:
    """Return the number of a parameter; one of more digits than any has is still beyond them all."""
    return int(digits[:9])


class Tokenizer:
    """Splits bytes, however they were cut by the line, into tokens."""

    def __init__(self) -> None:
        self.cursor_reports_owed = 0
        """How many cursor reports were asked for: they look like F3 with modifiers."""
        self.kitty = False
        """Whether the terminal has answered that it speaks kitty's protocol: a lone Escape is no key."""
        self._marks = False
        """Whether it has marked a paste, so that lines without marks are typed."""
        self._rest = b""
        self._late = b""
        """What was taken for keys, of which the rest may come now."""
        self._paste: list[bytes] | None = None
        self._pasted_bytes = 0
        self._skipping = False
        """Whether a string that is too long is read to its end."""
        self._burst: list[bytes] = []

    @property
    def waiting(self) -> Waiting:
        """What is open at the end of what was fed."""
        rest = self._rest
        if self._paste is not None:
            is_stuck = rest == b"\x1b" and not self.kitty
            return Waiting.STUCK if is_stuck else Waiting.NOTHING
        if self._burst:
            return Waiting.BURST
        if not rest:
            return Waiting.SEQUENCE if self._skipping else Waiting.NOTHING
        if not self._is_key(rest):
            return Waiting.SEQUENCE
        opens = rest[-1] in _OPENERS and not self._late
        return Waiting.OPENER if opens else Waiting.ESCAPE

    def feed(self, data: bytes) -> list[Token]:
        """Return the tokens that `data` completes."""
        if self._paste is not None and _WAY_OUT.fullmatch(self._rest + data):
            return [self._end_paste()]
        if self._is_burst(data):
            self._burst.append(data)
            return []
        tokens = self._take_burst()
        late, self._late = self._late, b""
        if late and (tokens_late := self._come_late(late, data)) is not None:
            return tokens + tokens_late
        in_string = self._rest[:2] in (b"\x1b]", b"\x1bP", b"\x1b_") or self._skipping
        if in_string and data in _TYPED_ALONE:
            self._rest, self._skipping = b"", False
        if self._goes_on_in_string(data):
            self._rest += data
            return tokens
        return tokens + self._split(self._rest + data)

    def flush(self) -> list[Token]:
        """Return what the open sequence is when nothing follows; a broken one is dropped."""
        if self._burst:
            return self._take_burst()
        rest, self._rest, self._skipping = self._rest, b"", False
        if self._paste is not None:
            self._late = rest
            return [self._end_paste()]
        late, self._late = self._late, b""
        if late:
            # The Escape was told already.
            self._late = rest
            return [Token(Kind.TEXT, rest[1:])] if rest == b"\x1b[" else []
        if not self._is_key(rest):
            return []
        self._late = rest[-1:] if rest == b"\x1b\x1b" else rest
        return [Token(Kind.KEY, b"\x1b")] * 2 if rest == b"\x1b\x1b" else [Token(Kind.KEY, rest)]

    def _is_key(self, rest: bytes) -> bool:
        """Tell whether an open sequence may be a key by itself, Escape or Alt with an opener."""
        if self._late:
            return rest == b"\x1b["
        is_alt = len(rest) == 2 and rest[0] == 27 and rest[1] in _OPENERS
        return not self.kitty and (rest in (b"\x1b", b"\x1b\x1b") or is_alt)

    def _goes_on_in_string(self, data: bytes) -> bool:
        """Tell whether a read is only more of an open string, which need not be read from its start."""
        rest = self._rest
        return (
            _STRING_START.match(rest) is not None
            and not rest.endswith(b"\x1b")
            and len(rest) + len(data) < STRING_LIMIT
            and _STRING_END.search(data) is None
        )

    def _split(self, data: bytes) -> list[Token]:
        tokens: list[Token] = []
        self._rest = b""
        at, size = 0, len(data)
        while at < size:
            if self._skipping:
                at = self._skipped(data, at)
            elif self._paste is not None:
                at = self._pasted(data, at, tokens)
            elif data.startswith(_PASTE_START, at):
                self._paste, self._pasted_bytes, self._marks = [], 0, True
                at += len(_PASTE_START)
            elif (match := self._match(data, at)) is not None:
                tokens.append(self._token(match))
                at = match.end()
            elif _BEGINNING.match(data, at):
                if size - at < STRING_LIMIT:
                    self._rest = data[at:]
                    break
                self._skipping = True
                at = size - (data[-1] == 27)
            elif broken := _BROKEN.match(data, at):
                at = broken.end()
            else:
                if data[at] == 27 and not self.kitty:
                    tokens.append(Token(Kind.KEY, b"\x1b"))
                at += 1
        return tokens

    def _match(self, data: bytes, at: int) -> re.Match[bytes] | None:
        match = _TOKEN.match(data, at)
        if match is None or match.lastgroup != "key":
            return match
        # `ESC [` is Alt+[ only if it begins nothing else, not even what breaks off.
        raw = match.group()
        opens = len(raw) == 2 and raw[0] == 27 and raw[1] in _OPENERS
        begins = opens and (_BEGINNING.match(data, at) or _goes_on(data, match))
        return None if begins else match

    def _token(self, match: re.Match[bytes]) -> Token:
        kind, raw = Kind(match.lastgroup), match.group()
        if kind is Kind.KEY and (report := _CURSOR_REPORT.fullmatch(raw)):
            if self.cursor_reports_owed:
                self.cursor_reports_owed -= 1
                kind = Kind.REPLY
            elif report[1] != b"1":
                kind = Kind.REPLY
        elif kind is Kind.KEY and self.kitty and _LEGACY.fullmatch(raw):
            self.kitty = False  # another terminal has taken over
        elif kind is Kind.REPLY and (flags := _KITTY.fullmatch(raw)):
            self.kitty = bool(number(flags[1]) & 1)
        return Token(kind, raw)

    def _come_late(self, late: bytes, data: bytes) -> list[Token] | None:
        """Return the tokens of a read that goes on with what was taken for keys; None if none does."""
        joined = late + self._rest[len(late) :] + data if self._rest else late + data
        if joined.startswith(_PASTE_END):
            self._rest = b""
            return self._split(joined[len(_PASTE_END) :])
        if _LATE.match(joined) or (late == b"\x1b" and _LATE_KEY.match(joined)):
            return self._split(joined)
        if _STILL_LATE.match(joined) or (len(joined) > 2 and _PASTE_END.startswith(joined)):
            self._late, self._rest = late, joined
            return []
        self._rest = b""
        return self._split(joined[len(late) :])

    def _skipped(self, data: bytes, at: int) -> int:
        """Pass over the string up to its end, and return where that is."""
        end = _STRING_END.search(data, at)
        if end is None:
            return len(data)
        if end.group() == b"\x1b" and end.end() == len(data):
            self._rest = b"\x1b"
            return len(data)
        self._skipping = False
        return end.start() if end.group() == b"\x1b" else end.end()

    def _pasted(self, data: bytes, at: int, tokens: list[Token]) -> int:
        """Take in pasted bytes, and return where they end."""
        assert self._paste is not None
        end = data.find(_PASTE_END, at)
        if end < 0:
            # The end mark may be cut: its first bytes wait for the others.
            kept = len(data) - next(
                size for size in range(len(_PASTE_END) - 1, -1, -1)
                if len(data) - at >= size and data.endswith(_PASTE_END[:size])
            )  # fmt: skip
            self._paste.append(data[at:kept])
            self._pasted_bytes += kept - at
            self._rest = data[kept:]
            if self._pasted_bytes >= _PASTE_PIECE:
                tokens.append(Token(Kind.PASTE, b"".join(self._paste)))
                self._paste, self._pasted_bytes = [], 0
            return len(data)
        self._paste.append(data[at:end])
        tokens.append(self._end_paste())
        return end + len(_PASTE_END)

    def _end_paste(self) -> Token:
        pieces, self._paste, self._rest = self._paste or [], None, b""
        return Token(Kind.PASTE, b"".join(pieces))

    # --- pastes without marks

    def _is_burst(self, data: bytes) -> bool:
        """Tell whether a read holds lines as no hand types them, or goes on with such."""
        is_free = not (self._marks or self.kitty or self._rest or self._skipping)
        if not is_free or self._paste is not None or not _PLAIN.fullmatch(data):
            return False
        lines = [line for line in _LINE_END.split(data) if len(line) > 1]
        return bool(self._burst) or len(lines) > 1

    def _take_burst(self) -> list[Token]:
        pieces, self._burst = self._burst, []
        return [Token(Kind.BURST, b"".join(pieces))] if pieces else []


def _goes_on(data: bytes, opener: re.Match[bytes]) -> bool:
    """Tell whether a sequence of which no key is the end has begun there, and broken off."""
    broken = _BROKEN.match(data, opener.start())
    return broken is not None and broken.end() > opener.end()


def typed(burst: bytes) -> list[Token]:
    """Return lines that came in one go as what they are if they were typed."""
    tokens = Tokenizer()
    tokens.kitty = True
    return tokens.feed(burst)


LOCAL_SECONDS: Final = 0.010
FAR_SECONDS: Final = 0.050
"""Seconds to wait over SSH until a round trip was measured."""
_LEAST_FAR: Final = 0.025
_MOST_FAR: Final = 0.250
_FIXED: Final = {
    Waiting.OPENER: 0.3,
    Waiting.SEQUENCE: 60.0,
    Waiting.BURST: 0.02,
    Waiting.STUCK: 1.0,
}
"""A torn sequence may come as late as the line stands still; what never comes swallows a key at most."""


class Patience:
    """Follows the connection: over SSH the wait for a lone Escape is half a measured round trip."""

    def __init__(self, *, far: bool | None = None) -> None:
        self._far = "SSH_CONNECTION" in os.environ if far is None else far
        self._escape = FAR_SECONDS if self._far else LOCAL_SECONDS

    def seconds(self, waiting: Waiting) -> float | None:
        """Return the seconds to wait for the rest of a sequence, or None if none is incomplete."""
        if waiting is Waiting.NOTHING:
            return None
        return self._escape if waiting is Waiting.ESCAPE else _FIXED[waiting]

    def measured(self, trip: float) -> None:
        """Note a round trip of `trip` seconds, from a query to the terminal until its reply."""
        if self._far:
            wanted = min(max(trip / 2, _LEAST_FAR), _MOST_FAR)
            self._escape = wanted if trip > 2 * self._escape else (self._escape + wanted) / 2


_READ_BYTES: Final = 64 * 1024


@dataclass(eq=False)
class TerminalInput:
    """Reads a terminal in the IO thread, where `on_tokens` and `on_end` are called, too."""

    fd: int
    io: IoThread
    _: KW_ONLY
    on_tokens: Callable[[list[Token]], object]
    on_end: Callable[[], object]

    def __post_init__(self) -> None:
        self.patience = Patience()
        self._tokens = Tokenizer()
        self._flush_timer: Timer | None = None
        self._reading = False
        self._cooked = 0

    def start(self, *, cooked: int = 0) -> None:
        """Read from now on; for any thread.

        The first `cooked` bytes came while the terminal made each carriage return a line feed.
        """
        self._reading = True
        self._cooked = cooked
        self._tokens.kitty = False
        self.io.call(lambda: self.io.watch(self.fd, READ, self._readable))

    def stop(self) -> bool:
        """Stop reading; return whether it was being read. For any thread."""
        reading, self._reading = self._reading, False
        if reading:
            self.io.call_and_wait(self._unwatch)
        return reading

    def leave_rest(self) -> None:
        """Read no more: what is typed from now on is for who reads next. In the IO thread."""
        self._reading = False
        self._unwatch()

    def _readable(self, _events: int) -> None:
        try:
            data = os.read(self.fd, _READ_BYTES)
        except OSError:
            data = b""
        if not data:
            self._unwatch()
            self.on_end()
            return
        self.io.touch()
        early, data = data[: self._cooked], data[self._cooked :]
        self._cooked -= len(early)
        self.on_tokens(self._tokens.feed(early.replace(b"\n", b"\r") + data))
        self._wait_for_rest()

    def _wait_for_rest(self) -> None:
        if self._flush_timer is not None:
            self._flush_timer.cancel()
            self._flush_timer = None
        seconds = self.patience.seconds(self._tokens.waiting)
        if seconds is not None:
            self._flush_timer = self.io.after(seconds, self._no_rest)

    def _no_rest(self) -> None:
        self._flush_timer = None
        self.on_tokens(self._tokens.flush())
        self._wait_for_rest()

    def _unwatch(self) -> None:
        self.io.unwatch(self.fd)
