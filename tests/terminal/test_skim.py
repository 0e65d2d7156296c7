"""Old output is taken in roughly by the slow engine: its text and its modes, in little time."""

from __future__ import annotations

import time

import pytest

from nagomi_tui.terminal.pyte.engine import PyteEngine
from nagomi_tui.text.rows import Run

COLOURED = b"".join(b"\x1b[3%dmrow %d of the flood\x1b[m\r\n" % (n % 8, n) for n in range(9000))
MIXED = "".join(
    f"\x1b[1m{n}\x1b[m \u65e5\u672c\u8a9e e\u0301 \U0001f1ef\U0001f1f5 \u2192 end\r\n"
    for n in range(300)
).encode()


def everything(engine: PyteEngine) -> list[str]:
    lines = engine.lines(engine.first_line, engine.screen_line + engine.rows)
    return [line.text for line in lines]


def taken(data: bytes, *, step: int, last: int = 2000) -> PyteEngine:
    """Return an engine that skimmed `data`, but for its end, in pieces."""
    engine = PyteEngine(30, 6)
    engine.feed(b"before\r\nall that")
    cut = len(data) - last
    for at in range(0, cut, step):
        engine.skim(data[at : min(cut, at + step)])
    engine.feed(data[cut:])
    return engine


@pytest.mark.parametrize("data", [COLOURED, MIXED], ids=["coloured", "mixed"])
@pytest.mark.parametrize("step", [61, 4096])
def test_skimmed_lines_read_as_if_they_had_been_drawn(data: bytes, step: int) -> None:
    drawn, skimmed = PyteEngine(30, 6), taken(data, step=step)
    drawn.feed(b"before\r\nall that\r\n" + data)
    assert everything(skimmed) == everything(drawn)
    assert list(skimmed.screen()) == list(drawn.screen())


def test_long_lines_are_cut_into_rows_that_go_on() -> None:
    engine = PyteEngine(10, 3)
    engine.skim(b"0123456789abcde\r\n" + "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\n".encode())
    engine.feed(b"end")
    found = engine.lines(0, engine.screen_line)
    assert [(row.text, row.wrapped) for row in found] == [
        ("0123456789", True), ("abcde", False), ("\u65e5\u672c\u8a9e\u65e5\u672c", True), ("\u8a9e", False),
    ]  # fmt: skip
    assert found[2].runs == (Run("\u65e5\u672c\u8a9e\u65e5\u672c", found[2].runs[0].style, 2),)
    assert engine.screen()[0].text == "end"


def test_modes_that_were_set_in_between_hold() -> None:
    data = b"log\r\n" * 50 + b"\x1b[?1049h\x1b[?1000h\x1b[?1006h\x1b[>5u\x1b]2;editor\x07"
    data += b"\x1b[2;1Hsome row\r\n" * 500
    engine = taken(data, step=100, last=50)
    assert engine.modes.alt_screen
    assert (engine.modes.mouse, engine.modes.mouse_sgr, engine.modes.kitty_flags) == (1000, True, 5)
    assert engine.title == "editor"
    engine.feed(b"\x1b[?1049l")
    texts = everything(engine)
    assert "some row" not in texts
    assert texts.count("log") == 50


def test_eight_mebibytes_take_no_time_to_speak_of() -> None:
    data = COLOURED * (8 * 1024 * 1024 // len(COLOURED))
    engine = PyteEngine(80, 24)
    began = time.process_time()
    for at in range(0, len(data), 4096):
        engine.skim(data[at : at + 4096])
    print(f"{time.process_time() - began:.2f} s")
    assert engine.screen_line - engine.first_line == 20_000
    assert time.process_time() - began < 5
