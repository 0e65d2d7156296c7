"""What argparse says by itself: in the user's language, and known to this Python."""

from __future__ import annotations

import argparse
import inspect
import re
from typing import TYPE_CHECKING

import pytest

from nagomi_tui import cli
from nagomi_tui.commands.parser import ARGPARSES_OWN, Parser, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_ENGLISH = re.compile(r"\b(?!nagomi\b)[A-Za-z]?[a-z]+(?: [a-z]{2,}){2,}")
"""Three words one after the other, which are no names of choices."""


def parser() -> Parser:
    made = Parser(prog="nagomi try")
    made.add_argument("session")
    made.add_argument("--limit", type=number(int, 1, 9, "number of lines"))
    either = made.add_mutually_exclusive_group()
    either.add_argument("--all", action="store_true")
    either.add_argument("--ended", action="store_true")
    return made


@pytest.mark.parametrize("sentence", ARGPARSES_OWN)
def test_each_sentence_is_one_that_argparse_says(sentence: str) -> None:
    assert sentence in inspect.getsource(argparse)


@pytest.mark.parametrize(
    ("language", "arguments", "told"),
    [
        ("ja", ["--help"], "使いかた: nagomi try [-h]"),
        ("ja", ["--help"], "この説明を見る"),
        ("ja", [], "次の引数が要ります: session。`nagomi try --help` で"),
        ("ja", ["x", "--all", "--ended"], "--ended: --all とは一緒に使えません。"),
        ("ja", ["x", "--limit"], "--limit: 値がひとつ要ります。"),
        ("ja", ["x", "--limit", "0"], "--limit: `0` は"),
        ("en", ["--help"], "usage: nagomi try [-h]"),
        ("en", [], "the following arguments are required: session. `nagomi try --help` shows"),
        ("en", ["x", "--limit", "many"], "argument --limit: `many` is no number of lines. `nagomi"),
    ],
)
def test_it_speaks_the_users_language(
    language: str,
    arguments: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("NAGOMI_LANG", language)
    with pytest.raises(SystemExit):
        parser().parse_args(arguments)
    said = capsys.readouterr()
    assert told in said.out + said.err


@pytest.mark.parametrize("text", ["", "x", "0", "10", "1.5"])
def test_a_number_out_of_its_bounds_is_refused(text: str) -> None:
    convert: Callable[[str], int] = number(int, 1, 9, "number of lines")
    with pytest.raises(argparse.ArgumentTypeError):
        convert(text)


def test_a_number_within_its_bounds_is_taken() -> None:
    assert [number(int, 1, 9, "x")("9"), number(float, 0, 9, "x")("0.5")] == [9, 0.5]


def english(text: str) -> list[str]:
    """Return the lines that hold an English sentence and no Japanese; commands and paths do not count."""
    lines = (re.sub(r"`[^`]*`|\S*/\S+|\bnagomi [a-z ]+", "", line) for line in text.splitlines())
    return [line for line in lines if _ENGLISH.search(line) and not _JAPANESE.search(line)]


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from parsers(one)


def test_no_value_is_refused_by_the_name_of_a_type_of_python() -> None:
    told = []
    for one in parsers(cli.parser()):
        for action in filter(lambda action: action.type, one._actions):
            try:
                one._get_value(action, "?")
            except argparse.ArgumentError as exc:
                told.append(exc.message)
    assert len(told) > 8
    assert [sentence for sentence in told if not sentence.startswith("`?` is no ")] == []


def test_every_help_speaks_japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAGOMI_LANG", "ja")
    told = [one.format_help() for one in parsers(cli.parser())]
    assert len(told) > 150
    assert [line for text in told for line in english(text)] == []
    monkeypatch.setenv("NAGOMI_LANG", "en")
    assert all(english(one.format_help()) for one in parsers(cli.parser()))


_RULES = {
    "none.toml": None,
    "broken.toml": "name",
    "typed.toml": 'name = "typed"\nkind = 1\n',
    "lists.toml": 'name = "lists"\nkind = "agent"\nrule = 3\nbanner = "("\nwrapped = ["("]\n',
    "rules.toml": """
        name = "claude"
        kind = "agent"
        [[rule]]
        name = "r"
        says = "rest"
        priority = 1
        region = "nowhere"
        versions = "newest"
        [rule.when]
        all = ["("]
        [[question]]
        name = "q"
        row = "x"
        line = "y"
    """,
}


@pytest.mark.parametrize("command", ["check", "replay", "learn"])
def test_what_is_wrong_with_rules_and_recordings_is_told_in_japanese(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("NAGOMI_LANG", "ja")
    (tmp_path / "own").mkdir()
    for name, text in _RULES.items():
        file = tmp_path / "own" / (name if command == "check" else f"{name}.cast")
        if text is not None:
            file.write_text(text)
        assert cli.main(["judge", command, str(file)]) != 0
    said = capsys.readouterr().err
    assert len(said.splitlines()) >= len(_RULES)
    assert [line for line in said.splitlines() if not _JAPANESE.search(line)] == []
