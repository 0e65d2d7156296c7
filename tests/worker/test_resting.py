"""Sessions that say a little at a time are read together; a key's echo does not wait for that."""

from __future__ import annotations

import shlex
import sys
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.runtime.limits import Limits
from nagomi_worker.sessions.session import HALF_LIFE, Pace
from nagomi_worker.wire import protocol

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


def test_where_many_print_what_is_seldom_drawn_is_seldom_read(link: Link) -> None:
    """A rest is no longer than the worker's longest one: all comes within a few of those."""
    names = [f"s{n}" for n in range(Limits().crowd + 4)]
    for name in names:
        link.start(name, shlex.join([sys.executable, "-c", "import time\ntime.sleep(1)" + TALK]))
        link.send(protocol.Rest(session_id=name, seconds=99.0))
    for name in names:
        link.wait(protocol.Exit, name)
        assert link.text(name).replace("\r", "") == "".join(f"line {n}\n" for n in range(300))
    assert min(len(link.outputs(name)) for name in names) <= 5


def test_what_was_typed_into_does_not_rest(link: Link) -> None:
    link.start("a", "cat")
    link.send(protocol.Rest(session_id="a", seconds=99.0))
    began = time.monotonic()
    for word in ("one", "two", "three", "four"):
        link.type("a", word)
        link.wait_text("a", word)
    assert time.monotonic() - began < 2 * Limits().longest_rest


def test_a_rest_for_a_session_that_is_gone_is_no_fault(link: Link) -> None:
    link.send(protocol.Rest(session_id="gone", seconds=0.1), protocol.Ping())
    link.wait(protocol.Pong)
    assert not [one for one in link.heard if isinstance(one, protocol.Error)]
