"""Splits what a child prints into text and sequences, for the pyte engine.

pyte's own parser prints DCS strings, knows no colons and raises on private parameters.
"""

from __future__ import annotations

import codecs
import re
from typing import Final, Protocol

_TOKEN: Final = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|\x1b\[(?P<prefix>[<-?]?)(?P<params>[0-9:;]*)(?P<middle>[ -/]*)(?P<final>[@-~])"
    r"|\x1b(?P<string>[\]PX^_])"
    r"|\x1b(?P<escape>[ -/]*[0-Z\\`-~])"
    r"|(?P<control>.)",
    re.DOTALL,
)
_CUT: Final = re.compile(r"\x1b(?:\[[ -?]*|[ -/]*)\Z")
_STRING_END: Final = re.compile(r"\x1b\\|[\x07\x18\x1a\x1b\x9c]")
_LONGEST: Final = 256
"""Characters of an unfinished sequence or a string's beginning that are kept."""


class Listener(Protocol):
    """What the sequences are handed to."""

    def text(self, text: str) -> None:
        """Draw printable characters."""

    def control(self, char: str) -> None:
        """Carry out one control character."""

    def escape(self, code: str) -> None:
        """Carry out ESC with what follows it."""

    def sequence(self, prefix: str, params: str, middle: str, final: str) -> None:
        """Carry out a CSI sequence."""

    def string(self, kind: str, body: str) -> None:
        """Carry out an OSC, DCS or other string; only its beginning is told."""


class Stream:
    """The parser; `held` and the decoder's pending bytes are what a snapshot must keep."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._kind = ""
        self._body = ""

    def feed(self, data: bytes) -> None:
        """Hand on what is complete in the bytes so far."""
        text = self._held + self._decoder.decode(data)
        self._held = ""
        at = 0
        while at < len(text):
            at = self._string(text, at) if self._kind else self._token(text, at)

    def abort(self) -> None:
        """Forget the sequence that has begun."""
        self._held = ""

    def pending(self) -> bytes:
        """Return bytes that, fed to a new stream, bring it to where this one is."""
        string = f"\x1b{self._kind}{self._body}" if self._kind else ""
        return (string + self._held).encode("utf-8", "replace") + self._decoder.getstate()[0]

    def _token(self, text: str, at: int) -> int:
        if text[at] == "\x1b" and len(text) - at < _LONGEST and _CUT.match(text, at):
            self._held = text[at:]
            return len(text)
        found = _TOKEN.match(text, at)
        if found is None:
            return at + 1
        kind = found.lastgroup
        if kind == "text":
            self._listener.text(found["text"])
        elif kind == "final":
            self._listener.sequence(*found.group("prefix", "params", "middle", "final"))
        elif kind == "string":
            self._kind, self._body = found["string"], ""
        elif kind == "escape":
            self._listener.escape(found["escape"])
        else:
            self._listener.control(found["control"])
        return found.end()

    def _string(self, text: str, at: int) -> int:
        found = _STRING_END.search(text, at)
        while found and found[0] == "\x07" and self._kind != "]":
            found = _STRING_END.search(text, found.end())
        end = found.start() if found else len(text)
        self._body += text[at : min(end, at + _LONGEST - len(self._body))]
        if found is None:
            return end
        if found[0] == "\x1b" and found.end() == len(text):
            self._held = "\x1b"
            return found.end()
        kind, self._kind = self._kind, ""
        if found[0] not in "\x18\x1a":
            self._listener.string(kind, self._body)
        return end if found[0] == "\x1b" else found.end()
