"""Ordinary programs: who asks, and who only prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from nagomi_tui.core.judge.evidence import Foreground, View, Wait
from nagomi_tui.core.judge.judge import Judge
from nagomi_tui.core.judge.lines import only_reads, own_words
from nagomi_tui.core.judge.verdict import State
from nagomi_tui.judging import manifests

BOOK = manifests.load(Path("/nonexistent")).book
RAW, LINES = False, True


def judged(rows: str, command: str, wait: Wait, *, canonical: bool, alt: bool = False) -> State:
    shown = tuple(rows.split("\n"))
    judge = Judge("prog", BOOK, at=0.0)
    end = {"cursor_y": len(shown) - 1, "cursor_x": len(shown[-1])}
    judge.feed(View(at=1.0, rows=shown, lines=shown, alt_screen=alt, **end))
    judge.feed(
        Foreground(
            at=1.1, command=command, leader=True, wait=wait, canonical=canonical, echo=canonical
        )
    )
    judge.tick(3.0)
    judge.tick(4.0)
    return judge.shown.state


DIALOG = "┌──────────────┐\n│ Remove it?   │\n│  <Yes>  <No> │\n└──────────────┘"
NANO = "text\nSave modified buffer?\n Y Yes\n N No           ^C Cancel"


@pytest.mark.parametrize(
    ("rows", "command", "wait", "canonical", "alt", "state"),
    [
        ("Type its name and press Enter\n", "python3", Wait.READ, LINES, False, State.ATTENTION),
        ("Go on? [yes/no]:\n", "prog", Wait.READ, LINES, False, State.ATTENTION),
        ("Proceed? [y/N]\n", "sh", Wait.READ, LINES, False, State.ATTENTION),
        ("Which? (a, b or c)\n", "sh", Wait.READ, LINES, False, State.ATTENTION),
        ("Overwrite it (y/n)\n", "sh", Wait.READ, LINES, False, State.ATTENTION),
        ("copied (3 files)\n", "cat", Wait.READ, LINES, False, State.UNKNOWN),
        ("all well\n", "cat", Wait.READ, LINES, False, State.UNKNOWN),
        ("Please enter a value.\n>>> ", "python3", Wait.READ, LINES, False, State.ATTENTION),
        ("Python 3.13 on linux\n>>> ", "python3", Wait.READ, LINES, False, State.UNKNOWN),
        ("Please enter a value.\n>>> ", "python3", Wait.KEYS, RAW, False, State.UNKNOWN),
        ("Author name ", "node", Wait.KEYS, RAW, False, State.ATTENTION),
        ("12 MiB in use                    ", "top", Wait.KEYS, RAW, False, State.RUNNING),
        ("Author name \n12 MiB in use", "top", Wait.KEYS, RAW, False, State.RUNNING),
        (DIALOG, "bash", Wait.KEYS, RAW, True, State.ATTENTION),
        (NANO, "nano", Wait.KEYS, RAW, True, State.ATTENTION),
        ("some text", "vim", Wait.KEYS, RAW, True, State.UNKNOWN),
        ("Is the database up?", "ssh", Wait.KEYS, RAW, False, State.RUNNING),
        ("Resolving dependencies: ", "docker", Wait.KEYS, RAW, False, State.RUNNING),
        ("Go on? [Y/n] ", "ssh", Wait.KEYS, RAW, False, State.ATTENTION),
        ("far:~$ ", "ssh", Wait.KEYS, RAW, False, State.UNKNOWN),
    ],
)
def test_who_asks(
    rows: str, command: str, wait: Wait, canonical: bool, alt: bool, state: State
) -> None:
    assert judged(rows, command, wait, canonical=canonical, alt=alt) is state


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("dev@box:~/proj$ cat app.log", True),
        ("~ ❯ grep -i error app.log | tail -3", True),
        ("$ git log --oneline", True),
        ("$ cat list | xargs rm", False),
        ("$ tail app.log; make", False),
        ("$ git push", False),
        ("$ make cat", False),
    ],
)
def test_a_command_that_only_prints_files_says_nothing_by_them(command: str, reads: bool) -> None:
    assert only_reads(BOOK.profile, command) is reads


def test_what_a_reader_says_of_itself_counts() -> None:
    said = ("ERROR pool exhausted", "cat: x: No such file or directory")
    assert own_words("$ cat x app.log", said) == said[1:]
