"""A workplace and a connection for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from tests.helpers.workplace import PATIENCE, Place, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection


@pytest.fixture
def fresh_place() -> Iterator[Place]:
    """A workplace of the test's own, to be broken."""
    with workplace() as running:
        yield running


@pytest.fixture
def place(fresh_place: Place) -> Place:
    """A workplace that runs."""
    return fresh_place


@pytest.fixture
def connection(place: Place) -> Iterator[Connection]:
    """A command's connection to it."""
    with place.connect() as greeted:
        yield greeted


@pytest.fixture
def shared_place(module_place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """The file's workplace, without sessions before and after."""
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    yield module_place
    with module_place.connect() as greeted:
        listed = greeted.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
        for each in [found.session_id for found in listed]:
            try:
                greeted.request(messages.Stop(id=0, session=each), timeout=PATIENCE)
                greeted.request(messages.Remove(id=0, session=each), timeout=PATIENCE)
            except RequestFailed as exc:
                if exc.code != "not_found":  # it goes with a client that ended while it was made
                    raise
