"""Every message of a client has a handler, and every request a type of its answer."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import pytest

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.api.client import Connection, open_socket
from nagomi_tui.orchestrator.resident import composition
from nagomi_tui.orchestrator.server.dispatch import Group

if TYPE_CHECKING:
    from tests.helpers.workplace import Place

_MESSAGES = get_args(messages.FromClient)
_GROUPS = Group.__subclasses__()
_HANDLERS = {kind: one for group in _GROUPS for kind, one in group.HANDLERS.items()}
_REQUESTS = [kind for kind in _MESSAGES if issubclass(kind, messages.Request)]
_EACH = pytest.mark.parametrize("kind", _REQUESTS, ids=lambda kind: kind.__name__)


def test_every_message_has_one_handler() -> None:
    assert _HANDLERS.keys() == set(_MESSAGES)
    assert sum(len(group.HANDLERS) for group in _GROUPS) == len(_MESSAGES)
    for kind, handler in _HANDLERS.items():
        answered = kind in _REQUESTS
        assert ("request" in handler.__annotations__) is answered
        assert inspect.iscoroutinefunction(handler) is answered
    assert all(hasattr(composition, group.__name__) for group in _GROUPS)


@_EACH
def test_a_handler_takes_its_request_and_returns_what_that_is_answered(kind: Any) -> None:
    said = _HANDLERS[kind].__annotations__
    assert said["request"] == f"messages.{kind.__name__}"
    assert eval(said["return"], {"messages": messages}) == messages.result_type(kind)


@_EACH
def test_an_answer_is_a_value_with_fields_but_for_settings(kind: Any) -> None:
    result: Any = messages.result_type(kind)
    if kind is messages.Settings:
        assert result == messages.SettingValues
    else:
        assert issubclass(result, messages.Result) and result.__struct_config__.frozen


@pytest.mark.parametrize(
    "answer", [{}, {"session_id": "s", "number": "one", "name": "n"}, {"session_id": "s"}]
)
def test_an_answer_that_does_not_fit_is_named(answer: dict[str, Any]) -> None:
    with pytest.raises(messages.BadMessage, match="the answer to `stop` does not fit"):
        messages.result_of(messages.Stop(id=1, session="s"), messages.Done(id=1, result=answer))


def test_an_answer_of_a_later_version_is_understood() -> None:
    told = {"session_id": "s", "number": 1, "name": "n", "of_a_later_version": [1]}
    done = messages.Done(id=1, result=told)
    found = messages.result_of(messages.Stop(id=1, session="s"), done)
    assert msgspec.to_builtins(found) == {"session_id": "s", "number": 1, "name": "n"}


def test_both_sides_tell_their_version_and_what_they_understand(shared_place: Place) -> None:
    with Connection.open() as connection:
        welcome = connection.welcome
    said = messages.hello()
    assert welcome.protocol == said.protocol == messages.PROTOCOL
    assert set(welcome.capabilities) == {kind.__struct_config__.tag for kind in _MESSAGES}
    assert {"frame", "session", "done", "welcome"} < set(said.capabilities)


def test_a_request_of_a_later_version_is_answered_by_its_name(shared_place: Place) -> None:
    with open_socket() as peer, peer.makefile("rb") as lines:
        for said in ({"type": "fly", "id": 7}, {"type": "fly"}, {"type": "stop", "id": 8}):
            peer.sendall(json.dumps(said).encode() + b"\n")
        unknown, misfit = (json.loads(lines.readline()) for _ in range(2))
    assert (unknown["type"], unknown["id"], unknown["code"]) == ("failed", 7, "bad_request")
    assert f"nagomi {__version__}, which runs here, does not know" in unknown["message"]
    assert "`fly`" in unknown["message"] and "`nagomi reload`" in unknown["message"]
    assert misfit["id"] == 8 and "`session`" in misfit["message"]
