"""Who counts as a user at a terminal outside: told from made-up processes, and from real ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.agents.process_tree import Process, agent_in
from nagomi_tui.guard import caller
from nagomi_tui.guard.caller import Processes, doubt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ASK = (
    "from nagomi_tui.guard import caller\ncaller._KEY_SECONDS = 4\nfound = caller.doubt()\n"
    "told = found.message if found else 'a user'\nprint(told)\n"
    "open('ANSWER.new', 'w').write(told)\n"
    "import os\nos.rename('ANSWER.new', 'ANSWER')\n"
)
STAGE = Path(__file__).with_name("stage.py")
SHELL, TERMINAL, INIT = 30, 20, 1


class Made:
    """Processes as a test says: init, a terminal, its shell, and this one."""

    def __init__(self, *more: Process, **changes: dict[str, Any]) -> None:
        made = {
            "init": _seen(INIT, 0, "systemd", began=0.0, owner=0),
            "terminal": _seen(TERMINAL, INIT, "gnome-terminal-server", began=10.0),
            "shell": _seen(SHELL, TERMINAL, "bash", began=20.0, leader=SHELL),
            "me": _seen(40, SHELL, "nagomi", began=90.0, leader=SHELL, in_foreground=True),
        }
        for name, change in changes.items():
            made[name] = made[name]._replace(**change)
        self._all = {one.pid: one for one in (*made.values(), *more)}
        self.held: dict[int, tuple[int, ...]] = {}

    def one(self, pid: int) -> Process | None:
        return self._all.get(pid)

    def all(self) -> Iterator[Process]:
        return iter(self._all.values())

    def holders(self, pid: int) -> tuple[int, ...]:
        return self.held.get(pid, ())


def _seen(pid: int, parent: int, name: str, **more: Any) -> Process:
    known = {"owner": 1000, "words": (name,), "variables": {}, "leader": 0, "in_foreground": False}
    return Process(pid=pid, parent=parent, name=name, **{"began": 50.0, **known, **more})


def _doubt(*more: Process, **changes: dict[str, Any]) -> str:
    found = doubt(40, Made(*more, **changes))
    return found.message.format_map(found.values) if found else ""


CLAUDE = _seen(70, SHELL + 1, "claude", began=50.0)


@pytest.mark.requirement("DB-5")
def test_a_user_at_a_terminal_is_proved() -> None:
    assert _doubt() == ""
    assert _doubt(CLAUDE) == ""


@pytest.mark.requirement("DB-5")
def test_what_a_worker_has_adopted_is_a_session_s() -> None:
    assert "session of nagomi" in _doubt(terminal={"words": ("python3", "-m", "nagomi_worker")})


@pytest.mark.parametrize("name", ["terminal", "shell", "me"])
@pytest.mark.requirement("DB-5")
def test_an_agent_anywhere_above_is_seen(name: str) -> None:
    assert "process" in _doubt(**{name: {"name": "claude"}})
    assert "process" in _doubt(**{name: {"words": ("node", "/opt/@anthropic-ai/x/cli.js")}})
    assert "CLAUDECODE" in _doubt(**{name: {"variables": {"CLAUDECODE": "1"}}})
    assert "session of nagomi" in _doubt(**{name: {"variables": {"NAGOMI_SESSION_ID": "x"}}})


@pytest.mark.requirement("DB-5")
def test_without_the_keyboard_of_a_terminal_nobody_is_proved() -> None:
    assert "foreground" in _doubt(me={"in_foreground": False})
    assert "first process" in _doubt(me={"leader": 99})


@pytest.mark.requirement("DB-5")
def test_processes_that_cannot_be_followed_prove_nobody() -> None:
    assert "followed" in _doubt(shell={"parent": 77})
    assert "followed" in _doubt(terminal={"parent": SHELL})
    assert doubt(5, Made()) is not None


NEW: Any = {"began": 60.0}
"""Younger than the agent."""


@pytest.mark.parametrize(
    "opener",
    ["gnome-terminal-server", "kitty", "xterm", "code", "sshd-session", "login", "mosh-server"],
)
@pytest.mark.requirement("DB-5")
def test_a_new_window_is_the_user_s_whatever_runs_elsewhere(opener: str) -> None:
    """Also one of a sudo or a program in it that has made a terminal of its own."""
    terminal = {"name": opener, "words": (opener,)}
    assert _doubt(CLAUDE, terminal=terminal, shell=NEW) == ""
    assert _doubt(CLAUDE, terminal=terminal, shell=NEW, me={"words": ("sudo", "nagomi")}) == ""
    root = _seen(35, SHELL, "sudo", **NEW), _seen(36, 35, "bash", leader=36, **NEW)
    assert (
        _doubt(CLAUDE, *root, terminal=terminal, shell=NEW, me={"parent": 36, "leader": 36}) == ""
    )


@pytest.mark.parametrize(
    "opener", ["script", "python3", "systemd", "at", "expect", "nohup", "setsid", "bash"]
)
@pytest.mark.requirement("DB-5")
def test_a_terminal_that_an_agent_may_have_opened_proves_nobody(opener: str) -> None:
    """As with `setsid script` or `systemd-run`: the agent is not above it."""
    made = {"name": opener, "words": (opener,), **NEW}
    assert "opened by" in _doubt(CLAUDE, terminal=made, shell=NEW)
    assert _doubt(CLAUDE._replace(owner=1001), terminal=made, shell=NEW) == ""
    assert _doubt(terminal=made, shell=NEW) == ""
    # What is older than every agent was made by none, and one in a container has no parent.
    assert _doubt(CLAUDE, terminal={"name": "openbox", "words": ("openbox",)}, shell=NEW) == ""
    assert _doubt(CLAUDE, shell={**NEW, "parent": 0}) == ""


@pytest.mark.requirement("DB-5")
def test_a_window_that_was_opened_for_one_command_proves_nobody() -> None:
    """An agent can say so to a terminal emulator, which is no child of it."""
    for words in (("nagomi", "guard", "mode", "go"), ("bash", "-c", "x"), ("bash", "file"), ("bash", "--rcfile", "x")):  # fmt: skip
        shown = _doubt(CLAUDE, shell={**NEW, "name": words[0], "words": words})
        assert "not for a shell" in shown, words
    assert _doubt(CLAUDE, shell={**NEW, "words": ("-zsh",)}) == ""
    assert _doubt(CLAUDE, shell={**NEW, "words": ("/bin/bash", "-il")}) == ""


@pytest.mark.requirement("DB-5")
def test_the_mark_of_an_agent_on_what_opened_the_terminal_is_seen() -> None:
    marked = {"variables": {"CLAUDECODE": "1"}, **NEW}
    assert "CLAUDECODE" in _doubt(CLAUDE, terminal=marked, shell=NEW)


@pytest.mark.requirement("DB-5")
def test_a_terminal_that_somebody_else_holds_is_not_of_who_adopted_its_shell() -> None:
    made = Made(CLAUDE, _seen(77, 1, "python3", **NEW), shell=NEW)
    made.held[SHELL] = (77,)
    found = doubt(40, made)
    assert found is not None and found.values["opener"] == "python3"
    made.held[SHELL] = (77, TERMINAL)
    assert doubt(40, made) is None


@pytest.mark.parametrize("source", ["127.0.0.1 5022 127.0.0.1 22", "10.0.0.5 5022 10.0.0.5 22"])
@pytest.mark.requirement("DB-5")
def test_an_ssh_login_is_the_user_s_unless_it_comes_from_this_machine(source: str) -> None:
    sshd = {"name": "sshd-session", "words": ("sshd-session: u@pts/1",)}

    def by(connection: str) -> str:
        variables = {"SSH_CONNECTION": connection}
        return _doubt(CLAUDE, terminal=sshd, shell={**NEW, "variables": variables})

    assert "from this machine itself" in by(source)
    assert by("192.0.2.7 5022 10.0.0.5 22") == ""


@pytest.mark.parametrize("name", ["screen", "zellij", "dtach"])
@pytest.mark.requirement("DB-5")
def test_a_multiplexer_may_be_typed_into_while_an_agent_runs(name: str) -> None:
    made = {"name": name, "words": (name,)}
    assert f"terminal of {name}" in _doubt(CLAUDE, terminal=made)
    assert f"terminal of {name}" in _doubt(CLAUDE, terminal=made, shell=NEW)
    assert _doubt(terminal=made) == ""


@pytest.mark.parametrize("name", ["CLAUDECODE", "NAGOMI_SESSION_ID", "CODEX_THREAD_ID", "AI_AGENT"])
@pytest.mark.requirement("DB-5")
def test_a_mark_in_the_environment_is_enough(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")
    found = doubt(None, Made())
    assert found is not None and found.values == {"name": name}


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("claude",), "claude"),
        (("/usr/bin/node", "/x/bin/claude"), "claude"),
        (("node", "--flag", "C:\\x\\codex.js"), "codex"),
        (("/home/u/.local/bin/codex", "resume"), "codex"),
        (("node", "/x/node_modules/@openai/codex/bin/run.js"), "@openai"),
        (("vim", "/home/u/claude/notes.txt"), ""),
        (("grep", "-r", "x", "claude"), ""),
    ],
)
@pytest.mark.requirement("DB-5")
def test_clients_are_known_by_their_command_line(words: tuple[str, ...], name: str) -> None:
    assert agent_in(_seen(2, 1, "MainThread", words=words)) == name


def _clean() -> dict[str, str]:
    """Return the environment without what says that an agent runs the tests."""
    return {name: value for name, value in os.environ.items() if name not in caller._MARKS}


def _asked(*command: str) -> str:
    root = Path(caller.__file__).parents[2]
    env = _clean() | {"PYTHONPATH": os.pathsep.join((str(root), str(root / "worker")))}
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.requirement("DB-5")
def test_a_real_client_up_the_tree_is_seen(tmp_path: Path) -> None:
    client = tmp_path / "claude"
    client.write_text('#!/bin/sh\n"$@"; exit $?\n')
    client.chmod(0o755)
    (tmp_path / "ask.py").write_text(ASK.replace("ANSWER", str(tmp_path / "answer")))
    told = _asked(str(client), "sh", "-c", f"{sys.executable} {tmp_path}/ask.py; true")
    assert told in (caller._BELOW, caller._MARKED, caller._IN_SESSION)
    mine = _seen_by(tmp_path, [str(client), sys.executable, "-c", "import time; time.sleep(60)"])
    assert agent_in(mine) == "claude"


def _seen_by(folder: Path, command: Sequence[str]) -> Process:
    """Start a program, and return it as it is seen."""
    with subprocess.Popen(command, cwd=folder) as started:
        try:
            until = time.monotonic() + 20
            while time.monotonic() < until:
                found = Processes().one(started.pid)
                assert found is not None and found.parent == os.getpid()
                if found.name == "claude":
                    return found
            raise AssertionError("did not happen in time")
        finally:
            started.kill()


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="makes a PID namespace")
@pytest.mark.skipif(shutil.which("unshare") is None, reason="there is no unshare")
@pytest.mark.parametrize(
    ("scene", "told"),
    [
        ("old: {ask}", "a user"),
        ("old: setsid -w {ask}", caller._NO_TERMINAL),
        ("old: ({ask}) & wait", caller._NO_TERMINAL),
        ("old: setsid -w script -qec '{ask}' /dev/null", "a user"),
        ("new: {ask}", "a user"),
        ("new: script -qec '{ask}' /dev/null", "a user"),
        ("new: tmux -L own new\n{ask}", "a user"),
        ("agent: script -qec '{ask}' /dev/null", caller._BELOW),
        ("agent: (setsid script -qec '{ask}' /dev/null &) & sleep 60", caller._LATER),
        ("agent: (nohup setsid script -qec '{ask}' /dev/null &) & sleep 60", caller._LATER),
        ("agent: (export CLAUDECODE=1; setsid ./xterm '{ask}' &) & sleep 60", caller._MARKED),
        ("agent: tmux -L its new -d '{ask}'; sleep 60", caller._NOT_A_SHELL),
        ("agent: tmux -L its new -d; tmux -L its send-keys '{ask}' Enter; sleep 60", caller._NO_KEY),
        ("tmux: tmux -L own new-window '{ask}'; sleep 60", caller._NOT_A_SHELL),
        ("tmux: tmux -L own send-keys -t 0 '{ask}' Enter; sleep 60", caller._NO_KEY),
        ("tmux: tmux -L own new-window -d; tmux -L own send-keys -t 1 '{ask}' Enter; sleep 60", caller._NO_KEY),
    ],
)  # fmt: skip
@pytest.mark.requirement("DB-5")
def test_real_terminals_in_a_machine_without_other_processes(
    scene: str, told: str, tmp_path: Path
) -> None:
    """On a stage in a namespace of its own, so that whoever runs the tests is not seen."""
    if "tmux" in scene and shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    place, _, line = scene.partition(": ")
    (tmp_path / "ask.py").write_text(ASK.replace("ANSWER", str(tmp_path / "answer")))
    ask = f"{sys.executable} {tmp_path}/ask.py"
    stage = [sys.executable, str(STAGE), str(tmp_path), place, line.replace("{ask}", ask)]
    assert _asked("unshare", "-p", "-f", "--mount-proc", *stage) == told
