"""Who counts as a user at a terminal outside: told from made-up processes, and from real ones."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.guard import caller
from nagomi_tui.guard.caller import Running, doubt
from nagomi_tui.lineage import Process, agent_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ASK = (
    "import sys\nfrom nagomi_tui.guard.caller import doubt\nfound = doubt()\n"
    "print(found.clause if found else 'a user')"
)
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

    def one(self, pid: int) -> Process | None:
        return self._all.get(pid)

    def all(self) -> Iterator[Process]:
        return iter(self._all.values())


def _seen(pid: int, parent: int, name: str, **more: Any) -> Process:
    known = {"owner": 1000, "words": (name,), "variables": {}, "leader": 0, "in_foreground": False}
    return Process(pid=pid, parent=parent, name=name, **{"began": 50.0, **known, **more})


def _doubt(*more: Process, **changes: dict[str, Any]) -> str:
    found = doubt(40, Made(*more, **changes))
    return found.clause.format_map(found.values) if found else ""


CLAUDE = _seen(70, SHELL + 1, "claude", began=50.0)


def test_db5_a_user_at_a_terminal_is_proved() -> None:
    assert _doubt() == ""
    assert _doubt(CLAUDE) == ""


@pytest.mark.parametrize("name", ["terminal", "shell", "me"])
def test_db5_an_agent_anywhere_above_is_seen(name: str) -> None:
    assert "process" in _doubt(**{name: {"name": "claude"}})
    assert "process" in _doubt(**{name: {"words": ("node", "/opt/@anthropic-ai/x/cli.js")}})
    assert "CLAUDECODE" in _doubt(**{name: {"variables": {"CLAUDECODE": "1"}}})
    assert "session of nagomi" in _doubt(**{name: {"variables": {"NAGOMI_SESSION_ID": "x"}}})


def test_db5_without_the_keyboard_of_a_terminal_nobody_is_proved() -> None:
    assert "foreground" in _doubt(me={"in_foreground": False})
    assert "first process" in _doubt(me={"leader": 99})


def test_db5_processes_that_cannot_be_followed_prove_nobody() -> None:
    assert "followed" in _doubt(shell={"parent": 77})
    assert "followed" in _doubt(terminal={"parent": SHELL})
    assert doubt(5, Made()) is not None


def test_db5_a_terminal_that_an_agent_may_have_opened_proves_nobody() -> None:
    """As with `setsid script`, `ssh localhost` or `systemd-run`: the agent is not above it."""
    assert "opened while an agent" in _doubt(CLAUDE, shell={"began": 60.0})
    assert _doubt(CLAUDE._replace(owner=1001), shell={"began": 60.0}) == ""
    assert _doubt(shell={"began": 60.0}) == ""


def test_db5_a_multiplexer_may_be_typed_into_while_an_agent_runs() -> None:
    tmux = {"name": "tmux: server"}
    assert "terminal of tmux" in _doubt(CLAUDE, terminal=tmux)
    assert _doubt(terminal=tmux) == ""


@pytest.mark.parametrize("name", ["CLAUDECODE", "NAGOMI_SESSION_ID", "CODEX_THREAD_ID", "AI_AGENT"])
def test_db5_a_mark_in_the_environment_is_enough(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_db5_clients_are_known_by_their_command_line(words: tuple[str, ...], name: str) -> None:
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


def test_db5_a_real_client_up_the_tree_is_seen(tmp_path: Path) -> None:
    client = tmp_path / "claude"
    client.write_text('#!/bin/sh\n"$@"; exit $?\n')
    client.chmod(0o755)
    (tmp_path / "ask.py").write_text(ASK)
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
                found = Running().one(started.pid)
                assert found is not None and found.parent == os.getpid()
                if found.name == "claude":
                    return found
            raise AssertionError("did not happen in time")
        finally:
            started.kill()


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="makes a PID namespace")
@pytest.mark.skipif(shutil.which("unshare") is None, reason="there is no unshare")
@pytest.mark.parametrize(
    ("inner", "told"),
    [
        ("{ask}", "a user"),
        ("setsid -w {ask}", caller._NO_TERMINAL),
        ("({ask}) & wait", caller._NO_TERMINAL),
        ("setsid -w script -qec '{ask}' /dev/null", "a user"),
        ("sleep 0.05; ./claude 2 </dev/null >/dev/null 2>&1 & {ask}", "a user"),
        (
            "./claude 2 </dev/null >/dev/null 2>&1 & setsid -w script -qec '{ask}' /dev/null",
            caller._LATER,
        ),
    ],
)
def test_db5_real_terminals_in_a_machine_without_other_processes(
    inner: str, told: str, tmp_path: Path
) -> None:
    """A PTY in a namespace of its own, so that whoever runs the tests is not seen."""
    (tmp_path / "ask.py").write_text(ASK)
    shutil.copy("/bin/sleep", tmp_path / "claude")
    line = inner.replace("{ask}", f"{sys.executable} {tmp_path}/ask.py")
    script = f"cd {tmp_path}; set -m; {line}; true"
    inside = ["script", "-qec", f"bash -c {shlex.quote(script)}", "/dev/null"]
    assert told in _asked("unshare", "-p", "-f", "--mount-proc", *inside)
