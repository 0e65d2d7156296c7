"""What a line tears, on the running program: nothing of it is typed into a session's program."""

from __future__ import annotations

import os
import shlex
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.test_type_ahead import BYTES
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.workplace import create, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

SPEAKS = b"\x1b[?5u"
"""A terminal's answer that it speaks kitty's protocol."""


class Taken:
    """A program in a session that takes bytes, and the terminal that nagomi runs in."""

    def __init__(self, terminal: BareTerminal, file: Path) -> None:
        self.terminal = terminal
        self._file = file
        self._seen = 0

    def after(self, *pieces: bytes | float) -> bytes:
        """Send pieces, with seconds between them; return what the program got of them."""
        for piece in (*pieces, b"!"):
            if isinstance(piece, float):
                self.terminal.read_for(piece)
            else:
                self.terminal.type(piece)
        until(
            lambda: (
                self.terminal.read_for(0.02)
                and self._file.read_bytes()[self._seen :].endswith(b"!")
            )
        )
        got = self._file.read_bytes()[self._seen : -1]
        self._seen += len(got) + 1
        return got


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taken]:
    file = tmp_path_factory.mktemp("taken") / "bytes"
    file.touch()
    with workplace() as place, place.connect() as connection:
        env = os.environ | {"TERM": "xterm-256color", "NAGOMI_HOME": str(place.home)}
        create(connection, shlex.join([sys.executable, "-c", BYTES, str(file)]))
        with BareTerminal([sys.executable, "-m", "nagomi_tui"], env) as terminal:
            terminal.wait(b"ready")
            found = Taken(terminal, file)
            deadline = time.monotonic() + 30
            while not file.read_bytes().endswith(b"?"):
                assert time.monotonic() < deadline
                terminal.type(b"?")
                terminal.read_for(0.3)
            terminal.read_for(0.5)
            found._seen = len(file.read_bytes())
            yield found


def test_reports_and_replies_that_come_in_pieces(taken: Taken) -> None:
    for kitty in (b"\x1b[?0u", SPEAKS):
        taken.terminal.type(kitty)
        for pieces in (
            (b"\x1b[<64;71;4", 1.2, b"2M"),
            (b"\x1b[", 0.1, b"<35;50;20M"),
            (b"\x1b]", 0.1, b"11;rgb:1/1/1\x07"),
            (b"\x1bP", 0.1, b">|X(1)\x1b\\"),
            (b"\x1b[M", 1.2, b" !!"),
            (b"\x1b[?62;", 1.2, b"22c"),
            (b"\x1b[12;4", 1.2, b"0R"),
            (b"\x1b]11;rgb:11/", 6.0, b"11/11\x1b\\"),
        ):
            assert taken.after(*pieces) == b""
        assert taken.after("日".encode()[:1], 2.0, "日".encode()[1:]) == "日".encode()


def test_an_escape_before_a_pause_is_no_key_where_kitty_s_protocol_is_spoken(taken: Taken) -> None:
    taken.terminal.type(SPEAKS)
    for pause in (0.02, 0.3, 2.0):
        assert taken.after(b"\x1b", pause, b"[<35;50;20M") == b""
    assert taken.after(b"\x1b[27u") == b"\x1b"


def test_a_torn_paste_stays_a_paste(taken: Taken) -> None:
    got = taken.after(b"\x1b[200~line one\r", 6.0, b"line two\rrm x\r", b"\x1b[201~")
    assert got == b"line one\rline two\rrm x\r"


def test_a_string_of_more_than_a_mebibyte(taken: Taken) -> None:
    data = b"\x1b]52;c;" + b"QUFB" * 400_000 + b"\x1b\\"
    pieces = [data[at : at + 4000] for at in range(0, len(data), 4000)]
    assert taken.after(*pieces) == b""


def test_shortcuts_of_other_layouts(taken: Taken) -> None:
    assert taken.after(b"\x1b[1089::99;5u") == b"\x03"
    assert taken.after(b"\x1b[27;5;1089~") == b"\x03"
    assert taken.after(b"\x1b[1080::98;3u") == b"\x1bb"
    assert taken.after("\x1bи".encode()) == b"\x1bb"
    assert taken.after("с".encode()) == "с".encode()
