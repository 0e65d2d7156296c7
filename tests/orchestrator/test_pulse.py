"""What is done each second is done by one wake-up."""

from __future__ import annotations

from types import SimpleNamespace

import anyio
import pytest

from nagomi_tui.orchestrator.runtime import timers


@pytest.mark.parametrize("now", [30.0, 30.25, 32.75])
async def test_those_who_begin_at_different_moments_wake_up_together(
    now: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(now + seconds)

    monkeypatch.setattr(anyio, "sleep", sleep)
    monkeypatch.setattr(timers, "time", SimpleNamespace(monotonic=lambda: now))
    await timers.next_pulse(3.0)
    assert slept == [33.0]
