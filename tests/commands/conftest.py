"""One workplace for each file of tests: starting one takes about a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers.command import Commands, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def nagomi(clean_machine: None) -> Iterator[Commands]:
    """Commands in a workplace that is started by the first `new`."""
    with workplace() as commands:
        yield commands
