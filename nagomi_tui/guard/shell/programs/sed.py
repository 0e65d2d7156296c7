"""Reads a `sed` script as far as needed to know that no command writes or runs anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import NUMBER, UNKNOWN

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.words import Word

_PLAIN: Final = frozenset("=dDgGhHnNpPxzF")
_OUTPUTS: Final = frozenset({"/dev/stdout", "/dev/stderr"})


def see_script(word: Word) -> None:
    """Check that a script only prints.

    Raises:
        Writes: the script does more, or is not understood.
    """
    if UNKNOWN in word.text or word.splits:
        raise Writes("a script of sed that is not known", word.at)
    reader = _Reader(word.text.replace(NUMBER, "1"))
    try:
        reader.commands()
    except IndexError:
        raise Writes("a script of sed that is not understood", word.at) from None
    except Writes as found:
        raise Writes(found.reason, word.at) from None


class _Reader:
    """A cursor in the script; its methods raise `IndexError` if the script ends too early."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def commands(self) -> None:
        while True:
            self._skip(" \t\n;{}")
            if self._at >= len(self._text):
                return
            self._addresses()
            self._skip(" \t!")
            self._command(self._next())

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self, chars: str) -> None:
        while self._peek() and self._peek() in chars:
            self._at += 1

    def _addresses(self) -> None:
        self._address()
        self._skip(" \t")
        if self._peek() == ",":
            self._at += 1
            self._skip(" \t")
            self._skip("+~")
            self._address()
            self._skip(" \t")

    def _address(self) -> None:
        char = self._peek()
        if char == "\\":
            self._at += 1
            self._until(self._next())
        elif char == "/":
            self._at += 1
            self._until("/")
        elif char == "$":
            self._at += 1
            return
        elif char.isdigit():
            self._skip("0123456789~")
            return
        else:
            return
        self._skip("IM")

    def _until(self, end: str) -> str:
        """Move past the next `end` that has no backslash before it, and return the text up to it.

        Implementations of sed differ in whether an `end` in brackets counts, so that one reads a
        pattern where another reads a command.
        """
        if end in "\n\\":
            raise Writes("a script of sed that is not understood")
        start = self._at
        while (char := self._next()) != end:
            if char == "\n":
                raise Writes("a script of sed that is not understood")
            if char == "\\":
                self._next()
        found = self._text[start : self._at - 1]
        if end in "[]" or found.replace("\\[", "").count("[") > found.replace("\\]", "").count("]"):
            raise Writes("brackets in a script of sed that are not understood")
        return found

    def _command(self, char: str) -> None:
        if char == "{":
            return
        if char in _PLAIN:
            self._end()
        elif char in "lqQL":
            self._skip(" \t")
            self._skip("0123456789")
            self._end()
        elif char == "s":
            self._substitution()
        elif char == "y":
            end = self._next()
            self._until(end)
            self._until(end)
            self._end()
        elif char in "btT:":
            if len(self._line(";}" if char != ":" else ";").split()) > 1:
                raise Writes("a command behind a label of sed")
        elif char in "rR":
            self._line("")
        elif char in "aic":
            self._added()
        elif char == "#":
            self._line("")
        else:
            raise Writes(f"{_NAMES.get(char, 'a command')} of sed that does more than print")

    def _substitution(self) -> None:
        end = self._next()
        self._until(end)
        self._replacement(end)
        while self._peek() and self._peek() in "gpiImM0123456789":
            self._at += 1
        if self._peek() == "e":
            raise Writes("the flag e of sed runs what it makes")
        if self._peek() == "w":
            self._at += 1
            if self._line("").strip() not in _OUTPUTS:
                raise Writes("the flag w of sed writes to a file")
            return
        self._end()

    def _replacement(self, end: str) -> None:
        while (char := self._next()) != end:
            if char == "\\":
                self._next()

    def _added(self) -> None:
        self._skip(" \t")
        if self._peek() == "\\":
            self._at += 1
            self._skip(" \t")
            if self._peek() == "\n":
                self._at += 1
        while self._peek() not in ("", "\n"):
            if self._next() == "\\" and self._peek():
                self._at += 1

    def _line(self, ends: str) -> str:
        start = self._at
        while self._peek() not in ("", "\n", *ends):
            self._at += 1
        return self._text[start : self._at]

    def _end(self) -> None:
        self._skip(" \t")
        if self._peek() not in ("", "\n", ";", "}", "#"):
            raise Writes("a script of sed that is not understood")


_NAMES: Final = {"w": "w, a command", "W": "W, a command", "e": "e, a command"}
