"""The vocabulary of the tables of programs: options, subcommands, checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

from nagomi_tui.shell.folders import Where
from nagomi_tui.shell.patterns import Patterns
from nagomi_tui.shell.printed import Form
from nagomi_tui.shell.words import GLOB, NUMBER, UNKNOWN, Word, Writes

if TYPE_CHECKING:
    from tree_sitter import Node


class Options(NamedTuple):
    """What is known of a program's options.

    Only those in `known` may be given: one that is missing could write, or take the next word, behind
    which nothing else would be what it seems.
    """

    known: str = ""
    """The options that only read, separated by spaces.

    The sign behind an option tells how many words it takes, exactly as the program counts them:
    `--all` none, `--key=` the rest of its word or else the next one, `--key=*` likewise, and that one
    may begin with a dash, `--color?` at most the rest of its own word, and `--param==` the next two.
    `-NUM` stands for any number, and `-[abc]=` for each of these letters.
    """
    most: int | None = None
    """The most operands for a read; None for any number."""
    needs: str = ""
    """Options of which one must be present, since the program only reads with it."""
    single_dash: bool = False
    """Whether long options begin with one dash, and short ones cannot be combined."""
    takes_files: bool = False
    """Whether a word that begins with `@` names a file with more options, as some of that name take it."""
    plain: bool = False
    """Whether it hands its words to a shell, or some of that name do, so that only plain ones pass."""
    in_order: bool = False
    """Whether what stands behind the first operand is an operand, too, to some or all of that name."""

    def also(self, more: str) -> Options:
        """Return this table with more options, written as in `known`; its own come before them."""
        return self._replace(known=f"{more} {self.known}") if more else self


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
    if options.takes_files:
        see_no_files(name, words)
    if options.plain:
        see_plain(name, words)
    reader = _Reader(name, arities(options.known), options)
    given = reader.read(list(words), stops=stops or options.in_order)
    if options.needs and not given.has(*options.needs.split()):
        raise Writes(f"{name} only reads with {options.needs}", words[0].at if words else 0)
    if options.most is not None and _count(given.operands) > options.most:
        raise Writes(f"{name} does more than read with so many operands", given.operands[-1].at)
    return given


def see_no_files(name: str, words: Sequence[Word]) -> None:
    """Check that no word is, or may be, the name of a file of options behind an `@`."""
    for word in words:
        may = word.text[:1] in ("@", UNKNOWN) or word.splits and GLOB.match(word.text)
        if may and not word.top:
            raise Writes(f"{name} may take options from a file: put ./ before it", word.at)


def see_known(name: str, words: Sequence[Word], known: Mapping[str, str]) -> None:
    """Check that no word is an option which is not known; what only the shell will know is left out.

    For programs that only read with each option of their own, while others of their name do more.
    """
    value_of = ""
    for word in words:
        before, value_of = value_of, ""
        bare = word.text.lstrip(UNKNOWN + NUMBER)  # What stands before the rest may be empty.
        text = bare if bare.startswith("--") else word.text
        if before or not _SAID.match(text):
            continue
        if text == "--":
            return
        name_of, sign, _ = text.partition("=")
        whole = text[:2] == "--" or name_of in known
        told = [name_of] if whole else [f"-{one}" for one in text[1:]]
        for index, one in enumerate(told):
            if one not in known and one[1:].strip(f"0123456789{NUMBER}"):
                raise Writes(f"{name} {_shown(one)} is not known to only read", word.at)
            if known.get(one, "")[:1] in ("=", "?"):
                value_of = one if not sign and index + 1 == len(told) and known[one] != "?" else ""
                break


_SAID: Final = re.compile(r"-(?![0-9.\1]*$|\0)")
"""The beginning of a word that is an option, and neither a number nor what only the shell will know."""


def rows(text: str) -> dict[str, str]:
    """Return the options of each program in a text, whose lines begin with names and a colon or go on with a blank."""
    lines = [line.partition(": ") for line in text.replace("\n  ", " ").strip().splitlines()]
    return {name: known for names, _, known in lines for name in names.split()}


def see_plain(name: str, words: Sequence[Word]) -> None:
    """Check that a shell would take each word for itself, if it were given them once more."""
    for word in words:
        if not (word.known and _PLAIN.fullmatch(word.text)):
            raise Writes(f"{name} may hand this to a shell", word.at)


_PLAIN: Final = re.compile(r"[\w./:@%+=,^~-]*")


@cache
def arities(known: str) -> Mapping[str, str]:
    """Return the sign of each option of a table, by its name."""
    found: dict[str, str] = {}
    for one in known.split():
        name = one.rstrip("=?*+!")
        each = [f"-{letter}" for letter in name[2:-1]] if name[:2] == "-[" else [name]
        found.update(dict.fromkeys(each, one[len(name) :]))
    if found.pop("-NUM", None) is not None:
        found.update((f"-{digit}", "") for digit in f"0123456789{NUMBER}")
    return found


def _shown(option: str) -> str:
    return option.replace(UNKNOWN, "…").replace(NUMBER, "…")


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
                if value is not None and not _is_filled(letters, word) and self._known[name] != "?":
                    raise Writes(f"a value of {self._name} {name} that may be empty", word.at)
                return self._take(name, value, word, rest)
            self._found.append((name, None, word))
        return None

    def _arity(self, name: str, word: Word) -> str:
        arity = self._known.get(name)
        if arity is None:
            raise Writes(
                f"{self._name} {_shown(name)} writes or runs something, or is not known", word.at
            )
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
                if value is not None and not value.single and (rest or GLOB.search(value.text)):
                    # If it is no word, what is behind it is the value; if it is several, they are operands.
                    raise Writes(
                        f"a value for {self._name} {name} that may be no word, or several: quote it",
                        value.at,
                    )
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


def _is_filled(value: str, word: Word) -> bool:
    """Whether a value at the end of a word is not empty, so that the next word is not the value."""
    if value.strip(UNKNOWN + NUMBER):
        return True
    before = word.text.removesuffix(value)
    return word.filled and UNKNOWN not in before and NUMBER not in before


class Analyser(Protocol):
    """Checks commands and scripts that a program runs."""

    piped: Form
    """What is known of the command's stdin."""
    patterns: Patterns
    """What the user has named, and what the project's settings do."""
    where: Where
    """The folders that the command changes to, and what looks into them."""
    depth: int
    """The number of scripts around this command line, as in `bash -c 'bash -c …'`."""

    def statements(self, node: Node) -> None:
        """Check each statement in a node."""

    def run(self, words: Sequence[Word]) -> None:
        """Check a command that another one runs, such as `env`."""

    def is_told(self, head: Word) -> bool:
        """Whether the program at a word may be given something to read on stdin."""

    def here(self, head: Word) -> str | None:
        """Return the literal here-document that is all the program at a word reads; None if it is not."""

    def script(self, word: Word, *, as_sh: bool = False) -> None:
        """Check a script that a shell gets as an argument; with `as_sh` one that may not be bash."""


Check: TypeAlias = "Callable[[Analyser, str, list[Word], Word], None]"
"""Checks that a program only reads; gets its name, its arguments, and the word of its name.

It raises `Writes` where the program may do more.
"""


class Tool(NamedTuple):
    """What is known of a program with subcommands; lists are separated by spaces.

    Options before the subcommand are only allowed if it is known whether they take a value, as
    otherwise a value could be taken for the subcommand.
    """

    commands: dict[str, Options]
    """The options of each subcommand, by its words; "" is the program without a subcommand."""
    before: str = ""
    """The options before the subcommand, written as in `Options.known`."""
    always: str = ""
    """The options behind every subcommand, likewise."""
    alone: str = "--version --help -V -h"
    """Options that only read if they are the only argument."""


def plain(names: str, *shared: Options) -> dict[str, Options]:
    """Return subcommands, separated by commas in `names`, that share the same options."""
    known = shared[0] if shared else Options()
    return {name.strip(): known for name in names.split(",")}


def see(name: str, words: list[Word], tool: Tool) -> tuple[str, list[Word]]:
    """Check that a subcommand only reads; return its name and its arguments."""
    if len(words) == 1 and words[0].text in tool.alone.split():
        return "", []
    rest = without_flags(words, tool)
    named = []
    for word in rest[:4]:
        if not (word.single and word.known) or word.text.startswith("-"):
            break
        named.append(word.text)
    for count in range(len(named), -1, -1):
        command = " ".join(named[:count])
        if command in tool.commands and (count or not rest):
            title = f"{name} {command}".strip()
            check(title, rest[count:], tool.commands[command].also(tool.always))
            return command, rest[count:]
    at = rest[0].at if rest else 0
    raise Writes(f"{' '.join([name, *named[:2]])} is not known to only read", at)


def without_flags(words: list[Word], tool: Tool) -> list[Word]:
    """Return the words without the options before the subcommand."""
    known = arities(tool.before)
    rest = list(words)
    while rest and rest[0].text.startswith("-"):
        word = rest.pop(0)
        name, sign, _ = word.text.partition("=")
        arity = known.get(name)
        if arity is None or word.splits or sign and not arity:
            raise Writes(f"an option before the command that is not known ({name})", word.at)
        if arity.startswith("=") and not sign:
            value = rest.pop(0) if rest else None
            if value is None or not value.single or value.text[:1] == "-":
                raise Writes(f"{name} with a value that is not known", word.at)
    return rest


def checks(tools: dict[str, Tool]) -> dict[str, Check]:
    """Return a check for each of these programs."""

    def check_command(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
        try:
            see(name, words, tools[name])
        except Writes as found:
            raise Writes(found.reason, found.at or head.at) from None

    return dict.fromkeys(tools, check_command)


def tables(known: dict[str, Options]) -> dict[str, Check]:
    """Return a check for each of these programs, of which nothing but the options matters."""

    def check_options(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
        check(name, words, known[name])

    return dict.fromkeys(known, check_options)
