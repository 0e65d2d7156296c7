"""A screen that fails says so, and is not taken for one that never comes back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.orchestrator.resident.stuck import Watch
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.terminal.engine import EngineError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ID = "0b5a2c6e-0000-4000-8000-000000000000"


class Broken:
    """An engine of which every call fails."""

    version = "ghostty broken"
    cols, rows = 80, 24

    def __getattr__(self, name: str) -> Any:
        def fail(*_values: object, **_named: object) -> None:
            raise EngineError(name)

        return fail


@pytest.mark.parametrize(
    "call",
    [
        lambda screen: screen.feed(b"x"),
        lambda screen: screen.feed(b"x", old=True),
        lambda screen: screen.resize(10, 10),
        lambda screen: screen.screen(),
        lambda screen: screen.lines(0, 1),
        lambda screen: screen.snapshot(history=True),
        lambda screen: screen.capture(),
        lambda screen: screen.compact(at_hand=False),
    ],
    ids=["feed", "skim", "resize", "screen", "lines", "snapshot", "capture", "compact"],
)
def test_an_error_of_the_engine_leaves_nothing_in_the_crash_marker(
    call: Callable[[Screen], object], tmp_path: Path
) -> None:
    marker = CrashMarker(tmp_path / "feeding")
    screen = Screen(Broken(), ID, marker)  # type: ignore[arg-type]
    with pytest.raises(EngineError):
        call(screen)
    assert CrashMarker(tmp_path / "feeding").judge("crash") is None


@pytest.mark.timeout(10)
def test_in_place_of_the_crash_marker_a_fifo_keeps_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "feeding")
    marker = CrashMarker(tmp_path / "feeding")
    marker.enter(b"1" * 36, b"f")
    assert Watch(os.getpid(), tmp_path / "feeding").is_stuck() is False


def test_the_crash_marker_is_mapped_only_where_its_blocks_are(tmp_path: Path) -> None:
    """A sparse file on a full disk would end the process that writes to it (SIGBUS)."""
    path = tmp_path / "feeding"
    with path.open("wb") as sparse:
        sparse.truncate(4096)
    before = CrashMarker(path)
    assert path.stat().st_blocks
    before.enter(ID.encode(), b"f")
    suspect = CrashMarker(path).judge("crash")
    assert suspect is not None and suspect.session_id == ID
