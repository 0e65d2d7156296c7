"""A trace of the version before gives the same verdicts, and one of today has the same keys."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.golden.answers import places
from tests.golden.traces import record
from tests.helpers.command import Commands
from tests.helpers.workplace import workplace

if TYPE_CHECKING:
    from collections.abc import Iterable

_GOLDEN = Path(__file__).parent


def test_a_trace_is_replayed_to_the_same_verdicts(nagomi_home: Path) -> None:
    commands = Commands(nagomi_home, os.environ)
    said = commands.ok("judge", "replay", str(_GOLDEN / "trace.cast"), "--json")
    assert json.loads(said) == json.loads((_GOLDEN / "trace.replay.json").read_bytes())


@pytest.mark.slow
def test_a_trace_of_today_has_the_same_lines(tmp_path: Path) -> None:
    with workplace() as place, place.connect(front_end=True) as connection:
        record(connection, tmp_path)
    header, *events = _lines(tmp_path / "trace.cast")
    golden, *before = _lines(_GOLDEN / "trace.cast")
    assert _shape([header]) == _shape([golden])
    assert _shape(events) == _shape(before)
    assert {kind for _, kind, _ in events} == {kind for _, kind, _ in before} == set("omirx")
    for name in ("trace.proc.jsonl", "trace.hooks.jsonl"):
        assert _shape(_lines(tmp_path / name)) == _shape(_lines(_GOLDEN / name))


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def _shape(values: Iterable[Any]) -> set[tuple[str, str]]:
    return {found for value in values for found in places(value, "")}
