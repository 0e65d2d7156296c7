"""`nagomi help`: the pages of docs/ in the terminal, in the user's language."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import struct
import subprocess
import termios
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system.outcome import Exit
from nagomi_tui.system.pages import manual, pages
from nagomi_tui.text.cells import cells
from nagomi_tui.text.markdown import Piece, Renderer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.command import Commands

_SGR = re.compile(r"\x1b\[[0-9;]*m")


def test_without_a_topic_all_are_listed_with_their_titles(nagomi: Commands) -> None:
    said = nagomi.ok("help")
    for page in pages("en"):
        assert re.search(rf"^  {page.topic} +{re.escape(page.title)}$", said, re.MULTILINE)
    assert re.search(r"^  man ", said, re.MULTILINE)


def test_where_no_terminal_is_a_page_is_printed_as_it_was_written(nagomi: Commands) -> None:
    said = nagomi.ok("help", "Calls")
    assert said.startswith("# When a session calls you\n\nWhen a turn ends badly")
    assert "](" not in said and "*[日本語]" not in said


def test_a_page_comes_in_the_language_of_the_user_or_of_the_settings(nagomi: Commands) -> None:
    assert nagomi.run("help", "keys", env={"NAGOMI_LANG": "ja"}).stdout.startswith("# キー\n")
    settings = nagomi.home / "config" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    before = settings.read_text() if settings.exists() else "{}"
    settings.write_text('{"language": "ja"}')
    try:
        assert nagomi.run("help", "keys", env={"NAGOMI_LANG": ""}).stdout.startswith("# キー\n")
    finally:
        settings.write_text(before)


def test_the_help_of_a_command_is_that_of_the_command(nagomi: Commands) -> None:
    assert nagomi.ok("help", "ls") == nagomi.ok("ls", "--help")
    assert nagomi.ok("help", "search") == nagomi.ok("history", "--help")


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("kyes", "there is no page `kyes`; did you mean `keys`?"),
        ("docter", "there is no page `docter`; did you mean `doctor`?"),
        ("quiet_hours", "there is no page `quiet_hours`; these tell of it: calls, settings."),
        ("qqqqq", "there is no page `qqqqq`; `nagomi help` lists all."),
    ],
)
def test_an_unknown_topic_leads_to_the_nearest(nagomi: Commands, topic: str, said: str) -> None:
    assert nagomi.fails(Exit.USAGE, "help", topic) == f"nagomi: {said}\n"


def test_on_a_terminal_a_long_page_goes_through_the_pager(nagomi: Commands, tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    said = _on_a_terminal(nagomi, "help", "keys", PAGER=f"tee {shown}")
    text = shown.read_text()
    assert "\x1b[1" in text and max(cells(line) for line in _SGR.sub("", text).splitlines()) <= 80
    assert "Looking back, copying" in said


def test_on_a_terminal_a_short_page_needs_no_pager(nagomi: Commands, tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    said = _on_a_terminal(nagomi, "help", "privacy", PAGER=f"tee {shown}", rows=200)
    assert "What is kept, and what leaves the machine" in said and not shown.exists()


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man")
def test_man_shows_the_manual_page_of_all_commands(nagomi: Commands) -> None:
    said = _on_a_terminal(nagomi, "help", "man", MANPAGER="cat", PAGER="cat")
    plain = re.sub(".\x08", "", said.replace("\r", ""))
    assert "nagomi doctor" in plain and "EXIT STATUS" in plain


def test_without_a_terminal_it_says_how_man_finds_the_page(nagomi: Commands) -> None:
    said = nagomi.ok("help", "man")
    assert str(manual()) in said and "ln -sf" in said


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_stands_below_a_table_is_no_row_of_it(language: str) -> None:
    for page in pages(language):
        lines = page.text.splitlines()
        below = [
            line
            for before, line in pairwise(lines)
            if before.startswith("|") and line and not line.startswith("|")
        ]
        assert below == [], page.topic


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_page_loses_a_word_to_the_width(language: str, width: int) -> None:
    for page in pages(language):
        drawn = _SGR.sub("", Renderer(color=True).render(Piece(page.text), width))
        assert max(map(cells, drawn.splitlines())) <= width, page.topic
        assert drawn.count("…") == page.text.count("…"), page.topic


def _on_a_terminal(nagomi: Commands, *arguments: str, rows: int = 24, **env: str) -> str:
    """Run a command on a terminal of 80 columns, and return what it printed there."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    child = subprocess.Popen(
        [*nagomi.program, *arguments],
        stdin=its,
        stdout=its,
        stderr=its,
        env={**nagomi.env, "TERM": "xterm-256color", **env},
    )
    os.close(its)
    said = b""
    try:
        while data := os.read(ours, 65536):
            said += data
    except OSError:  # The terminal's other end is closed.
        pass
    finally:
        os.close(ours)
    assert child.wait(40) == 0, said
    return said.decode(errors="replace")
