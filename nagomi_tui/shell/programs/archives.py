"""Archive programs that list archives or print their contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.shell import options
from nagomi_tui.shell.options import Options
from nagomi_tui.shell.words import Writes

if TYPE_CHECKING:
    from nagomi_tui.shell.options import Analyser, Check
    from nagomi_tui.shell.words import Word

_TAR: Final = Options(
    "-t -x -O -v -f= -z -j -J -C= -a --list --extract --to-stdout --file= --verbose --gzip --bzip2 --xz --zstd "
    "--directory= --exclude= --wildcards --strip-components= --version --help --no-wildcards --full-time",
)
_ZIPPED: Final = Options(
    "-c -d -l -t -k -f -v -q -n -1 -2 -3 -4 -5 -6 -7 -8 -9 --stdout --decompress --list --test --keep "
    "--verbose --quiet --to-stdout --version --help"
)


def _tar(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = list(words)
    if rest and rest[0].text.isalpha():
        letters = "".join(sorted(rest[0].text, key=lambda letter: letter == "f"))
        rest[0] = rest[0]._replace(text="-" + letters)
    given = options.check(name, rest, _TAR)
    if given.has("--version", "--help"):
        return
    # An option behind a member is one for GNU's alone.
    first = options.check(name, rest, _TAR, stops=True)
    lists = first.has("-t", "--list") and not given.has("-x", "--extract")
    prints = first.has("-x", "--extract") and first.has("-O", "--to-stdout")
    if not (lists or prints):
        raise Writes("tar that does not list", head.at)
    for archive in given.values("-f", "--file"):
        if ":" in archive.text or (archive.text[:1] == "\0" and not archive.tame):
            raise Writes("an archive that may be on another machine", archive.at)


def _unzip(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    table = Options("-l -p -v -t -Z -c -q -h -1 -2 -a -z -C -s")
    # An option behind the archive is the name of a member.
    options.check(name, words, table)
    given = options.check(name, words, table, stops=True)
    if not given.has("-l", "-p", "-v", "-t", "-Z", "-c", "-z"):
        raise Writes("unzip that does not list", head.at)


def _zipinfo(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    pass


def _zipped(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _ZIPPED)
    tests = given.has("-l", "-t", "--list", "--test") and not given.has("-c", "--stdout")
    if tests and given.has("-d", "--decompress") and name not in ("gzip", "gunzip"):
        raise Writes(f"{name} does the last thing that it is told", head.at)
    first = options.check(name, words, _ZIPPED, stops=True)  # As BSD's read them.
    if not first.has(
        "-c", "-l", "-t", "--stdout", "--to-stdout", "--list", "--test", "--version", "--help"
    ):
        raise Writes(f"{name} replaces files", head.at)


def _listed(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    first = words[0].text.lstrip("-") if words else ""
    if name == "ar" and any(word.may_be_option or word.text[:1] == "@" for word in words[1:]):
        raise Writes("ar may load or write what is not known", head.at)
    if name == "7z" and first == "l" or name == "ar" and first in ("t", "tv", "p"):
        return
    raise Writes(f"{name} that does not list", head.at)


CHECKS: Final[dict[str, Check]] = {
    "tar": _tar, "bsdtar": _tar, "unzip": _unzip, "zipinfo": _zipinfo, "7z": _listed, "ar": _listed,
    **dict.fromkeys(("gzip", "gunzip", "bzip2", "xz", "zstd"), _zipped),
}  # fmt: skip
