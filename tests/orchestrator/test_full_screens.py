"""Programs that fill the screen or draw a menu of their own: one that asks calls, one that works does not."""

from __future__ import annotations

import shlex
import shutil
import sys
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.api import messages
from tests.helpers.waiting import until
from tests.helpers.workplace import PATIENCE, create, session, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

MODAL: Final = """
from textual.app import App
from textual.containers import Grid
from textual.screen import ModalScreen
from textual.widgets import Button, Label, Static
class Question(ModalScreen):
    def compose(self):
        yield Grid(Label("Delete all three files?"), Button("Delete"), Button("Cancel"))
class Shown(App):
    def compose(self): yield Static("files")
    def on_mount(self): self.push_screen(Question())
Shown().run()
"""
PROGRESS: Final = """
from textual.app import App
from textual.widgets import ProgressBar, Static
class Shown(App):
    def compose(self):
        yield Static("Copying")
        yield ProgressBar(total=1000)
    def on_mount(self): self.set_interval(0.2, lambda: self.query_one(ProgressBar).advance(1))
Shown().run()
"""
CURSES: Final = """
import curses
def main(screen):
    screen.clear()
    screen.addstr(0, 0, "Tool")
    window = curses.newwin(5, 44, 8, 18)
    window.box()
    window.addstr(2, 3, "Overwrite the archive?  [Y]es  [N]o")
    screen.refresh()
    window.refresh()
    window.getch()
curses.wrapper(main)
"""
RAW: Final = """
import os, sys, tty
tty.setraw(0)
sys.stdout.write({drawn!r}.replace("\\n", "\\r\\n"))
sys.stdout.flush()
os.read(0, 1)
"""
CONFIRM: Final = (
    "Deploy to production?\n\n  \x1b[7m  Yes  \x1b[0m    No  \n\n"
    "\x1b[2m←→ toggle • enter submit • y Yes • n No\x1b[0m\x1b[?25l"
)
CHOOSE: Final = (
    "\x1b[1m┃ Choose a flavour\x1b[0m\n┃ > Vanilla\n┃   Chocolate\n┃   Lemon\n\n"
    "\x1b[2m↑ up • ↓ down • / filter • enter submit\x1b[0m\x1b[?25l"
)


def python(source: str) -> str:
    return shlex.join([sys.executable, "-c", source])


ASKS: Final = {
    "ncdu": ("ncdu {folder}", "d", "and all of its contents?"),
    "fzf": ("sh -c 'seq 20 | fzf; sleep 9'", "", ""),
    "dialog": ("dialog --yesno 'Remove all logs?' 8 40", "", "Remove all logs?"),
    "whiptail": ("whiptail --inputbox 'Your name?' 8 40", "", "Your name?"),
    "a modal": (python(MODAL), "", "Delete all three files?"),
    "curses": (python(CURSES), "", "Overwrite the archive? [Y]es [N]o"),
    "a raw confirmation": (python(RAW.format(drawn=CONFIRM)), "", "Deploy to production?"),
    "a raw choice": (python(RAW.format(drawn=CHOOSE)), "", "Choose a flavour"),
}
WORKS: Final = {
    "a gauge": "sh -c 'seq 100 | while read n; do echo $n; sleep 0.5; done | whiptail --gauge Copying 8 40 0'",
    "a progress bar": python(PROGRESS),
}


def installed(command: str) -> None:
    for program in ("ncdu", "fzf", "dialog", "whiptail"):
        if program in command and shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


@pytest.mark.parametrize("name", ASKS)
def test_one_that_asks_calls_with_its_question(place: Place, tmp_path: Path, name: str) -> None:
    command, key, asked = ASKS[name]
    installed(command)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file").write_text("x" * 100)
    with place.connect(front_end=True) as front_end:
        one = create(front_end, command.replace("{folder}", str(tmp_path)))
        if key:
            until(lambda: "sub" in text_of(front_end, one))
            send = messages.Send(id=0, session=one, text=key, enter=False)
            front_end.request(send, timeout=PATIENCE)
        until(lambda: session(front_end, one)["phase"] == "attention", name)
        assert asked in session(front_end, one)["summary"]


@pytest.mark.parametrize("name", WORKS)
def test_one_that_works_does_not(place: Place, name: str) -> None:
    installed(WORKS[name])
    with place.connect(front_end=True) as front_end:
        one = create(front_end, WORKS[name])
        until(lambda: "%" in text_of(front_end, one), name)
        why = messages.Why(id=0, session=one)
        until(
            lambda: front_end.request(why, timeout=PATIENCE).rule == "full-screen-works",
            "it is seen at work",
        )
        assert session(front_end, one)["phase"] == "running"
