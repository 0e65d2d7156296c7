"""What argparse says by itself: in the user's language, and known to this Python."""

from __future__ import annotations

import argparse
import inspect
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.commands.parser import ARGPARSES_OWN, Parser, number

if TYPE_CHECKING:
    from collections.abc import Callable


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
