"""tmux as the outer terminal: run the program as its user would, type, and look."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import time
import uuid
from typing import TYPE_CHECKING

import psutil
import pytest

from tests.helpers.waiting import alive, in_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Outer:
    """One program in one tmux window of its own server, which ends with the block."""

    def __init__(
        self, argv: list[str], env: Mapping[str, str], *, cols: int = 120, rows: int = 40
    ) -> None:
        if shutil.which("tmux") is None:
            pytest.skip("there is no tmux on this machine")
        self._label = f"ng-{uuid.uuid4().hex[:10]}"
        env = {"NAGOMI_WELCOME": "0", **env}  # no questions of a newcomer, unless they are tested
        command = shlex.join(["env", "-i", *(f"{k}={v}" for k, v in env.items()), *argv])
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(cols), "-y", str(rows),
            f"{command}; code=$?; echo; echo [left $code]; sleep 600",
        )  # fmt: skip
        self._tmux("set", "-g", "escape-time", "0")
        self._tmux("set", "-g", "status", "off")
        self._tmux("resize-window", "-x", str(cols), "-y", str(rows))

    def __enter__(self) -> Outer:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def keys(self, *names: str) -> None:
        """Press keys by tmux's names: `C-]`, `Enter`, `F12`, `a`."""
        self._tmux("send-keys", *names)

    def hold(self, name: str, *, times: int, seconds: float) -> None:
        """Press a key again and again, every so many seconds, however busy this process is."""
        again = [";", "run-shell", f"sleep {seconds}", ";", "send-keys", name]
        self._tmux("send-keys", name, *again * (times - 1))

    def type(self, text: str) -> None:
        """Type text as it is."""
        self._tmux("send-keys", "-l", text)

    def send(self, data: str) -> None:
        """Send bytes as a terminal would: reports, and pieces of sequences."""
        self._tmux("send-keys", "-H", *(f"{byte:02x}" for byte in data.encode()))

    def mouse(self, x: int, y: int, *, button: int = 0, release: bool = True) -> None:
        """Click a cell, counted from 0, as an SGR mouse report of the terminal."""
        self.send(f"\x1b[<{button};{x + 1};{y + 1}M")
        if release:
            self.send(f"\x1b[<{button};{x + 1};{y + 1}m")

    def paste(self, text: str) -> None:
        """Paste text, bracketed when the program asked for it."""
        subprocess.run(
            ["tmux", "-L", self._label, "load-buffer", "-"],
            input=text.encode(), check=True, env=_env(),
        )  # fmt: skip
        self._tmux("paste-buffer", "-p", "-r")

    def resize(self, cols: int, rows: int) -> None:
        """Give the terminal another size."""
        self._tmux("resize-window", "-x", str(cols), "-y", str(rows))

    def drag(self, sizes: Iterable[tuple[int, int]]) -> None:
        """Give the terminal one size after the other, as whoever drags its corner does."""
        steps: list[str] = []
        for cols, rows in sizes:
            steps += ["resize-window", "-x", str(cols), "-y", str(rows), ";"]
            steps += ["run-shell", "sleep 0.02", ";"]
        self._tmux(*steps[:-1])

    def screen(self, *, ansi: bool = False) -> str:
        """Return what the terminal shows."""
        return self._tmux("capture-pane", "-p", *(["-e"] if ansi else []))

    def ask(self, form: str) -> str:
        """Return what tmux says of the pane, such as `#{alternate_on}`."""
        return self._tmux("display-message", "-p", form)

    def wait(
        self, want: str | Callable[[str], bool], *, timeout: float = 30.0, what: str = ""
    ) -> str:
        """Return the screen once it holds `want`; fail with the screen when it does not."""
        met = (lambda shown: want in shown) if isinstance(want, str) else want
        began = time.monotonic()
        while True:
            shown = self.screen()
            if met(shown):
                return shown
            waited = time.monotonic() - began
            if waited > timeout:
                raise AssertionError(f"not seen within {timeout} s: {what or want}\n{shown}")
            # Each look starts a program.
            time.sleep(min(0.2, max(0.05, waited / 10)))

    def close(self) -> None:
        """End the tmux server that this object started, and wait until its program has ended.

        A front end writes down at its end where its user was, which the next one takes up.
        """
        programs = self._programs()
        subprocess.run(
            ["tmux", "-L", self._label, "kill-server"], capture_output=True, env=_env(), check=False
        )
        in_time(lambda: not any(map(alive, programs)), 10)

    def _programs(self) -> list[int]:
        with contextlib.suppress(subprocess.CalledProcessError, psutil.NoSuchProcess):
            shell = psutil.Process(int(self.ask("#{pane_pid}")))
            return [program.pid for program in shell.children()]
        return []  # the server has ended

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._label, *arguments],
            capture_output=True, text=True, env=_env(), check=True,
        )  # fmt: skip
        return done.stdout


def _env() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TMUX_PANE")}
    return kept | {"LC_ALL": "C.UTF-8"}
