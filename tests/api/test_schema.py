"""The JSON Schema of the front-end socket, against the lines that were once said on it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.schema import schema
from tests.helpers.command import Commands

if TYPE_CHECKING:
    from collections.abc import Iterator

_GOLDEN = Path(__file__).parents[1] / "golden"
_SCHEMA = schema()
_TYPES: dict[str, Any] = _SCHEMA["$defs"]


def _refs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (value["$ref"],) if "$ref" in value else ()
        yield from (found for one in value.values() for found in _refs(one))
    elif isinstance(value, list):
        yield from (found for one in value for found in _refs(one))


def _named(ref: str) -> Any:
    return _TYPES[ref.removeprefix("#/$defs/")]


def test_every_reference_leads_to_a_type_whose_name_says_nothing_of_modules() -> None:
    names = {ref.removeprefix("#/$defs/") for ref in _refs(_SCHEMA)}
    assert names == set(_TYPES) and all(name.isidentifier() for name in names)
    assert {"VerdictState", "SessionState"} <= names


@pytest.mark.parametrize("direction", ["from_client", "to_client"])
def test_each_message_that_was_said_fits(direction: str) -> None:
    types = {}
    for one in _SCHEMA[direction]["anyOf"]:
        found = _named(one["$ref"])
        types[found["properties"]["type"]["enum"][0]] = found
    lines = (_GOLDEN / f"{direction.replace('client', 'front_end')}.ndjson").read_bytes()
    said = [json.loads(line) for line in lines.splitlines()]
    assert {line["type"] for line in said} == set(types)
    for line in said:
        assert set(types[line["type"]]["required"]) <= set(line)
        assert set(line) <= set(types[line["type"]]["properties"])


def test_each_answer_that_was_given_fits() -> None:
    answers = json.loads((_GOLDEN / "answers.json").read_bytes())
    requests = [
        kind for kind in get_args(messages.FromClient) if issubclass(kind, messages.Request)
    ]
    results = _SCHEMA["results"]
    assert set(results) == {str(kind.__struct_config__.tag) for kind in requests}
    for tag, result in results.items():
        keys = {place.split(".")[1].split("[")[0] for place in answers[tag] if "." in place}
        if tag != "settings":
            known = _named(result["$ref"])
            # What was added later has a default for those who talk with an older nagomi.
            assert set(known["required"]) <= keys == set(known["properties"])


def test_what_is_added_raises_the_version() -> None:
    """The file has an entry for each version; an old one is never changed."""
    versions = json.loads((_GOLDEN / "front_end_versions.json").read_bytes())
    told = {name: sorted(found.get("properties", ())) for name, found in sorted(_TYPES.items())}
    assert list(versions) == [str(number + 1) for number in range(messages.PROTOCOL)]
    assert told == versions[str(messages.PROTOCOL)]


def test_the_command_prints_it(nagomi_home: Path) -> None:
    commands = Commands(nagomi_home, os.environ)
    assert json.loads(commands.ok("api", "schema")) == json.loads(json.dumps(_SCHEMA))
