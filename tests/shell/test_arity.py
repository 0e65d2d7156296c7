"""Holds the tables of options against the programs: which option takes the next word (DC-29)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.shell import options
from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.options import Options
from nagomi_tui.shell.programs import (
    databases,
    documents,
    editors,
    git,
    hosting,
    network,
    packages,
    readers,
    search,
    system,
    wrappers,
)

if TYPE_CHECKING:
    from nagomi_tui.shell.options import Tool

_UNKNOWN: Final = "--nagomi-no-such-option"
_WANTS: Final = (
    "requires a value",
    "value is required",
    "requires an argument",
    "expected",
    "needs an argument",
)
_ALONE: Final = frozenset({"arch", "ripgrep", "gsort"})
"""Programs that are others by another name, or have no options worth asking about."""
_CUSTOM: Final = frozenset(
    {
        "xxd",
        "sar",
        "pidstat",
        "ffprobe",
        "identify",
        "fuser",
        "tree",
        "xmllint",
        "xsltproc",
        "git rev-parse",
        "ping",
    }
)
"""Programs that read their words themselves, and say nothing of an option that they do not know."""


def _of(tool: Tool, name: str) -> dict[str, Options]:
    return {
        f"{name} {command}": table.also(tool.always)
        for command, table in tool.commands.items()
        if table.known is not None or tool.always
    }


def _tables() -> dict[str, Options]:
    found = {**readers._TABLES, **system._TABLES, **wrappers._TABLES}
    found |= {name: Options(known) for name, known in readers._KNOWN.items()}
    found |= {
        "man": readers._MAN,
        "xargs": wrappers._XARGS,
        "fdfind": search._FD,
        "curl": network._CURL,
    }
    found |= {"psql": databases._PSQL, "pg_dump": databases._DUMP, "ruff check": documents._RUFF}
    found |= {"ruff format": documents._RUFF_FORMAT, "sed": editors._SED, "gawk": editors._AWK}
    found |= {"black": documents._BLACK, "cargo tree": packages._CARGO_TREE}
    for name, tool in packages._TOOLS.items():
        if name in ("cargo", "uv", "poetry", "conda", "brew", "snap", "flatpak"):
            found |= _of(tool, name)
    found |= _of(packages.PIP, "pip") | _of(git._TOOL, "git")
    found |= _of(hosting._DOCKER, "docker") | _of(hosting._KUBECTL, "kubectl")
    asked: dict[tuple[str, str], str] = {}
    for name, table in found.items():
        if name not in _ALONE | _CUSTOM and table.known:
            asked.setdefault(
                (name.split()[0], table.known), name
            )  # Those that share a table are asked once.
    return {name: found[name] for name in asked.values()}


def _environment(place: str, folder: Path) -> dict[str, str]:
    """Return a plain environment, in which rustup finds its toolchains nonetheless."""
    home = Path("~").expanduser()
    rust = {"RUSTUP_HOME": str(home / ".rustup"), "CARGO_HOME": str(home / ".cargo")}
    return {"PATH": place, "HOME": str(folder), "LC_ALL": "C", **rust}


def _run(words: list[str], folder: Path) -> list[str]:
    """Run a program, and return what it says, line by line; nothing if it goes on and on."""
    place = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    try:
        done = subprocess.run(
            words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=3,
            errors="replace", env=_environment(place, folder),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return []
    return [line.strip() for line in (done.stderr + done.stdout).splitlines()]


def _faults(name: str, table: Options, folder: Path) -> list[str]:
    """Return the options that take the next word where the table says that they do not, or the reverse.

    A word that no program knows stands behind each option: it is complained of in the same line as
    without that option, or else it was taken.
    """
    words = name.split()
    said = [line for line in _run([*words, _UNKNOWN], folder) if _UNKNOWN.lstrip("-") in line]
    if not said:
        pytest.skip(f"{name} does not say which option it does not know")
    found = []
    for option, arity in options.arities(table.known or "").items():
        if not option.isprintable():
            continue
        heard = _run([*words, option, _UNKNOWN], folder)
        takes = said[0] not in heard
        if not takes and arity.startswith("="):
            # Some take no word with a dash; they complain where none is left.
            ends = [*_run([*words, option], folder), *_run([*words, "x", option], folder)]
            takes = any(mark in line for line in ends for mark in _WANTS)
        if takes and not arity.startswith(("=", "+")):
            # One that prints something and ends, or that this version does not have, takes nothing, either.
            alone = _run([*words, option], folder)
            takes = heard != alone and _UNKNOWN.lstrip("-") in "".join(heard)
        if takes != arity.startswith(("=", "+")) and not _is_missing(option, heard):
            found.append(f"{option}{arity}: {heard[:1]}")
    return found


def _is_missing(option: str, heard: list[str]) -> bool:
    """Whether a program says that it does not know an option itself."""
    marks = ("unrecognized", "unknown", "invalid option", "no such option", "unexpected", "wasn't expected", "not defined",
             "ambiguous", "unrecognised", "illegal option", "not recognized", "is unknown")  # fmt: skip
    bare = option.lstrip("-")
    return any(
        any(mark in line.lower() for mark in marks)
        and (option in line or f"'{bare}'" in line or f"`{bare}'" in line)
        and _UNKNOWN not in line
        for line in heard
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [  # pip takes half a second to say a word
        pytest.param(name, marks=[pytest.mark.variant] * name.startswith("pip "))
        for name in sorted(_tables())
    ],
)
@pytest.mark.requirement("DC-29")
def test_each_option_takes_as_many_words_as_its_table_says(name: str, tmp_path: Path) -> None:
    program = name.split()[0]
    place = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    if shutil.which(program, path=place) is None:
        pytest.skip(f"no {program} here")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "Cargo.toml").write_text("[package]\nname='a'\nversion='0.1.0'\n")
    assert _faults(name, _tables()[name], tmp_path) == []


_NPM_TYPES: Final = """
const all = require(process.argv[1] + '/node_modules/@npmcli/config/lib/definitions');
const kinds = Object.entries(all.definitions).map(([name, one]) => [name, [].concat(one.type).includes(Boolean)]);
console.log(JSON.stringify(Object.fromEntries(kinds)));
"""


@pytest.mark.requirement("DC-29")
def test_npm_has_the_options_of_its_table_and_takes_the_words_that_it_says() -> None:
    """One that npm does not know is a flag to it, and the word behind it is what it does."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("no npm here")
    root = Path(npm).resolve().parents[1]
    done = subprocess.run(
        [node, "-e", _NPM_TYPES, str(root)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("an npm that does not tell its options in this way")
    flags = json.loads(done.stdout)
    long = {name[2:].removeprefix("no-"): arity for name, arity in options.arities(packages._NPM).items()
            if name.startswith("--") and name not in ("--silent", "--quiet", "--verbose", "--help")}  # fmt: skip
    assert [name for name, arity in long.items() if (arity == "=") == flags.get(name, True)] == []
    alone = options.arities(packages._NPM_ALONE.known or "")
    assert "=" not in alone.values()


@pytest.mark.parametrize("program", ["xxd", "uniq"])
@pytest.mark.requirement("DC-29")
def test_what_stands_behind_a_file_is_one_that_is_written(program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"no {program} here")
    (tmp_path / "f").write_text("a\na\n")
    subprocess.run([program, "f", "-u"], cwd=tmp_path, capture_output=True, check=False)
    assert program == "uniq" or (tmp_path / "-u").exists()
    assert classify(f"{program} f -u").verdict == "write"
    assert classify(f"{program} -u f").verdict == "read"
