"""What requests are answered has the keys, and the types of JSON, that it had before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from nagomi_tui.api import messages
from tests.golden.answers import Shapes, story
from tests.helpers.workplace import workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

_GOLDEN: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "answers.json").read_bytes()
)


@pytest.fixture(scope="module")
def shapes(clean_machine: None) -> Iterator[Shapes]:
    """The shapes of today's answers."""
    with workplace():
        yield story()


def test_every_request_has_a_golden_answer() -> None:
    requests = (kind for kind in get_args(messages.FromClient) if "id" in kind.__struct_fields__)
    assert {str(kind.__struct_config__.tag) for kind in requests} <= set(_GOLDEN)


@pytest.mark.slow
@pytest.mark.parametrize("kind", _GOLDEN)
def test_no_key_of_an_answer_is_gone_or_of_another_type(kind: str, shapes: Shapes) -> None:
    found, before = shapes[kind], _GOLDEN[kind]
    assert sorted(set(before) - set(found)) == []
    others = {place: set(found[place]) - set(before[place].split("|")) for place in before}
    assert {place: names for place, names in others.items() if names} == {}
