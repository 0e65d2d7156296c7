"""Programs that search a tree, and may act on what they find."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Analyser, Check, Options
from nagomi_tui.shell.words import NUMBER, UNKNOWN, Word, Writes, named

_WRITES: Final = frozenset(["-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-fprintx"])
_RUNS: Final = frozenset(["-exec", "-execdir", "-ok", "-okdir"])
_TESTS: Final = named(
    "-name -iname -path -ipath -wholename -regex -iregex -type -newer -size -mtime -mmin -maxdepth -mindepth "
    "-user -group -perm"
)
"""Tests of `find` that take the next word, whatever it is."""
_PLAIN: Final = named(
    "-a -and -o -or -not -print -print0 -ls -prune -quit -daystart -depth -follow -mount -xdev -noleaf -warn -nowarn "
    "-ignore_readdir_race -noignore_readdir_race -empty -executable -readable -writable -nogroup -nouser -true -false "
    "-acl -xattr -sparse -iwholename -xtype -amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -uid -lname -ilname -inum "
    "-links -used -context -regextype -samefile -printf -flags -Bmin -Btime -Bnewer -mnewer -D -help -version --help --version --"
)
"""What else `find` may be told; anything else may be an action of some program of that name, as `-rm` and `-cpio` are."""
_SIGNS: Final = re.compile(r"-[EHLPXdsx]+|-O[0-9]|-newer[aBcm][aBcmt]|-[0-9\1]+[A-Za-z]?")
"""Options before the places, tests made of letters, and numbers."""
_PLACEHOLDERS: Final = re.compile(r"\{(?:|/|//|\.|/\.)\}")


def _find(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = list(words)
    places = _places(words)
    sure = True
    while rest:
        word = rest.pop(0)
        # Where a value may be none or several words, each that follows may be a value or not.
        sure = sure and word.single
        if word.text in _WRITES:
            raise Writes(f"find {word.text} writes", word.at)
        if word.text in ("-files0-from", "-f"):
            raise Writes("where find begins is not known", word.at)
        if word.text in _TESTS and rest and rest[0].single and sure:
            rest.pop(0)
        elif word.text[:1] == "-" and word.known and not _is_told(word.text):
            raise Writes(f"find {word.text} is not known to only read", word.at)
        elif word.text in _RUNS:
            if word.text.endswith("dir"):
                analysis.where.moves.append(UNKNOWN)
            # Some name what they found from its own folder on, without one before it.
            plain = places and not word.text.endswith("dir")
            taken, several = _until_end(rest, word)
            _run(analysis, taken, _found._replace(tame=plain, splits=several))
        elif (
            word.text[:1] == NUMBER
            and word.may_be_option
            or word.splits
            and not word.known
            and not word.tame
        ):
            raise Writes("an argument of find could become an action", word.at)
        elif not word.known and not word.text.startswith(("/", "./", "../")):
            if word.text[0] == UNKNOWN and (not word.tame or word.may_be_option):
                raise Writes("an argument of find could become an action", word.at)
            if word.text.startswith("-"):
                raise Writes("an action of find that is not known", word.at)
        elif word.splits and not word.looked and _matches_action(word.text):
            raise Writes("an argument of find could become an action", word.at)


def _is_told(text: str) -> bool:
    known = text in _TESTS or text in _PLAIN or text in _RUNS or text == "-"
    return known or _SIGNS.fullmatch(text) is not None


def _places(words: Sequence[Word]) -> bool:
    """Whether no place where `find` begins, and so no name that it finds, begins with a sign."""
    rest = list(words)
    while rest and re.fullmatch(r"-[HLP]+|-O[0-9]|-D|-[EXdsx]+|--", rest[0].text):
        if rest.pop(0).text == "-D" and rest:
            rest.pop(0)
    for word in rest:
        if word.text.startswith(("-", "(", "!")):
            break
        if not re.match(r"[\w/.~@]", word.text) and not (word.text[:1] == UNKNOWN and word.tame):
            return False
    return True


def _matches_action(pattern: str) -> bool:
    from fnmatch import fnmatchcase

    # What brackets match is told by shells in many ways, and so anything is taken to be matched.
    pattern = pattern.partition("[")[0] + "*" if "[" in pattern else pattern
    return any(fnmatchcase(action, pattern) for action in (*_WRITES, *_RUNS))


def _until_end(rest: list[Word], action: Word) -> tuple[list[Word], bool]:
    """Remove the words of an action, up to `;`, or `+` after `{}`; return them, and whether several names take its place."""
    taken: list[Word] = []
    while rest:
        word = rest.pop(0)
        if word.text == ";" or word.text == "+" and taken and taken[-1].text == "{}":
            return taken, word.text == "+"
        if any(_may_end(before) for before in taken) and word.text in _WRITES | _RUNS:
            raise Writes(f"{action.text} that may end before {word.text}", word.at)
        taken.append(word)
    raise Writes(f"{action.text} without its end", action.at)


def _may_end(word: Word) -> bool:
    return not word.single or not word.known and not word.text.strip(UNKNOWN)


def _run(analysis: Analyser, words: list[Word], placed: Word) -> None:
    analysis.run([_filled(word, placed) for word in words])


def _filled(word: Word, placed: Word) -> Word:
    if not _PLACEHOLDERS.search(word.text):
        return word
    text = _PLACEHOLDERS.sub(UNKNOWN, word.text)
    return word._replace(
        text=text, tame=word.tame and placed.tame, splits=word.splits or placed.splits, own=False
    )


_found: Final = Word(UNKNOWN)
"""A name that `find` prints; it begins with the folder where the search began."""


_FD: Final = Options(
    "-H -I -u -s -i -g -F -a -l -L -p -0 -q -1 -h -V -NUM -d= -t= -e= -E= -S= -c= -j= -o= -C= --hidden --no-hidden --no-ignore "
    "--ignore --no-ignore-vcs --no-require-git --no-ignore-parent --no-global-ignore-file --unrestricted --case-sensitive "
    "--ignore-case --glob --regex --fixed-strings --literal --absolute-path --list-details --follow --full-path --print0 "
    "--max-depth= --min-depth= --exact-depth= --prune --type= --extension= --size= --changed-within= --changed-before= "
    "--newer= --older= --owner= --exclude= --color= --hyperlink? --threads= --max-results= --quiet --show-errors "
    "--base-directory= --path-separator= --search-path= --strip-cwd-prefix? --one-file-system --and=* --format= "
    "--relative-path --help --version"
)


def _fd(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    placed = Word(UNKNOWN, head.at, tame=False)
    for index, word in enumerate(words):
        if word.text in ("-x", "-X", "--exec", "--exec-batch"):
            told = options.check(name, words[:index], _FD)
            for folder in told.values("-C", "--base-directory"):
                analysis.where.moves.append(folder.text)
            given = words[index + 1 :]
            placed = placed._replace(splits=word.text in ("-X", "--exec-batch"))
            if any(one.text == ";" for one in given) or not given:
                raise Writes("fd runs what is not understood", word.at)
            if not any(_PLACEHOLDERS.search(one.text) for one in given):
                given = [*given, placed]
            return _run(analysis, given, placed)
    options.check(name, words, _FD)
    return None


CHECKS: Final[dict[str, Check]] = {"find": _find, "fd": _fd, "fdfind": _fd}
