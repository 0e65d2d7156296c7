"""D-19…D-24, D-56, DC-25…DC-30, DB-1, DB-2: the corpus of the specification, to the letter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import Patterns

_LINES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "spec.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("line", _LINES, ids=lambda line: f"{line['list']}-{line['number']}")
@pytest.mark.requirement("DB-1")
def test_each_command_of_the_corpus_is_told_as_it_says(line: dict[str, Any]) -> None:
    found = classify(line["command"])
    assert found.verdict == line["verdict"], found.reason


@pytest.mark.requirement("DB-1")
def test_the_corpus_is_whole() -> None:
    lists = [line["list"] for line in _LINES]
    assert (lists.count("writes"), lists.count("reads")) == (79, 44)


@pytest.mark.requirement("DB-2")
def test_a_word_within_a_command_lets_nothing_through() -> None:
    assert classify("rm -rf sessions dir").verdict == "write"
    assert classify("sessions/bin/sessions state; rm x").verdict == "write"
    assert classify("sessions/bin/sessions mode go").verdict == "write"


@pytest.mark.requirement("D-46")
def test_its_writes_are_known_where_unknown_programs_may_run() -> None:
    loose = Patterns(lets_unknown=True)
    passed = [
        line["command"]
        for line in _LINES
        if line["verdict"] == "write" and classify(line["command"], loose).verdict == "read"
    ]
    assert passed == []
