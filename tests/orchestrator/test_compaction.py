"""History of quiet sessions is packed, and once more after it was read (N-36)."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.orchestrator.output.checkpoints import (
    LOOK_SECONDS,
    RARE_LOOK_SECONDS,
    UNREAD_SECONDS,
    Compaction,
)
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from pathlib import Path

    from nagomi_tui.orchestrator.sessions.screens import Screen


class Bells:
    """Alarms that ring when the test says so."""

    def __init__(self) -> None:
        self.calls: dict[Hashable, Callable[[], None]] = {}
        self.delays: dict[Hashable, float] = {}
        self.asked: Counter[Hashable] = Counter()

    def after(self, delay: float, key: Hashable, call: Callable[[], None]) -> None:
        self.calls[key] = call
        self.delays[key] = delay
        self.asked[key] += 1

    def ring(self, key: Hashable) -> None:
        self.calls.pop(key)()


@pytest.fixture
def session(tmp_path: Path) -> SessionRuntime:
    """A session with history that has printed nothing for a minute."""
    made = SessionRuntime(
        Session(session_id="a", number=1, name="a", cmd="", cwd="/", created_at=0)
    )
    made.run.screen = ScreenMaker(CrashMarker(tmp_path / "feeding")).new("a", 80, 24)
    made.run.screen.feed(b"".join(b"line %d\r\n" % number for number in range(1000)))
    made.run.output_at = time.time() - 60
    return made


def packed(bells: Bells, session: SessionRuntime) -> Screen:
    """Have the session's history packed, and return its screen."""
    Compaction(bells).watch(session)
    bells.ring((session, "compact"))
    screen = session.run.screen
    assert screen is not None and screen.unpacked_at is None
    return screen


@pytest.mark.requirement("N-36")
def test_history_that_was_read_is_packed_again_once_nobody_reads_on(
    session: SessionRuntime,
) -> None:
    bells = Bells()
    screen = packed(bells, session)
    assert screen.lines(5, 6)[0].text == "line 5"
    assert screen.unpacked_at is not None

    bells.ring("unpacked")
    assert screen.unpacked_at is not None  # It may be read on.
    screen.unpacked_at -= UNREAD_SECONDS
    bells.ring("unpacked")
    assert screen.unpacked_at is None
    assert screen.lines(5, 6)[0].text == "line 5"


def test_what_is_shown_is_read_without_history(session: SessionRuntime) -> None:
    bells = Bells()
    screen = packed(bells, session)
    screen.lines(screen.bounds[1], screen.bounds[2] + 1)
    assert screen.unpacked_at is None


def test_nobody_looks_at_a_session_that_prints_again_or_is_gone(session: SessionRuntime) -> None:
    bells = Bells()
    packed(bells, session)
    session.run.output_at = time.time()
    bells.ring("unpacked")
    assert "unpacked" not in bells.calls


def test_looks_are_rare_while_nothing_is_read(session: SessionRuntime) -> None:
    bells = Bells()
    screen = packed(bells, session)
    assert bells.delays["unpacked"] == LOOK_SECONDS  # Transcripts may be about to read it.

    bells.ring("unpacked")
    assert bells.delays["unpacked"] == RARE_LOOK_SECONDS

    screen.lines(5, 6)
    bells.ring("unpacked")
    assert bells.delays["unpacked"] == LOOK_SECONDS


def test_a_session_that_is_packed_puts_off_no_look(session: SessionRuntime) -> None:
    bells = Bells()
    compaction = Compaction(bells)
    for _ in range(2):
        compaction.watch(session)
        bells.ring((session, "compact"))
    assert bells.asked["unpacked"] == 1
