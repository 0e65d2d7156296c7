"""Tables of options: what a program that reads may be told, and how many words each option takes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import NUMBER, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nagomi_tui.guard.shell.words import Word


class Options(NamedTuple):
    """What is known of a program's options.

    Where any option matters, only those in `known` may be given: one that is missing could write, or
    take the next word, behind which nothing else would be what it seems.
    """

    known: str | None = None
    """The options that only read, separated by spaces; None if no option matters.

    The sign behind an option tells how many words it takes, exactly as the program counts them:
    `--all` none, `--key=` the rest of its word or else the next one, `--key=*` likewise, and that one
    may begin with a dash, `--color?` at most the rest of its own word, and `--param==` the next two.
    `-NUM` stands for any number.
    """
    most: int | None = None
    """The most operands for a read; None for any number."""
    needs: str = ""
    """Options of which one must be present, since the program only reads with it."""
    single_dash: bool = False
    """Whether long options begin with one dash, and short ones cannot be combined."""

    def also(self, more: str) -> Options:
        """Return this table with more options, written as in `known`; its own come before them."""
        return self._replace(known=f"{more} {self.known or ''}") if more else self


class Given(NamedTuple):
    """A command line split into options and operands."""

    options: tuple[tuple[str, Word | None, Word], ...]
    """Each option: its name (`-o`, `--output`), its value or None, and the word it was in."""
    operands: tuple[Word, ...]

    def values(self, *names: str) -> list[Word]:
        """Return all values of these options, as programs differ in which of several counts."""
        return [value for name, value, _ in self.options if name in names and value is not None]

    def has(self, *names: str) -> bool:
        """Whether one of these options is present."""
        return any(name in names for name, _, _ in self.options)


def check(name: str, words: Sequence[Word], options: Options, *, stops: bool = False) -> Given:
    """Split a command line into options and operands; with `stops`, the first operand ends the options.

    Raises:
        Writes: an option or the number of operands is not known to only read.
    """
    if options.known is None and options.most is None:
        return Given((), tuple(words))
    given = _Reader(name, arities(options.known or ""), options).read(list(words), stops=stops)
    if options.needs and not given.has(*options.needs.split()):
        raise Writes(f"{name} only reads with {options.needs}", words[0].at if words else 0)
    if options.most is not None and _count(given.operands) > options.most:
        raise Writes(f"{name} does more than read with so many operands", given.operands[-1].at)
    return given


@cache
def arities(known: str) -> Mapping[str, str]:
    """Return the sign of each option of a table, by its name."""
    found: dict[str, str] = {}
    for one in known.split():
        name = one.rstrip("=?*+!")
        found[name] = one[len(name) :]
    if found.pop("-NUM", None) is not None:
        found.update((f"-{digit}", "") for digit in f"0123456789{NUMBER}")
    return found


def _count(operands: Sequence[Word]) -> int:
    return sum(2 if word.splits else 1 for word in operands)


class _Reader:
    """Reads the words of one command as its program does."""

    def __init__(self, name: str, known: Mapping[str, str], options: Options) -> None:
        self._name = name
        self._known = known
        self._single_dash = options.single_dash
        self._found: list[tuple[str, Word | None, Word]] = []
        self._operands: list[Word] = []

    def read(self, rest: list[Word], *, stops: bool) -> Given:
        while rest:
            word = rest.pop(0)
            if not word.may_be_option:
                self._operands.append(word)
                if stops:
                    break
            elif word.text == "--":
                break
            elif word.text[0] != "-" or word.splits and not word.tame:
                raise Writes(
                    f"an argument of {self._name} could become an option: put -- or ./ before it",
                    word.at,
                )
            elif word.text.startswith("--") or self._single_dash:
                name, sign, value = word.text.partition("=")
                self._take(name, word._replace(text=value) if sign else None, word, rest)
            else:
                self._letters(word, rest)
        return Given(tuple(self._found), (*self._operands, *rest))

    def _letters(self, word: Word, rest: list[Word]) -> None:
        """Take options of one letter each, of which the last may hold its value."""
        letters = word.text[1:]
        while letters:
            name, letters = f"-{letters[0]}", letters[1:]
            if self._arity(name, word) not in ("", "!") or not letters:
                value = word._replace(text=letters) if letters else None
                return self._take(name, value, word, rest)
            self._found.append((name, None, word))
        return None

    def _arity(self, name: str, word: Word) -> str:
        arity = self._known.get(name)
        if arity is None:
            shown = name.replace(UNKNOWN, "…").replace(NUMBER, "…")
            raise Writes(f"{self._name} {shown} writes or runs something, or is not known", word.at)
        return arity

    def _take(self, name: str, value: Word | None, word: Word, rest: list[Word]) -> None:
        """Add an option, with the value in its own word or in those that it takes."""
        arity = self._arity(name, word)
        digits = value is not None and value.text.isdecimal()
        if arity == "!" and rest and rest[0].text == "--":
            raise Writes(f"{self._name} {name} may take the mark behind it", word.at)
        if value is not None and arity in ("", "!", "+", "==") and not (arity == "+" and digits):
            raise Writes(f"{self._name} {name} takes no value in its own word", word.at)
        if value is None and arity[:1] in ("=", "+"):
            for _ in arity.removesuffix("*"):
                value = rest.pop(0) if rest else None
                if (
                    value is not None
                    and value.text[:1] == "-"
                    and arity != "=*"
                    and value.may_be_option
                ):
                    raise Writes(
                        f"a value of {self._name} {name} that looks like an option", value.at
                    )
        self._found.append((name, value, word))
        if value is not None and value.splits:
            if value.may_be_option:
                raise Writes(f"a value for {self._name} could become options: quote it", value.at)
            if UNKNOWN in value.text:
                self._operands.append(value)
