"""Under `NO_COLOR` nagomi draws nothing in colours of its own."""

from __future__ import annotations

import os
import re
import sys

import pytest

from tests.helpers.outer import Outer
from tests.helpers.waiting import until
from tests.helpers.workplace import create, workplace

pytestmark = pytest.mark.slow


def test_no_color_leaves_frames_without_colours_and_the_focused_one_bold() -> None:
    with workplace() as place, place.connect() as connection:
        for name in ("one", "two"):
            create(connection, "cat", name=name)
        env = {name: os.environ[name] for name in ("PATH", "HOME", "NAGOMI_HOME")}
        env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        env |= {"NAGOMI_LANG": "en", "NO_COLOR": "1"}
        with Outer([sys.executable, "-m", "nagomi_tui"], env, cols=100, rows=30) as outer:
            outer.wait("two")
            for view, shown in (("", "╭"), ("\x1dv", "keys → prompt")):
                outer.type(view)
                outer.wait(shown)
                assert re.findall(r"\x1b\[[0-9;]*[34]8;[0-9;]*m", outer.screen(ansi=True)) == []
            until(lambda: "\x1b[1m╭" in outer.screen(ansi=True))
