"""The `nagomi` command as its users run it: a process in a workplace of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.launch import is_served
from nagomi_tui.system import paths
from nagomi_tui.system.environment import line_of
from tests.helpers.homes import new_home
from tests.helpers.workplace import Place, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NAGOMI: Final = (sys.executable, "-m", "nagomi_tui")
_SECONDS: Final = 40


class Commands:
    """Runs commands in one workplace."""

    def __init__(self, home: Path, env: Mapping[str, str]) -> None:
        self.home = home
        self.program: tuple[str, ...] = NAGOMI
        self.env = {**env, "NAGOMI_HOME": str(home)}

    def run(
        self,
        *arguments: str | bytes,
        stdin: str | bytes = "",
        env: Mapping[str, str] | None = None,
        cwd: str | Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, and hold that it never shows a traceback."""
        typed = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [*self.program, *arguments],
            input=typed,
            capture_output=True,
            env={**self.env, **(env or {})},
            cwd=cwd,
            timeout=_SECONDS,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in out + err, err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def ok(self, *arguments: str | bytes, stdin: str | bytes = "") -> str:
        """Run a command that must succeed, and return what it printed."""
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, (arguments, done.returncode, done.stderr)
        return done.stdout

    def json(self, *arguments: str) -> Any:
        """Run a command with `--json` and return what it answered."""
        return json.loads(self.ok(arguments[0], "--json", *arguments[1:]))

    def fails(self, code: int, *arguments: str | bytes, **options: Any) -> str:
        """Run a command that must end with `code`, and return its one sentence."""
        done = self.run(*arguments, **options)
        assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
        assert done.stderr.startswith("nagomi: "), done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
        return done.stderr

    def new(self, *command: str, **options: str) -> str:
        """Start a session and return its number: told to this process, but by the first command."""
        if not options.keys() <= {"name"} or not self._is_served():
            given = [part for name, value in options.items() for part in (f"--{name}", value)]
            return str(self.json("new", *given, "--", *command)["number"])
        line = command[0] if len(command) == 1 else line_of(command)
        return str(self._asked(messages.Create(id=0, cmd=line, cwd=os.getcwd(), **options)).number)

    def session(self, number: str | int) -> dict[str, Any]:
        """Return a session as it stands, told to this process: what is looked at again and again."""
        listed = plain(self._asked(messages.ListSessions(id=0)))["sessions"]
        return next(one for one in listed if str(one["number"]) == str(number))

    def shown(self, number: str) -> str:
        """Return what a session shows, told to this process."""
        return str(self._asked(messages.Capture(id=0, session=number)).text)

    def _asked(self, request: messages.Request[Any]) -> Any:
        with self._here(), Place(self.home).connect(env=dict(self.env)) as client:
            return client.request(request, timeout=_SECONDS)

    def _is_served(self) -> bool:
        with self._here():
            return is_served()

    @contextmanager
    def _here(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as here:
            here.setenv("NAGOMI_HOME", str(self.home))
            yield

    def pids(self) -> list[int]:
        """Return the residents' processes as the doctor names them."""
        told = self.json("doctor")
        residents = [told["orchestrator"], told["supervisor"], *told["workers"]]
        return [resident["pid"] for resident in residents if resident["pid"]]

    def close(self) -> None:
        """End the workplace and all that runs in it, and remove its sockets."""
        Place(self.home).end()
        with self._here():
            shutil.rmtree(paths.socket_folder(), ignore_errors=True)


@contextmanager
def workplace() -> Iterator[Commands]:
    """Give a workplace of its own, and end it afterwards."""
    home = new_home()
    commands = Commands(home, os.environ)
    try:
        yield commands
    finally:
        commands.close()
        shutil.rmtree(home, ignore_errors=True)
