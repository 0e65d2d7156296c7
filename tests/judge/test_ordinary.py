"""Ordinary programs: who asks, and who only prints."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.evidence import Foreground, View, Wait
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.line_rules import only_reads, own_words
from nagomi_tui.judge.verdict import State
from tests.helpers.judge_story import BOOK

RAW, LINES = False, True


def judged(rows: str, command: str, wait: Wait, *, canonical: bool, alt: bool = False) -> State:
    shown = tuple(rows.split("\n"))
    judge = Judge("prog", BOOK, at=0.0)
    end = {"cursor_y": len(shown) - 1, "cursor_x": len(shown[-1])}
    judge.feed(View(at=1.0, rows=shown, lines=shown, alt_screen=alt, **end))
    judge.feed(
        Foreground(
            at=1.1,
            command=command,
            others=(command,),
            leader=True,
            wait=wait,
            canonical=canonical,
            echo=canonical,
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
        ("Is it so (really)?", "vim", Wait.KEYS, RAW, True, State.UNKNOWN),
        (
            "text\nFile a.py has been modified.  Save it (y,n,^C)?",
            "joe",
            Wait.READ,
            RAW,
            False,
            State.ATTENTION,
        ),
        ("text\nSave file /srv/a.py? (y or n) ", "mg", Wait.READ, RAW, True, State.ATTENTION),
        ("text\nDo you want to exit w3m? (y/n)", "w3m", Wait.READ, RAW, True, State.ATTENTION),
        (
            "Are you sure? (y)\n  Arrow keys move.\n H)elp",
            "lynx",
            Wait.READ,
            RAW,
            True,
            State.UNKNOWN,
        ),
        (
            "a is locked.  (S)teal, (P)roceed, (A)bort?",
            "jed",
            Wait.READ,
            RAW,
            True,
            State.ATTENTION,
        ),
        ("No lock. (I) edit it, (Q) leave?", "joe", Wait.READ, RAW, False, State.ATTENTION),
        ("conf\nrm -rf hovered? [Esc cancels]", "nnn", Wait.READ, RAW, True, State.ATTENTION),
        ("1092\n*", "ed", Wait.READ, LINES, False, State.UNKNOWN),
        ('Type "exit" to exit.\n; ', "calc", Wait.KEYS, RAW, False, State.UNKNOWN),
        ("Which region?\n; ", "calc", Wait.KEYS, RAW, False, State.ATTENTION),
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


MODAL = (
    " a.log\n          ┌────────────────────────────────┐\n          │ Delete 3 files for good?       │\n"
    "          │   [Y]es    [N]o                │\n          └────────────────────────────────┘\n b.log\n\n"
    " d delete  q quit"
)
BUTTONS = (
    " a.log\n      ▊  Remove the branch?               ▎\n      ▊   ▊▔▔▔▔▔▔▔▔▔▔▎    ▊▔▔▔▔▔▔▔▔▔▔▎    ▎\n"
    "      ▊   ▊  Remove  ▎    ▊  Cancel  ▎    ▎\n      ▊   ▊▁▁▁▁▁▁▁▁▁▁▎    ▊▁▁▁▁▁▁▁▁▁▁▎    ▎\n b.log"
)
GAUGE = "   ┌─────────────────────┐\n   │ Copying files       │\n   │          {}%        │\n   └─────────────────────┘"
BAR = " Packing\n ━━━━━━━━━━╸━━━━━━━━━━━━ 42% 00:01:12\n\n q Quit"
FOUND = "> \n  main.py\n  test.py\n  2/2 ────────"
GUM = "Deploy to production?\n\n    Yes        No    \n\n←→ toggle • enter submit • y Yes • n No\n"
HUH = "┃ Project name\n┃ > my-app\n┃\n\nenter next\n"
LARAVEL = " ┌ Which starter kit? ────┐\n │ › ● None               │\n │   ○ Breeze             │\n └────────────────────────┘\n"
TMUX_ASKS = "dev@box:~$ rm -i keep.txt\nrm: remove regular empty file 'keep.txt'? "


@pytest.mark.parametrize(
    ("rows", "names", "wait", "alt", "state"),
    [
        (MODAL, ("python3",), Wait.READ, True, State.ATTENTION),
        (BUTTONS, ("python3",), Wait.KEYS, True, State.ATTENTION),
        (MODAL, ("vim",), Wait.KEYS, True, State.UNKNOWN),
        (MODAL, ("less",), Wait.KEYS, True, State.UNKNOWN),
        (GAUGE.format(20), ("bash", "whiptail"), Wait.KEYS, True, State.RUNNING),
        (BAR, ("python3",), Wait.KEYS, True, State.RUNNING),
        (BAR, ("less",), Wait.KEYS, True, State.UNKNOWN),
        ("  0[|||   12.0%] Tasks: 45\n  1[||    3.0%]", ("htop",), Wait.KEYS, True, State.UNKNOWN),
        (FOUND, ("bash", "fzf"), Wait.KEYS, True, State.ATTENTION),
        (FOUND, ("fzf",), Wait.KEYS, True, State.UNKNOWN),
        (FOUND, ("git", "fzf"), Wait.KEYS, True, State.UNKNOWN),
        (GUM, ("gum",), Wait.KEYS, False, State.ATTENTION),
        (HUH, ("setup",), Wait.KEYS, False, State.ATTENTION),
        (LARAVEL, ("php",), Wait.READ, False, State.ATTENTION),
        ("PASS  a.test.ts\n  press h to show help, press q to quit\n", ("node",), Wait.KEYS, False,
         State.RUNNING),
        ("dev@box:~$ ", ("screen",), Wait.NOTHING, True, State.UNKNOWN),
        ("dev@box:~$ sleep 5\n", ("screen",), Wait.NOTHING, True, State.RUNNING),
        (TMUX_ASKS, ("tmux: client",), Wait.NOTHING, True, State.ATTENTION),
        (TMUX_ASKS, ("screen",), Wait.NOTHING, True, State.ATTENTION),
        ("? Which one?\n❯ vue\n  react\n↑↓ navigate • ⏎ select\n[0] 0:node*", ("tmux: client",),
         Wait.NOTHING, True, State.ATTENTION),
        ("Bug reports to us\n [Press Space or Return to end.]\n", ("screen",), Wait.NOTHING, True,
         State.ATTENTION),
        ("(o)verwrite, (s)kip or (a)bort? ", ("ssh",), Wait.KEYS, False, State.ATTENTION),
        ("far:~$ sh w.sh\nIs the database up? ", ("ssh",), Wait.KEYS, False, State.RUNNING),
    ],
)  # fmt: skip
def test_who_asks_where_single_keys_are_read(
    rows: str, names: tuple[str, ...], wait: Wait, alt: bool, state: State
) -> None:
    shown = tuple(rows.split("\n"))
    judge = Judge("bash x", BOOK, at=0.0)
    end = {"cursor_y": len(shown) - 1, "cursor_x": len(shown[-1])}
    for at in (1.0, 2.0):
        judge.feed(View(at=at, rows=shown, lines=shown, alt_screen=alt, **end))
        judge.feed(
            Foreground(
                at=at + 0.1, command=names[-1], leader=False, wait=wait, canonical=False,
                echo=False, others=names,
            )
        )  # fmt: skip
    judge.tick(3.0)
    judge.tick(4.0)
    assert judge.shown.state is state, judge.shown


def test_what_looks_for_a_key_now_and_then_asks_in_the_line_above() -> None:
    """So does ansible's `pause`: it sleeps in between, and its question ends in a line break."""
    for line, state in (("Really go live:", State.ATTENTION), ("ok: [host]", State.RUNNING)):
        judge = Judge("bash x", BOOK, at=0.0)
        rows = ("TASK [pause]", line, "")
        judge.feed(View(at=1.0, rows=rows, lines=rows, cursor_y=2))
        seen = Foreground(at=1.1, command="ansible", leader=False, canonical=False, sleeps=True)
        judge.feed(seen)
        judge.tick(3.0)
        judge.tick(4.0)
        assert judge.shown.state is state
