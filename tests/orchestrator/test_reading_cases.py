"""Waiting for a session and reading it: with a terminal, but without a worker or socket."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.api.messages import Wait
from nagomi_tui.orchestrator.sessions import reading, waiting
from nagomi_tui.sessions.session import State
from tests.helpers.use_cases import held

if TYPE_CHECKING:
    from pathlib import Path


LONG = b"".join(b"line %d\r\n" % number for number in range(9)) + b"x" * 50


async def capture(one: Any, **how: bool) -> str:
    how = {"history": False, "colored": False} | how
    text = await reading.capture(one, nullcontext(), **how)
    return text.removesuffix("\n")


async def test_a_capture_is_the_screen_or_all_with_wrapped_rows_put_together(
    tmp_path: Path,
) -> None:
    one, _ = held(tmp_path, LONG)
    assert (await capture(one)).split("\n") == ["line 6", "line 7", "line 8", "x" * 50]
    whole = (await capture(one, history=True)).split("\n")
    assert whole == [f"line {number}" for number in range(9)] + ["x" * 50]


async def test_colours_are_captured_where_they_are_wanted(tmp_path: Path) -> None:
    one, _ = held(tmp_path, b"\x1b[31mred\x1b[0m")
    assert await capture(one) == "red"
    assert "\x1b[31mred" in (await capture(one, colored=True)).replace("\x1b[0;31m", "\x1b[31m")


async def test_nothing_is_read_before_the_screen_is_there(tmp_path: Path) -> None:
    one, _ = held(tmp_path, b"here")
    one.run.rebuilt = anyio.Event()
    with anyio.move_on_after(0.01) as waited:
        await capture(one)
    assert waited.cancelled_caught
    one.run.rebuilt.set()
    one.run.screen = None
    assert await capture(one) == "" and await reading.tail(one, 3) == []


async def test_lines_are_told_by_number_with_those_there_are(tmp_path: Path) -> None:
    one, _ = held(tmp_path, LONG)
    found = await reading.lines(one, 7, 100)
    assert [row[1][0][0] for row in found.rows[:2]] == ["line 7", "line 8"]
    assert (found.start, found.first_line, found.screen_line, found.last_line) == (7, 0, 6, 10)


async def test_a_search_finds_a_text_across_wrapped_rows(tmp_path: Path) -> None:
    one, _ = held(tmp_path, LONG)
    for text, count in (("line", 5), ("x" * 45, 1), ("absent", 0)):
        found = await reading.search(one, nullcontext(), text, 5)
        assert (len(found.matches), found.cols) == (count, 40)


def waits(**wanted: Any) -> Wait:
    return Wait(id=0, session="one", **wanted)


async def test_an_end_ends_each_wait(tmp_path: Path) -> None:
    one, _ = held(tmp_path)
    one.change(state=State.EXITED, exit_code=3)
    one.run.ended.set()
    for until in ("exit", "silence", "output"):
        found = await waiting.wait(one, waits(until=until, pattern="never", timeout=5))
        assert (found.reason, found.exit_code) == ("exit", 3)


async def test_time_and_silence_end_a_wait(tmp_path: Path) -> None:
    one, _ = held(tmp_path)
    assert (await waiting.wait(one, waits(timeout=0.01))).reason == "timeout"
    assert (
        await waiting.wait(one, waits(until="silence", silence=0.01, timeout=5))
    ).reason == "silence"


@pytest.mark.parametrize("before", [True, False])
async def test_a_line_is_found_whether_it_is_there_or_comes(tmp_path: Path, before: bool) -> None:
    one, _ = held(tmp_path, b"ready on 8080\r\n" if before else b"")

    async def printing() -> None:
        while not one.watchers:
            await anyio.sleep(0.001)
        assert one.run.screen is not None
        one.run.screen.feed(b"" if before else b"ready on 8080\r\n")
        one.wake_watchers()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(printing)
        found = await waiting.wait(
            one, waits(until="output", pattern=r"ready on [0-9]", timeout=10)
        )
    assert (found.reason, found.line) == ("output", "ready on 8080")
