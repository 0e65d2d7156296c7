"""The table of verbs: each request has its row, and what follows from a row is what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import msgspec
import pytest

from nagomi_tui import cli
from nagomi_tui.agent.http.endpoints import ENDPOINTS
from nagomi_tui.api import messages, relay
from nagomi_tui.api.verbs import COMMANDS, VERBS, request_type
from nagomi_worker.inside import nagomi
from tests.helpers.toolboxes import User, box

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.verbs import Verb

REQUESTS = {kind for kind in get_args(messages.FromClient) if issubclass(kind, messages.Request)}
OFFERED_ALONE = {"ls", "next", "why"}
"""What programs on hands ask for by the one request that prints."""


def test_each_request_has_one_row() -> None:
    assert sorted(verb.request for verb in VERBS) == sorted(kind.__name__ for kind in REQUESTS)
    assert len(COMMANDS) == sum(bool(verb.command) for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.request)
def test_what_a_row_names_are_fields_of_its_request(verb: Verb) -> None:
    fields = {one.name for one in msgspec.structs.fields(request_type(verb))}
    named = {one.field for one in verb.arguments}
    named |= {name for route in verb.routes for name, _ in (*route.fixed, *route.names)}
    if verb.tool is not None and verb.tool.description:
        named |= set(verb.tool.fields)
    if verb.hand and verb.request not in ("Print", "Create"):
        named.add("session")
    assert named <= fields


def test_each_command_tool_and_route_of_a_row_is_there(tmp_path: Path) -> None:
    commands = {name for names in cli.GROUPS.values() for name in names} | set(cli.PLAIN)
    assert set(COMMANDS) <= commands
    tools = {schema.name for schema in box(tmp_path, User()).schemas}
    assert {verb.tool.name for verb in VERBS if verb.tool} <= tools
    served = {(one.method, one.path) for one in ENDPOINTS}
    assert {(one.method, one.path) for verb in VERBS for one in verb.routes} <= served


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.request)
def test_a_strict_session_may_ask_what_its_row_says(verb: Verb) -> None:
    fields = {
        one.name: msgspec.convert(_value(verb.request, one.name), one.type)
        for one in msgspec.structs.fields(request_type(verb))
        if one.required and one.name != "id"
    }
    line = messages.encode(request_type(verb)(id=1, **fields))
    passing, refusal = relay.judged(line, "own")
    assert (passing is not None) is verb.strict and (refusal is None) is verb.strict


def _value(request: str, field: str) -> object:
    """Return any value that fits a field."""
    values = {"keys": ["a"], "number": 1, "start": 0, "stop": 1, "state": "success", "cwd": "/"}
    special = {("Print", "command"): "ls", ("AgentMode", "mode"): "calm"}
    return special.get((request, field), values.get(field, "x"))


def test_programs_on_hands_are_offered_what_they_may_ask() -> None:
    offered = next(iter(nagomi._parser()._subparsers._group_actions)).choices  # type: ignore[union-attr]
    may = {verb.command for verb in VERBS if verb.hand and verb.command}
    assert set(offered or ()) == may | OFFERED_ALONE
