"""A reflow gives rows other numbers; a place is found again by its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.sessions.anchor import anchor, anchor_of_cell, cell_of, line_of
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.text.selection import END, grid_row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.orchestrator.sessions.screens import Screen


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    made = ScreenMaker(CrashMarker(tmp_path / "mark")).new("1" * 36, 80, 24)
    for number in range(400):
        made.feed(f"<{number}> {'word ' * (number % 40)}\r\n".encode())
    yield made
    made.close()


def text(screen: Screen, line: int) -> str:
    return screen.lines(line, line + 1)[0].text


@pytest.mark.parametrize("cols", [40, 79, 81, 200])
@pytest.mark.parametrize("number", [0, 3, 120, 399])
def test_a_line_is_found_again(screen: Screen, cols: int, number: int) -> None:
    line = next(n for n in range(*_range(screen)) if text(screen, n).startswith(f"<{number}>"))
    place = anchor(screen, line)
    screen.resize(cols, 24)
    assert text(screen, line_of(screen, place)).startswith(f"<{number}>")


def test_a_place_inside_a_wrapped_line_stays_inside_it(screen: Screen) -> None:
    line = next(n for n in range(*_range(screen)) if text(screen, n).startswith("<119>"))
    place = anchor(screen, line + 1)
    screen.resize(40, 24)
    found = line_of(screen, place)
    assert text(screen, found - 2).startswith("<119>")


@pytest.mark.parametrize("cols", [40, 79, 80, 120])
def test_a_place_in_a_very_long_line_is_found_with_few_reads(
    screen: Screen, cols: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen.feed(b"".join(b"%07d " % number for number in range(10_000)) + b"\r\nbehind it")
    line = screen.bounds[1] - 500
    wanted = text(screen, line).split()[0]
    reads: list[int] = []
    lines = type(screen).lines

    def counted(one: Screen, start: int, stop: int, **more: bool) -> object:
        reads.append(start)
        return lines(one, start, stop, **more)

    monkeypatch.setattr(type(screen), "lines", counted)
    place = anchor(screen, line)
    screen.resize(cols, 24)
    found = line_of(screen, place)
    assert wanted in text(screen, found) + text(screen, found + 1)
    assert len(reads) < 40


def test_a_line_below_the_cursor_keeps_its_distance(screen: Screen) -> None:
    bottom = screen.bounds[1] + screen.cursor.y
    place = anchor(screen, bottom + 3)
    screen.resize(60, 24)
    assert line_of(screen, place) == screen.bounds[1] + screen.cursor.y + 3


@pytest.mark.parametrize("cols", [9, 40, 79, 81, 200])
@pytest.mark.parametrize("wanted", ["x", "日", "g", "é"])
def test_a_cell_is_found_again(screen: Screen, cols: int, wanted: str) -> None:
    screen.feed(f"{'ab ' * 26}x日本語{'あ' * 60} long   {'é' * 9} {'z ' * 90}\r\nend".encode())
    bottom = screen.bounds[1] + screen.cursor.y
    at = next(
        (n, column(screen, n, wanted))
        for n in range(bottom - 8, bottom)
        if wanted in text(screen, n)
    )
    end = anchor_of_cell(screen, at[0], END)
    place = anchor_of_cell(screen, *at)
    for width in (cols, 80):
        screen.resize(width, 24)
        line, found = cell_of(screen, place)
        assert found == column(screen, line, wanted)
    assert cell_of(screen, place) == at
    last, behind = cell_of(screen, end)
    assert behind == END
    assert not screen.lines(last, last + 1)[0].wrapped


def column(screen: Screen, line: int, wanted: str) -> int:
    row = screen.lines(line, line + 1)[0]
    return grid_row((run.text, run.unit) for run in row.runs).cells.index(wanted)


def _range(screen: Screen) -> tuple[int, int]:
    first, _, last = screen.bounds
    return first, last + 1
