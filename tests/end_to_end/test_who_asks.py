"""Programs that ask, rest or stop in ways of their own, on real terminals."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from tests.end_to_end.test_judge import SHELL, Watcher
from tests.helpers.workplace import PATIENCE, Place, session, text_of, until, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

AGENT = """
import os, socket, sys, termios, tty
path, terminal = sys.argv[1:]
listener = socket.socket(socket.AF_UNIX); listener.bind(path); listener.listen()
if os.fork():
    peer = socket.socket(socket.AF_UNIX); peer.connect(path)
    print("sealed with " + peer.recv(9).decode()); sys.exit()
os.setsid()
peer, _ = listener.accept()
tty_fd = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
before = termios.tcgetattr(tty_fd); tty.setraw(tty_fd)
os.write(tty_fd, b"Please enter the passphrase to unlock it.\\r\\nPassphrase: ")
word = b""
while (got := os.read(tty_fd, 1)) != b"\\r": word += got
termios.tcsetattr(tty_fd, termios.TCSANOW, before)
peer.send(b"%d" % len(word))
"""
"""Starts a service without a terminal, which asks on the terminal of whoever asked it."""


@pytest.fixture
def place(module_place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The workplace of all tests here; they start sessions of their own."""
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    return module_place


@pytest.fixture
def watcher(place: Place) -> Iterator[Watcher]:
    with place.connect(front_end=True) as connection:
        yield Watcher(connection)


def needs(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def answer(watcher: Watcher, session_id: str, choice: str) -> str:
    """Answer by a choice's key; return what the choice says."""
    order = messages.Answer(id=0, session=session_id, choice=choice)
    return watcher.connection.request(order, timeout=PATIENCE).choice.label


def test_a_passphrase_that_a_service_reads_here_calls(watcher: Watcher, tmp_path: Path) -> None:
    program = tmp_path / "seal.py"
    program.write_text(AGENT)
    script = f"{sys.executable} {program} {tmp_path / 'ear'} $(tty)"
    asks = watcher.start(f"sh -c {shlex.quote(script)}")
    call = watcher.turn(asks, "attention")
    assert call.verdict.summary == "Passphrase:"
    until(lambda: session(watcher.connection, asks)["secret"])
    watcher.type(asks, "four\r")
    wait_for(watcher.connection, asks, "sealed with 4")
    watcher.comes_to(asks, "success")
    assert watcher.phases[asks].count("attention") == 1


def test_gpg_s_passphrase_calls(watcher: Watcher, tmp_path: Path) -> None:
    gpg, pinentry = needs("gpg"), needs("pinentry-curses")
    home, plain = tmp_path / "gpg", tmp_path / "plain"
    home.mkdir(mode=0o700)
    (home / "gpg-agent.conf").write_text(f"pinentry-program {pinentry}\n")
    plain.write_text("secret")
    env = {"GNUPGHOME": str(home)}
    script = f"export GPG_TTY=$(tty); exec {gpg} --no-symkey-cache -c {plain}"
    try:
        asks = watcher.start(f"sh -c {shlex.quote(script)}", env=env)
        watcher.turn(asks, "attention")
        until(lambda: session(watcher.connection, asks)["secret"])
        assert "assphrase" in text_of(watcher.connection, asks)
    finally:
        subprocess.run(
            ["gpgconf", "--kill", "all"],
            env={**os.environ, **env},
            capture_output=True,
            check=False,
        )


@pytest.mark.parametrize(
    ("shell", "begins", "shown", "ends"),
    [
        (SHELL, 'echo "one', "\n>", 'two"'),
        (SHELL, "if true", "\n>", "then echo one; fi"),
        ("zsh -f -i", 'echo "one', "dquote>", 'two"'),
        ("zsh -f -i", "for a in one", "for>", "echo $a"),
        ("fish", 'echo "one', '"one', 'two"'),
    ],
)
def test_the_rest_of_a_command_is_no_call_and_no_turn(
    watcher: Watcher, shell: str, begins: str, shown: str, ends: str
) -> None:
    needs(shell.split()[0])
    typed = watcher.start(shell)
    watcher.comes_to(typed, "idle")
    watcher.type(typed, f"{begins}\r")
    until(lambda: shown in text_of(watcher.connection, typed))
    rests = {"command-goes-on", "prompt-is-shown", "shell-rest", "nothing-was-entered"}
    until(lambda: watcher.why(typed)["rule"] in rests)
    watcher.look()
    assert watcher.turns.get(typed, []) == []
    watcher.type(typed, f"{ends}\r")
    watcher.turn(typed, "success")
    assert {"attention", "error"} & set(watcher.phases[typed]) == set()


@pytest.mark.parametrize("shell", [SHELL, "bash", "zsh", "fish"])
def test_what_the_user_stops_with_ctrl_z_is_no_failure(watcher: Watcher, shell: str) -> None:
    needs(shell.split()[0])
    typed = watcher.start(shell)
    watcher.comes_to(typed, "idle")
    watcher.type(typed, "sleep 60\r")
    watcher.comes_to(typed, "running")
    watcher.type(typed, "\x1a")
    until(lambda: watcher.why(typed)["rule"] in ("interrupted", "shell-interrupted"))
    assert watcher.turn(typed, "unknown").turn
    assert not {"error", "success"} & set(watcher.phases[typed])


def test_an_editor_that_git_has_opened_calls_and_one_s_own_does_not(
    watcher: Watcher, tmp_path: Path
) -> None:
    vim = needs("vim")
    git = "git -c user.email=a@b.c -c user.name=A"
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    env = {"GIT_EDITOR": f"{vim} -u NONE -N"}
    asks = watcher.start(f"{git} commit --allow-empty", cwd=str(tmp_path), env=env)
    assert "COMMIT_EDITMSG" in watcher.turn(asks, "attention").verdict.summary
    assert watcher.why(asks)["rule"] == "editor-was-opened"
    own = watcher.start(f"{vim} -u NONE -N x", cwd=str(tmp_path))
    watcher.comes_to(own, "idle")
    watcher.type(asks, "iA message\x1b:wq\r")
    watcher.comes_to(asks, "success")
    assert "attention" not in watcher.phases[own]


def test_vim_s_question_about_a_changed_file_calls_and_is_answered(
    watcher: Watcher, tmp_path: Path
) -> None:
    vim = needs("vim")
    poem = tmp_path / "poem"
    poem.write_text("one\n")
    asks = watcher.start(f"{vim} -u NONE -N poem", cwd=str(tmp_path))
    watcher.comes_to(asks, "idle")
    watcher.type(asks, "itwo \x1b")
    until(lambda: "two one" in text_of(watcher.connection, asks))
    poem.write_text("another\n")
    watcher.type(asks, ":checktime\r")
    asked = watcher.turn(asks, "attention").verdict.summary
    assert asked.startswith('W12: Warning: File "poem" has changed')
    assert answer(watcher, asks, "l") == "Load File"
    until(lambda: "another" in text_of(watcher.connection, asks))
    watcher.comes_to(asks, "idle")


def test_an_exception_at_a_prompt_is_a_failure_until_the_next_line(watcher: Watcher) -> None:
    repl = watcher.start(f"{sys.executable} -q -i")
    watcher.comes_to(repl, "idle")
    watcher.type(repl, "1/0\r")
    failed = watcher.turn(repl, "failure")
    assert failed.verdict.summary.startswith("ZeroDivisionError")
    watcher.type(repl, "6*7\r")
    wait_for(watcher.connection, repl, "42")
    watcher.comes_to(repl, "idle")
    watcher.type(repl, "import time; time.sleep(60)\r")
    watcher.comes_to(repl, "running")
    watcher.type(repl, "\x03")
    wait_for(watcher.connection, repl, "KeyboardInterrupt")
    watcher.comes_to(repl, "idle")
    assert watcher.phases[repl].count("error") == 1


def test_a_question_above_an_empty_line_calls(watcher: Watcher) -> None:
    script = 'echo "Go on? [yes/no]:"; read answer; echo "you said $answer"'
    asks = watcher.start(f"sh -c {shlex.quote(script)}")
    watcher.turn(asks, "attention")
    answer(watcher, asks, "yes")
    watcher.comes_to(asks, "success")
    assert "you said yes" in text_of(watcher.connection, asks)


def test_nano_s_question_whether_to_save_calls_and_is_answered(
    watcher: Watcher, tmp_path: Path
) -> None:
    nano = needs("nano")
    asks = watcher.start(f"{nano} -I poem", cwd=str(tmp_path))
    watcher.comes_to(asks, "idle")
    watcher.type(asks, "one line")
    until(lambda: "one line" in text_of(watcher.connection, asks))
    watcher.type(asks, "\x18")
    assert watcher.turn(asks, "attention").verdict.summary == "Save modified buffer?"
    answer(watcher, asks, "N")
    watcher.comes_to(asks, "success")
    assert not (tmp_path / "poem").exists()
