"""Slips at the bytes of a terminal, on the running program: nothing is approved, ended or lost."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from wcwidth import wcswidth

from nagomi_tui.api import messages as m
from nagomi_tui.system import paths
from tests.end_to_end.test_programs import front_end
from tests.helpers.repository import repository
from tests.helpers.workplace import (
    PATIENCE,
    Place,
    create,
    plain,
    session,
    until,
    wait_for,
    workplace,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.outer import Outer

pytestmark = pytest.mark.slow

PROGRAM: Final = r'''
import os, signal, sys, tty
log = open(sys.argv[1], "ab", 0)
tty.setraw(0)
ASKS = """● Bash(touch made)

 Bash command

   touch made
   Make it

 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and always allow it
   3. No

 Esc to cancel"""
QUIET = "It is done.\n\n> "
def show(text):
    os.write(1, ("\x1b[2J\x1b[H" + text.replace("\n", "\r\n")).encode())
signal.signal(signal.SIGUSR1, lambda *_: show(ASKS))
signal.signal(signal.SIGUSR2, lambda *_: show(QUIET))
show(open(sys.argv[2]).read() if sys.argv[2:] else QUIET)
while got := os.read(0, 100):
    log.write(got)
'''
"""An agent that asks when it gets a signal, and writes each byte that it is sent to a file."""
MENU: Final = "? Which colour? (Use arrow keys)\n❯ red\n  blue\n  green"


class Slip(NamedTuple):
    """What is done by mistake, and what the program that asks, and the one beside it, may get of it.

    A step is `type TEXT`, `leader KEYS`, `asks` or `rests`: what the first program shows, `menu` or
    `reads`: there is a fourth one, with a menu or a question whose answer is a line, `see TEXT`,
    `paste TEXT`, `bytes PIECE|PIECE`: with a pause between, `click TEXT`, `twice TEXT`: two clicks, `arrive TEXT`: one that gives the terminal its focus,
    `hold KEY`: half a second before it repeats, `held KEY`: after the leader, `keys NAMES`, `size COLS ROWS`, or `pause SECONDS`.
    """

    name: str
    steps: tuple[str, ...]
    gets: bytes = b""
    beside: bytes = b""
    more: bytes = b""
    """What the fourth one may get."""


ASKED: Final = ("leader 1", "asks", "see waits for you")
OPEN: Final = (*ASKED, "leader y", "see 2  Yes, and")
"""The judge's pane over a question that stands there."""
CHAT: Final = ("leader 1 v", "see →")
CHAT_ASKED: Final = (*CHAT, "asks", "see answers")
SLIPS: Final = (
    # Typed ahead into a question that comes up.
    Slip("a message begun before the question", (*CHAT, "type 1", "asks", "see waits for you", "type  more\r")),
    Slip("a digit begun before the question", (*CHAT, "type 1", "asks", "see waits for you", "pause 1", "keys BSpace Enter"), b""),
    Slip("a message that begins with a choice", (*CHAT_ASKED, "type 1 more thing")),
    Slip("enter and space at a question", (*CHAT_ASKED, "keys Enter Space Enter")),
    Slip("keys for the prompt typed as the view changes", ("asks", "leader 2", "type 1y\r", "leader v"), b"", b"1y\r"),
    Slip("a number and keys for another session", ("leader 1", "asks", "leader 2", "type 1\r"), b"", b"1\r"),
    Slip("a digit for a question that is gone", (*OPEN, "rests", "see Nothing is going on", "type 12")),
    Slip("a digit as the pane opens over no question", ("leader 1 y", "type 1", "see Nothing is going on", "asks", "see waits for you", "keys Enter")),
    # Enter on each dialog.
    *(
        Slip(f"enter after {key}", (f"leader 2 {key}", f"see {said}", "keys Enter Enter", *after), b"", beside)
        for key, said, beside, after in (
            ("q", "Quit nagomi?", b"", ()), ("x", "Stop this session?", b"", ()),
            ("r", "Start again?", b"", ()), ("F", "Start again?", b"", ()),
            ("N", "Notices", b"", ()), ("E", "ended", b"", ()), ("o", "agent", b"", ()),
            ("D", "notes", b"", ()), ("T", "Reminders", b"", ()),
            ("s", "Settings", b"", ()), ("?", "Help", b"", ()), (",", "Rename", b"", ()),
            (":", "Search", b"", ()), ("!", "beside", b"\r\r", ()),
        )
    ),
    Slip("enter after W", ("leader 2 W", "see Worktrees", "keys Enter")),
    # Pastes.
    Slip("a paste into the leader's menu", ("leader 2", "bytes \x1d", "see restart", "paste q\ny\n")),
    Slip("a paste into the judge's pane", (*OPEN, "paste 1\n")),
    Slip("a paste into the question whether to quit", ("leader q", "see Quit nagomi?", "paste y\ny\n")),
    Slip("a paste at a question of the prompt", (*CHAT_ASKED, "paste 1\n"), b""),
    Slip("a paste whose end is late", ("leader q", "see Quit nagomi?", "bytes \x1b[200~|y|\x1b[201~")),
    # Digits.
    Slip("the number of no session", ("leader 9 2", "type 1"), b"", b"1"),
    Slip("digits in the pane of another session", (*ASKED, "leader 2 y", "see Nothing is going on", "type 123")),
    # Clicks.
    Slip("two clicks on Not now", ("leader 2 q", "see Quit nagomi?", "twice Not now")),
    Slip("two clicks on a new session", ("twice New session", "see Command", "keys Escape", "see keys → asks")),
    Slip("two clicks on the settings", ("twice Settings", "see Language", "keys Escape", "see keys → asks")),
    Slip("a click that gives the terminal its focus", (*OPEN, "bytes \x1b[O", "pause 0.2", "arrive 1  Yes")),
    # While the layout changes.
    Slip("keys as the terminal gets another size", (*ASKED, "leader 2", "size 70 24", "type 1\r", "size 100 30", "type 2\r"), b"", b"1\r2\r"),
    Slip("keys as the view changes", (*ASKED, "leader 2 z", "type 1\r", "leader z v v", "type 2\r"), b"", b"1\r2\r"),
    Slip("the pane as the terminal gets another size", (*ASKED, "leader 2 y", "size 70 24", "see Nothing is going on", "size 120 30", "type 1")),
    # Held keys.
    Slip("the key that opens the pane is held", ("reads", "held y")),
    Slip("enter held at a menu", ("leader 1 v", "see →", "menu", "see ↑ ↓ Enter", "pause 1", "hold Enter"), more=b"\r\r"),  # a press, and after 0.6 s another one
    Slip("q is held", ("leader 2", "held q")),
    Slip("x is held", ("leader 2", "held x")),
    # Torn sequences, and focus.
    Slip("a torn escape in a question", ("leader 2 q", "see Quit nagomi?", "bytes \x1b|y")),
    Slip("an arrow torn for long in a question", ("leader 2 q", "see Quit nagomi?", "bytes \x1b[", "pause 0.6", "bytes B", "keys Enter")),
    Slip("a torn report of the mouse", (*OPEN, "bytes \x1b[<0;1|0;1|0M")),
    Slip("the focus comes and goes", (*OPEN, "bytes \x1b[O|\x1b[I|\x1b[O", "keys Enter Space")),
)  # fmt: skip


class Room(NamedTuple):
    """A workplace with a program that asks, one beside it, and one that has failed."""

    place: Place
    connection: Connection
    folder: Path
    pid: int
    ids: tuple[str, str, str]

    def more(self, kind: str) -> str:
        """Begin the fourth session, which asks, and return its id."""
        logs = self.folder.parent
        (logs / "menu.txt").write_text(MENU)
        python = shlex.join([sys.executable, str(logs / "program.py"), str(logs / "more")])
        command = {
            "menu": f"{python} {logs}/menu.txt",
            "reads": f"bash -c 'read -p \"Overwrite? [y/N] \" answer; echo x >> {logs}/more; sleep 600'",
        }
        return create(self.connection, command[kind], cwd=str(self.folder), name="more")

    def stands(self) -> list[object]:
        """Return the sessions, and what an approval or a loss would change of them."""
        return [
            (one.session_id, one.name, one.state, one.pid, one.number)
            for one in self.connection.request(m.ListSessions(id=0), timeout=PATIENCE).sessions
            if one.name != "more"
        ]


@contextmanager
def _with_zygote() -> Iterator[Place]:
    """A workplace whose zygote forks front ends, which each slip has one of."""
    with workplace(start=False) as place:
        with pytest.MonkeyPatch.context() as here:
            here.delenv("NAGOMI_ZYGOTE")
            place.start()
        yield place


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    folder = repository(tmp_path_factory.mktemp("room") / "project", notes="kept\n")
    (folder / "notes").write_text("changed\n")
    logs = folder.parent
    (logs / "program.py").write_text(PROGRAM)
    with _with_zygote() as place, place.connect() as connection:
        ids = []
        for name in ("asks", "beside"):
            command = shlex.join([sys.executable, str(logs / "program.py"), str(logs / name)])
            ids.append(create(connection, command, cwd=str(folder), name=name))
        ids.append(create(connection, "true", cwd=str(folder), name="ended"))
        until(lambda: session(connection, ids[2])["state"] == "exited")
        for one in ids[:2]:
            wait_for(connection, one, "It is done")
        pid = session(connection, ids[0])["pid"]
        yield Room(place, connection, folder, pid, (ids[0], ids[1], ids[2]))


def taken(room: Room, name: str) -> bytes:
    """Return what a program was sent, once all of it has arrived."""
    file = room.folder.parent / name
    room.connection.request(m.Keys(id=0, session=name, keys=("~",)), timeout=PATIENCE)
    until(lambda: file.read_bytes().endswith(b"~"))
    return file.read_bytes()[:-1]


def asks(connection: Connection, made: str) -> dict[str, Any]:
    return plain(connection.request(m.Asks(id=0, session=made), timeout=PATIENCE))


def do(outer: Outer, room: Room, step: str) -> None:
    """Do one step."""
    word, _, rest = step.partition(" ")
    if word == "type":
        outer.type(rest)
    elif word == "leader":
        for key in rest.split():
            outer.type("\x1d")
            outer.keys(key)
    elif word == "keys":
        outer.keys(*rest.split())
    elif word in ("menu", "reads"):
        more = room.more(word)
        until(lambda: asks(room.connection, more)["question"])
        outer.type(f"\x1d{session(room.connection, more)['number']}")
    elif word in ("asks", "rests"):
        os.kill(room.pid, signal.SIGUSR1 if word == "asks" else signal.SIGUSR2)
    elif word == "see":
        outer.wait(rest)
    elif word == "paste":
        outer.paste(rest)
    elif word == "bytes":
        for piece in rest.split("|"):
            outer.send(piece)
            time.sleep(0.15)
    elif word in ("arrive", "click", "twice"):
        x, y = at(outer.wait(rest), rest)
        if word == "arrive":
            outer.send("\x1b[I")
        for _ in range(2 if word == "twice" else 1):
            outer.mouse(x, y)
    elif word in ("hold", "held"):
        if word == "held":
            outer.type("\x1d")
        outer.keys(rest)
        time.sleep(0.6)
        outer.hold(rest, times=30, seconds=0.03)
    elif word == "size":
        outer.resize(*map(int, rest.split()))
    elif word == "pause":
        time.sleep(float(rest))
    else:
        raise AssertionError(step)


def at(shown: str, text: str) -> tuple[int, int]:
    """Return the cell in the middle of a text that is shown."""
    for row, line in enumerate(shown.splitlines()):
        if text in line:
            return wcswidth(line[: line.index(text)]) + len(text) // 2, row
    raise AssertionError(text)


@pytest.mark.parametrize("slip", SLIPS, ids=[slip.name for slip in SLIPS])
def test_a_slip_on_the_running_program(
    room: Room, slip: Slip, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(room.place.home))
    os.kill(room.pid, signal.SIGUSR2)
    for name in ("asks", "beside", "more"):
        (room.folder.parent / name).write_bytes(b"")
    shutil.rmtree(paths.front_ends_folder(), ignore_errors=True)
    until(lambda: session(room.connection, room.ids[0])["phase"] != "attention")
    before = room.stands(), plain(room.connection.request(m.Settings(id=0)))
    with front_end(room.place, 100, 30) as outer:
        for step in slip.steps:
            do(outer, room, step)
        outer.type("\x1d?")
        outer.wait("Help")  # all before it was handled
        outer.type("\x1dd")
        outer.wait("[left 0]")
    if {"menu", "reads"} & {*slip.steps}:
        room.connection.request(m.Stop(id=0, session="more"), timeout=PATIENCE)
        room.connection.request(m.Remove(id=0, session="more"), timeout=PATIENCE)
    assert taken(room, "asks") == slip.gets
    assert taken(room, "beside") == slip.beside
    assert (room.stands(), plain(room.connection.request(m.Settings(id=0)))) == before
    assert (room.folder / "notes").read_text() == "changed\n"
    assert (room.folder.parent / "more").read_bytes() == slip.more
