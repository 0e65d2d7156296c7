"""A worker of an ordinary user that holds projects by the kernel, and a shell inside of one."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from nagomi_worker.wire import protocol
from nagomi_worker.wire.messages import Guard
from tests.helpers import users
from tests.helpers.waiting import PATIENCE
from tests.helpers.worker import Link, plain_env, start_order, worker_env

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME: Final = "guarded"
_PROMPT = r"<(\d+)>"


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    text: str


class Shell:
    """A shell in a session, that runs one command after the other."""

    def __init__(self, link: Link, session_id: str, project: Path) -> None:
        self.link = link
        self.session_id = session_id
        self.project = project
        self._at = 0
        link.type(session_id, 'stty -echo; PS1=; PS2=; echo "<$?>"\n')
        self._answer()

    def run(self, command: str) -> Done:
        """Run a command, and wait for its end."""
        self.link.type(self.session_id, f'{{ {command}\n}} 2>&1; echo "<$?>"\n')
        return self._answer()

    def can_write(self, path: str) -> bool:
        """Tell whether a file can be written that is named from the project on."""
        return self.run(f"echo x >> '{path}'").code == 0

    def hold(self, *, writable: bool) -> protocol.Held:
        """Have the project made writable or read-only; return the worker's word on it."""
        before = len(self.link.heard)
        self.link.send(protocol.Hold(session_id=self.session_id, writable=writable, number=7))
        return self.link.wait(protocol.Held, self.session_id, after=before)

    def _answer(self) -> Done:
        def found() -> re.Match[str] | None:
            return re.search(_PROMPT + "\r\n", self.link.text(self.session_id)[self._at :])

        match = self.link.wait_until(found, "the shell's answer")
        text = self.link.text(self.session_id)[self._at :][: match.start()]
        self._at += match.end()
        return Done(int(match[1]), text.replace("\r\n", "\n"))


@contextlib.contextmanager
def guarding_worker(
    *before: str, other: bool = True
) -> Iterator[tuple[Link, subprocess.Popen[bytes]]]:
    """Run a worker on its stdin and stdout; `before` starts its command.

    It is that of whoever runs the tests, but with `other` an ordinary user's if these are root's.
    """
    ours, theirs = socket.socketpair()
    other = other and os.geteuid() == 0
    line = [*before, _interpreter() if other else sys.executable, "-m", "nagomi_worker", "--stdio"]
    line = _as_user(*line) if other else line
    env = users.environment() if other else worker_env()
    process = subprocess.Popen(line, env=env, cwd="/", stdin=theirs, stdout=theirs)
    theirs.close()
    link = Link(ours)
    try:
        link.hello()
        link.wait(protocol.Hello)
        yield link, process
    finally:
        link.close()
        process.wait(PATIENCE)


def _as_user(*words: str) -> list[str]:
    return users.command(users.VICTIM, *words) if os.geteuid() == 0 else list(words)


def _interpreter() -> str:
    return users.interpreter() if os.geteuid() == 0 else sys.executable


@contextlib.contextmanager
def project() -> Iterator[Path]:
    """Make a project of that user with a repository and settings of a client."""
    folder = Path(tempfile.mkdtemp(prefix="ng", dir="/tmp"))
    made = folder / "project"
    for name in ("src", ".claude", "sessions/tasks", "docs"):
        (made / name).mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    for name in ("src/code", ".claude/settings.json", "sessions/sessions-state.json"):
        (made / name).write_text("before\n")
    if os.geteuid() == 0:
        subprocess.run(["chown", "-R", f"{users.VICTIM}:{users.VICTIM}", str(folder)], check=True)
    try:
        yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def guard_of(folder: Path, **more: Any) -> Guard:
    """Return what is held of that project."""
    shut = (".claude", ".codex", "sessions", ".git/hooks", ".git/config")
    return Guard(
        **{
            "held": (str(folder), str(folder / ".git")),
            "shut": tuple(str(folder / name) for name in shut),
            "open": (str(folder / "sessions/tasks"),),
            **more,
        }
    )


def start_shell(link: Link, folder: Path, session_id: str = NAME, **more: Any) -> Shell:
    """Start a guarded session in a project."""
    order = start_order(
        session_id, "sh", cwd=str(folder), env=plain_env(), guard=guard_of(folder, **more)
    )
    link.send(order)
    link.wait_until(lambda: [one for one in link.heard if _answers(one, session_id)], "an answer")
    errors = [one.message for one in link.heard if isinstance(one, protocol.Error)]
    assert not errors, errors
    return Shell(link, session_id, folder)


def _answers(message: object, session_id: str) -> bool:
    told = isinstance(message, protocol.Started | protocol.Error)
    return told and getattr(message, "session_id", "") == session_id


def need_namespaces() -> None:
    """Skip the test where an ordinary user may not make namespaces."""
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    if os.geteuid() == 0:
        users.need_users()
    if subprocess.run(_as_user("unshare", "-Urm", "true"), capture_output=True).returncode:
        pytest.skip("user namespaces are refused here")
