"""What is said too fast comes at a pace, and the newest of it in the end."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import anyio

from nagomi_tui.orchestrator.calling.program_events import newest
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.text.rows import ScreenEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


async def told(say: Callable[[Alarms, list[int]], None], seconds: float) -> list[int]:
    """Return what limited calls let through in so many seconds."""
    alarms, heard = Alarms(), list[int]()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(alarms.run)
        say(alarms, heard)
        await anyio.sleep(seconds)
        tasks.cancel_scope.cancel()
    return heard


async def test_the_first_come_at_once_and_then_the_newest() -> None:
    def say(alarms: Alarms, heard: list[int]) -> None:
        for number in range(100):
            alarms.limit("a", partial(heard.append, number), every=0.05, burst=3)
        assert heard == [0, 1, 2]

    assert await told(say, 0.3) == [0, 1, 2, 99]


async def test_keys_do_not_wait_for_each_other() -> None:
    def say(alarms: Alarms, heard: list[int]) -> None:
        for number in range(10):
            alarms.limit(number, partial(heard.append, number), every=60)
        assert heard == list(range(10))

    await told(say, 0)


async def test_a_flood_is_told_at_its_pace() -> None:
    alarms, heard = Alarms(), list[int]()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(alarms.run)
        began, number = time.monotonic(), 0
        while (gone := time.monotonic() - began) < 0.5:
            number += 1
            alarms.limit("a", partial(heard.append, number), every=0.05)
            await anyio.sleep(0)
        await anyio.sleep(0.2)
        tasks.cancel_scope.cancel()
    assert heard[-1] == number
    assert 3 <= len(heard) <= gone / 0.05 + 2


def test_who_was_quiet_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0
    monkeypatch.setattr("nagomi_tui.orchestrator.runtime.timers.time.monotonic", lambda: clock)
    alarms = Alarms()
    for number in range(5000):
        clock += 1.0
        alarms.limit(number, lambda: None, every=1.0)
    assert len(alarms._left) <= 1001


def test_of_much_said_at_once_each_kind_is_told_with_its_count() -> None:
    said = [ScreenEvent("command", text) for text in ("A", "C", "D;1", "A", "C", "D;0", "A")]
    said += [ScreenEvent("notify", "one"), ScreenEvent("bell"), ScreenEvent("notify", "two")]
    found = [(event.kind, event.text, count) for event, count in newest(said)]
    assert found == [
        ("command", "C", 2),
        ("command", "D;0", 2),
        ("command", "A", 3),
        ("bell", "", 1),
        ("notify", "two", 2),
    ]
