"""Programs for structured text, and linters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell import options
from nagomi_tui.guard.shell.options import Options
from nagomi_tui.guard.shell.verdict import Writes

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.programs.interface import Analyser, Check
    from nagomi_tui.guard.shell.words import Word

_YQ: Final = Options("opIf", "output-format input-format indent from-file front-matter arg", "is",
                     "inplace in-place split-exp split-exp-file security-enable-system-operator")  # fmt: skip
_XMLLINT: Final = (
    "format noout xpath html pretty schema dtdvalid valid nonet huge recover encode version noblanks nowarning "
    "relaxng nocdata noent c14n debug stream timing"
)
_RUFF: Final = Options("", "", "o", "fix fix-only unsafe-fixes output-file add-noqa config")


def _jq(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    pass


def _yq(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    options.check(name, words, _YQ)


def _xmlstarlet(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    command = words[0].text if words else ""
    if command in ("sel", "val", "el", "fo", "c14n", "esc", "unesc", "--version"):
        return
    if command != "ed":
        raise Writes("xmlstarlet that is not known to only read", head.at)
    options.check("xmlstarlet ed", words[1:], Options("", "", "L", "inplace"))


def _xmllint(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check `xmllint`, whose long options may also begin with one dash."""
    taken = "xpath schema dtdvalid relaxng encode pretty"
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.may_be_option:
            continue
        option = word.text.lstrip("-")
        if not word.known or option not in _XMLLINT.split():
            raise Writes("an option of xmllint that is not known to only read", word.at)
        if option in taken.split() and rest:
            rest.pop(0)


def _xsltproc(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    named = [word.text for word in words]
    if "--nowrite" not in named or any(text.startswith(("-o", "--output")) for text in named):
        raise Writes("a stylesheet can write, but for --nowrite", head.at)
    if any(word.may_be_option and not word.known for word in words):
        raise Writes("an argument of xsltproc could become an option", head.at)


def _dc(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Refuse scripts of `dc` with `!`, which runs a command, and scripts from files or stdin."""
    given = options.check(
        name, words, Options("e", "expression", only="-e --expression -V --version", most=0)
    )
    scripts = [value for _, value, _ in given.options if value is not None]
    if not scripts or any(re.search("[!?]", value.text) or not value.known for value in scripts):
        raise Writes("dc runs what it is told to", head.at)


def _ruff(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow `ruff check` without fixes, and `ruff format` that only checks."""
    named = [word.text for word in words]
    if named in (["--version"], ["version"], ["--help"], ["linter"]) or named[:1] in (
        ["rule"],
        ["config"],
    ):
        return
    if any(not word.known and word.may_be_option for word in words):
        raise Writes("an argument of ruff could become an option", head.at)
    if named[:1] == ["check"]:
        given = options.check("ruff check", words[1:], _RUFF)
        if not given.has("--isolated", "--diff"):
            needed = {f"--no-{one}" for one in analysis.patterns.fixes(analysis.moves)}
            if missing := needed.difference(option for option, _, _ in given.options):
                added = " ".join(sorted(missing))
                raise Writes(f"ruff check whose settings may fix files: add {added}", head.at)
    elif named[:1] == ["format"] and {"--check", "--diff"} & set(named):
        options.check("ruff format", words[1:], Options("", "", "", "config"))
    else:
        raise Writes("ruff that is not known to only read", head.at)


def _black(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(
        name, words, Options("lt", "line-length target-version", "c", "code config")
    )
    if not given.has("--check", "--diff", "--version"):
        raise Writes("black rewrites files", head.at)


def _base64(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    options.check(name, words, Options("w", "wrap", "o", "output"))


def _iconv(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    options.check(name, words, Options("ft", "from-code to-code", "o", "output"))


CHECKS: Final[dict[str, Check]] = {
    "jq": _jq, "yq": _yq, "xmlstarlet": _xmlstarlet, "xmllint": _xmllint, "xsltproc": _xsltproc, "dc": _dc,
    "ruff": _ruff, "black": _black, "base64": _base64, "iconv": _iconv,
}  # fmt: skip
