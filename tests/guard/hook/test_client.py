"""The client's process: whether an agent started it, and with which variables."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.hook.client import (
    environment,
    has_terminal,
    look,
    runs_hook,
    started_by_agent,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="clients are seen by /proc here")
PLAIN = {"PATH": os.environ["PATH"]}
LOOKS = """
import sys
sys.path[:0] = {path!r}
from nagomi_tui.guard.hook.client import *
import os
print(repr((started_by_agent(os.getpid()), has_terminal(os.getpid()))))
"""


@pytest.fixture(autouse=True)
def _outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(("CLAUDE", "CODEX", "NAGOMI")):
            monkeypatch.delenv(name)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[str]:
    """A program that is called as a client is: a copy of the shell."""
    path = tmp_path / "claude"
    shutil.copy(os.path.realpath("/bin/sh"), path)
    yield str(path)


def _seen(*argv: str, env: dict[str, str] | None = None) -> str:
    """Return what the last program of a chain sees of itself, without a terminal."""
    python = [sys.executable, "-c", LOOKS.format(path=sys.path)]
    done = subprocess.run(
        [*argv, *python], env=env or PLAIN, capture_output=True, text=True, check=True,
        start_new_session=True,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.mark.requirement("DB-5")
def test_what_a_user_starts_has_no_sign_of_an_agent() -> None:
    assert _seen("sh", "-c", '"$@"; true', "sh") == "('', False)"


@pytest.mark.requirement("DB-5")
def test_a_client_below_a_client_was_started_by_an_agent(program: str) -> None:
    assert _seen(program, "-c", '"$@"; true', "sh") == "('it runs below claude', False)"
    deeper = ["sh", "-c", '"$@"; true', "sh"]
    assert "below claude" in _seen(program, "-c", '"$@"; true', "sh", *deeper)


@pytest.mark.requirement("DB-5")
def test_the_variables_that_clients_give_their_children_tell_it() -> None:
    assert _seen(env={**PLAIN, "CLAUDECODE": "1"}) == "('CLAUDECODE is set', False)"
    assert _seen(env={**PLAIN, "CODEX_THREAD_ID": "x"}) == "('CODEX_THREAD_ID is set', False)"


def test_a_process_with_a_terminal_is_seen_to_have_one() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("sh", ["sh", "-c", "echo here; sleep 60"])
    try:
        assert os.read(terminal, 10)
        assert has_terminal(pid)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(terminal)
    assert not has_terminal(pid)


@pytest.mark.requirement("D-29")
def test_only_the_variables_of_the_start_are_seen() -> None:
    script = "import os; os.environ['CI'] = 'true'; print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env={**PLAIN, "GITHUB_ACTIONS": "yes"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout and process.stdin
        process.stdout.readline()
        found = environment(process.pid)
        process.stdin.write(b"\n")
        process.stdin.close()
    assert found["GITHUB_ACTIONS"] == "yes" and "CI" not in found


def test_a_process_that_is_gone_tells_nothing() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert environment(process.pid) == {} and look(process.pid) is None
    assert started_by_agent(process.pid) == "" and not has_terminal(process.pid)


@pytest.mark.requirement("DB-5")
def test_only_the_nearest_client_above_the_hook_counts(program: str) -> None:
    looks = LOOKS.replace("started_by_agent(os.getpid()), has_terminal(os.getpid())", "{pids}")
    pids = "[runs_hook(pid) for pid in (os.getppid(), int(sys.argv[1]), 2**30, 0)]"
    python = [sys.executable, "-c", looks.format(path=sys.path, pids=pids)]
    mine, other = "[True, True, False, False]", "[True, False, False, False]"
    for shell, found in (("sh", mine), (program, other)):
        argv = ["sh", "-c", '"$@" $$; true', "sh", shell, "-c", '"$@"; true', "sh", *python]
        assert subprocess.check_output(argv, env=PLAIN, text=True).strip() == found


@pytest.mark.requirement("DB-5")
def test_the_hook_believes_no_number_of_another_process() -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            assert not runs_hook(other.pid)
        finally:
            other.kill()
    assert runs_hook(os.getppid())
