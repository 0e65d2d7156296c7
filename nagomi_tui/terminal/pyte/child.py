"""Splits a child's output into control sequences, and carries each out on pyte's screen.

pyte's own parser prints DCS strings, knows no colons and raises on private parameters.
"""

from __future__ import annotations

import codecs
import re
from typing import Any, Final

import msgspec
from pyte import modes as pyte_modes

from nagomi_tui import __version__
from nagomi_tui.terminal.osc import scheme_report
from nagomi_tui.terminal.pyte.screen import PyteScreen
from nagomi_tui.text import rows

_ON: Final = {
    1: rows.BOLD, 2: rows.FAINT, 3: rows.ITALIC, 5: rows.BLINK, 6: rows.BLINK, 7: rows.INVERSE, 8: rows.INVISIBLE, 9: rows.STRIKE,
    53: rows.OVERLINE,
}  # fmt: skip
_OFF: Final = {
    22: rows.BOLD | rows.FAINT, 23: rows.ITALIC, 25: rows.BLINK, 27: rows.INVERSE, 28: rows.INVISIBLE, 29: rows.STRIKE, 55: rows.OVERLINE,
}  # fmt: skip
_COLOURS: Final = {38: "fg", 48: "bg", 58: "underline_color"}
_RESETS: Final = {39: "fg", 49: "bg", 59: "underline_color"}


def apply(style: rows.Style, params: list[list[int]]) -> rows.Style:
    """Return `style` after the parameters, each a list of its colon-separated parts."""
    look = {name: getattr(style, name) for name in rows.Style.__struct_fields__}
    at = 0
    while at < len(params):
        parts = params[at]
        if parts[0] in _COLOURS:
            colour, used = _colour(parts, params[at + 1 : at + 5])
            at += used
            if colour is not None:
                look[_COLOURS[parts[0]]] = colour
        else:
            _simple(look, parts)
        at += 1
    new = rows.Style(**look)
    return rows.PLAIN if new == rows.PLAIN else new


def _simple(look: dict[str, int | str], parts: list[int]) -> None:
    code, flags = parts[0], int(look["flags"])
    if code == 0:
        link = look["link"]
        look.update(
            {name: getattr(rows.PLAIN, name) for name in rows.PLAIN.__struct_fields__}, link=link
        )
    elif code == 4:
        look["underline"] = min(parts[1], 5) if len(parts) > 1 else 1
    elif code == 21:
        look["underline"] = 2
    elif code == 24:
        look["underline"] = 0
    elif code in _ON:
        look["flags"] = flags | _ON[code]
    elif code in _OFF:
        look["flags"] = flags & ~_OFF[code]
    elif code in _RESETS:
        look[_RESETS[code]] = rows.DEFAULT
    else:
        _eight(look, code)


def _eight(look: dict[str, int | str], code: int) -> None:
    for name, base, first in (("fg", 30, 0), ("bg", 40, 0), ("fg", 90, 8), ("bg", 100, 8)):
        if base <= code < base + 8:
            look[name] = code - base + first


def _colour(parts: list[int], following: list[list[int]]) -> tuple[int | None, int]:
    """Return a colour, and how many following parameters belong to it."""
    if len(parts) > 1:  # 38:5:n, 38:2:r:g:b or 38:2:space:r:g:b
        if parts[1] == 5 and len(parts) > 2:
            return parts[2] & 255, 0
        return (_rgb(parts[-3:]), 0) if parts[1] == 2 and len(parts) > 4 else (None, 0)
    flat = [one[0] for one in following]
    if flat[:1] == [5] and len(flat) > 1:
        return flat[1] & 255, 2
    if flat[:1] == [2] and len(flat) > 3:
        return _rgb(flat[1:4]), 4
    return None, len(flat)


def _rgb(parts: list[int]) -> int:
    red, green, blue = (part & 255 for part in parts)
    return rows.RGB | red << 16 | green << 8 | blue


_MOST: Final = 32767
"""Largest parameter; pyte would loop for as long as it is told."""

_PYTE_MODES: Final = (6, 7)
"""Private modes that pyte's own drawing needs: origin and autowrap."""

_ALTERNATE: Final = (47, 1047, 1049)
_KITTY_STACK: Final = 16
_ESCAPES: Final = {
    "c": "reset", "D": "index", "M": "reverse_index", "H": "set_tab_stop", "7": "save_cursor",
    "8": "restore_cursor", "#8": "alignment_display",
}  # fmt: skip
_CONTROLS: Final = {
    "\b": "backspace", "\t": "tab", "\n": "linefeed", "\v": "linefeed", "\f": "linefeed",
    "\r": "carriage_return", "\x0e": "shift_out", "\x0f": "shift_in",
}  # fmt: skip
_SEQUENCES: Final = {
    "@": "insert_characters", "A": "cursor_up", "B": "cursor_down", "C": "cursor_forward",
    "D": "cursor_back", "E": "cursor_down1", "F": "cursor_up1", "G": "cursor_to_column",
    "L": "insert_lines", "M": "delete_lines", "P": "delete_characters", "X": "erase_characters",
    "a": "cursor_forward", "d": "cursor_to_line", "e": "cursor_down", "`": "cursor_to_column",
}  # fmt: skip
"""CSI sequences with one count, which pyte carries out itself."""


class State(msgspec.Struct):
    """What the child has set beside the drawing."""

    private: set[int] = set()
    kitty: list[int] = []
    shape: int = 0
    bells: int = 0
    replies: bytearray = msgspec.field(default_factory=bytearray)
    foreground: int = 0
    background: int = 0


class Child:
    """The listener of a `Stream`: carries out what it hears on a screen."""

    def __init__(self, screen: PyteScreen) -> None:
        self.screen = screen
        self.state = State(private={7, 25, 1007, 2027})
        self._last = " "

    def text(self, text: str) -> None:
        self._last = text[-1]
        self.screen.draw(text)

    def control(self, char: str) -> None:
        if char == "\a":
            self.state.bells += 1
        elif char in _CONTROLS:
            getattr(self.screen, _CONTROLS[char])()

    def escape(self, code: str) -> None:
        """Carry out ESC with what follows it."""
        if code == "c":
            bells, replies = self.state.bells, self.state.replies
            colours = self.state.foreground, self.state.background
            self.state = State({7, 25, 1007, 2027}, [], 0, bells, replies, *colours)
        if code in _ESCAPES:
            getattr(self.screen, _ESCAPES[code])()
        elif code == "E":
            self.screen.carriage_return()
            self.screen.index()
        elif code in "=>":
            (self.state.private.add if code == "=" else self.state.private.discard)(66)
        elif code[:1] in "()" and len(code) == 2:
            self.screen.define_charset(code[1], code[0])

    def sequence(self, prefix: str, params: str, middle: str, final: str) -> None:
        """Carry out a CSI sequence; what is not known does nothing."""
        parts = [[_number(part) for part in one.split(":")] for one in params.split(";")[:32]]
        numbers = [part[0] for part in parts]
        if middle:
            self._middle(prefix, numbers, middle + final)
        elif prefix:
            self._private(prefix, numbers, final)
        elif final == "m":
            self.screen.style = apply(self.screen.style, parts)
        elif final in _SEQUENCES:
            getattr(self.screen, _SEQUENCES[final])(
                min(numbers[0], max(self.screen.columns, self.screen.lines))
            )
        else:
            self._other(numbers, final)

    def string(self, kind: str, body: str) -> None:
        """Answer colour queries and follow links; the other strings are scanned elsewhere."""
        if kind != "]":
            return
        if body.startswith("8;"):
            self._link(body.partition(";")[2].partition(";")[2])
        for number, colour in (("10", self.state.foreground), ("11", self.state.background)):
            if body == f"{number};?":
                rgb = "/".join(f"{colour >> shift & 255:02x}" * 2 for shift in (16, 8, 0))
                self._answer(f"\x1b]{number};rgb:{rgb}\x1b\\")

    def _other(self, numbers: list[int], final: str) -> None:
        first, screen = numbers[0], self.screen
        if final in "Hf":
            screen.cursor_position(first, numbers[1] if len(numbers) > 1 else 1)
        elif final == "J":
            screen.erase_in_display(first)
        elif final == "K":
            screen.erase_in_line(first)
        elif final in "ST":
            screen.scroll(max(1, first) * (1 if final == "S" else -1))
        elif final == "b":
            screen.draw(self._last * min(max(1, first), screen.columns * screen.lines))
        elif final in "IZ":
            self._tabs(min(max(1, first), screen.columns), final)
        elif final == "r":
            self._margins(numbers)
        elif final in "hl" and 4 in numbers:
            (screen.set_mode if final == "h" else screen.reset_mode)(4)
        elif final == "g":
            screen.clear_tab_stop(first)
        elif final in "su":
            (screen.save_cursor if final == "s" else screen.restore_cursor)()
        else:
            self._query(first, final)

    def _margins(self, numbers: list[int]) -> None:
        top, bottom = numbers[0], numbers[1] if len(numbers) > 1 else 0
        if not top and not bottom:
            self.screen.margins = None
            self.screen.cursor_position()
        else:
            self.screen.set_margins(top or None, min(bottom, self.screen.lines) or None)

    def _tabs(self, count: int, final: str) -> None:
        screen = self.screen
        for _ in range(count):
            if final == "I":
                screen.tab()
            else:
                before = [stop for stop in screen.tabstops if stop < screen.cursor.x]
                screen.cursor.x = max(before, default=0)

    def _query(self, first: int, final: str) -> None:
        screen = self.screen
        if final == "c" and first == 0:
            self._answer("\x1b[?62;22c")
        elif final == "n" and first == 5:
            self._answer("\x1b[0n")
        elif final == "n" and first == 6:
            top = screen.margins.top if screen.margins and 6 in self.state.private else 0
            x = min(screen.cursor.x, screen.columns - 1)
            self._answer(f"\x1b[{screen.cursor.y - top + 1};{x + 1}R")
        elif final == "t" and first == 18:
            self._answer(f"\x1b[8;{screen.lines};{screen.columns}t")

    def _middle(self, prefix: str, numbers: list[int], name: str) -> None:
        if name == " q":
            self.state.shape = numbers[0] if numbers[0] <= 6 else 0
        elif name == "!p":
            self.screen.margins = None
            self.screen.style = rows.PLAIN
            self._set_mode(25, True)
        elif name == "$p" and prefix in ("?", ""):
            known = numbers[0] in _KNOWN if prefix else numbers[0] == 4
            on = numbers[0] in self.state.private if prefix else pyte_modes.IRM in self.screen.mode
            value = (1 if on else 2) if known else 0
            self._answer(f"\x1b[{prefix}{numbers[0]};{value}$y")

    def _private(self, prefix: str, numbers: list[int], final: str) -> None:
        if prefix == "?" and final in "hl":
            for number in numbers:
                self._set_mode(number, final == "h")
        elif prefix == "?" and final in "JK":
            self._other(numbers, final)
        elif final == "u":
            self._kitty(prefix, numbers)
        elif prefix == ">" and final == "c":
            self._answer("\x1b[>1;0;0c")
        elif prefix == ">" and final == "q":
            self._answer(f"\x1bP>|nagomi {__version__}\x1b\\")
        elif prefix == "?" and final == "n" and numbers[0] == 996:
            self.state.replies += scheme_report(is_dark(self.state.background))

    def _kitty(self, prefix: str, numbers: list[int]) -> None:
        """Follow the stack of keyboard flags."""
        stack, first = self.state.kitty, numbers[0]
        if prefix == "?":
            self._answer(f"\x1b[?{stack[-1] if stack else 0}u")
        elif prefix == ">":
            self.state.kitty = [*stack[-_KITTY_STACK + 1 :], first & 31]
        elif prefix == "<":
            self.state.kitty = stack[: max(0, len(stack) - max(1, first))]
        elif prefix == "=":
            how, old = numbers[1] if len(numbers) > 1 else 1, stack[-1] if stack else 0
            new = {2: old | first, 3: old & ~first}.get(how, first)
            self.state.kitty = [*stack[:-1], new & 31]

    def _set_mode(self, number: int, on: bool) -> None:
        screen = self.screen
        if number in _ALTERNATE:
            self._set_alternate(number, on)
        elif number == 25:
            screen.cursor.hidden = not on
        elif number in _PYTE_MODES:
            (screen.set_mode if on else screen.reset_mode)(number, private=True)
        elif number == 1048:
            (screen.save_cursor if on else screen.restore_cursor)()
        if number in _KNOWN:
            (self.state.private.add if on else self.state.private.discard)(number)

    def _set_alternate(self, number: int, on: bool) -> None:
        screen = self.screen
        if on:
            if number == 1049 and not screen.alternate:
                screen.save_cursor()
            screen.enter_alternate()
            return
        if screen.alternate:
            screen.leave_alternate()
            if number == 1049:
                screen.restore_cursor()

    def _link(self, target: str) -> None:
        style = self.screen.style
        look: dict[str, Any] = {name: getattr(style, name) for name in rows.Style.__struct_fields__}
        look["link"] = target
        self.screen.style = rows.Style(**look)

    def _answer(self, text: str) -> None:
        self.state.replies += text.encode()


_KNOWN: Final = frozenset(
    (1, 6, 7, 9, 25, 47, 66, 1000, 1002, 1003, 1004, 1006, 1007, 1047, 1049, 2004, 2026, 2027, 2031)
)


def _number(text: str) -> int:
    return min(int(text), _MOST) if text and len(text) < 10 else (_MOST if text else 0)


def is_dark(colour: int) -> bool:
    """Tell whether a background makes a dark colour scheme."""
    red, green, blue = colour >> 16 & 255, colour >> 8 & 255, colour & 255
    return 299 * red + 587 * green + 114 * blue < 128_000


_TOKEN: Final = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|\x1b\[(?P<prefix>[<-?]?)(?P<params>[0-9:;]*)(?P<middle>[ -/]*)(?P<final>[@-~])"
    r"|\x1b(?P<string>[\]PX^_])"
    r"|\x1b(?P<escape>[ -/]*[0-Z\\`-~])"
    r"|\x1b\[[ -?]*(?P<broken>)(?=[\x18\x1a\x1b])"
    r"|(?P<control>.)",
    re.DOTALL,
)
_CUT: Final = re.compile(r"\x1b(?:\[[ -?]*|[ -/]*)\Z")
_STRING_END: Final = re.compile(r"\x1b\\|[\x07\x18\x1a\x1b\x9c]")
_LONGEST: Final = 256
"""Characters of an unfinished sequence or a string's beginning that are kept."""


class Stream:
    """The parser; `held` and the decoder's pending bytes are what a snapshot must keep."""

    def __init__(self, listener: Child) -> None:
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
        elif kind == "control":
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
