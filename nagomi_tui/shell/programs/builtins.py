"""The builtin commands of bash that only read, and those that change what follows."""

from __future__ import annotations

import re
from itertools import cycle, pairwise
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.folders import TOP, TOP_UNQUOTED
from nagomi_tui.shell.options import Analyser, Check, Options
from nagomi_tui.shell.variables import changes_programs
from nagomi_tui.shell.words import UNKNOWN, Word, Writes, named

_COMPUTING: Final = named("break continue return exit shift logout")
"""Builtins whose argument is a number in bash, and an expression that zsh computes."""

_TABLES: Final = {
    "dirs": Options("-c -l -p -v", most=0),  # To zsh an operand is where `popd` goes.
    **dict.fromkeys(("times", "caller"), Options()),
    "type": Options("-a -f -p -P -t -w -S"),
    "help": Options("-d -m -s"),
    "jobs": Options("-l -n -p -r -s"),
    "umask": Options("-S -p", most=0),
    "ulimit": Options("-a -n -u -s -c -f -v -m -t -H -S -d -l -p -x -q -i -e -r", most=0),
    "fc": Options("-l -n -r -NUM"),
    "alias": Options("-p"),
    "trap": Options("-l -p"),
    "hash": Options("-r -l -t"),
    "compgen": Options("-a -b -c -e -k -v -A="),
    "wait": Options("-n -f"),
    "shopt": Options("-p -q -o"),
    "enable": Options("-a -p", most=0),
    "bind": Options("-l -p -P -v -V", most=0),
}

_SET: Final = named("errexit nounset pipefail xtrace noglob verbose")
_GLOBBING: Final = named("globstar dotglob failglob nocaseglob nocasematch")


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
        if not word.known or set(letters) - set("euxvfo"):
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
            alone = len(words) == 2 and word.single
            if word.text[:1] == "-" or word.may_be_option and not alone:
                raise Writes("kill takes a second signal", word.at)


def _names(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Refuse subscripts in names for `read` and such: bash evaluates them, and may run commands."""
    given = options.check(name, words, _FILLERS[name])
    for word in given.operands:
        if not word.text.isidentifier() or changes_programs(word.text, None):
            raise Writes(f"{name} into what is not a plain variable", word.at)
    for option, value, word in given.options:
        if option in _COUNTS and value is not None and not _COUNT.fullmatch(value.text):
            raise Writes(f"{name} {option} that zsh computes", word.at)
        if option == "-a" and (
            value is None or not value.text.isidentifier() or changes_programs(value.text, None)
        ):
            raise Writes(f"{name} into what is not a plain variable", word.at)


_COUNTS: Final = frozenset({"-t", "-n", "-N", "-u"})
_COUNT: Final = re.compile(r"[0-9.\1]*")
_FILLERS: Final = {
    # `-e` has keys by which bash runs what is typed.
    "read": Options("-r -s -a= -d=* -n= -N= -p=* -t= -u="),
    "mapfile": Options("-t -d=* -n= -O= -s= -u="),
    "readarray": Options("-t -d=* -n= -O= -s= -u="),
}


def _printf(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = list(words)
    if len(rest) > 1 and rest[0].text == "-v":
        into = rest[1]
        if not into.text.isidentifier() or changes_programs(into.text, None):
            raise Writes("printf into a variable", into.at)
        rest = rest[2:]
    elif rest and rest[0].text == "--":
        rest = rest[1:]
    # A single quoted word is the format, whatever its value.
    elif rest and rest[0].may_be_option and (not rest[0].single or len(rest) > 1):
        raise Writes("printf into a variable", rest[0].at)
    if len(rest) > 1:
        _printed_numbers(rest[0], rest[1:])


def _printed_numbers(form: Word, words: list[Word]) -> None:
    """Check what a format takes for numbers, since zsh computes it."""
    kinds = _CONVERSION.findall(form.text.replace("%%", ""))
    if any(kind.endswith("n") for kind in kinds):
        raise Writes("printf into a variable", form.at)
    if not form.known:
        kinds = ["*"]
    elif any("*" in kind for kind in kinds):
        kinds = ["*" for _ in kinds]
    elif len(words) % (len(kinds) or 1) or any(not word.single for word in words):
        kinds = [kind for kind in kinds if kind[-1] not in _TEXTS] or kinds
    for word, kind in zip(words, cycle(kinds)):
        if kind[-1] not in _TEXTS and not _NUMERAL.fullmatch(word.text):
            raise Writes("printf of a number that zsh computes", word.at)


_TEXTS: Final = frozenset("sbqc")
_CONVERSION: Final = re.compile(r"%[-+ #0'\d.*]*(?:\([^)]*\))?[hlLjzt]*.", re.DOTALL)
_NUMERAL: Final = re.compile(
    r"['\"].*|[-+]?(?:0[xX][0-9a-fA-F]+|[0-9\1]*\.?[0-9\1]*(?:[eE][-+]?[0-9]+)?)", re.DOTALL
)


def _test(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check what follows `-v` and `-t`, or what may be one: shells compute its subscript."""
    for word, after in pairwise(words):
        if word.text == "-v" or word.text == "-t" and not after.text.isdigit():
            raise Writes(f"test {word.text} computes a subscript", word.at)
        unsure = not word.single or not word.known
        if unsure and word.may_be_option and after.text not in _BETWEEN:
            raise Writes("an argument of test could become -v, which computes", word.at)
    if words and words[0].splits and words[0].may_be_option:
        raise Writes("an argument of test could become -v, which computes", words[0].at)


_BETWEEN: Final = named("= == != -eq -ne -lt -le -gt -ge -nt -ot -ef -a -o < > )")
"""Words of `test` that stand between two others, and behind one that is no operator."""


def _moves(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Note where `cd` and `pushd` go; where only the shell knows that, it is `UNKNOWN`."""
    texts = [(TOP_UNQUOTED if word.splits else TOP) if word.top else word.text for word in words]
    while texts and texts[0] != "--" and re.fullmatch(_MOVING[name], texts[0]):
        texts.pop(0)
    if texts[:1] == ["--"]:
        texts.pop(0)
    elif name == "pushd" and len(texts) == 1 and re.fullmatch(r"[-+][0-9]+", texts[0]):
        return  # One of the folders where it was before.
    elif texts[:1] and re.match(r"[-+].", texts[0]):
        texts = [UNKNOWN]
    where = analysis.where
    if len(texts) > 1 or texts == ["-"] and not where.left:
        texts = [UNKNOWN]
    if texts != ["-"]:
        where.moves += texts or ["~"]


def _back(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if any(not re.fullmatch(r"[-+][0-9]+|-[nq]", word.text) for word in words):
        raise Writes("popd that is not understood", head.at)


_MOVING: Final = {"cd": "-[LPe]+", "pushd": "-[nLP]+"}
"""Options behind which the folder comes, in bash as in zsh."""


def _computing(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    for word in words:
        if not _INTEGER.fullmatch(word.text):
            raise Writes(f"{name} that zsh computes", word.at)


_INTEGER: Final = re.compile(r"-?[0-9\1]+")


CHECKS: Final[dict[str, Check]] = {
    ":": lambda analysis, name, words, head: None,
    **dict.fromkeys(_COMPUTING, _computing),
    "cd": _moves,
    "pushd": _moves,
    "popd": _back,
    **dict.fromkeys(_TABLES, _table),
    **dict.fromkeys(_FILLERS, _names),
    "shopt": _shopt,
    "set": _set,
    "history": _history,
    "kill": _kill,
    "printf": _printf,
    "test": _test,
}
