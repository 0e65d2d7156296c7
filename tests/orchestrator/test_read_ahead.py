"""A flood of plain lines is read ahead of the screen, and what nobody can see of it is left out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.orchestrator.output import feeder
from nagomi_tui.orchestrator.output.feeder import Feeder
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.workers.link import OutputBatch
from nagomi_tui.sessions.session import LOCAL, Session
from nagomi_worker.runtime.limits import HOT_SECONDS
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from nagomi_tui.orchestrator.workers.link import WorkerMessage

HISTORY, ROWS = 500, 10
_LINES = [f"\x1b[3{number % 8}m{number:07d}\x1b[0m".encode() for number in range(300_000)]


class Link:
    """A worker on this machine, or on another one; it hears up to where its output was read."""

    def __init__(self, *, is_local: bool = True) -> None:
        self.is_local = is_local
        self.acknowledged: list[int] = []

    def send(self, message: protocol.ToWorker) -> None:
        if isinstance(message, protocol.Ack):
            self.acknowledged.append(message.offset)


class Desk:
    """A session with a real terminal, whose output is fed or left out as the feeder says."""

    def __init__(self, folder: Path, *, is_local: bool = True) -> None:
        self.session = SessionRuntime(
            Session(session_id="a", number=1, name="a", cmd="", cwd="/", worker_id=LOCAL)
        )
        self.link = Link(is_local=is_local)
        makes = ScreenMaker(CrashMarker(folder / "mark"))
        makes.history = HISTORY
        self.run = self.session.run
        self.run.link = self.link  # type: ignore[assignment]
        self.screen = self.run.screen = makes.new("a", 40, ROWS)
        self.feeder = Feeder(self._take, self._leave_out, lambda _one: self.is_scrolled)
        self.fed = self.left_out = self.sent = 0
        self.is_scrolled = False

    def print(self, data: bytes) -> None:
        """Have the worker send this, in chunks of 4 KB."""
        self.sent += len(data)
        sizes = tuple(len(data[at : at + 4096]) for at in range(0, len(data), 4096))
        self.feeder.offer(self.session, OutputBatch("a", data, sizes, self.sent))
        self.feeder.serve()

    async def flood(self, lines: Sequence[bytes], meanwhile: Callable[[int], None]) -> None:
        """Print lines in messages of 64 KB while the feeder runs, and see all of it drawn."""
        data = b"\r\n".join(lines) + b"\r\n"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.feeder.run)
            for number, at in enumerate(range(0, len(data), 65536)):
                self.print(data[at : at + 65536])
                meanwhile(number)
                if number > 8:
                    await anyio.sleep(0.0005)
            with anyio.fail_after(30):
                while self.run.backlog or self.run.is_read_ahead:
                    await anyio.sleep(0.005)
            tasks.cancel_scope.cancel()

    @property
    def kept(self) -> list[str]:
        """The text of the history and the screen."""
        first, top, last = self.screen.bounds
        assert top - first == HISTORY
        return [row.text for row in self.screen.lines(first, last + 1)]

    def _take(self, session: SessionRuntime, batch: Sequence[WorkerMessage]) -> None:
        for output in batch:
            if isinstance(output, OutputBatch):
                self.screen.feed(output.data)
                self.fed += len(output.data)

    def _leave_out(self, session: SessionRuntime, output: OutputBatch, lines: int) -> None:
        assert lines == output.data.count(b"\n")
        self.screen.skip(output.data, lines)
        self.left_out += len(output.data)


def texts(lines: Sequence[bytes]) -> list[str]:
    """What the last lines are on the screen, with the cursor's row below."""
    kept = lines[-(HISTORY + ROWS - 1) :]
    return [*(line.split(b"m")[1].split(b"\x1b")[0].decode() for line in kept), ""]


def nothing(_number: int) -> None:
    """Do nothing meanwhile."""


async def test_most_of_a_flood_is_left_out_and_its_end_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where others keep the processors busy, a flood pauses for longer than on a free machine.
    monkeypatch.setattr(feeder, "TICK", 0.5)
    desk = Desk(tmp_path)
    await desk.flood(_LINES, nothing)
    assert desk.kept == texts(_LINES)
    assert desk.left_out > desk.sent / 2 and desk.left_out + desk.fed == desk.sent
    assert desk.link.acknowledged == sorted(desk.link.acknowledged)
    assert desk.link.acknowledged[-1] > desk.sent / 2
    assert not desk.run.waiting and not desk.run.is_read_ahead


async def test_what_is_not_plain_is_drawn_with_all_before_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    lines = [*_LINES[:150_000], b"m\x1b]0;a title\x07", *_LINES[150_000:]]
    await desk.flood(lines, nothing)
    assert desk.screen.title == "a title"
    assert desk.kept == texts(lines)


@pytest.mark.parametrize("why", ["far", "searched", "scrolled", "alternate", "typed"])
async def test_all_is_drawn_where_each_line_counts_or_a_key_was_typed(
    tmp_path: Path, why: str
) -> None:
    desk = Desk(tmp_path, is_local=why != "far")
    desk.session.searches = int(why == "searched")
    desk.is_scrolled = why == "scrolled"
    if why == "alternate":
        desk.screen.feed(b"\x1b[?1049h")

    def meanwhile(_number: int) -> None:
        if why == "typed":
            desk.run.hot_until = time.monotonic() + 10

    await desk.flood(_LINES[:100_000], meanwhile)
    assert desk.fed == desk.sent and not desk.left_out


async def test_a_flood_that_a_key_has_started_is_drawn_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its session is served as its output arrives, while the feeder's own loop rests."""
    monkeypatch.setattr(feeder, "TICK", 0.5)  # a busy machine pauses for longer than 12 ms
    desk = Desk(tmp_path)
    lines = _LINES[:20_000]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.feeder.run)
        await anyio.sleep(0.02)
        desk.run.hot_until = time.monotonic() + HOT_SECONDS - 0.2
        desk.print(b"\r\n".join(lines) + b"\r\n")
        assert desk.run.is_read_ahead
        with anyio.fail_after(10):
            while desk.run.backlog:
                await anyio.sleep(0.005)
        tasks.cancel_scope.cancel()
    assert desk.kept == texts(lines)


async def test_nothing_changes_while_lines_are_read(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    seen: set[tuple[int, int]] = set()

    def meanwhile(number: int) -> None:
        if number == 20:
            desk.session.readers += 1
        if 20 <= number <= 40:
            seen.add((desk.fed, desk.left_out))
        if number == 40:
            desk.session.readers -= 1
            with desk.feeder.paused(desk.session):
                pass

    await desk.flood(_LINES, meanwhile)
    assert len(seen) == 1
    assert desk.kept == texts(_LINES)


async def test_a_flood_beside_a_session_that_prints_is_whole_and_holds_up_neither(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path)
    other = SessionRuntime(Session(session_id="b", number=2, name="b", cmd="", cwd="/"))

    def meanwhile(number: int) -> None:
        if number % 2:
            desk.feeder.offer(other, OutputBatch("b", b"x", (1,), None))

    await desk.flood(_LINES, meanwhile)
    assert not other.run.backlog
    assert desk.kept == texts(_LINES)


async def test_a_restart_of_the_command_forgets_what_waits(tmp_path: Path) -> None:
    desk = Desk(tmp_path)

    def meanwhile(number: int) -> None:
        if number == 6:
            desk.run.drop_backlog()

    await desk.flood(_LINES[:20_000], meanwhile)
    assert not desk.run.waiting and not desk.run.backlog
    assert desk.kept[-2] == texts(_LINES[:20_000])[-2]


async def test_the_history_of_a_flood_is_drawn_before_it_is_read(tmp_path: Path) -> None:
    """After a flood had been read ahead its capture had 28 lines of 20,000."""
    desk = Desk(tmp_path)
    data = b"\r\n".join(_LINES) + b"\r\n"
    half = data[: data.index(b"\n", len(data) // 2) + 1]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.feeder.run)
        for number, at in enumerate(range(0, len(half), 65536)):
            if number > 9:
                await anyio.sleep(0.0005)
            desk.print(half[at : at + 65536])  # the last one waits: nothing has drawn it yet
        assert desk.left_out and desk.run.waiting
        with anyio.fail_after(30):
            async with desk.feeder.whole(desk.session):
                assert not desk.run.is_read_ahead
                assert desk.kept == texts(half[:-2].split(b"\r\n"))
        assert not desk.session.searches
        tasks.cancel_scope.cancel()
