"""Sessions that say a little at a time are read together; a key's echo does not wait for that."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.runtime.limits import Limits
from nagomi_worker.sessions.pace import HALF_LIFE, Pace

if TYPE_CHECKING:
    from tests.helpers.worker import Link

TALK = """
import sys, time
for n in range(300):
    sys.stdout.write(f"line {n}\\n")
    sys.stdout.flush()
    time.sleep(0.001)
"""


def test_a_slow_talker_makes_fewer_messages_than_writes(link: Link) -> None:
    link.run("a", shlex.join([sys.executable, "-c", TALK]))
    assert link.text("a").replace("\r", "") == "".join(f"line {n}\n" for n in range(300))
    assert len(link.outputs("a")) < 200


def test_what_a_session_prints_lately_fades() -> None:
    pace = Pace()
    assert pace.add(1000, 5.0) == 1000
    assert pace.add(100, 5.0 + HALF_LIFE) == pytest.approx(600)
    assert pace.add(1, 99.0) == pytest.approx(1)


def test_a_flood_that_is_read_in_small_pieces_does_not_rest_again_and_again() -> None:
    limits, pace = Limits(), Pace()
    assert pace.add(80, 0.0) < limits.rest_below
    assert pace.add(12_000, limits.rest_seconds) > limits.rest_below
    now = limits.rest_seconds
    for _ in range(1000):
        now += 0.0005
        assert pace.add(80, now) > limits.rest_below


def test_what_was_just_typed_into_is_read_at_once(link: Link) -> None:
    link.start("a", "cat")
    for word in ("one", "two", "three"):
        before = len(link.outputs("a"))
        link.type("a", word)
        link.wait_text("a", word)
        assert len(link.outputs("a")) > before
