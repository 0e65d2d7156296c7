"""Archives, structured text and encodings: tar, unzip, jq, yq, xmllint and such."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.shell import options
from nagomi_tui.shell.folders import TOP, Asked
from nagomi_tui.shell.options import Analyser, Check, Options, arities, tables
from nagomi_tui.shell.words import Word, Writes, named

# Two programs have this name, and agree in these options; `jq`'s own with two values are the second's.
_YQ: Final = Options("-r -e -P -C -M -n -N -j -c -S -o= -p= -I= --raw-output --exit-status --prettyPrint --colors --no-colors "
                     "--null-input --no-doc --unwrapScalar --tojson --compact-output --sort-keys --yaml-output "
                     "--output-format= --input-format= --indent= --header-preprocess --arg== --argjson== --version --help "
                     "-V -h -y --explode-aliases")  # fmt: skip
_XMLLINT: Final = Options(
    "-format -noout -xpath=* -html -pretty= -schema= -dtdvalid= -valid -nonet -huge -recover -encode= -version -noblanks "
    "-nowarning -relaxng= -nocdata -noent -c14n -debug -stream -timing -xmlout -nsclean -dropdtd -quiet",
    single_dash=True,
)
_XSLTPROC: Final = Options(
    "-nowrite -param== -stringparam== -novalid -nonet -html -xinclude -timing -verbose -v -version -V -maxdepth= "
    "-encoding= -path= -noout -nomkdir -dumpextensions -norman -nodict",
    needs="-nowrite",
    single_dash=True,
)
_RUFF: Final = Options(
    "-q -s -v -e -n -h --quiet --silent --verbose --exit-zero --no-fix --no-fix-only --no-unsafe-fixes --diff --isolated "
    "--no-cache --select= --ignore= --extend-select= --extend-ignore= --exclude= --extend-exclude= --per-file-ignores= "
    "--line-length= --target-version= --output-format= --preview --no-preview --statistics --show-files --show-settings "
    "--show-fixes --no-show-fixes --respect-gitignore --no-respect-gitignore --force-exclude --no-force-exclude "
    "--stdin-filename= --ignore-noqa --exit-non-zero-on-fix --help",
    takes_files=True,
)
_RUFF_FORMAT: Final = Options(
    "-q -s -v -n -h --quiet --silent --verbose --check --diff --isolated --no-cache --exclude= --line-length= "
    "--target-version= --preview --no-preview --respect-gitignore --no-respect-gitignore --force-exclude "
    "--no-force-exclude --stdin-filename= --range= --help",
    needs="--check --diff --help -h",
    takes_files=True,
)


_JQ: Final = arities(
    "-n -r -j -a -s -c -C -M -S -e -R -h -V -f -L --null-input --raw-output --raw-output0 --join-output --ascii-output --slurp "
    "--compact-output --color-output --monochrome-output --sort-keys --exit-status --raw-input --stream --stream-errors --seq --tab "
    "--unbuffered --indent --from-file --arg --argjson --slurpfile --rawfile --argfile --args --jsonargs --library-path --help "
    "--version --build-configuration"
)


def _jq(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Refuse options that jq itself has not: others of its name, such as jaq, edit files in place by `-i`."""
    options.see_known(name, words, _JQ)


_XMLSTARLET: Final = {
    "sel": Options("-[QCRITDBtnfbh] -[NEcvomieas]=* --quiet --comp --root --indent --text --xml-decl --noblanks --template --nl --inp-name "
                   "--break --else --help --encode= --copy-of=* --value-of=* --output=* --match=* --if=* --elif=* --var=* --elem=* --attr=* --sort=*"),
    "ed": Options("-[PSOhpf] -[NduxiastnrvE]=* -m== --pf --ps --omit-decl --delete=* --update=* --value=* --expr=* --insert=* --append=* "
                  "--subnode=* --type=* --name=* --rename=* --move== --var=* --help"),
    "val": Options("-[webgqh] -[sdr]= --well-formed --err --list-good --list-bad --quiet --xsd= --dtd= --relaxng= --help"),
    "el": Options("-[avuh]"), "fo": Options("-[ntoRDCNHh] -[se]= --noindent --indent-tab --omit-decl --recover --dropdtd --nocdata --nsclean "
                  "--html --indent-spaces= --encode= --help"),
    "c14n": Options(), "esc": Options(), "unesc": Options(), "--version": Options(),
}  # fmt: skip
"""The options of its commands, of which `-L` edits files."""


def _xmlstarlet(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    command = words[0].text if words else ""
    if command not in _XMLSTARLET:
        raise Writes("xmlstarlet that is not known to only read", head.at)
    options.check(f"xmlstarlet {command}", words[1:], _XMLSTARLET[command])


def _xmllint(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Check `xmllint`, whose long options may also begin with one dash."""
    options.check(name, [_one_dash(word) for word in words], _XMLLINT)


def _xsltproc(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Require `--nowrite`, without which a stylesheet can write; options may begin with one dash."""
    given = options.check(name, [_one_dash(word) for word in words], _XSLTPROC, stops=True)
    if any(word.may_be_option for word in given.operands):
        raise Writes("an option of xsltproc behind a file", head.at)


def _one_dash(word: Word) -> Word:
    return word._replace(text=word.text[1:]) if word.text.startswith("--") else word


def _dc(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Refuse scripts of `dc` that run a command, or text that they make, and those from files or stdin."""
    given = options.check(name, words, Options("-e=* --expression=* -V --version", most=0))
    scripts = [value for _, value, _ in given.options if value is not None]
    if not scripts or any(re.search("[!?ax]", value.text) or not value.known for value in scripts):
        raise Writes("dc runs what it is told to", head.at)


def _ruff(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    """Allow `ruff check` without fixes, and `ruff format` that only checks."""
    named = [word.text for word in words]
    if named in (["--version"], ["version"], ["--help"]):
        return
    if named[:1] in (["rule"], ["config"], ["linter"]):
        options.check(
            "ruff", words[1:], Options("-h --all --output-format= --help", takes_files=True)
        )
        return
    if any(not word.known and word.may_be_option for word in words):
        raise Writes("an argument of ruff could become an option", head.at)
    if named[:1] == ["check"]:
        given = options.check("ruff check", words[1:], _RUFF)
        if not given.has("--isolated"):
            settings = ("cache",) if given.has("--diff") else ("fix", "fix-only", "cache")
            unsaid = [f"ruff:{one}" for one in settings if not given.has(f"--no-{one}")]
            _ask_of_ruff(analysis, name, " ".join(unsaid), given, head)
    elif named[:1] == ["format"]:
        given = options.check("ruff format", words[1:], _RUFF_FORMAT)
        if not given.has("--isolated", "--no-cache"):
            _ask_of_ruff(analysis, name, "ruff:cache", given, head)
    else:
        raise Writes("ruff that is not known to only read", head.at)


def _ask_of_ruff(
    analysis: Analyser, name: str, files: str, given: options.Given, head: Word
) -> None:
    """Have the settings looked for where ruff runs, and in each folder that it is to look into."""
    analysis.where.asked.append(Asked(name, files, "", head.at))
    if "ruff:cache" in files:
        places = [TOP if word.top and word.single else word.text for word in given.operands] or [
            "."
        ]
        below = f"{files} ruff-below"
        analysis.where.asked += [Asked(name, below, place, head.at) for place in places]


_BLACK: Final = Options(
    "-l= -t= -q -v -S -C -x -W= -h --check --diff --color --no-color --fast --safe --quiet --verbose --version --help "
    "--line-length= --target-version= --pyi --ipynb --skip-string-normalization --skip-magic-trailing-comma --preview "
    "--include= --exclude= --extend-exclude= --force-exclude= --stdin-filename= --workers= --required-version="
)


def _black(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    given = options.check(name, words, _BLACK)
    if not given.has("--check", "--diff", "--version"):
        raise Writes("black rewrites files", head.at)


_BASE: Final = Options(
    "-w= -b= -d -D -i --wrap= --break= --decode --ignore-garbage --help --version"
)
_ICONV: Final = Options(
    "-f= -t= -c -l -s --from-code= --to-code= --list --silent --verbose --help --version"
)
_TAR: Final = Options(
    "-t -x -O -v -f= -z -j -J -C= -a --list --extract --to-stdout --file= --verbose --gzip --bzip2 --xz --zstd "
    "--directory= --exclude= --wildcards --strip-components= --version --help --no-wildcards --full-time",
)
_ZIPPED: Final = Options(
    "-c -d -l -t -k -f -v -q -n -1 -2 -3 -4 -5 -6 -7 -8 -9 --stdout --decompress --list --test --keep "
    "--verbose --quiet --to-stdout --version --help"
)


def _tar(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    rest = _old_style(words)
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
        # With a slash before it, a colon is part of a file's name.
        plain = archive.known and ":" not in archive.text or archive.own and archive.text[0] == "\0"
        if not (plain or _PLACED.match(archive.text)):
            raise Writes("an archive that may be on another machine: put ./ before it", archive.at)


_PLACED: Final = re.compile(r"[\w.~-]*/")


def _old_style(words: list[Word]) -> list[Word]:
    """Return the words of `tar` with a dash before each letter of a first word that has none."""
    if not (words and words[0].text.isascii() and words[0].text.isalpha()):
        return words
    head, *rest = words
    found = []
    for letter in head.text:
        found.append(head._replace(text=f"-{letter}"))
        if letter in "fC" and rest:
            found.append(rest.pop(0))
    return [*found, *rest]


def _unzip(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if any(word.text.startswith("--") for word in words):
        raise Writes("a -- by which unzip takes back an option", head.at)
    table = Options("-l -p -v -t -Z -c -q -h -1 -2 -a -z -C -s")
    # An option behind the archive is the name of a member.
    options.check(name, words, table)
    given = options.check(name, words, table, stops=True)
    if not given.has("-l", "-p", "-v", "-t", "-Z", "-c", "-z"):
        raise Writes("unzip that does not list", head.at)


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
    """Allow the words by which `ar` and `7z` list or print, and no option that may load or write something."""
    options.see_no_files(name, words)
    first, known = _LISTING[name]
    if not words or words[0].text not in first:
        raise Writes(f"{name} that does not list", head.at)
    for word in words[1:]:
        if word.may_be_option and word.text not in known:
            raise Writes(f"{name} may do more than list", word.at)


_LISTING: Final = {
    "ar": (named("t tv p -t -tv -p"), named("")),
    "7z": (named("l"), named("-slt -ba -bd -r")),
    "jar": (named("tf tvf -tf -tvf"), named("")),
}
"""The first words with which these only list, and the options behind them."""


_ARCHIVES: Final[dict[str, Check]] = {
    "tar": _tar, "bsdtar": _tar, "unzip": _unzip, "7z": _listed, "ar": _listed, "jar": _listed,
    **dict.fromkeys(("gzip", "gunzip", "bzip2", "xz", "zstd"), _zipped),
}  # fmt: skip

CHECKS: Final[dict[str, Check]] = {
    **_ARCHIVES,
    **tables({"yq": _YQ, "base64": _BASE, "base32": _BASE, "iconv": _ICONV, "zipinfo": Options("-[12smlvhMtTzCZx]")}),
    "jq": _jq, "xmlstarlet": _xmlstarlet, "xmllint": _xmllint, "xsltproc": _xsltproc, "dc": _dc,
    "ruff": _ruff, "black": _black,
}  # fmt: skip
