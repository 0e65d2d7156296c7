"""Each message between front ends and the orchestrator, as the version before wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from nagomi_tui.api import messages

_GOLDEN = Path(__file__).parent
_DEFAULTS = json.loads((_GOLDEN / "front_end_defaults.json").read_bytes())
_DIRECTIONS: dict[str, tuple[Any, Any]] = {
    "from_front_end": (messages.FromClient, messages.decode_from_client),
    "to_front_end": (messages.ToClient, messages.decode_to_client),
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
    assert messages.encode(_DIRECTIONS[direction][1](line)) == line


@pytest.mark.parametrize("direction", _DIRECTIONS)
def test_no_field_of_a_message_s_last_line_is_at_its_default(direction: str) -> None:
    """A line before it is of a version that had fewer fields."""
    for line in {json.loads(line)["type"]: line for line in _lines(direction)}.values():
        value = _DIRECTIONS[direction][1](line)
        assert set(json.loads(line)) - {"type"} == set(_all_fields(value))


@_EACH
def test_a_line_without_its_optional_fields_has_the_defaults(direction: str, line: bytes) -> None:
    said = json.loads(line)
    defaults = _DEFAULTS[direction].get(said["type"], {})
    short = {key: value for key, value in said.items() if key not in defaults}
    value = _DIRECTIONS[direction][1](json.dumps(short).encode())
    assert _all_fields(value) == {
        **_all_fields(_DIRECTIONS[direction][1](line)),
        **defaults,
    }
    assert json.loads(messages.encode(value)) == short


@_EACH
def test_fields_that_nobody_knows_are_passed_over(direction: str, line: bytes) -> None:
    said = {**json.loads(line), "of_a_later_version": {"more": [1, "two"]}}
    decode = _DIRECTIONS[direction][1]
    assert decode(json.dumps(said).encode()) == decode(line)


@pytest.mark.parametrize("direction", _DIRECTIONS)
def test_every_message_has_a_line(direction: str) -> None:
    union = {str(kind.__struct_config__.tag) for kind in get_args(_DIRECTIONS[direction][0])}
    assert {json.loads(line)["type"] for line in _lines(direction)} == union


def test_a_session_in_a_message_has_its_defaults() -> None:
    line = [line for line in _lines("to_front_end") if json.loads(line)["type"] == "session"][-1]
    said = json.loads(line)
    full = _all_fields(messages.decode_to_client(line).session)  # type: ignore[union-attr]
    assert set(full) == set(said["session"])
    for key in _DEFAULTS["session"]:
        del said["session"][key]
    short = messages.decode_to_client(json.dumps(said).encode())
    assert _all_fields(short.session) == {**full, **_DEFAULTS["session"]}  # type: ignore[union-attr]
    assert json.loads(messages.encode(short)) == said


def _all_fields(value: Any) -> dict[str, Any]:
    """Return the fields by their names in JSON, those at their default too."""
    fields = msgspec.structs.fields(value)
    return {
        one.encode_name: json.loads(msgspec.json.encode(getattr(value, one.name))) for one in fields
    }
