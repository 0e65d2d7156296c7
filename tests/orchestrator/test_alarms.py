"""Calls at their times: one timer of the loop for all of them."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio

from nagomi_tui.orchestrator.runtime.timers import Alarms

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@asynccontextmanager
async def ringing(alarms: Alarms) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(alarms.run)
        yield
        tasks.cancel_scope.cancel()


async def rung(called: list[str], count: int) -> None:
    with anyio.fail_after(10):
        while len(called) < count:
            await anyio.sleep(0.005)


async def test_calls_come_in_the_order_of_their_times() -> None:
    alarms, called = Alarms(), list[str]()
    alarms.after(0.06, "late", partial(called.append, "late"))
    async with ringing(alarms):
        await anyio.sleep(0)
        alarms.after(0.03, "soon", partial(called.append, "soon"))
        alarms.after(0.0, "now", partial(called.append, "now"))
        await rung(called, 3)
    assert called == ["now", "soon", "late"]


async def test_a_later_time_replaces_the_earlier_one() -> None:
    alarms, called = Alarms(), list[str]()
    async with ringing(alarms):
        alarms.after(0.01, "it", partial(called.append, "first"))
        alarms.after(0.05, "it", partial(called.append, "second"))
        alarms.after(0.02, "gone", partial(called.append, "gone"))
        alarms.cancel("gone")
        assert alarms.pending("it") and not alarms.pending("gone")
        await rung(called, 1)
        assert not alarms.pending("it")
        await anyio.sleep(0.05)
    assert called == ["second"]


async def test_a_call_that_fails_or_asks_anew_stops_nothing() -> None:
    alarms, called = Alarms(), list[str]()

    def again() -> None:
        called.append("again")
        if len(called) < 4:
            alarms.after(0.0, "again", again)

    def fail() -> None:
        raise RuntimeError("a fault of its own")

    async with ringing(alarms):
        alarms.after(0.0, "fault", fail)
        alarms.after(0.0, "again", again)
        await rung(called, 4)
    assert called == ["again"] * 4


async def test_many_calls_let_others_have_their_turn() -> None:
    alarms, called = Alarms(), list[str]()

    def slow(number: int) -> None:
        time.sleep(0.002)
        called.append(str(number))

    async with ringing(alarms):
        for number in range(50):
            alarms.after(0.0, number, partial(slow, number))
        turns = 0
        while len(called) < 50:
            await anyio.sleep(0)
            turns += 1
    assert turns > 10
    assert called == [str(number) for number in range(50)]


async def test_nothing_rings_after_the_end() -> None:
    alarms, called = Alarms(), list[str]()
    async with ringing(alarms):
        alarms.after(0.02, "it", partial(called.append, "it"))
    await anyio.sleep(0.05)
    assert called == []


async def test_times_that_were_replaced_are_not_kept() -> None:
    alarms, called = Alarms(), list[str]()
    for number in range(10_000):
        alarms.after(60 + number, "it", partial(called.append, "late"))
    alarms.after(0.0, "it", partial(called.append, "now"))
    assert len(alarms._heap) < 1000
    async with ringing(alarms):
        await rung(called, 1)
    assert called == ["now"]
