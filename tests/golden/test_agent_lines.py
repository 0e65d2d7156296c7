"""Each message on the agent's socket, as it was first said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from nagomi_tui.agent.talk import events, wire

_GOLDEN = Path(__file__).parent
_DIRECTIONS: dict[str, tuple[Any, Any]] = {
    "to_agent": (wire.FromClient, wire.decode_from_client),
    "from_agent": (wire.ToClient, wire.decode_to_client),
}


def _lines(direction: str) -> list[bytes]:
    return (_GOLDEN / f"{direction}.ndjson").read_bytes().splitlines(keepends=True)


_EACH = pytest.mark.parametrize(
    ("direction", "line"),
    [
        pytest.param(direction, line, id=json.loads(line)["type"])
        for direction in _DIRECTIONS
        for line in _lines(direction)
    ],
)


@_EACH
def test_a_line_is_decoded_and_encoded_byte_for_byte(direction: str, line: bytes) -> None:
    message = _DIRECTIONS[direction][1](line)
    assert json.loads(wire.encode(message)) == json.loads(line)
    assert wire.encode(message) == line


@_EACH
def test_fields_that_nobody_knows_are_passed_over(direction: str, line: bytes) -> None:
    decode = _DIRECTIONS[direction][1]
    said = {**json.loads(line), "of_a_later_version": {"more": [1, "two"]}}
    assert decode(json.dumps(said).encode()) == decode(line)


@pytest.mark.parametrize("direction", _DIRECTIONS)
def test_every_message_has_a_line(direction: str) -> None:
    union = {str(kind.__struct_config__.tag) for kind in get_args(_DIRECTIONS[direction][0])}
    assert {json.loads(line)["type"] for line in _lines(direction)} == union


def test_every_event_of_a_turn_has_a_line() -> None:
    told = [json.loads(line) for line in _lines("from_agent")]
    union = {str(kind.__struct_config__.tag) for kind in get_args(events.TurnEvent)}
    assert {line["event"]["type"] for line in told if line["type"] == "told"} == union


@pytest.mark.parametrize("line", [b"", b"[]", b"\xff", b'{"type":"fly"}', b"[" * 100_000])
def test_what_is_no_message_is_a_named_error(line: bytes) -> None:
    for _, decode in _DIRECTIONS.values():
        with pytest.raises(wire.BadMessage, match="agent's socket"):
            decode(line)
