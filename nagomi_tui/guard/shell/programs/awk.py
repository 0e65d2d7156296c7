"""Reads an `awk` program as far as needed to know that it only prints to stdout."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import NUMBER, UNKNOWN, named

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.words import Word

_OUTPUTS: Final = frozenset({'"/dev/stdout"', '"/dev/stderr"'})
_BEFORE_PATTERN: Final = named("print printf return in if while for do else case exit delete")
"""Words after which a slash begins a regular expression; after others it divides."""
_CONDITIONS: Final = frozenset({"if", "while", "for", "switch"})


@cache
def _token() -> re.Pattern[str]:
    return re.compile(
        r"""(?x) (?P<space>[ \t\r]+|\\\n|\#[^\n]*) | (?P<string>"(?:[^"\\\n]|\\.|\\\n)*")
        | (?P<name>[A-Za-z_]\w*) | (?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+))
        | (?P<sign>\|\||&&|\|&|\|=|>>|\+\+|--|[-+*/%^!=<>]=|\*\*=?|[-\]{}()\[;,+*%^!=<>?:~$|&\n@/.])"""
    )


_PATTERN: Final = r"/(?:[^/\\\n\[]|\\.|\[\^?\]?(?:[^\]\\\n]|\\.)*\])*/"


def see_program(word: Word) -> None:
    """Check that an `awk` program only prints to stdout.

    Raises:
        Writes: the program does more, or is not understood.
    """
    if UNKNOWN in word.text:
        raise Writes("a program of awk that is not known", word.at)
    try:
        _look(_tokens(word.text.replace(NUMBER, "1")))
    except Writes as found:
        raise Writes(found.reason, word.at) from None


def _tokens(text: str) -> list[str]:
    """Split a program into tokens; a regular expression becomes `//`.

    Raises:
        Writes: the tokens are not certain.
    """
    found: list[str] = []
    conditions: list[bool] = []
    after_condition = False
    at = 0
    while at < len(text):
        if text[at] == "/" and (after_condition or _begins_pattern(found)):
            match = re.compile(_PATTERN).match(text, at)
            if match is None or _is_odd(match[0]):
                raise Writes("a pattern of awk that is not understood")
            token = "//"
        else:
            match = _token().match(text, at)
            if match is None:
                raise Writes("a program of awk that is not understood")
            token = match[0]
        at = match.end()
        if match.lastgroup == "space":
            continue
        after_condition = False
        if token == "(":
            conditions.append(bool(found) and found[-1] in _CONDITIONS)
        elif token == ")" and conditions:
            after_condition = conditions.pop()
        found.append(token)
    return found


def _is_odd(pattern: str) -> bool:
    """Whether a slash in brackets lets awks differ in where the regular expression ends."""
    return "/" in re.sub(r"\\.", "", pattern[1:-1])


def _begins_pattern(before: list[str]) -> bool:
    if not before:
        return True
    last = before[-1]
    if last in ("++", "--", "getline"):
        raise Writes("a program of awk that is not understood")
    if last[0].isalpha() or last[0] == "_":
        return last in _BEFORE_PATTERN
    return not (last[0] in '"0123456789' or last in (")", "]", "//") or last[0] == ".")


_GOES_ON: Final = frozenset({",", "&&", "||", "?", ":"})
"""Signs behind which a statement goes on in the next line."""


def _look(tokens: list[str]) -> None:
    depth = 0
    printing: int | None = None
    before = ""
    for index, token in enumerate(tokens):
        if token == "\n" and before in _GOES_ON:
            continue
        before = token
        if token in ("(", "["):
            depth += 1
        elif token in (")", "]"):
            depth -= 1
        elif token in ("print", "printf"):
            printing = depth
        elif token in (";", "\n", "}", "{"):
            printing = None
        elif token in ("|", "|&"):
            raise Writes("awk runs a command through a pipe")
        elif token[0] == '"' and "/inet" in token:
            raise Writes("awk opens a connection")
        elif token == "@":
            raise Writes("awk takes in or calls what is not known")
        elif token == "system":
            raise Writes("system() of awk runs a command")
        elif token in (">", ">>") and (token == ">>" or printing == depth):
            after = tokens[index + 1 : index + 3]
            if after[:1] and after[0] in _OUTPUTS and (len(after) == 1 or after[1] in ";}\n"):
                continue
            raise Writes("awk prints to a file")
