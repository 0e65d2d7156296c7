"""Stored lines over the front-end socket: of sessions that run, ended, or are off the list."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import Connection, RequestFailed
from tests.helpers.waiting import until
from tests.helpers.workplace import create, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def connection(clean_machine: None) -> Iterator[Connection]:
    with workplace() as place, place.connect() as client:
        yield client


def _found(connection: Connection, **query: Any) -> list[tuple[str, str]]:
    found = connection.request(messages.SearchHistory(id=0, **query), timeout=30)
    return [(line.session, line.line) for line in found.lines]


def _refused(connection: Connection, **query: Any) -> str:
    with pytest.raises(RequestFailed) as refused:
        _found(connection, **query)
    return refused.value.code


def test_lines_of_all_sessions_are_found_masked_and_of_one_by_its_name(
    connection: Connection,
) -> None:
    assert _found(connection, text="nothing yet") == []
    talk = create(connection, "sh -c 'echo token=abcdef; echo two; exec cat'", name="talk")
    create(connection, "sh -c 'echo two more; exec cat'", name="other")
    until(lambda: len(_found(connection, text="two")) == 2)
    assert _found(connection, text="TOKEN") == [("talk", "token=***REDACTED***")]
    assert _found(connection, text="two", session="other") == [("other", "two more")]
    assert _found(connection, text="two", session="1") == [("talk", "two")]
    assert _found(connection, since=time.time() + 60) == []
    assert len(_found(connection, limit=1)) == 1

    connection.request(messages.Stop(id=0, session=talk), timeout=30)
    connection.request(messages.Remove(id=0, session=talk), timeout=30)
    for name in ("talk", talk, talk[:12]):
        assert _found(connection, text="two", session=name) == [("talk", "two")]


def test_what_is_not_there_or_too_much_is_refused(connection: Connection) -> None:
    assert _refused(connection, session="nobody") == "not_found"
    assert _refused(connection, limit=0) == "bad_request"
    assert _refused(connection, limit=10_001) == "bad_request"
