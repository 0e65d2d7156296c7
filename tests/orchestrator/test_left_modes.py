"""What a killed program leaves ends where the shell does not mark its prompts, either."""

from __future__ import annotations

import re
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.terminal.choose import open_engine
from nagomi_tui.text.rows import Modes
from tests.helpers.waiting import until
from tests.helpers.workplace import PATIENCE, create, text_of
from tests.terminal.test_left_modes import SHELLS_OWN, TAKEN

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

DIES = f"""
import os, signal, sys, tty
if 'raw' in sys.argv:
    tty.setraw(0)
sys.stdout.buffer.write({TAKEN + b"TUI SCREEN"!r})
sys.stdout.flush()
os.read(0, 10)
os.kill(os.getpid(), signal.SIGKILL)
"""
ASKS = r"""
import os, sys, termios, tty, select
before = termios.tcgetattr(0)
tty.setraw(0)
for mode in (1000, 1002, 1003, 1006, 1004, 25, 1049, 2026):
    os.write(1, b"\x1b[?%d$p" % mode)
os.write(1, b"\x1b[?u\x1b[c")
said = b""
while b"\x1b[?6" not in said and select.select([0], [], [], 5)[0]:
    said += os.read(0, 1000)
termios.tcsetattr(0, termios.TCSANOW, before)
print("\nANSWER " + said.decode().replace("\x1b[?", " ").strip() + " END")
"""


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
@pytest.mark.parametrize("other", [b"?1049h", b"?47h", b"?1047h"])
def test_the_prompt_on_a_dead_program_s_screen_comes_along(
    tmp_path: Path, engine: str, other: bytes
) -> None:
    made = open_engine(40, 6, prefer=engine)
    screen = Screen(made, "s", CrashMarker(tmp_path / "feeding"))
    screen.feed(SHELLS_OWN + b"before\r\n" + TAKEN.replace(b"?1049h", other))
    screen.feed(b"TUI SCREEN\r\nKilled\r\n")
    screen.feed(b"\x1b[32m~/project\x1b[0m $ ls")
    assert screen.end_left_modes()
    assert screen.modes == Modes(bracketed_paste=True, app_cursor=True, app_keypad=True)
    rows = [row.text for row in screen.screen()]
    assert rows[:2] == ["before", "~/project $ ls"] and not any(rows[2:])
    assert (screen.cursor.x, screen.cursor.y, screen.cursor.visible) == (14, 1, True)
    assert not screen.end_left_modes()


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_reports_that_no_modes_tell_end_with_the_rest(tmp_path: Path, engine: str) -> None:
    screen = Screen(open_engine(40, 6, prefer=engine), "s", CrashMarker(tmp_path / "feeding"))
    screen.feed(
        b"$ \x1b7\x1b[?2048h\x1b[?2031h\x1b[3;5r\x1b(0\x1b[4h\x1b]8;;http://e.org\x07\x1b[1;3H"
    )
    assert screen.end_left_modes()
    replies, _ = screen.feed(b"qq\x1b[?2031$p\x1b[4$p\x1b[6;1H\nx")
    assert replies.endswith(b"\x1b[?2031;2$y\x1b[4;2$y")
    assert screen.set_colors(0, 0xFFFFFF) == b""
    replies = screen.resize(41, 6)
    rows = [row.text for row in screen.screen()]
    assert (replies or b"") == b"" and rows[-1] == "x"
    assert not any(run.style.link for row in screen.screen() for run in row.runs)


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_what_is_typed_at_a_prompt_is_drawn_as_letters_where_it_stands(
    tmp_path: Path, engine: str
) -> None:
    made = open_engine(40, 6, prefer=engine)
    screen = Screen(made, "s", CrashMarker(tmp_path / "feeding"))
    screen.feed(b"\x1b[?1003h\x1b[2;5r\x1b[?6h\x1b(0\x1b[4h\x1b[2;1H$ ")
    assert screen.end_left_modes()
    replies, _ = screen.feed(b"list\x1b[?6$p\x1b[6n\x1b[1;1Htop")
    assert replies == b"\x1b[?6;2$y\x1b[3;7R"
    assert [row.text for row in screen.screen()][:3] == ["top", "", "$ list"]


def standing(connection: Connection, session_id: str) -> str:
    """Return what a session's reasons say of its processes."""
    why = connection.request(messages.Why(id=0, session=session_id), timeout=PATIENCE)
    return " ".join(one.text for one in why.evidence_detail)


@pytest.mark.parametrize(("shell", "how"), [("bash --norc", "raw"), ("sh -i", "")])
def test_a_shell_without_marks_gets_its_terminal_back(
    place: Place, tmp_path: Path, shell: str, how: str
) -> None:
    (tmp_path / "dies.py").write_text(DIES)
    (tmp_path / "asks.py").write_text(ASKS)
    with place.connect(front_end=True) as front_end:
        front_end.request(messages.Settings(id=0, values={"shell_integration": False}))
        one = create(front_end, shell, str(tmp_path))
        until(lambda: re.search(r"[$#]", text_of(front_end, one)))

        def enter(line: str) -> None:
            front_end.request(messages.Send(id=0, session=one, text=line), timeout=PATIENCE)

        enter("echo be''fore")
        until(lambda: re.search(r"^before$", text_of(front_end, one), re.MULTILINE))
        enter(f"{sys.executable} dies.py {how}")
        until(lambda: "TUI SCREEN" in text_of(front_end, one))
        until(lambda: "python" in standing(front_end, one))
        enter("q")
        until(lambda: "before" in text_of(front_end, one))
        assert "TUI SCREEN" not in text_of(front_end, one)
        assert re.search(r"^\S*[$#]\s*\Z", text_of(front_end, one), re.MULTILINE)
        enter(f"{sys.executable} asks.py")
        until(lambda: "END" in text_of(front_end, one))
        told = text_of(front_end, one).replace("\n", "")
        modes = dict(re.findall(r"(\d+);(\d)\$y", told))
        off = {"1000", "1002", "1003", "1006", "1004", "1049", "2026"}
        assert {mode for mode, stands in modes.items() if stands == "2"} == off, told
        assert modes["25"] == "1"
        assert re.search(r"\b0u\b", told), told


def test_each_change_of_the_scheme_is_told_to_a_program_that_prints_nothing(
    place: Place, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    program = (
        "import os, sys, tty; tty.setraw(0)\n"
        "with open(sys.argv[1], 'ab', 0) as f:\n    os.write(1, b'\\x1b[?2031hready')\n"
        "    while got := os.read(0, 99): f.write(got)"
    )
    with place.connect(front_end=True, foreground=0xFFFFFF, background=0) as front_end:
        made = create(front_end, shlex.join([sys.executable, "-c", program, str(told)]))
        until(lambda: "ready" in text_of(front_end, made))
        for light in (True, False, True):
            foreground, background = (0, 0xFFFFFF) if light else (0xFFFFFF, 0)
            before = told.read_bytes()
            front_end.send(messages.Colors(foreground=foreground, background=background))
            want = before + (b"\x1b[?997;2n" if light else b"\x1b[?997;1n")
            until(lambda want=want: told.read_bytes() == want)
