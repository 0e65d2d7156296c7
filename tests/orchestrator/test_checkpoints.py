"""What the worker keeps gives every terminal again, whatever was printed (N-36, NB-13).

The real policy, engine and ring, put together in one process without sockets between them.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.orchestrator.output.checkpoints import FLOOD_SECONDS, Checkpoints
from nagomi_tui.orchestrator.output.feeder import Feeder
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.run import WHOLE_AFTER
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.views.scheduler import FrameScheduler
from nagomi_tui.sessions.session import Session
from nagomi_tui.terminal.choose import open_engine, restore_engine
from nagomi_worker.sessions.ring import Chunk, Ring
from nagomi_worker.wire.protocol import CAPABILITIES, Checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nagomi_tui.terminal.engine import Engine

COLS, ROWS, HISTORY = 120, 30, 20_000


class WorkerOfOne:
    """The link to a worker that holds one ring; checkpoints arrive at once."""

    def __init__(self, capabilities: tuple[str, ...]) -> None:
        self.capabilities = frozenset(capabilities)
        self.ring = Ring(COLS, ROWS)
        self.whole = self.light = 0
        self._parts: list[Checkpoint] = []

    def send(self, message: Checkpoint) -> None:
        self._parts.append(message)
        if not message.more:
            self.ring.save(tuple(self._parts))
            self._parts = []
            self.light += message.light
            self.whole += not message.light

    def rebuilt(self) -> Engine:
        """Return the terminal as an orchestrator that has just started rebuilds it."""
        engine = open_engine(COLS, ROWS, history=HISTORY)
        if parts := self.ring.checkpoint:
            data = base64.b64decode("".join(part.data for part in parts))
            engine = restore_engine(parts[0].engine_version, data, COLS, ROWS, history=HISTORY)
        for number in range(self.ring.start, self.ring.end):
            entry = self.ring.entry(number)
            if isinstance(entry, Chunk):
                engine.feed(entry.data)
            else:
                engine.resize(entry.cols, entry.rows)
        return engine


class Desk:
    """A session, its worker, and the policy between them."""

    def __init__(self, mark: Path, *capabilities: str) -> None:
        self.link = WorkerOfOne(capabilities or CAPABILITIES)
        screens = ScreenMaker(CrashMarker(mark))
        self.checkpoints = Checkpoints(Alarms(), screens, FrameScheduler())
        self.session = SessionRuntime(
            Session(session_id="a", number=1, name="a", cmd="", cwd="/", created_at=0)
        )
        self.session.run.link = self.link  # type: ignore[assignment]
        self.session.run.screen = screens.new("a", COLS, ROWS)
        self.feeder = Feeder(
            lambda _one, _batch: None, lambda _one, _output, _lines: None, lambda _: False
        )

    def print(self, data: bytes) -> None:
        assert self.session.run.screen is not None
        for start in range(0, len(data), 4096):
            chunk = self.link.ring.add(data[start : start + 4096], 0.0)
            self.session.run.screen.feed(chunk.data)
            self.session.run.offset = chunk.end
            self.session.run.ledger.add_output(len(chunk.data))
            self.checkpoints.after_output(self.session, len(chunk.data))

    async def let_whole_ones_be_taken(self) -> None:
        before = self.link.whole
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.checkpoints.run, self.feeder)
            with anyio.fail_after(20):
                while self.link.whole == before:
                    await anyio.sleep(0.005)
            tasks.cancel_scope.cancel()

    def assert_gives_it_again(self) -> None:
        screen, engine = self.session.run.screen, self.link.rebuilt()
        assert screen is not None
        first, top, last = screen.bounds
        assert (engine.first_line, engine.screen_line) == (first, top)
        assert list(engine.screen()) == list(screen.screen())
        assert engine.lines(first, last + 1) == screen.lines(first, last + 1)
        assert (engine.modes, engine.cursor) == (screen.modes, screen.cursor)
        engine.close()


@pytest.fixture
def make_desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Make desks."""
    made: list[Desk] = []

    def make(*capabilities: str) -> Desk:
        made.append(Desk(tmp_path / "feeding", *capabilities))
        # Time is not what is tested: light ones are always affordable.
        monkeypatch.setattr(made[-1].checkpoints, "_affordable", lambda: True)
        return made[-1]

    yield make
    for desk in made:
        assert desk.session.run.screen is not None
        desk.session.run.screen.close()


def short_lines(start: int, stop: int) -> bytes:
    return b"".join(b"%d\r\n" % number for number in range(start, stop))


def coloured_lines(start: int, stop: int) -> bytes:
    word = b"\x1b[38;5;%dmcompiling\x1b[39m "
    words = b"".join(word % (at * 25) for at in range(10))
    return b"".join(
        b"\x1b[2m%08d\x1b[0m \x1b[3%dmINFO\x1b[0m %s!\r\n" % (number, number % 8, words)
        for number in range(start, stop)
    )


@pytest.mark.requirement("N-36")
def test_a_coloured_log_needs_light_checkpoints_only(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    for start in range(0, 60_000, 10_000):
        desk.print(coloured_lines(start, start + 10_000))
    assert desk.link.whole == 0
    assert desk.link.ring.left_out == 0 < desk.link.ring.first_offset
    desk.assert_gives_it_again()


def test_what_many_short_lines_no_longer_need_is_dropped(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    desk.print(short_lines(0, 1_000_000))
    assert desk.link.ring.charge < 2 * 1024 * 1024
    assert desk.link.whole == 0 < desk.link.light
    desk.assert_gives_it_again()


def test_history_behind_an_editor_is_kept_however_much_it_draws(
    make_desk: Callable[..., Desk],
) -> None:
    desk = make_desk()
    desk.print(coloured_lines(0, 12_000) + b"\x1b[?1049h\x1b[?1h")
    frame = b"\x1b[H" + b"\x1b[32m~ a line of the editor \x1b[m\r\n" * 29
    desk.print(frame * (3 * 1024 * 1024 // len(frame)))
    anyio.run(desk.let_whole_ones_be_taken)
    desk.print(frame * (3 * 1024 * 1024 // len(frame)))
    desk.assert_gives_it_again()
    desk.print(b"\x1b[?1049l\x1b[?1l$ ")
    desk.assert_gives_it_again()


def test_a_session_that_printed_little_leaves_nothing_to_replay(
    make_desk: Callable[..., Desk],
) -> None:
    desk = make_desk()
    desk.print(short_lines(0, 50))
    assert desk.checkpoints.take(desk.session)
    assert (desk.link.whole, desk.link.ring.charge) == (1, 0)
    desk.assert_gives_it_again()


def test_a_resize_begins_the_count_anew(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    desk.print(coloured_lines(0, 9_000))
    assert desk.session.run.screen is not None
    for cols in (60, COLS):
        desk.session.run.screen.resize(cols, ROWS)
        desk.link.ring.resize(cols, ROWS)
    desk.print(short_lines(0, 15_000))
    desk.assert_gives_it_again()


def test_a_worker_that_knows_no_light_ones_gets_whole_ones(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk("ack", "attach", "checkpoint", "signal")
    desk.print(short_lines(0, 400_000))
    assert desk.link.light == 0 < desk.link.whole
    desk.assert_gives_it_again()


def test_a_session_goes_on_while_its_snapshot_is_compressed(
    make_desk: Callable[..., Desk],
) -> None:
    desk = make_desk()
    desk.print(coloured_lines(0, 15_000))
    desk.session.run.ledger.needs_base = True
    desk.checkpoints.want_whole(desk.session)

    async def story() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(desk.checkpoints.run, desk.feeder)
            while desk.link.whole == 0:
                desk.session.run.ledger.needs_base = True
                if not desk.session.readers:
                    desk.print(coloured_lines(15_000, 15_100))
                await anyio.sleep(0.002)
            tasks.cancel_scope.cancel()

    anyio.run(story)
    assert not desk.link.ring.checkpoint[-1].light
    assert desk.link.ring.end > desk.link.ring.start
    desk.assert_gives_it_again()


@pytest.mark.requirement("N-36")
def test_a_flood_waits_with_its_history_for_its_end(make_desk: Callable[..., Desk]) -> None:
    """What it prints while a snapshot with history is compressed would make that one useless."""
    desk = make_desk()
    desk.print(coloured_lines(0, 12_000) + b"\x1b[?1049h")
    frame = b"\x1b[H" + b"\x1b[32m~ a line of the editor \x1b[m\r\n" * 29
    ledger = desk.session.run.ledger

    async def story() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(desk.checkpoints.run, desk.feeder)
            for _ in range(3):
                desk.print(frame * (WHOLE_AFTER // len(frame)))
                await anyio.sleep(FLOOD_SECONDS * 0.6)
            assert ledger.since_base > WHOLE_AFTER
            assert desk.link.whole == 0
            with anyio.fail_after(20):
                while desk.link.whole == 0:
                    await anyio.sleep(0.005)
            tasks.cancel_scope.cancel()

    anyio.run(story)
    assert ledger.since_base < WHOLE_AFTER
    desk.assert_gives_it_again()
