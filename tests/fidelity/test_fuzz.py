"""Malformed output of a few seeds, into the engine and through a whole session."""

from __future__ import annotations

import pytest

from tests.fidelity.fuzz import into_engine, through_sessions
from tests.terminal.conftest import NATIVE

pytestmark = pytest.mark.skipif(not NATIVE, reason="no wheel here")
SIZE = 64 * 1024


@pytest.mark.parametrize("seed", range(1000, 1004))
def test_the_engine_bears_whatever_comes(seed: int) -> None:
    assert into_engine(seed, SIZE) == SIZE


def test_a_session_bears_whatever_comes() -> None:
    assert through_sessions(range(1000, 1003), SIZE) >= 3 * SIZE
