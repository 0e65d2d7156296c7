"""A notice that a program sends is shown with its text, and does not change what it is at."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from tests.helpers.workplace import create, session, until

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

NOTICES = {
    r"\033]9;hello nine\a": "hello nine",
    r"\033]777;notify;Build;all green\a": "Build: all green",
    r"\033]99;i=1:d=0;Hello\033\\\\\033]99;i=1:p=body;World\033\\\\": "Hello: World",
}


def called(connection: Connection, session_id: str) -> messages.Called:
    for message in connection.pushed(timeout=20):
        if isinstance(message, messages.Called) and session_id in message.sessions:
            return message
    raise AssertionError("nothing called")


@pytest.mark.parametrize("sent", NOTICES)
def test_the_text_is_in_notice_list_and_reasons_while_the_program_works_on(
    shared_place: Place, sent: str
) -> None:
    text = NOTICES[sent]
    script = f"printf '{sent}'; while :; do sleep 0.2; done"
    with shared_place.connect(front_end=True) as connection:
        made = create(connection, f"bash -c {shlex.quote('sleep 1; ' + script)}")
        notice = called(connection, made)
        assert text in notice.body
        told = session(connection, made)
        assert told["summary"] == text and told["waits"]
        assert told["phase"] not in ("attention", "error")
        why = connection.request(messages.Why(id=0, session=made))
        assert text in [one.text for one in why.evidence_detail]
        until(lambda: session(connection, made)["phase"] == "running")
        assert session(connection, made)["summary"] == text
        connection.send(messages.Seen(session=made))
        until(lambda: not session(connection, made)["waits"])


def test_a_request_for_attention_calls_as_a_bell_does(shared_place: Place) -> None:
    with shared_place.connect(front_end=True) as connection:
        script = r"sleep 1; printf '\033]1337;RequestAttention=yes\a'; sleep 60"
        made = create(connection, f"bash -c {shlex.quote(script)}")
        until(lambda: session(connection, made)["waits"])
        assert session(connection, made)["phase"] == "attention"
        why = connection.request(messages.Why(id=0, session=made))
        assert "Its program has rung the bell." in why.meaning
        assert "bell" in [one.rule for one in why.evidence_detail]
        connection.send(messages.Seen(session=made))
        until(lambda: not session(connection, made)["waits"])
        why = connection.request(messages.Why(id=0, session=made))
        assert "bell" not in [one.rule for one in why.evidence_detail]
