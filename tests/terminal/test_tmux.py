"""Screens as tmux shows them."""

from __future__ import annotations

import random
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.terminal.ghostty.engine import GhosttyEngine
from tests.terminal.conftest import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed"),
    pytest.mark.skipif(not NATIVE, reason="no wheel here"),
]
COLS, ROWS = 60, 12
LAST = "the-end"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path, since a socket's path is bounded."""
    with tempfile.TemporaryDirectory(prefix="ng", dir="/tmp") as name:
        yield Path(name)


def stream(seed: int) -> bytes:
    """Return drawing on which terminals agree (tmux leaves the cursor's column on IL and DL)."""
    dice = random.Random(seed)
    pieces = [
        lambda: b"\x1b[%d;%dH" % (dice.randrange(1, 13), dice.randrange(1, 50)),
        lambda: b"\x1b[3%dmword\x1b[m " % dice.randrange(8),
        lambda: "日本語テキスト ".encode(),
        lambda: b"x" * dice.randrange(100),
        lambda: b"\x1b[%d%c" % (dice.randrange(1, 4), dice.choice(b"ABCDPX@")),
        lambda: b"\x1b[%d%c" % (dice.randrange(3), dice.choice(b"JK")),
        lambda: b"\r\n",
        lambda: b"\x1bM",
    ]
    body = b"".join(dice.choice(pieces)() for _ in range(120))
    return body + b"\x1b[r\x1b[12;1H\x1b[K" + LAST.encode()


def tmux_screen(folder: Path, data: bytes) -> list[str]:
    """Return the pane of a tmux server of our own after it has shown `data`."""
    (folder / "data").write_bytes(data)
    tmux = ["tmux", "-f", "/dev/null", "-S", str(folder / "s")]
    show = f"stty -onlcr; cat {shlex.quote(str(folder / 'data'))}; exec sleep 60"
    size = ["-x", str(COLS), "-y", str(ROWS)]
    subprocess.run([*tmux, "-u", "new-session", "-d", *size, show], check=True)
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            seen = subprocess.run(
                [*tmux, "capture-pane", "-p"], check=True, capture_output=True
            ).stdout.decode()
            if LAST in seen:
                return [line.rstrip() for line in seen.split("\n")[:ROWS]]
            time.sleep(0.02)
        raise AssertionError("tmux showed nothing in time")
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


@pytest.mark.parametrize("seed", range(4))
def test_same_screen_as_tmux(folder: Path, seed: int) -> None:
    data = stream(seed)
    engine = GhosttyEngine(COLS, ROWS)
    engine.feed(data)
    assert [row.text for row in engine.screen()] == tmux_screen(folder, data)
    engine.close()
