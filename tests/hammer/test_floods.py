"""Everything that a program can say quickly: nobody is kept waiting, and nothing grows."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.api import messages as m
from tests.hammer.counting import python
from tests.hammer.front_end import REACT_SECONDS, front_end, leave, reacts
from tests.hammer.vitals import well
from tests.helpers.waiting import until
from tests.helpers.workplace import Place, create, session, text_of, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.client import Connection

    Seen = Callable[[str], None]

pytestmark = pytest.mark.timeout(180)

SECONDS: Final = 4.0
FLOOD: Final = r"""
import os, sys, termios, time
form, rate, seconds = sys.argv[1].encode().decode("unicode_escape"), int(sys.argv[2]), float(sys.argv[3])
attrs = termios.tcgetattr(0)
attrs[3] &= ~termios.ECHO
termios.tcsetattr(0, termios.TCSANOW, attrs)
began, said = time.monotonic(), 0
while (now := time.monotonic() - began) < seconds:
    if rate and said > now * rate:
        time.sleep(0.002)
        continue
    os.write(1, "".join(form.replace("#", str(n)) for n in range(said, said + 50)).encode("latin-1"))
    said += 50
print("\r\n\r\nover " + str(said), flush=True)
time.sleep(600)
"""
KINDS: Final = {
    "lines": (r"a line of text # and more of it\r\n", 0),
    "one endless line": ("x" * 200, 0),
    "colours": (r"\x1b[38;5;1m#\x1b[48;2;1;2;3m#\x1b[0m", 0),
    "titles": (r"\x1b]0;title #\x07", 0),
    "titles at 1,500 a second": (r"\x1b]2;title #\x07", 1500),
    "states by OSC 7501": (r"\x1b]7501;state=working;n=#\x1b\\\x1b]7501;state=blocked;n=#\x1b\\", 0),
    "progress": (r"\x1b]9;4;1;#\x1b\\\x1b]9;4;0\x1b\\", 0),
    "notices by OSC 9": (r"\x1b]9;message #\x1b\\", 0),
    "notices by OSC 777": (r"\x1b]777;notify;title #;message #\x1b\\", 0),
    "bells": (r"\x07", 0),
    "the clipboard": (r"\x1b]52;c;bmFnb21pIQ==\x1b\\", 2000),
    "marks of commands": (r"\x1b]133;A\x07$ \x1b]133;B\x07x\x1b]133;C\x07\r\n\x1b]133;D;#\x07", 0),
    "alternate screens": (r"\x1b[?1049h\x1b[2Jhere #\x1b[?1049l", 0),
    "queries": (r"\x1b[6n\x1b[c\x1b]11;?\x07", 2000),
    "combining marks": ("e" + r"\xcc\x81" * 200, 0),
    "links": (r"\x1b]8;;http://example.com/#\x1b\\link\x1b]8;;\x1b\\ ", 0),
}  # fmt: skip


@pytest.fixture
def slow_clipboard(tmp_path: Path) -> Path:
    """A folder with an `xclip` that takes its time."""
    program = tmp_path / "xclip"
    program.write_text("#!/bin/sh\ncat >/dev/null\nsleep 20\n")
    program.chmod(0o755)
    return tmp_path


def echoes(connection: Connection, name: str, word: str) -> float:
    """Type into a session, and return after how many seconds the text was printed."""
    began = time.monotonic()
    connection.request(m.Send(id=0, session=name, text=word), timeout=REACT_SECONDS)
    until(lambda: word in text_of(connection, name), "the echo", patience=REACT_SECONDS)
    return time.monotonic() - began


@pytest.mark.parametrize("kind", KINDS)
def test_flood(place: Place, slow_clipboard: Path, kind: str, seen: Seen) -> None:
    form, rate = KINDS[kind]
    with place.connect() as connection:
        quiet = create(connection, "cat", name="quiet")
    with (
        place.connect() as connection,
        front_end(path=slow_clipboard, DISPLAY=":99") as outer,
    ):
        outer.wait("quiet")
        flood = create(connection, python(FLOOD, form, str(rate), str(SECONDS)), name="flood")
        outer.wait("flood")
        outer.keys("C-]", "2")
        echo = max(echoes(connection, quiet, f"word-{n}") for n in range(3))
        key = max(reacts(outer) for _ in range(2))
        seen(f"an echo beside it after {echo:.2f} s, a key after {key:.2f} s; {well(place)}")
        wait_for(connection, flood, r"^over \d+")
        settled = reacts(outer)
        outer.keys("C-]", "1")
        outer.wait("word-2")
        seen(f"{settled:.2f} s in the end; {well(place)}")
        leave(outer)


RESIZED: Final = r"""
import os, shutil, signal, time
def told(*_):
    size = os.get_terminal_size()
    os.write(1, f"\x1b[2J\x1b[H{'x' * size.columns * (size.lines - 2)}\r\nsize {size.columns}x{size.lines} ".encode())
signal.signal(signal.SIGWINCH, told)
told()
while True: time.sleep(600)
"""


def test_resizes(place: Place, seen: Seen) -> None:
    """A terminal that changes its size all the time, with a program that draws all of it."""
    with place.connect() as connection:
        drawing = create(connection, python(RESIZED), name="drawing")
    with place.connect() as connection, front_end() as outer:
        outer.wait("drawing")
        outer.keys("C-]", "z")
        began = time.monotonic()
        for n in range(120):
            outer.resize(60 + n % 80, 20 + n % 30)
        outer.resize(100, 25)
        until(lambda: session(connection, drawing)["cols"] == 100, "the last size is taken")
        outer.wait("size 100x", timeout=REACT_SECONDS)
        seen(f"121 sizes in {time.monotonic() - began:.1f} s; {well(place)}")
        seen(f"a key after {reacts(outer):.2f} s")
        leave(outer)


def _bells(connection: Connection, seconds: float) -> int:
    pushed: list[Any] = connection.pushed(seconds)
    return sum(isinstance(one, m.Event) and one.kind == "bell" for one in pushed)


def test_bells_of_others_keep_to_the_quiet(place: Place, seen: Seen) -> None:
    """Muted, no bell of a session that is not in front reaches the terminal."""
    with place.connect(front_end=True) as connection:
        connection.request(m.Sound(id=0, do="mute", seconds=3600), timeout=10)
        create(connection, "cat", name="in-front")
        connection.send(m.Focus(session=session_of(connection, "in-front")))
        ring = f"{sys.executable} -c 'import time\nfor n in range(100): print(chr(7), flush=True); time.sleep(0.02)'"
        create(connection, ring, name="ringing")
        rung = _bells(connection, 3.0)
        assert rung == 0, f"{rung} bells while muted"
    seen("100 bells while muted, none told")


def session_of(connection: Connection, name: str) -> str:
    return connection.request(m.Find(id=0, session=name), timeout=10).session_id
