"""Waiting for an end, for silence, for a line; for sessions that ended before as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from tests.helpers.workplace import create, plain, wait_for

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place


@pytest.fixture
def place(shared_place: Place) -> Place:
    """Nothing here breaks the workplace."""
    return shared_place


def wait(connection: Connection, session_id: str, **order: Any) -> dict[str, Any]:
    order = {"timeout": 15} | order
    return plain(connection.request(messages.Wait(id=0, session=session_id, **order), timeout=30))


def test_an_end_is_answered_before_and_after_it(connection: Connection) -> None:
    session_id = create(connection, "sh -c 'read line; exit 3'")
    connection.send(messages.TypeText(session=session_id, text="\r"))
    for _ in range(2):
        found = wait(connection, session_id)
        assert (found["reason"], found["exit_code"]) == ("exit", 3)


def test_silence_is_counted_from_the_last_output(connection: Connection) -> None:
    session_id = create(connection, "sh -c 'for i in 1 2 3; do echo $i; sleep 0.1; done; sleep 99'")
    assert wait(connection, session_id, until="silence", silence=0.5)["reason"] == "silence"


def test_silence_of_an_ended_session_is_its_end(connection: Connection) -> None:
    session_id = create(connection, "true")
    wait(connection, session_id)
    assert wait(connection, session_id, until="silence", silence=60)["reason"] == "exit"


def test_a_line_that_was_printed_before_is_found(connection: Connection) -> None:
    session_id = create(connection, "sh -c 'echo ready on 8080; sleep 99'")
    wait_for(connection, session_id, "ready")
    found = wait(connection, session_id, until="output", pattern=r"ready on \d+")
    assert (found["reason"], found["line"]) == ("output", "ready on 8080")


def test_a_line_in_a_flood_is_found(connection: Connection) -> None:
    session_id = create(connection, "sh -c 'seq 30000; echo the end; seq 100; sleep 99'")
    assert wait(connection, session_id, until="output", pattern="^the end$")["reason"] == "output"


def test_the_echo_of_what_was_typed_is_not_the_answer(connection: Connection) -> None:
    session_id = create(connection, "sh")
    wait(connection, session_id, until="output", pattern=r"[$#]")
    text = "sleep 0.3; echo fin''ished; echo finished"
    connection.request(messages.Send(id=0, session=session_id, text=text), timeout=10)
    found = wait(connection, session_id, until="output", pattern="finished")
    assert found["line"] == "finished"


def test_an_ended_session_that_never_said_it_answers_with_its_end(connection: Connection) -> None:
    session_id = create(connection, "sh -c 'echo something else'")
    found = wait(connection, session_id, until="output", pattern="never")
    assert (found["reason"], found["exit_code"]) == ("exit", 0)


def test_patience_ends(connection: Connection) -> None:
    session_id = create(connection, "sleep 99")
    for until in ("exit", "output", "silence"):
        found = wait(connection, session_id, until=until, pattern="x", silence=60, timeout=0.1)
        assert found["reason"] == "timeout", until


def test_a_broken_pattern_is_one_sentence(connection: Connection) -> None:
    session_id = create(connection, "sleep 99")
    with pytest.raises(RequestFailed, match="is no regular expression") as caught:
        wait(connection, session_id, until="output", pattern="(")
    assert caught.value.code == "bad_request"


def test_a_line_on_a_screen_that_was_cleared_meanwhile_is_found(connection: Connection) -> None:
    clears = r"printf '\033[H\033[2Jfound\n'"
    session_id = create(connection, f'sh -c "seq 15; sleep 1; {clears}; sleep 99"')
    found = wait(connection, session_id, until="output", pattern="^found$")
    assert (found["reason"], found["line"]) == ("output", "found")


def test_a_question_a_turn_and_rest_are_waited_for(connection: Connection) -> None:
    asking = create(connection, "bash -c 'read -p \"Go on? [y/N] \" answer; sleep 99'")
    found = wait(connection, asking, until="attention")
    assert (found["reason"], found["condition"]) == ("attention", "attention")
    shell = create(connection, "bash --norc")
    assert wait(connection, shell, until="idle")["reason"] == "idle"
    for command, shown in (("true", "success"), ("false", "error")):
        connection.send(messages.TypeText(session=shell, text=f"{command}\r"))
        found = wait(connection, shell, until="done")
        assert (found["reason"], found["condition"]) == ("done", shown)
    connection.send(messages.TypeText(session=shell, text="exit\r"))
    assert wait(connection, shell, until="attention")["reason"] == "exit"
