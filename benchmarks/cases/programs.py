"""The cases of `judge_live`: programs, what is typed into them, and what is true of them when."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.helpers.clients import ModelServer

_SHELL: Final = "bash --norc --noprofile -i"
FILES: Final = {
    "test_good.py": "import time\ndef test_it():\n    time.sleep(2)\n",
    "test_bad.py": "import time\ndef test_it():\n    time.sleep(2)\n    assert False\n",
    "bad.c": "int main(void) { return x; }\n",
    "burn.py": "import time\nend = time.time() + 8\nwhile time.time() < end: pass\n",
    "crash.py": "import ctypes, time\ntime.sleep(2)\nctypes.string_at(0)\n",
    "secret.py": "import getpass, time\ntime.sleep(1)\ngetpass.getpass()\ntime.sleep(1)\n",
}

END: Final = "end"


@dataclass(frozen=True)
class Stage:
    """What a case runs in: the command, its environment and folder, and the server that it asks."""

    cmd: str
    env: dict[str, str]
    cwd: str
    server: ModelServer


@dataclass(frozen=True)
class Case:
    """A program: what is typed and when, and from which moment on which phases are true.

    Moments are seconds since the session began, or since its screen showed `ready`; or `end` (the
    command has ended), `key N` (so many things were typed), `shown` (the screen shows what `shows`
    says), `done` (a tool has made the file of this name), and of the server's log `asked N` and `answered N`, with `last` as the last. Where the
    phase is empty nothing is scored.
    """

    name: str
    cmd: str
    truth: tuple[tuple[float | str, str], ...]
    typed: tuple[tuple[float, str], ...] = ()
    seconds: float = 6.0
    ready: str = ""
    """A regex."""
    shows: str = ""
    """Another one."""
    set_up: Callable[[Path], Stage] | None = None
    """Makes the stage in an empty folder; `cmd` is only a name then."""


PROGRAMS: Final = (
    Case("pytest passes", f"{sys.executable} -m pytest -q test_good.py", ((0, "running"), (END, "success")), seconds=8),
    Case("pytest fails", f"{sys.executable} -m pytest -q test_bad.py", ((0, "running"), (END, "error")), seconds=8),
    Case("gcc error", "sh -c 'sleep 1; cc bad.c'", ((0, "running"), (END, "error"))),
    Case("quiet compile", "python3 burn.py", ((0, "running"), (END, "success")), seconds=11),
    Case("sleep 8", _SHELL, ((0.5, "idle"), (1.5, "running"), (9.5, "success")), ((1.5, "sleep 8\r"),), 12),
    Case("yes or no", "bash -c 'sleep 1; read -p \"Go on? [y/N] \" x; sleep 2'",
         ((0, "running"), (1, "attention"), (4, "running"), (END, "success")), ((4, "y\r"),), 8),
    Case("password", "bash -c 'sleep 1; read -s -p \"Password: \" x; sleep 2'",
         ((0, "running"), (1, "attention"), (4, "running"), (END, "success")), ((4, "x\r"),), 8),
    Case("getpass", "python3 secret.py", ((0, "running"), (1.2, "attention"), (4, "running"), (END, "success")),
         ((4, "x\r"),), 7),
    Case("python REPL", "python3 -q -i", ((0.7, "idle"), (3, "running"), (5.1, "idle")),
         ((3, "import time; time.sleep(2)\r"),), 8),
    Case("vim", "vim -u NONE test_good.py", ((1, "idle"),)),
    Case("less", "less test_good.py", ((0.7, "idle"),)),
    Case("log without errors", "sh -c 'while :; do echo 0 errors, 0 failed; sleep 1; done'", ((0, "running"),), seconds=8),
    Case("quiet after a log", "sh -c 'echo 0 errors, 0 failed; sleep 60'", ((0, "running"),), seconds=8),
    Case("dev server", "python3 -u -m http.server 0 --bind 127.0.0.1", ((0, "running"),), seconds=8),
    Case("crash", "python3 crash.py", ((0, "running"), (END, "error"))),
    Case("Ctrl-C", _SHELL, ((0.5, "idle"), (1.5, "running"), (4, "idle")), ((1.5, "sleep 60\r"), (4, "\x03")), 7),
)  # fmt: skip
