"""Programs that run another command, which is checked in their place."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Analyser, Check, Options
from nagomi_tui.shell.printed import Form
from nagomi_tui.shell.variables import passes
from nagomi_tui.shell.words import NUMBER, UNKNOWN, Word, Writes, named

_TABLES: Final = {
    "timeout": Options(
        "-k= -s= --kill-after= --signal= --preserve-status --foreground -v --verbose"
    ),
    "nice": Options("-n=* --adjustment=* -NUM"),
    "ionice": Options("-c= -n= -t --class= --classdata= --ignore"),
    "stdbuf": Options("-i= -o= -e= --input= --output= --error="),
    "setsid": Options("-w --wait -f --fork -c --ctty"),
    "time": Options("-p -v --verbose --portability"),
    "builtin": Options(""),
    "exec": Options("-l"),
    "strace": Options("-f -e= -c -C -s= -t -T -r -y -v -q -a= -x -i -k -n -z -Z -w"),
    "busybox": Options(""),
}
_XARGS: Final = Options(
    "-0 -r -n= -I= -i? -P= -L= -l? -d=* -a= -s= -t -x -E= -e? --null --no-run-if-empty --max-args= --max-procs= "
    "--max-lines? --delimiter=* --arg-file= --replace? --eof? --max-chars= --verbose --exit"
)


def _run(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _TABLES[_OTHER_NAMES.get(name, name)], stops=True)
    operands = list(given.operands)
    if name == "strace" and any(not _TRACED.fullmatch(value.text) for value in given.values("-e")):
        raise Writes("strace changes what a program does", head.at)
    if name in ("timeout", "gtimeout") and operands:
        if not operands[0].single:
            raise Writes("how long is not known", operands[0].at)
        operands = operands[1:]
    if not operands and name not in ("time", "exec", "nice"):
        raise Writes(f"{name} without a command", head.at)
    analysis.run(operands)


_TRACED: Final = re.compile(
    r"(?:(?:trace|t|signal|signals|s|status|abbrev|a|verbose|v|raw|x|read|reads|r|write|writes|w|quiet|q|decode-fds|decode-fd)=)?"
    r"!?[\w%/?!.,-]+"
)
"""What strace shows; it also changes what calls return, and memory."""
_OTHER_NAMES: Final = {"gtimeout": "timeout"}


def _env(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    table = Options("-i -u= -0 --ignore-environment --unset= --null -v")
    given = options.check(name, words, table, stops=True)
    for option, value, word in given.options:
        if option in ("-u", "--unset") and (value is None or not value.known or not value.single):
            raise Writes("env unsets what is not known", word.at)
    rest = list(given.operands)
    while rest and "=" in rest[0].text:
        word = rest.pop(0)
        variable, _, text = word.text.partition("=")
        if not word.single or UNKNOWN in variable or not passes(variable, text):
            raise Writes(f"{variable} changes what programs do", word.at)
    if analysis.patterns.keyed and given.has("-i", "-u", "--ignore-environment", "--unset"):
        raise Writes("env that takes away what keeps a pager from being opened", head.at)
    clears = given.has("-i", "--ignore-environment") or any(
        value.text == "PATH" for value in given.values("-u", "--unset")
    )
    if clears and any(word.text.rpartition("/")[2] in _BY_PATH for word in rest):
        raise Writes("a shell without PATH, which looks for programs in its folder", head.at)
    analysis.run(rest)


_BY_PATH: Final = named("bash sh dash zsh ksh busybox watch")
"""Programs that look for others by a path of their own if they are given none."""


def _command(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, Options("-v -V -p"), stops=True)
    if not given.has("-v", "-V"):
        analysis.run(list(given.operands))


def _watch(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check `watch`, which has a shell run its words joined by spaces."""
    table = Options("-n= -d? -t -g -e -c -b -w -p -q= --interval= --differences? --no-title --chgexit --errexit "
                    "--color --beep --precise --no-wrap --equexit=")  # fmt: skip
    given = options.check(name, words, table, stops=True)
    if not given.operands or any(not word.known or not word.single for word in given.operands):
        raise Writes("watch runs what is not known", head.at)
    analysis.script(Word(" ".join(word.text for word in given.operands), head.at), as_sh=True)


def _xargs(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _XARGS, stops=True)
    for _, value, word in given.options:
        if value is not None and (not value.single or UNKNOWN in value.text):
            raise Writes("an option of xargs that is not known", word.at)
    cuts = given.has("-d", "--delimiter", "-a", "--arg-file")
    ended = given.has("-0", "--null") and analysis.piped is Form.PATHS
    numbers = not cuts and analysis.piped in (Form.NUMBER, Form.NUMBERS)
    tame = not cuts and (ended or numbers or analysis.piped is Form.NAMES)
    marks = given.values("-I", "-i", "--replace")
    if len(marks) > 1 or any(not mark.text for mark in marks):
        raise Writes("xargs with several marks, or an empty one", head.at)
    operands = list(given.operands)
    if given.has("-I", "-i", "--replace"):
        if given.has("-L", "-l", "-n", "--max-lines", "--max-args"):
            # The last of them counts, so that what is read may stand at the end, in several words.
            raise Writes("xargs with a mark and with words at the end", head.at)
        read = Word(NUMBER if numbers else UNKNOWN, head.at, tame=tame)
        analysis.run([_replaced(word, marks[0].text if marks else "{}", read) for word in operands])
        return
    read = Word(UNKNOWN, head.at, splits=True, tame=tame)
    analysis.run([*operands, read] if operands else [])


def _replaced(word: Word, mark: str, read: Word) -> Word:
    if not mark or mark not in word.text:
        return word
    text = word.text.replace(mark, read.text)
    return word._replace(text=text, tame=word.tame and read.tame, own=False)


def _sudo(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    raise Writes(f"{name} runs a program as another user", head.at)


def _nohup(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    raise Writes("nohup keeps what a program prints in a file", head.at)


_LETTERS: Final = re.compile(r"-[cleuxf]*o?")
"""Options of a shell in one word; with `o` the next word is the name of one."""
_NAMED: Final = ("pipefail", "errexit", "nounset")
_LONG: Final = ("--norc", "--noprofile", "--login")


def _shell(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check a shell, which runs a script from its arguments, or only looks at one in a file.

    Words that begin with `+` are options, too, and `-` alone ends them.
    """
    texts = [word.text for word in words]
    if texts in (["--version"], ["--help"]):
        return
    if len(words) == 2 and texts[0] == "-n" and words[1].single:
        file = words[1]
        if re.match(r"[\w./~]", file.text) or file.tame and re.match(r"\0+(?![-+\0\1])", file.text):
            return
    rest = list(words)
    commands = False
    while rest and not re.match(r"[^-+\0\1]", rest[0].text):
        word = rest.pop(0)
        if name == "bash" and word.text in _LONG:
            continue
        known = word.known and word.single and len(word.text) > 1
        if not known or not _LETTERS.fullmatch(word.text):
            raise Writes(f"{name} {word.text} is not known", word.at)
        if word.text.endswith("o") and (not rest or rest.pop(0).text not in _NAMED):
            raise Writes(f"an option of {name} that is not known", word.at)
        commands = commands or "c" in word.text
    # To a ksh, more words are computed than to the others.
    if not commands or not rest or not rest[0].single or name == "ksh":
        raise Writes(f"{name} runs a script that is not known", head.at)
    analysis.script(rest[0], as_sh=name not in ("bash", "zsh"))


CHECKS: Final[dict[str, Check]] = {
    **dict.fromkeys(_TABLES, _run),
    "gtimeout": _run,
    "env": _env,
    "command": _command,
    "watch": _watch,
    "xargs": _xargs,
    "gxargs": _xargs,
    "sudo": _sudo,
    "doas": _sudo,
    "nohup": _nohup,
    **dict.fromkeys(("bash", "sh", "dash", "zsh", "ksh"), _shell),
}
