"""A workplace, and a scripted model server that its agent asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from tests.helpers.model_server import ModelServer, model_server
from tests.helpers.workplace import PATIENCE, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as serving:
        yield serving


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as running:
        yield running


@pytest.fixture
def connection(place: Place, server: ModelServer) -> Iterator[Connection]:
    """A front end of a workplace whose agent asks the scripted server."""
    values = {"llm_consent": True, "agent_url": server.url, "agent_model": "mame"}
    with place.connect(front_end=True) as greeted:
        greeted.request(messages.Settings(id=0, values=values), timeout=PATIENCE)
        yield greeted
