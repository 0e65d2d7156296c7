"""Shells that get a script as an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.shell.verdict import Writes

if TYPE_CHECKING:
    from nagomi_tui.guard.shell.programs.interface import Analyser, Check
    from nagomi_tui.guard.shell.words import Word

_LETTERS: Final = frozenset("cleuxf")


def _shell(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if [word.text for word in words] in (["--version"], ["--help"]):
        return
    if (
        len(words) == 2
        and words[0].text == "-n"
        and not words[1].may_be_option
        and not words[1].splits
    ):
        return
    rest = list(words)
    commands = False
    while rest and rest[0].text.startswith(("-", "+")):
        word = rest.pop(0)
        if word.text in ("--norc", "--noprofile", "--login"):
            continue
        if word.text == "-o" and rest and rest.pop(0).text in ("pipefail", "errexit", "nounset"):
            continue
        if word.text.startswith("+") or not word.known or set(word.text[1:]) - _LETTERS:
            raise Writes(f"{name} {word.text} is not known", word.at)
        commands = commands or "c" in word.text
    if not commands or not rest or rest[0].splits:
        raise Writes(f"{name} runs a script that is not known", head.at)
    analysis.script(rest[0])


CHECKS: Final[dict[str, Check]] = dict.fromkeys(("bash", "sh", "dash", "zsh", "ksh"), _shell)
