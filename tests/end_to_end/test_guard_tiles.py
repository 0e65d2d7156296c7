"""Guarded agents in four tiles at once, approved and stopped by keys in a terminal alone."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system import paths
from tests.helpers.guarded_tiles import approve, ask, guard, guarded_tiles, leader
from tests.helpers.outer import Outer
from tests.helpers.waiting import until
from tests.helpers.workplace import workplace

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.mark.requirement("F-10")
def test_four_guarded_agents_are_approved_and_stopped_by_keys(tmp_path: Path) -> None:
    with (
        workplace() as place,
        place.connect() as connection,
        guarded_tiles(connection, tmp_path) as tiles,
    ):
        env = {
            "PATH": os.environ["PATH"], "HOME": str(place.home), "TERM": "tmux-256color",
            "LANG": "C.UTF-8", "NAGOMI_HOME": str(place.home), "NAGOMI_LANG": "en",
        }  # fmt: skip
        with Outer([sys.executable, "-m", "nagomi_tui"], env, cols=200, rows=60) as front_end:
            for tile in tiles:
                ask(front_end, connection, tile)
            for tile in tiles:
                until(lambda at=tile: guard(connection, at)["proposed"])
                assert tile.refused("early") and not tile.files()
            for tile in tiles:
                approve(front_end, connection, tile)
                until(lambda at=tile: at.files() == {"made.txt"})
            leader(front_end, "!")
            for tile in tiles:
                front_end.wait(
                    lambda _, at=tile: guard(connection, at)["mode"] == "discussion",
                    what=f"the guard of {tile.root.name} in discussion",
                )
                tile.stopped.set()
            for tile in tiles:
                until(lambda at=tile: at.refused("late"))
                assert tile.files() == {"made.txt"}
            # The real agents draw what their rules were made for, whatever their user types.
            assert not (paths.state_folder() / "misread.json").exists()
