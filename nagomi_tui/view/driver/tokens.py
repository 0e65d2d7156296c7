"""The outer terminal's bytes as tokens: text, keys, pastes, mouse, focus, and replies.

Nothing here has a clock: a sequence that is not complete stays until more bytes come or `flush`
says that none will, and `waiting` tells for how long that is worth waiting.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, NamedTuple


class Kind(Enum):
    """What a token is."""

    TEXT = "text"
    """Printable characters, whole ones, as many as came together."""
    KEY = "key"
    """One key that is not plain text."""
    PASTE = "paste"
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
    """No sequence is open."""
    ESCAPE = "escape"
    """A key by itself, Escape or Alt with another: it is waited for only a moment."""
    SEQUENCE = "sequence"
    """The beginning of something that no key sends by itself."""
    STRING = "string"
    """A long reply on its way."""
    PASTE = "paste"


_CHARACTER: Final = (
    rb"(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})"
)
_CSI: Final = rb"(?:\x1b\[|\x9b)"
_STRING: Final = rb"\x1b(?:\][0-9]|P[0-9>!$+|]|_G)"
"""How the strings begin that terminals answer with; anything else is Alt with that key."""
_TOKEN: Final = re.compile(
    rb"(?P<mouse>" + _CSI + rb"(?:<\d+;-?\d+;-?\d+[Mm]|M[\x20-\xff]{3}))"
    rb"|(?P<focus>" + _CSI + rb"[IO])"
    rb"|(?P<reply>" + _CSI + rb"(?:[<=>?][0-9:;]*[ -/]*[@-~]|[0-9:;]*[ -/]+[@-~]|[0-9:;]*[cntxy]|[0-9:;]+m)"
    rb"|" + _STRING + rb"[^\x07\x1b]*(?:\x07|\x1b\\))"
    rb"|(?P<key>\x1b?(?:" + _CSI + rb"(?:\[[A-E]|[0-9:;]*[@-Z\\^-~]|[0-9]+\$)|(?:\x1bO|\x8f)[0-9]*[ -~])"
    rb"|\x1b(?:[\x00-\x1a\x1c-\x7f]|" + _CHARACTER + rb")"
    rb"|[\x00-\x1a\x1c-\x1f\x7f])"
    rb"|(?P<text>(?:[\x20-\x7e]|" + _CHARACTER + rb")+)",
    re.DOTALL,
)  # fmt: skip
_BEGINNING: Final = re.compile(
    rb"(?:\x1b?\x1b\[|\x9b)(?:[<=>?]?[0-9:;-]*[ -/]*|\[|M[\x20-\xff]{0,2})\Z"
    rb"|\x1b\x1b?O[0-9]*\Z|\x8f[0-9]*\Z"
    rb"|" + _STRING + rb"[^\x07\x1b]*\x1b?\Z"
    rb"|\x1b[\]P_]\Z"
    rb"|\x1b\x1b?\Z"
    rb"|\x1b?(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z",
    re.DOTALL,
)
_PASTE_START: Final = b"\x1b[200~"
_PASTE_END: Final = b"\x1b[201~"
_OPENERS: Final = frozenset(b"[O]P_")
"""What turns an Escape into the beginning of a sequence, and Alt with that key alone."""
_STRINGS: Final = frozenset(b"]P_")
_CURSOR_REPORT: Final = re.compile(rb"(?:\x1b\[|\x9b)(\d+);(\d+)R")
STRING_LIMIT: Final = 1024 * 1024
"""Bytes of the longest reply; a longer one is dropped piece by piece."""


class Tokenizer:
    """Splits bytes, however they were cut by the line, into tokens."""

    def __init__(self) -> None:
        self.cursor_reports_owed = 0
        """How many cursor reports were asked for: they look like F3 with modifiers."""
        self._rest = b""
        self._paste: list[bytes] | None = None

    @property
    def waiting(self) -> Waiting:
        """What is open at the end of what was fed."""
        rest = self._rest
        if self._paste is not None:
            return Waiting.PASTE
        if not rest:
            return Waiting.NOTHING
        if rest in (b"\x1b", b"\x1b\x1b") or (
            len(rest) == 2 and rest[0] == 27 and rest[1] in _OPENERS
        ):
            return Waiting.ESCAPE
        if len(rest) > 2 and rest[0] == 27 and rest[1] in _STRINGS:
            return Waiting.STRING
        return Waiting.SEQUENCE

    def feed(self, data: bytes) -> list[Token]:
        """Return the tokens that `data` completes."""
        return self._split(self._rest + data, final=False)

    def flush(self) -> list[Token]:
        """Return what the open sequence is when nothing follows; a broken one is dropped."""
        if self._paste is not None:
            pieces, self._paste = [*self._paste, self._rest], None
            self._rest = b""
            return [Token(Kind.PASTE, b"".join(pieces))]
        rest, self._rest = self._rest, b""
        if rest == b"\x1b\x1b":
            return [Token(Kind.KEY, b"\x1b")] * 2
        if rest == b"\x1b" or (len(rest) == 2 and rest[0] == 27 and rest[1] in _OPENERS):
            return [Token(Kind.KEY, rest)]
        return []

    def _split(self, data: bytes, *, final: bool) -> list[Token]:
        tokens: list[Token] = []
        self._rest = b""
        at, size = 0, len(data)
        while at < size:
            if self._paste is not None:
                at = self._pasted(data, at, tokens)
            elif data.startswith(_PASTE_START, at):
                self._paste = []
                at += len(_PASTE_START)
            elif (match := self._match(data, at)) is not None:
                tokens.append(Token(self._kind(match), match.group()))
                at = match.end()
            elif _BEGINNING.match(data, at) and size - at < STRING_LIMIT:
                self._rest = data[at:]
                break
            else:
                if data[at] == 27:
                    tokens.append(Token(Kind.KEY, b"\x1b"))
                at += 1
        return tokens

    def _match(self, data: bytes, at: int) -> re.Match[bytes] | None:
        match = _TOKEN.match(data, at)
        if match is None or match.lastgroup != "key":
            return match
        # `ESC [` is Alt+[ only if it begins nothing else, which the end of a read may leave open.
        raw = match.group()
        opens = len(raw) == 2 and raw[0] == 27 and raw[1] in _OPENERS
        return None if opens and _BEGINNING.match(data, at) else match

    def _kind(self, match: re.Match[bytes]) -> Kind:
        kind = Kind(match.lastgroup)
        if kind is Kind.KEY and (report := _CURSOR_REPORT.fullmatch(match.group())):
            if self.cursor_reports_owed:
                self.cursor_reports_owed -= 1
                return Kind.REPLY
            if report[1] != b"1":
                return Kind.REPLY
        return kind

    def _pasted(self, data: bytes, at: int, tokens: list[Token]) -> int:
        """Take in pasted bytes, and return where they end."""
        assert self._paste is not None
        end = data.find(_PASTE_END, at)
        if end < 0:
            # The end mark may be cut: its first bytes wait for the others.
            kept = max(at, len(data) - len(_PASTE_END) + 1)
            self._paste.append(data[at:kept])
            self._rest = data[kept:]
            return len(data)
        self._paste.append(data[at:end])
        tokens.append(Token(Kind.PASTE, b"".join(self._paste)))
        self._paste = None
        return end + len(_PASTE_END)
