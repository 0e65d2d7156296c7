"""A session moves from one kind of engine to the other by its text."""

from __future__ import annotations

import pytest

from nagomi_tui.terminal.choose import open_engine
from nagomi_tui.terminal.pyte.engine import PyteEngine
from tests.terminal.conftest import NATIVE
from tests.terminal.test_snapshot import recording


@pytest.mark.skipif(not NATIVE, reason="no wheel here")
@pytest.mark.parametrize("seed", range(8))
def test_from_ghostty_to_pyte(seed: int) -> None:
    old = open_engine(40, 8)
    old.feed(b"".join(b"line %d\r\n" % number for number in range(300)) + recording(seed))
    new = PyteEngine.like(old)
    assert (new.first_line, new.screen_line) == (old.first_line, old.screen_line)
    assert list(new.screen()) == list(old.screen())
    assert new.cursor == old.cursor
    assert new.modes == old.modes
    assert new.title == old.title
    for engine in (old, new):
        engine.feed(b"\x18\x1b[?1049l\x1b[8;1Hend")
    assert list(new.screen()) == list(old.screen())
    history = [engine.lines(engine.first_line, engine.screen_line) for engine in (old, new)]
    assert history[0] == history[1]
    old.close()
