"""`sed` and `awk`, with parsers of their scripts."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Options
from nagomi_tui.shell.words import NUMBER, UNKNOWN, Writes, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.shell.options import Analyser, Check
    from nagomi_tui.shell.words import Word

_PLAIN: Final = frozenset("=dDgGhHnNpPxzF")
_OUTPUTS: Final = frozenset({"/dev/stdout", "/dev/stderr"})


def see_script(word: Word) -> None:
    """Check that a script only prints.

    Raises:
        Writes: the script does more, or is not understood.
    """
    if UNKNOWN in word.text or not word.single:
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
        self._in_brackets = 0
        """Where the first delimiter in brackets of the last pattern ends; 0 if there is none."""

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

    def _until(self, end: str) -> None:
        """Move past the next `end` that has no backslash before it and is not in brackets.

        Old versions of sed end a pattern at one in brackets, too; that pattern they refuse.
        """
        if end in "\n\\[]" or end.isalnum():
            raise Writes("a script of sed that is not understood")
        self._in_brackets = 0
        while (char := self._next()) != end:
            if char == "\n":
                raise Writes("a script of sed that is not understood")
            if char == "\\":
                self._next()
            elif char == "[":
                self._brackets(end)

    def _brackets(self, end: str) -> None:
        """Move past the `]` that ends a set of characters; note the first `end` that is in it."""
        if self._peek() == "^":
            self._at += 1
        first = True
        while (char := self._next()) != "]" or first:
            first = False
            after = self._peek()
            if char == "\n" or char == "\\" and after in ("]", "[", "\\"):
                raise Writes("brackets in a script of sed that are not understood")
            if char == end and not self._in_brackets:
                self._in_brackets = self._at
            if char == "[" and after in (":", ".", "="):
                match = _CLASS.match(self._text, self._at - 1)
                if match is None:
                    raise Writes("brackets in a script of sed that are not understood")
                self._at = match.end()

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
            if end in "\n\\" or end.isalnum():
                raise Writes("a script of sed that is not understood")
            self._replacement(end)
            self._replacement(end)
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
        if self._in_brackets:
            at, self._at = self._at, self._in_brackets
            self._replacement(end)
            self._skip("gpiImM0123456789")
            if self._peek() in ("w", "e"):
                raise Writes("brackets that old versions of sed read otherwise")
            self._at = at
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
            if char == "\n":
                raise Writes("a script of sed that is not understood")
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


_CLASS: Final = re.compile(r"\[(?::[a-z]+:|\.[^]\[/]\.|=[^]\[/]=)\]")
_NAMES: Final = {"w": "w, a command", "W": "W, a command", "e": "e, a command"}

_AWK_OUTPUTS: Final = frozenset({'"/dev/stdout"', '"/dev/stderr"'})
_BEFORE_PATTERN: Final = named("print printf return in if while for do else exit delete")
"""Words after which a slash begins a regular expression; after others it divides."""
_CONDITIONS: Final = frozenset({"if", "while", "for"})
_NOT_EVERYWHERE: Final = frozenset({"case", "switch"})
"""Words that to some awks are their own, and to others a variable's name."""


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
        for number in ("1",) if word.tame or NUMBER not in word.text else ("1", "-1"):
            _look(_tokens(word.text.replace(NUMBER, number)))
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
    if last in ("++", "--", "getline") or not _NOT_EVERYWHERE.isdisjoint(before):
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
        if token in (">", ">>") and before == "\n":
            raise Writes("awk prints to a file")
        before = token
        if token in ("(", "["):
            depth += 1
        elif token in (")", "]"):
            depth -= 1
        elif token in ("print", "printf"):
            printing = depth
        elif token == "\n" and depth:
            raise Writes("a program of awk that is not understood")
        elif token in (";", "\n", "}", "{"):
            printing = None
        elif token in ("|", "|&"):
            raise Writes("awk runs a command through a pipe")
        elif token[0] == '"' and "/inet" in token:
            raise Writes("awk opens a connection")
        elif token == "@":
            raise Writes("awk takes in or calls what is not known")
        elif token == "getline":
            _see_read(tokens, index)
        elif token == "ARGV" and re.match(
            r"ARGV \[ [^\]]* \] [+*/^%-]?=(?!=)", " ".join(tokens[index : index + 12])
        ):
            raise Writes("awk that chooses what it reads")
        elif token == "system":
            raise Writes("system() of awk runs a command")
        elif token in (">", ">>") and (token == ">>" or printing == depth):
            after = tokens[index + 1 : index + 3]
            if after[:1] and after[0] in _AWK_OUTPUTS and (len(after) == 1 or after[1] in ";}\n"):
                continue
            raise Writes("awk prints to a file")


def _see_read(tokens: list[str], at: int) -> None:
    """Check which file `getline` reads, as gawk takes some names for connections.

    It is a literal name, or a variable that the program itself gives no value.

    Raises:
        Writes: it may be another one.
    """
    place = at + 1
    while place < len(tokens) and tokens[place] not in (*_ENDS, "<", "|"):
        place += 1
    if tokens[place : place + 1] != ["<"]:
        return
    name, after = tokens[place + 1 : place + 2], tokens[place + 2 : place + 3]
    if name == ["ARGV"]:
        return
    is_alone = not after or after[0] in _ENDS
    if not name or not is_alone:
        raise Writes("awk reads a file whose name it puts together")
    if name[0][0] == '"':
        if "\\" in name[0]:
            raise Writes("awk reads a file whose name it puts together")
    elif not (name[0][0].isalpha() or name[0][0] == "_") or any(
        one == name[0]
        and (
            tokens[index - 1 : index] not in (["<"], ["("])
            or tokens[index + 1 : index + 2] != [")"]
            and tokens[index - 1] != "<"
        )
        for index, one in enumerate(tokens)
    ):
        raise Writes("awk reads a file whose name it puts together")


_ENDS: Final = frozenset({")", ";", "}", "\n"})


_SED: Final = Options(
    "-n -E -r -s -u -z -e=* -l= --quiet --silent --regexp-extended --separate --unbuffered "
    "--null-data --expression=* --line-length= --debug --posix --sandbox --help --version"
)
_AWK: Final = Options(
    "-F= -v= -n -b -c -S -P -r -M -V --field-separator= --assign= --posix --traditional --re-interval "
    "--characters-as-bytes --sandbox --version --help --csv -k"
)


def _sed(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    # A negative number is no option of sed, which does nothing then, so that `"${n}p"` is a script.
    numbered = [
        word._replace(tame=True) if word.text[:1] == NUMBER and UNKNOWN not in word.text else word
        for word in words
    ]
    given = options.check(name, numbered, _SED)
    expressions = given.values("-e", "--expression")
    scripts = [_joined(expressions)] if expressions else []
    # For BSD's, the first operand is the script if no option comes before it.
    first = options.check(name, numbered, _SED, stops=True)
    if given.operands and not first.has("-e", "--expression"):
        scripts = [*scripts, given.operands[0]]
    for length in given.values("-l", "--line-length"):
        if not length.text.isdigit():
            raise Writes("an option of sed that others read differently", length.at)
    for script in scripts:
        see_script(script)


def _joined(scripts: Sequence[Word]) -> Word:
    """Return the one script of which each of several is a part, as text may go on in the next."""
    whole = scripts[0]._replace(text="\n".join(script.text for script in scripts))
    return whole._replace(splits=not all(script.single for script in scripts))


def _awk(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _AWK, stops=True)
    if given.operands:
        if not given.operands[0].single:
            raise Writes("a program of awk that is not known", given.operands[0].at)
        see_program(given.operands[0])
        values = given.values("-v", "--assign")
        for word in (*given.operands[1:], *values):
            text = word.text.partition("=")[2] if word in values else word.text
            named = re.search(r"(?:^|=)/+inet", text)
            if named or "=" in word.text and "\\" in text and "getline" in given.operands[0].text:
                raise Writes("awk opens a connection", word.at)


CHECKS: Final[dict[str, Check]] = {
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
}
