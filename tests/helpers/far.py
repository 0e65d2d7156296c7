"""A far side on this machine: a shell with a home folder of its own, behind a socket."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import anyio

from nagomi_tui.hands.bringing import Patience, bring, far_command
from tests.helpers.waiting import PATIENCE
from tests.helpers.worker import Link

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from nagomi_tui.hands.bringing import Running

SECONDS = Patience(PATIENCE, PATIENCE, PATIENCE)


class FarSide(NamedTuple):
    """A home folder, and what else its processes see."""

    home: Path
    env: dict[str, str]

    @property
    def cache(self) -> Path:
        """Where it keeps packs."""
        return self.home / ".cache" / "nagomi" / "worker"

    @property
    def packs(self) -> list[str]:
        """What is in its cache, hidden entries included."""
        return sorted(os.listdir(self.cache)) if self.cache.exists() else []

    @property
    def stderr(self) -> list[str]:
        """What the last line's command has said beside."""
        return (self.home.parent / "stderr").read_text().splitlines()

    @contextmanager
    def line(self, command: Sequence[str] = (), **more: str) -> Iterator[socket.socket]:
        """Run the far command, or another one, with the other end as its stdin and stdout."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        words = [*(command or far_command())]
        with (self.home.parent / "stderr").open("wb") as stderr:
            process = subprocess.Popen(
                words, stdin=theirs, stdout=theirs, stderr=stderr, env=self.env | more
            )
        theirs.close()
        try:
            yield ours
        finally:
            ours.close()
            process.terminate()
            process.wait(PATIENCE)


def far_side(folder: Path, **env: str) -> FarSide:
    """A far side whose folders are in `folder`."""
    home = folder / "home"
    home.mkdir(parents=True)
    (folder / "tmp").mkdir()
    plain = {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(folder / "tmp")}
    return FarSide(home, plain | env)


def by(shell: Sequence[str]) -> list[str]:
    """The far command as a shell is handed it, by sshd for one: joined to one word."""
    return [*shell, shlex.join(far_command())]


def brought(line: socket.socket, *arguments: str, patience: Patience = SECONDS) -> Running:
    """Bring the worker over the line."""

    async def run() -> Running:
        return await bring(line, arguments or ("--stdio",), patience=patience)

    return anyio.run(run)


def works(line: socket.socket) -> Link:
    """Run a command in the worker, whose first byte is the line's next."""
    link = Link(line)
    link.hello()
    link.run("a", "echo it works")
    link.wait_text("a", "it works")
    return link
