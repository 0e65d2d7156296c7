"""Garbage is looked for often while something goes on, and seldom while nothing does."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

from nagomi_tui.view.driver.driver import QuietCollector

if TYPE_CHECKING:
    import pytest


class Loop:
    """Keeps the one call that is to come."""

    def __init__(self) -> None:
        self.delay = 0.0
        self.call: Any = None

    def call_later(self, delay: float, call: Any) -> Any:
        self.delay, self.call = delay, call
        return self

    def cancel(self) -> None:
        self.call = None


def test_a_quiet_front_end_is_seldom_woken_for_its_garbage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # On a busy machine collecting takes long, which lengthens the pauses by itself.
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 0))
    loop: Any = Loop()
    idle = 0
    collector = QuietCollector(loop, lambda: time.monotonic() - idle)
    try:
        loop.call()
        loop.call()
        often = loop.delay
        idle = 60
        loop.call()
        assert loop.delay > 3 * often
        idle = 0
        loop.call()
        assert loop.delay == often
    finally:
        collector.stop()
    assert loop.call is None


def test_a_collection_that_takes_long_is_not_soon_followed_by_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop: Any = Loop()
    collector = QuietCollector(loop, lambda: time.monotonic() - 2)
    try:
        loop.call()
        collect = gc.collect

        def long() -> None:
            time.sleep(0.1)
            collect()

        monkeypatch.setattr(gc, "collect", long)
        garbage = [[number] for number in range(5000)]
        loop.call()
        assert garbage
        assert loop.delay >= 5.0
    finally:
        collector.stop()
