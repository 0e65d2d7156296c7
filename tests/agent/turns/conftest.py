"""A scripted model for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers.model_server import ModelServer, model_server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model that does as it is told."""
    with model_server() as serving:
        yield serving
