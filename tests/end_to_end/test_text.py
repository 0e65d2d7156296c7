"""Large pastes, wide text, and bytes that are no text, through the whole chain."""

from __future__ import annotations

import hashlib
import random
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages as m
from tests.end_to_end.test_programs import front_end
from tests.helpers.outer import Outer
from tests.helpers.workplace import Place, create, session, text_of, until, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

MEGABYTE = 1024 * 1024

RAW = """
import hashlib, os, sys, tty
tty.setraw(0)
want = int(sys.argv[1])
print("ready\\r", flush=True)
data = b""
while len(data) < want:
    data += os.read(0, 65536)
print(hashlib.sha256(data).hexdigest(), len(data), "\\r")
"""


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as found:
        yield found


def lines_of(size: int) -> str:
    """Return lines of up to 1,000 bytes, `size` bytes in all."""
    dice = random.Random(3)
    made = []
    left = size
    while left > 0:
        width = min(left, dice.randrange(2, 1001))
        made.append("".join(dice.choices("abcdefghij 日本", k=width // 3 + 1))[: width - 1] + "\n")
        left -= len(made[-1].encode())
    return "".join(made)


def test_a_megabyte_pasted_at_the_terminal_arrives_in_cat(place: Place, tmp_path: Path) -> None:
    text, target = lines_of(MEGABYTE), tmp_path / "pasted"
    with place.connect() as connection:
        name = create(connection, f"sh -c 'echo ready; cat > {target}'")
        with front_end(place, 100, 30) as outer:
            outer.wait("ready")
            outer.paste(text)
            outer.keys("C-d")
            until(lambda: session(connection, name)["state"] == "exited", patience=60)
    assert target.read_text() == text


def test_a_megabyte_of_any_text_arrives_in_a_raw_reader(place: Place) -> None:
    dice = random.Random(5)
    text = "".join(dice.choices("abc日本語é👩‍💻\t 0123", k=MEGABYTE // 3))
    data = text.encode()
    command = shlex.join([sys.executable, "-c", RAW, str(len(data))])
    with place.connect() as connection:
        name = create(connection, command)
        wait_for(connection, name, "ready")
        connection.send(m.Paste(session=name, text=text))
        wait_for(connection, name, hashlib.sha256(data).hexdigest())


def test_wide_and_combined_characters_come_out_as_in_tmux(place: Place, tmp_path: Path) -> None:
    sample = tmp_path / "sample"
    sample.write_text(
        "日本語の文章\n한국어 中文\ne\u0301 a\u0308 o\u0302\n│ 表 │ table │\n😀 ok ☕ ok\n"
    )
    with place.connect() as connection:
        name = create(connection, f"cat {sample}")
        until(lambda: session(connection, name)["state"] == "exited")
        ours = text_of(connection, name).strip("\n").split("\n")
    env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    with Outer(["cat", str(sample)], env, cols=120, rows=30) as peer:
        peer.wait("[left 0]")
        theirs = peer.screen().split("\n")
    assert [line.rstrip() for line in ours] == [line.rstrip() for line in theirs[: len(ours)]]


def test_output_that_is_no_text_breaks_nothing(place: Place, tmp_path: Path) -> None:
    noise = tmp_path / "noise"
    noise.write_bytes(
        random.Random(9).randbytes(300_000) + b"\x1b\\\x18\x1bc\r\nafter the noise\r\n"
    )
    with place.connect() as connection, front_end(place, 80, 24) as outer:
        name = create(connection, f"sh -c 'cat {noise}; cat'")
        wait_for(connection, name, "after the noise")
        connection.request(m.Send(id=0, session=name, text="still alive"), timeout=10)
        wait_for(connection, name, "still alive")
        outer.wait("still alive")
