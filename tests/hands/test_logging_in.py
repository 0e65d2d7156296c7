"""Logging in to a host whose key is unknown and which wants a password: asked for in a pane, by ssh."""

from __future__ import annotations

import contextlib
import getpass
import subprocess
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.cli import main
from nagomi_tui.hands import master, presets, registry
from nagomi_tui.hands.hand import Hand
from tests.helpers.far_hands import add_plain, is_away, standing, worker_there
from tests.helpers.sshd import host
from tests.helpers.waiting import alive, until
from tests.helpers.workplace import create, session, text_of, wait_for, workplace

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.sshd import Host
    from tests.helpers.workplace import Place

PASSWORD = "correct-horse-4711"


def add(place: Place, machine: Host, folder: Path, name: str, *options: str) -> Hand:
    """Add a hand that uses no key but those named, and knows no host yet."""
    words = [
        f"-p{machine.port}", f"-oUserKnownHostsFile={folder}/known", "-oIdentityAgent=none",
        "-oIdentitiesOnly=yes", *options,
    ]  # fmt: skip
    command = presets.command("ssh", f"{getpass.getuser()}@127.0.0.1", words)
    program = worker_there(place)
    return registry.add(Hand(name=name, kind="ssh", command=command, program=program))


def pane_of(connection: Connection) -> str:
    """Have ssh ask in a pane, and return its session."""
    known = {one.session_id for one in connection.request(messages.ListSessions(id=0)).sessions}
    assert main(["hands", "login", "big", "--pane"]) == 0
    found = connection.request(messages.ListSessions(id=0)).sessions
    (made,) = [one for one in found if one.session_id not in known]
    assert made.name.startswith("login-big")
    return made.session_id


def answer(connection: Connection, pane: str, question: str, text: str) -> None:
    wait_for(connection, pane, question)
    connection.send(messages.TypeText(session=pane, text=f"{text}\r"))


def master_of(place: Place) -> int:
    (found,) = [pid for pid, command in place.pids().items() if command.startswith("ssh ") and " -fN " in command]  # fmt: skip
    return found


def holds(folder: Path, text: str) -> list[str]:
    """Return the files in a folder that hold a text."""
    found = []
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file() and text.encode() in path.read_bytes():
                found.append(str(path))
    return found


@pytest.mark.slow
def test_a_password_is_asked_for_in_a_pane_and_serves_all_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        host(tmp_path, password=PASSWORD) as machine,
        workplace() as place,
        place.connect() as connection,
    ):
        for name in ("big", "twin"):
            add(place, machine, tmp_path, name, "-oIdentityFile=none")
        fault = standing(connection).fault
        assert "is not known to ssh" in fault and "`nagomi hands login big`" in fault
        pane = pane_of(connection)
        answer(connection, pane, r"continue connecting", "yes")
        answer(connection, pane, r"password:", "wrong")
        until(lambda: text_of(connection, pane).count("password:") == 2)
        answer(connection, pane, r"password:", PASSWORD)
        wait_for(connection, pane, "big is there: worker")
        until(lambda: session(connection, pane)["state"] == "exited")
        assert PASSWORD not in text_of(connection, pane, history=True)
        made = create(connection, "sh -c 'echo before; exec cat'", cwd="", worker_id="big")
        assert standing(connection, "twin").reached  # over the same ssh, unasked
        assert (tmp_path / "log").read_text().count("Accepted password") == 1
        connection.request(messages.Remove(id=0, session=pane))
        connection.request(messages.Send(id=0, session=made, text="still there"))
        wait_for(connection, made, "still there")

        place.kill(master_of(place))
        until(lambda: is_away(connection, made))
        fault = standing(connection).fault
        assert "without a password" in fault and "`nagomi hands login big`" in fault
        pane = pane_of(connection)
        answer(connection, pane, r"password:", PASSWORD)
        until(lambda: not is_away(connection, made))
        connection.request(messages.Send(id=0, session=made, text="there again"))
        wait_for(connection, made, "there again")
        assert "before" in text_of(connection, made)
        assert main(["hands", "logout", "big"]) == 0
        assert main(["hands", "logout", "big"]) == 1
        until(lambda: is_away(connection, made))
        assert "in session 3 (login-big)" in capsys.readouterr().out
        assert not holds(place.home, PASSWORD)


@pytest.mark.slow
def test_a_key_s_passphrase_is_asked_for_and_quit_logs_out(tmp_path: Path) -> None:
    with host(tmp_path) as machine, workplace() as place:
        words = ["ssh-keygen", "-q", "-p", "-N", PASSWORD, "-f", str(tmp_path / "user")]
        subprocess.run(words, check=True)
        options = (f"-oIdentityFile={tmp_path}/user", "-oStrictHostKeyChecking=no")
        hand = add(place, machine, tmp_path, "big", *options)
        with place.connect() as connection:
            assert "without a password" in standing(connection).fault
            pane = pane_of(connection)
            answer(connection, pane, "passphrase", PASSWORD)
            until(lambda: session(connection, pane)["state"] == "exited")
            assert standing(connection).reached
            pid = master_of(place)
            connection.request(messages.Quit(id=0), timeout=60)
        until(lambda: not alive(pid))
        assert not master.is_open(hand)


@pytest.mark.slow
def test_only_hands_of_ssh_are_logged_in_to(capsys: pytest.CaptureFixture[str]) -> None:
    with workplace() as place:
        add_plain(place)
        assert main(["hands", "login", "plain"]) == 2
        assert "plain is reached by `env`" in capsys.readouterr().err
