"""Tables of options: which ones make a reading program write."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import GLOB, NUMBER, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.guard.shell.words import Word


class Options(NamedTuple):
    """What is known of a program's options; lists are separated by spaces.

    A missing entry for an option with a value makes the check stricter, never laxer: the value is
    then checked as an option or an operand.
    """

    values: str = ""
    """Letters of short options that take a value (with `single_dash`: whole names)."""
    long_values: str = ""
    """Long options whose value may be the next word."""
    bad: str = ""
    """Letters of short options that write or run something."""
    long_bad: str = ""
    """Long options that write or run something; their abbreviations count, too."""
    most: int | None = None
    """The most operands for a read; None for any number."""
    only: str | None = None
    """The only options allowed, with their full names; None for all that are not bad."""
    needs: str = ""
    """Options of which one must be present, since the program only reads with it."""
    long_flags: str = ""
    """Long options that take no value, so that `--` behind one ends the options."""
    single_dash: bool = False
    """Whether long options begin with one dash, and short ones cannot be combined."""

    @property
    def harmless(self) -> bool:
        """Whether no argument can make the program write."""
        looked_at = self.bad or self.long_bad or self.needs
        return not looked_at and self.most is None and self.only is None


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
    """Split a command line into options and operands, and check that no option writes.

    Raises:
        Writes: an option or the number of operands writes, or could.
    """
    if options.harmless:
        return Given((), tuple(words))
    given = take_apart(name, words, options, stops=stops)
    for option, _, word in given.options:
        if _is_bad(option, options):
            raise Writes(f"{name} {option} writes or runs something, or is not known", word.at)
    if options.needs and not given.has(*options.needs.split()):
        raise Writes(f"{name} only reads with {options.needs}", words[0].at if words else 0)
    if options.most is not None and _count(given.operands) > options.most:
        raise Writes(f"{name} does more than read with so many operands", given.operands[-1].at)
    return given


def take_apart(name: str, words: Sequence[Word], options: Options, *, stops: bool = False) -> Given:
    """Split words into options and operands; with `stops`, the first operand ends the options.

    Raises:
        Writes: a word could become an option.
    """
    found: list[tuple[str, Word | None, Word]] = []
    operands: list[Word] = []
    rest = list(words)
    doubtful = False
    while rest:
        word = rest.pop(0)
        if not word.may_be_option:
            operands.append(word)
            if stops:
                operands += rest
                break
            doubtful = False
        elif word.text == "--" and not doubtful:
            operands += rest
            break
        elif word.text != "--":
            if not _is_certain(word, options):
                raise Writes(
                    f"an argument of {name} could become an option: put -- or ./ before it", word.at
                )
            doubtful = not _take(word, rest, options, found)
            value = found[-1][1] if found else None
            if value is not None and value.splits and value.may_be_option:
                raise Writes(f"a value for {name} could become options: quote it", value.at)
            if value is not None and value.splits and UNKNOWN in value.text:
                operands.append(value)
    return Given(tuple(found), tuple(operands))


def _count(operands: Sequence[Word]) -> int:
    return sum(2 if word.splits else 1 for word in operands)


def _is_certain(word: Word, options: Options) -> bool:
    """Whether an option is known completely, apart from its value."""
    if word.text[0] != "-":
        return False
    if word.known and not word.splits:
        return True
    name, sign, _ = word.text.partition("=")
    if word.text.startswith("--") or options.single_dash:
        found = bool(sign) and name.isprintable() and GLOB.search(name) is None
        return found and not (word.splits and not word.tame)
    if word.splits and not word.tame:
        return False
    letters = GLOB.split(word.text[1:].partition(UNKNOWN)[0])[0].replace(NUMBER, "")
    whole = UNKNOWN not in word.text and not word.splits
    return whole or any(letter in options.values for letter in letters)


def _take(
    word: Word,
    rest: list[Word],
    options: Options,
    found: list[tuple[str, Word | None, Word]],
) -> bool:
    """Add an option; return whether the next word is certainly not its value."""
    if word.text.startswith("--") or options.single_dash:
        return _take_long(word, rest, options, found)
    letters = word.text[1:]
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter in options.values:
            value = word._replace(text=letters) if letters else (rest.pop(0) if rest else None)
            found.append((f"-{letter}", value, word))
            return True
        found.append((f"-{letter}", None, word))
    return True


def _take_long(
    word: Word,
    rest: list[Word],
    options: Options,
    found: list[tuple[str, Word | None, Word]],
) -> bool:
    name, sign, value = word.text.partition("=")
    if sign:
        found.append((name, word._replace(text=value), word))
        return True
    listed = options.values if options.single_dash else options.long_values
    takes = name.lstrip("-") in listed.split()
    found.append((name, rest.pop(0) if takes and rest else None, word))
    return takes or not options.long_bad or name[2:] in options.long_flags.split()


def _is_bad(option: str, options: Options) -> bool:
    if options.only is not None:
        return option not in options.only.split()
    if options.single_dash:
        return option.lstrip("-") in options.long_bad.split()
    if option.startswith("--"):
        return any(bad.startswith(option[2:]) for bad in options.long_bad.split())
    return option[1:] in options.bad
