"""DC-30 over commands that agents run, and over commands that were made to deceive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nagomi_tui.shell.classifier import classify

HERE = Path(__file__).parent


def lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()]


@pytest.mark.parametrize("name", ["commands.jsonl", "held_out.jsonl"])
@pytest.mark.requirement("DC-30")
def test_no_write_of_a_corpus_passes_and_nearly_all_reads_do(name: str) -> None:
    told = [(line, classify(line["command"])) for line in lines(name)]
    writes = [
        line["command"] for line, found in told if line["verdict"] == "write" == found.verdict
    ]
    passed = [
        line["command"] for line, found in told if line["verdict"] == "write" != found.verdict
    ]
    reads = [found.verdict == "read" for line, found in told if line["verdict"] == "read"]
    assert passed == [] and len(writes) > 80
    assert len(reads) > 100 and sum(reads) >= 0.98 * len(reads)


@pytest.mark.requirement("DC-30")
def test_the_corpora_are_large_and_say_why() -> None:
    all_lines = lines("commands.jsonl") + lines("held_out.jsonl")
    assert len({line["command"] for line in all_lines}) == len(all_lines) >= 900
    assert all(line["reason"] for line in all_lines)


@pytest.mark.requirement("DC-30")
def test_nothing_that_deceives_passes() -> None:
    tricks = lines("adversarial.jsonl")
    assert [trick for trick in tricks if classify(trick).verdict == "read"] == []
    assert len(tricks) > 500


@pytest.mark.requirement("DC-30")
def test_what_is_asked_all_day_passes() -> None:
    """Reads as one types them daily, with the options that these programs are used with."""
    daily = lines("daily.jsonl")
    assert [command for command in daily if classify(command).verdict == "write"] == []
    assert len(daily) > 500


@pytest.mark.requirement("DC-30")
def test_what_only_looks_alike_is_let_through() -> None:
    for command in ("echo $'\\'; rm x #'", "echo '$(rm x)'", "cat <<'E'\n$(rm x)\nE", "sed 's/w f/e/' x",
                    "awk '/system(/ && $1 > 2' x",
                    'find . -name "$pat" -exec head -5 {} +', 'git log -1 --oneline -- "$(cat f)"', "grep -- '-o' f", "rg 'rm -rf' | sort -k 2"):  # fmt: skip
        assert classify(command).verdict == "read", command
