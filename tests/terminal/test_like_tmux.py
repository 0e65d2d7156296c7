"""Whole sessions against tmux: the same streams, compared cell for cell, with the cursor."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.fidelity.differ import unexplained
from tests.fidelity.known import BY_PLACE, KNOWN, Difference
from tests.fidelity.peers import Pair, pair
from tests.fidelity.streams import KINDS, stream
from tests.terminal.conftest import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed"),
    pytest.mark.skipif(not NATIVE, reason="no wheel here"),
]
SEEDS = range(3)


@pytest.fixture(scope="module")
def peers() -> Iterator[Pair]:
    with pair() as both:
        yield both


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.requirement("N-37")
def test_a_session_shows_what_tmux_shows(peers: Pair, kind: str) -> None:
    found = {seed: unexplained(peers, stream(kind, seed)) for seed in SEEDS}
    assert {seed: smallest for seed, smallest in found.items() if smallest} == {}


@pytest.mark.parametrize("known", [*KNOWN, *BY_PLACE], ids=lambda known: known.name)
def test_a_known_difference_is_still_one(peers: Pair, known: Difference) -> None:
    ours, theirs = peers.show(known.example)
    assert ours != theirs
    assert known.sign(known.example) or known in BY_PLACE
    assert known.reason.endswith(".")
