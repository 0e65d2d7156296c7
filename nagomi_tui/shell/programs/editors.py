"""`sed` and `awk`, with parsers of their scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Analyser, Check, Options
from nagomi_tui.shell.words import NUMBER, UNKNOWN, Word, Writes, named

_PLAIN: Final = frozenset("=dDgGhHnNpPxzF")
_OUTPUTS: Final = frozenset({"/dev/stdout", "/dev/stderr"})


def see_script(word: Word) -> None:
    """Check that a script only prints."""
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


def see_program(word: Word) -> set[str]:
    """Check that an `awk` program only prints to stdout; return the variables that name what it reads."""
    if UNKNOWN in word.text:
        raise Writes("a program of awk that is not known", word.at)
    reads: set[str] = set()
    try:
        for number in ("1",) if word.tame or NUMBER not in word.text else ("1", "-1"):
            program = _Awk(_tokens(word.text.replace(NUMBER, number)))
            program.check()
            reads |= program.reads
    except Writes as found:
        raise Writes(found.reason, word.at) from None
    return reads


def _tokens(text: str) -> list[str]:
    """Split a program into tokens; a regular expression becomes `//`."""
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


_FUNCTIONS: Final = named(
    "length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper strftime "
    "systime mktime asort asorti patsplit strtonum and or xor lshift rshift compl typeof isarray close fflush"
)
"""Functions of some awk that only compute."""
_FILLING: Final = named("split sub gsub match asort asorti patsplit")
_KEYWORDS: Final = _BEFORE_PATTERN | named(
    "function func getline next nextfile break continue BEGIN END BEGINFILE ENDFILE"
)
_ALONE: Final = named("next nextfile break continue")
_ASSIGNING: Final = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "^=", "**="})
_BETWEEN: Final = frozenset(
    {"+", "-", "*", "/", "%", "^", "**", "<", "<=", "==", "!=", ">", ">=", "~", "!~", "&&", "||"}
)
_ENDS: Final = frozenset({"", ";", "\n", "}"})


class _Awk:
    """Reads a program of awk by its grammar; what binds how strongly does not matter here."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._at = 0
        defined = [index + 1 for index, one in enumerate(tokens) if one in ("function", "func")]
        self._own = {tokens[index] for index in defined if index < len(tokens)}
        self._set: set[str] = set()
        """The variables that the program gives a value."""
        self._filled: set[str] = set()
        """Those that a function or `getline` may give one."""
        self._called: set[str] = set()
        """Names before brackets: functions that are not known, or variables that the brackets are joined to."""
        self.reads: set[str] = set()
        """The variables that name what `getline` reads."""

    def check(self) -> None:
        """Check the whole program."""
        self._skip(";", "\n")
        while self._peek():
            self._item()
            self._skip(";", "\n")
        if not (self._set | self._filled).isdisjoint({"ARGV", *self.reads, *self._own}):
            raise Writes("awk that chooses what it reads")
        if unknown := self._called - self._set:
            raise Writes(f"{min(unknown)}() of awk is not known to only compute")
        if {"SYMTAB", "FUNCTAB"} & set(self._tokens):
            raise Writes("awk that sets variables by their names")

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else ""

    def _skip(self, *tokens: str) -> None:
        while self._peek() in tokens and self._peek():
            self._at += 1

    def _need(self, token: str) -> None:
        if (found := self._next()) != token:
            raise Writes(f"a program of awk that is not understood (at {found or 'its end'!r})")

    def _name(self) -> str:
        token = self._next()
        if not token.isidentifier() or token in _KEYWORDS:
            raise Writes(f"a program of awk that is not understood (at {token or 'its end'!r})")
        return token

    def _item(self) -> None:
        if self._peek() in ("function", "func"):
            self._at += 1
            self._name()
            self._need("(")
            while self._peek() != ")":
                self._set.add(self._name())
                if self._peek() == ",":
                    self._at += 1
                    self._skip("\n")
            self._need(")")
            self._skip("\n")
            return self._block()
        if self._peek() in ("BEGIN", "END", "BEGINFILE", "ENDFILE"):
            self._at += 1
            return self._block()
        if self._peek() != "{":
            self._expressions()
        if self._peek() == "{":
            self._block()
        elif self._peek() not in (";", "\n", ""):
            self._need(";")
        return None

    def _block(self) -> None:
        self._need("{")
        self._skip(";", "\n")
        while self._peek() not in ("}", ""):
            self._statement()
            self._skip(";", "\n")
        self._need("}")

    def _statement(self) -> None:
        self._skip("\n")
        token = self._peek()
        if token == "{":
            return self._block()
        if token in ("if", "while"):
            self._at += 1
            self._condition()
            self._statement()
            if token == "if":
                self._else()
            return None
        if token == "do":
            self._at += 1
            self._statement()
            self._skip(";", "\n")
            self._need("while")
            return self._condition()
        if token == "for":
            return self._for()
        self._simple()
        if self._peek() not in _ENDS:
            self._need(";")
        if self._peek() in (";", "\n"):
            self._at += 1
        return None

    def _condition(self) -> None:
        self._need("(")
        self._expression()
        self._need(")")

    def _else(self) -> None:
        before = self._at
        self._skip(";", "\n")
        if self._peek() != "else":
            self._at = before
            return
        self._at += 1
        self._statement()

    def _for(self) -> None:
        self._at += 1
        self._need("(")
        if self._tokens[self._at + 1 : self._at + 2] == ["in"]:
            self._set.add(self._name())
            self._at += 1
            self._name()
        else:
            for end in (";", ";", ")"):
                if self._peek() != end:
                    self._simple()
                if end == ";":
                    self._need(end)
                    self._skip("\n")
        self._need(")")
        self._statement()

    def _simple(self) -> None:
        token = self._peek()
        if token in ("print", "printf"):
            self._at += 1
            if self._peek() not in (">", ">>", *_ENDS):
                self._expressions(prints=True)
            if self._peek() in (">", ">>"):
                self._at += 1
                if self._next() not in _AWK_OUTPUTS or self._peek() not in _ENDS:
                    raise Writes("awk prints to a file")
            elif self._peek() in ("|", "|&"):
                raise Writes("awk runs a command through a pipe")
        elif token in _ALONE:
            self._at += 1
        elif token in ("exit", "return"):
            self._at += 1
            if self._peek() not in _ENDS:
                self._expression()
        elif token == "delete":
            self._at += 1
            self._name()
            self._subscripts()
        elif token not in _ENDS:
            self._expression()

    def _expressions(self, *, prints: bool = False) -> None:
        self._expression(prints=prints)
        while self._peek() == ",":
            self._at += 1
            self._skip("\n")
            self._expression(prints=prints)

    def _expression(self, *, prints: bool = False) -> None:
        """Move past operands and what stands between them; a `>` of `print` ends them."""
        place = self._operand()
        while token := self._peek():
            if token == "in":
                self._at += 1
                self._name()
                place = None
            elif token == "?":
                self._at += 1
                self._skip("\n")
                self._expression(prints=prints)
                self._skip("\n")
                self._need(":")
                self._skip("\n")
                return self._expression(prints=prints)
            elif token in _ASSIGNING:
                if place is None:
                    raise Writes(
                        "a program of awk that is not understood (it assigns to no variable)"
                    )
                self._set.add(place)
                self._at += 1
                self._skip("\n")
                place = self._operand()
            elif token in _BETWEEN and not (prints and token == ">"):
                self._at += 1
                if token in ("&&", "||"):
                    self._skip("\n")
                # Where a number of the shell's is missing, no awk runs the program.
                missing = self._peek() in (*_ENDS, "{", ")", "&&", "||")
                place = None if missing else self._operand()
            elif self._begins(token):
                place = self._operand()
            else:
                return None
        return None

    def _begins(self, token: str) -> bool:
        """Whether a token behind an operand begins another one, to which it is joined."""
        named = token.isidentifier() and (token not in _KEYWORDS or token == "getline")
        return named or token[0] in '"0123456789$(' or token[0] == "." or token in ("++", "--")

    def _operand(self) -> str | None:
        """Move past an operand; return the name of a variable, `$` for a field, and None for anything else."""
        before = self._at
        self._skip("!", "-", "+", "++", "--")
        steps = {"++", "--"} & set(self._tokens[before : self._at])
        token = self._next()
        place = None
        if token == "$":
            self._operand()
            place = "$"
        elif token == "(":
            self._expressions()
            self._need(")")
        elif token == "getline":
            self._read()
        elif token[:1].isdigit() or token[:1] in (".", '"') or token == "//":
            pass
        elif token in _FUNCTIONS or token in self._own:
            self._call(token)
        elif token.isidentifier() and token not in _KEYWORDS:
            behind = (one for one in self._tokens[self._at :] if one != "\n")
            if next(behind, "") == "(":
                self._called.add(token)
            place = token
            self._subscripts()
        else:
            raise Writes(f"a program of awk that is not understood (at {token or 'its end'!r})")
        while self._peek() in ("++", "--") and place is not None:
            steps.add(self._next())
        if steps and place is not None:
            self._set.add(place)
        return place

    def _subscripts(self) -> None:
        while self._peek() == "[":
            self._at += 1
            self._expressions()
            self._need("]")

    def _call(self, name: str) -> None:
        if self._peek() != "(":
            if name in self._own:
                self._need("(")
            return
        start = self._at
        self._at += 1
        self._skip("\n")
        if self._peek() != ")":
            self._expressions()
        self._need(")")
        if name in _FILLING or name in self._own:
            self._filled.update(one for one in self._tokens[start : self._at] if one.isidentifier())

    def _read(self) -> None:
        """Move past what `getline` reads into and from, as gawk takes some names for connections.

        That is a literal name, or a variable that the program itself gives no value.
        """
        if self._peek().isidentifier() and self._peek() not in _KEYWORDS or self._peek() == "$":
            self._filled.add(self._operand() or "ARGV")
        if self._peek() != "<":
            return
        self._at += 1
        name = self._next()
        if name == "ARGV":
            self._subscripts()
        elif name[:1] == '"':
            if "\\" in name or re.match(r'"/+inet', name):
                raise Writes("awk reads a file whose name it puts together")
        elif name.isidentifier() and name not in _KEYWORDS | _FUNCTIONS | self._own:
            self.reads.add(name)
        else:
            raise Writes("awk reads a file whose name it puts together")
        if self._peek() and self._begins(self._peek()) or self._peek() == "[":
            raise Writes("awk reads a file whose name it puts together")


_PLAINLY: Final = re.compile(r"(?!/+inet)[\w./~ @%+,:-]+")
"""A name of a file that is no connection of gawk's."""

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
        reads = see_program(given.operands[0])
        for word in (*given.operands[1:], *given.values("-v", "--assign")):
            name, sign, text = word.text.partition("=")
            chooses = bool(reads) and (UNKNOWN in name or sign and name in reads)
            if (
                re.match("/+inet", text if sign else name)
                or chooses
                and not _PLAINLY.fullmatch(text)
            ):
                raise Writes("awk opens a connection", word.at)


CHECKS: Final[dict[str, Check]] = {
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
}
