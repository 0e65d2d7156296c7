"""The whole way: a command ends in a session, and its user, who looks elsewhere, is called."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from nagomi_tui.api import messages
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.calling import SOUNDS
from tests.helpers.sound import Tape, samples
from tests.helpers.workplace import create, session, until, wait_for, workplace

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow


def ended(connection: Connection, session_id: str) -> None:
    """Wait until a session's command has ended."""
    order = messages.Wait(id=0, session=session_id, until="exit", timeout=30)
    assert connection.request(order, timeout=35).reason == "exit"


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    return [child.pid for child in psutil.Process(pid).children()]


def notices(terminal: BareTerminal) -> list[str]:
    """Return what the terminal was asked to show."""
    return [found.decode() for found in re.findall(rb"777;notify;([^\x07]*)", terminal.got)]


@pytest.mark.requirement("N-4", "N-124", "N-132")
def test_a_failure_calls_and_success_and_ctrl_c_do_not(tmp_path: Path) -> None:
    tape = Tape(tmp_path)
    env = os.environ | tape.env | {"TERM": "foot", "NAGOMI_LANG": "en", "SHELL": "/bin/sh"}
    with workplace() as place:
        env["NAGOMI_HOME"] = str(place.home)
        nagomi = [sys.executable, "-m", "nagomi_tui"]
        with BareTerminal(nagomi, env) as terminal, place.connect() as connection:
            terminal.wait(b"\x1b]0;nagomi\x07")
            done, go = tmp_path / "done", tmp_path / "go"
            begun = {
                name: create(connection, f"sh -c '{command}'", name=name)
                for name, command in (
                    ("well", until_there(done)),
                    ("broken off", "sleep 600"),
                    ("stopped", "sleep 600"),
                    ("in need", f"{until_there(go)}; exit 3"),
                )
            }
            well, broken_off, stopped, in_need = begun.values()
            for found in begun.values():
                until(lambda found=found: session(connection, found)["state"] == "running")
            done.touch()
            connection.request(messages.Keys(id=0, session=broken_off, keys=("ctrl+c",)))
            connection.request(messages.Stop(id=0, session=stopped))
            for found in (well, broken_off):
                ended(connection, found)
            terminal.read_for(0.5)
            assert notices(terminal) == []
            assert tape.played() == b""

            began = time.monotonic()
            go.touch()
            terminal.wait(b"\x1b]777;notify;nagomi: in need;")
            assert time.monotonic() - began < 5
            wanted = samples(SOUNDS / "failure.wav", 0.8)
            until(lambda: len(tape.played()) >= len(wanted))
            assert tape.played() == wanted
            assert len(notices(terminal)) == 1
            assert session(connection, in_need)["phase"] == "error"
            # Closing the front end and coming back calls for nothing that is old.
            connection.request(messages.DetachAll(id=0))
            terminal.wait(b"\x1b[?1049l")
        tape.rewind()
        with BareTerminal(nagomi, env) as terminal:
            terminal.wait(b") nagomi\x07")
            terminal.read_for(0.5)
            assert notices(terminal) == []
            assert tape.played() == b""


@pytest.mark.requirement("NB-18")
def test_a_kill_by_somebody_else_calls_and_a_shutdown_does_not(tmp_path: Path) -> None:
    told = tmp_path / "told"
    settings = {"language": "en", "on_event": f"cat >> {told}; echo >> {told}"}
    with workplace(start=False) as place:
        (place.home / "config").mkdir()
        (place.home / "config/settings.json").write_text(json.dumps(settings))
        place.start()
        with place.connect() as connection:
            at_work = "sh -c 'echo working; exec sleep 600'"
            victim, agent = (create(connection, at_work, name=name) for name in ("a", "b"))
            shell = create(connection, "bash", name="c")
            for found in (victim, agent):
                wait_for(connection, found, "working")
            until(lambda: session(connection, shell)["state"] == "running")
            os.kill(session(connection, victim)["pid"], signal.SIGTERM)
            ended(connection, victim)
            until(lambda: told.exists() and told.read_text().endswith("}\n"))
            assert session(connection, victim)["phase"] == "error"
            connection.request(messages.Send(id=0, session=shell, text="sleep 600"))
            until(lambda: children(session(connection, shell)["pid"]))
            workers = place.workers
            sent_to = (
                session(connection, agent)["pid"],
                *children(session(connection, shell)["pid"]),
            )
            for pids, number in (
                # A shutdown reaches all at the same moment.
                (workers, signal.SIGSTOP),
                ((*sent_to, *workers), signal.SIGTERM),
                (workers, signal.SIGCONT),
            ):
                for pid in pids:
                    os.kill(pid, number)
            for found in (agent, shell):
                ended(connection, found)
                assert session(connection, found)["phase"] == "idle"
            list(connection.pushed(0.5))
        (event,) = map(json.loads, told.read_text().splitlines())
        assert (event["name"], event["summary"]) == ("a", "It failed (SIGTERM).")


@pytest.mark.requirement("N-2", "N-131", "N-132", "N-134")
def test_a_failure_shows_everywhere_and_a_success_in_the_face_alone(
    tmp_path: Path,
) -> None:
    """One front end shows the tiles, another the chat, and their user looks at neither."""
    tape = Tape(tmp_path)
    env = os.environ | tape.env | {"TERM": "foot", "NAGOMI_LANG": "en", "SHELL": "/bin/sh"}
    with workplace() as place, place.connect() as connection:
        env["NAGOMI_HOME"] = str(place.home)
        nagomi = [sys.executable, "-m", "nagomi_tui"]
        gates = {name: tmp_path / name for name in ("work", "more")}
        told = "echo 2 tests failed; exit 3"
        work = create(connection, f"sh -c '{until_there(gates['work'])}; {told}'", name="work")
        more = create(connection, f"sh -c '{until_there(gates['more'])}; exit 0'", name="more")
        for found in (work, more):
            until(lambda found=found: session(connection, found)["state"] == "running")
        with (
            BareTerminal(nagomi, env, cols=130, rows=38) as tiles,
            BareTerminal(nagomi, env, cols=130, rows=38) as chat,
        ):
            for terminal in (tiles, chat):
                terminal.wait(b"\x1b]0;nagomi\x07")
            chat.type(b"\x1d1\x1dv")
            chat.wait("keys → prompt".encode())
            for terminal in (tiles, chat):
                terminal.type(b"\x1b[O")
                terminal.read_for(0.5)
                terminal.got = b""

            gates["work"].touch()
            ended(connection, work)
            began = time.monotonic()
            tiles.wait("▲".encode())  # the tile's badge, and its face
            tiles.wait("(´・ω・`)".encode())
            chat.wait(b"It failed")  # the balloon, in a kind voice
            for terminal in (tiles, chat):
                terminal.wait(b"\x1b]777;notify;nagomi: work;2 tests failed")
            until(lambda: len(tape.played()) > 0)
            assert time.monotonic() - began < 5  # a busy machine's part; alone it takes 0.2 s

            until(lambda: tape.played() == samples(SOUNDS / "failure.wav", 0.8))
            for terminal in (tiles, chat):
                terminal.read_for(0.5)
                terminal.got = b""
            gates["more"].touch()
            tiles.wait("✓".encode())
            tiles.read_for(0.5)
            assert notices(tiles) == notices(chat) == []
            assert b"\x07" not in tiles.got.replace(b"nagomi\x07", b"")
            assert tape.played() == samples(SOUNDS / "failure.wav", 0.8)


def until_there(gate: Path) -> str:
    """Return the shell's words that wait for a file."""
    return f"while ! test -e {gate}; do sleep 0.05; done"
