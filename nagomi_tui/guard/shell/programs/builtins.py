"""Builtin commands of bash."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell import options
from nagomi_tui.guard.shell.options import Options
from nagomi_tui.guard.shell.variables import changes_programs
from nagomi_tui.guard.shell.verdict import Writes
from nagomi_tui.guard.shell.words import named

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.programs.interface import Analyser, Check
    from nagomi_tui.guard.shell.words import Word

_HARMLESS: Final = named(
    ": cd pushd popd dirs break continue return exit shift times caller type logout help"
)

_TABLES: Final = {
    "jobs": Options(only="-l -n -p -r -s"),
    "umask": Options(only="-S -p", most=0),
    "ulimit": Options(only="-a -n -u -s -c -f -v -m -t -H -S -d -l -p -x -q -i -e -r", most=0),
    "fc": Options(only="-l -n -r"),
    "alias": Options(only="-p"),
    "trap": Options(only="-l -p"),
    "hash": Options(only="-r -l -t"),
    "compgen": Options("A", only="-a -b -c -e -k -v -A"),
    "wait": Options(only="-n -f"),
    "shopt": Options(only="-p -q -o"),
    "enable": Options(only="-a -p", most=0),
    "bind": Options(only="-l -p -P -v -V", most=0),
}

_SET: Final = named("errexit nounset pipefail xtrace noglob verbose braceexpand")
_GLOBBING: Final = named("nullglob globstar dotglob failglob nocaseglob nocasematch")


def _table(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _TABLES[name])
    if name in ("alias", "hash") and any(
        "=" in word.text or not word.known for word in given.operands
    ):
        raise Writes(f"{name} changes what commands do", head.at)
    if name == "trap" and given.operands and not given.options:
        raise Writes("trap runs a command later", head.at)
    if name == "fc" and not given.has("-l"):
        raise Writes("fc edits and runs commands", head.at)
    if name == "compgen" and given.has("-A") and not given.values("-A"):
        raise Writes("compgen that is not understood", head.at)


def _shopt(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if words and words[0].text in ("-s", "-u") and len(words) > 1:
        if all(word.text in _GLOBBING for word in words[1:]):
            return
        raise Writes("shopt changes how commands are read", head.at)
    _table(analysis, name, words, head)


def _set(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow options that only stop early, print more, or change how globs match."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.text in ("--", "-") or not word.may_be_option and word.text[:1] != "+":
            return
        letters = word.text[1:]
        if not word.known or set(letters) - set("euxvfBo"):
            raise Writes("set changes how commands are read", word.at)
        if "o" in letters and rest and rest.pop(0).text not in _SET:
            raise Writes("set changes how commands are read", word.at)


def _history(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if any(not word.text.isdigit() for word in words):
        raise Writes("history that is changed", head.at)


def _kill(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if not words or words[0].text not in ("-0", "-l", "-L"):
        raise Writes("kill ends processes", head.at)
    if words[0].text == "-0":
        for word in words[1:]:
            if word.text.startswith("-") or word.splits and word.may_be_option:
                raise Writes("kill takes a second signal", word.at)


def _names(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Refuse subscripts in names for `read` and such: bash evaluates them, and may run commands."""
    given = options.take_apart(name, words, _FILLERS[name])
    for word in given.operands:
        if not word.text.isidentifier() or changes_programs(word.text, None):
            raise Writes(f"{name} into what is not a plain variable", word.at)
    allowed = _FILLERS[name].only or ""
    for option, value, word in given.options:
        if option not in allowed.split():
            raise Writes(f"{name} {option} is not known", word.at)
        if option in _COUNTS and value is not None and not _COUNT.fullmatch(value.text):
            raise Writes(f"{name} {option} that zsh computes", word.at)
        if option == "-a" and (
            value is None or not value.text.isidentifier() or changes_programs(value.text, None)
        ):
            raise Writes(f"{name} into what is not a plain variable", word.at)


_COUNTS: Final = frozenset({"-t", "-n", "-N", "-u"})
_COUNT: Final = re.compile(r"[0-9.\0\1]*")
_FILLERS: Final = {
    "read": Options("adinNptu", only="-r -s -a -d -n -N -p -t -u -e"),
    "mapfile": Options("dnOsu", only="-t -d -n -O -s -u"),
    "readarray": Options("dnOsu", only="-t -d -n -O -s -u"),
}


def _printf(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    first = words[0] if words else None
    if first is None or not first.may_be_option or first.text == "--":
        return
    into = words[1].text if len(words) > 1 else ""
    if first.text == "-v" and into.isidentifier() and not changes_programs(into, None):
        return
    # A single quoted word is the format, whatever its value.
    if first.text[:2] == "-v" or not first.known and (first.splits or len(words) > 1):
        raise Writes("printf into a variable", first.at)


def _test(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check names after `-v`, whose subscripts bash evaluates."""
    for word in words:
        if word.text == "-v":
            raise Writes("test -v computes a subscript", word.at)


CHECKS: Final[dict[str, Check]] = {
    **dict.fromkeys(_HARMLESS, lambda analysis, name, words, head: None),
    **dict.fromkeys(_TABLES, _table),
    **dict.fromkeys(_FILLERS, _names),
    "shopt": _shopt,
    "set": _set,
    "history": _history,
    "kill": _kill,
    "printf": _printf,
    "test": _test,
}
