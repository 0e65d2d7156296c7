"""nagomi and tmux, each set up with the same programs in panes of the same size."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from benchmarks.tools.processes import children
from benchmarks.tools.terminal import OuterTerminal
from nagomi_tui.api import messages as m
from nagomi_tui.sessions.session import LOCAL

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection

SOURCE = Path(__file__).parent / "load.c"


def load_program() -> str:
    """Compile the load program once and return its path.

    Raises:
        RuntimeError: there is no C compiler.
    """
    target = (
        Path(tempfile.gettempdir()) / f"nagomi-load-{os.getuid()}-{int(SOURCE.stat().st_mtime)}"
    )
    if not target.exists():
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise RuntimeError("the benchmarks need a C compiler (cc) for their load program")
        subprocess.run([compiler, "-O2", "-o", str(target), str(SOURCE), "-lutil"], check=True)
    return str(target)


def clean_env(home: str) -> dict[str, str]:
    """Return an environment with a home of its own."""
    keep = {key: os.environ[key] for key in ("PATH",) if key in os.environ}
    return keep | {
        "HOME": home,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
        "NAGOMI_HOME": f"{home}/nagomi",
        "NAGOMI_LANG": "en",
    }


class Multiplexer(Protocol):
    """A multiplexer that shows programs, the first of them with the keys."""

    name: str
    terminal: OuterTerminal

    def pids(self) -> set[int]:
        """Return the multiplexer's own processes, front end included."""

    def close(self) -> None:
        """End everything that was started."""


class Tmux:
    """tmux with one pane a program, tiled."""

    name = "tmux"

    def __init__(
        self,
        commands: list[str],
        *,
        cols: int = 200,
        rows: int = 60,
        windows: bool = False,
        terminal: type[OuterTerminal] = OuterTerminal,
    ) -> None:
        self._home = tempfile.mkdtemp(prefix="ngbench", dir="/tmp")
        self._label = f"ngbench{os.getpid()}"
        conf = Path(self._home) / "tmux.conf"
        conf.write_text(
            "set -s escape-time 0\nset -g default-terminal tmux-256color\n"
            "set -ga terminal-features ',xterm*:sync'\nset -g history-limit 20000\n"
        )
        argv = ["tmux", "-L", self._label, "-f", str(conf), "new-session", "-s", "b", commands[0]]
        for command in commands[1:]:
            if windows:
                argv += [";", "new-window", f"exec {command}"]
            else:
                argv += [";", "split-window", f"exec {command}", ";", "select-layout", "tiled"]
        argv += [";", "select-pane", "-t", "0"]
        self.env = clean_env(self._home)
        self.terminal = terminal(argv, self.env, cols=cols, rows=rows)
        self.terminal.drain(1.5)

    def attach_argv(self) -> list[str]:
        """Return the command that opens one more front end."""
        return ["tmux", "-L", self._label, "attach"]

    def pids(self) -> set[int]:
        server = self._tmux("display", "-p", "#{pid}").strip()
        return {self.terminal.pid, int(server)}

    def sizes(self) -> list[tuple[int, int]]:
        """Return each pane's columns and rows."""
        lines = self._tmux("list-panes", "-F", "#{pane_width} #{pane_height}").splitlines()
        return [(int(a), int(b)) for a, b in (line.split() for line in lines)]

    def close(self) -> None:
        self._tmux("kill-server")
        self.terminal.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _tmux(self, *arguments: str) -> str:
        return subprocess.run(
            ["tmux", "-L", self._label, *arguments], capture_output=True, text=True, check=False
        ).stdout


class Nagomi:
    """nagomi with one session a program, shown in the run view; the first has the keys."""

    name = "nagomi"

    def __init__(
        self,
        commands: list[str],
        *,
        cols: int = 200,
        rows: int = 60,
        sizes: list[tuple[int, int]] | None = None,
        attach: bool = True,
        terminal: type[OuterTerminal] = OuterTerminal,
        env: dict[str, str] | None = None,
        worker_id: str = LOCAL,
    ) -> None:
        self._outer = terminal
        self._home = tempfile.mkdtemp(prefix="ngbench", dir="/tmp")
        self.env = clean_env(self._home) | (env or {})
        self.connection = self._start()
        for number, command in enumerate(commands):
            width, height = sizes[number] if sizes else (120, 30)
            self.connection.request(
                m.Create(
                    id=0,
                    cmd=command,
                    cwd=self._home,
                    worker_id=worker_id,
                    env=self.env,
                    cols=width,
                    rows=height,
                )
            )
        if attach:
            self.attach(cols, rows)

    def attach(self, cols: int, rows: int) -> None:
        """Open the front end, and give the first session the keys."""
        self.terminal = self._outer(self.attach_argv(), self.env, cols=cols, rows=rows)
        self.terminal.drain(2.5)
        self.terminal.write(b"\x1d1")
        self.terminal.drain(1.0)

    def open_lanes(self, more: int) -> None:
        """Show the first session and `more` others in lanes, the keys going to the first."""
        for key in ("v", *"a" * more, "1", "i"):
            self.terminal.write(b"\x1d" + key.encode())
            self.terminal.drain(1.0)

    def attach_argv(self) -> list[str]:
        """Return the command that opens one more front end."""
        return [sys.executable, "-m", "nagomi_tui"]

    def pids(self) -> set[int]:
        return self.residents() | self.front_ends()

    def residents(self) -> set[int]:
        """Return the orchestrator, its supervisor and the workers."""
        status = self.connection.request(m.Status(id=0))
        pids = {status.orchestrator.pid, status.supervisor.pid}
        return pids | {worker.pid for worker in status.workers}

    def zygote(self) -> int | None:
        """Return the process that forks front ends, if there is one yet."""
        status = self.connection.request(m.Status(id=0))
        started = children(status.supervisor.pid) - {status.orchestrator.pid}
        return min(started, default=None)

    def front_ends(self) -> set[int]:
        """Return those who show it: the zygote, what it forked, and its client."""
        if not hasattr(self, "terminal"):
            return set()
        zygote = self.zygote()
        forked = {zygote} | children(zygote) if zygote else set()
        return forked | {self.terminal.pid}

    def close(self) -> None:
        residents = self.residents()
        if hasattr(self, "terminal"):
            self.terminal.close()
        self.connection.request(m.Quit(id=0))
        self.connection.close()
        # Without its folder a resident would not know that it was to end.
        end = time.monotonic() + 15
        while any(Path(f"/proc/{pid}").exists() for pid in residents) and time.monotonic() < end:
            time.sleep(0.05)
        shutil.rmtree(self._home, ignore_errors=True)

    def _start(self) -> Connection:
        os.environ["NAGOMI_HOME"] = self.env["NAGOMI_HOME"]
        from nagomi_tui.api.client import Connection
        from nagomi_tui.api.launch import ensure_running

        ensure_running()
        return Connection.open()
