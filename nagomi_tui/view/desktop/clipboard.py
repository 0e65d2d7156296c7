"""Copies to the user's clipboard: by the display's own program, or by the terminal (OSC 52).

Over SSH only the terminal is where the user is, so it goes first there; on a local display its
programs do, since they take any length and say whether they did it.
"""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.variables import is_far

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_log = logging.getLogger(__name__)
DEADLINE_SECONDS: Final = 3.0
TERMINAL_LIMIT: Final = 74_994
"""Bytes that terminals take at once: 100,000 characters of base64, less the sequence."""
TERMINAL: Final = "OSC 52"
_WSL_CLIP: Final = "/mnt/c/Windows/System32/clip.exe"


class Way(NamedTuple):
    """A way to the clipboard: a program that reads the text on its stdin, or the terminal itself."""

    name: str
    argv: tuple[str, ...] = ()
    encoding: str = "utf-8"


class Outcome(NamedTuple):
    """How a copy went: `way` is "" if none worked, `too_long` if only the length was too much."""

    way: str
    too_long: bool = False


def ways(
    env: Mapping[str, str],
    *,
    which: Callable[[str], str | None] = shutil.which,
    platform: str = sys.platform,
) -> list[Way]:
    """Return the ways that may work here, the best first."""
    tmux = _program("tmux", env, which, "TMUX", "tmux", "load-buffer", "-w", "-")
    terminal = [Way(TERMINAL)]
    if is_far(env):
        return [*tmux, *terminal]
    local = [
        *_wsl(env, which),
        *(_program("pbcopy", env, which, "", "pbcopy") if platform == "darwin" else []),
        *_program("wl-copy", env, which, "WAYLAND_DISPLAY", "wl-copy"),
        *_program("xclip", env, which, "DISPLAY", "xclip", "-selection", "clipboard"),
        *_program("xsel", env, which, "DISPLAY", "xsel", "--clipboard", "--input"),
    ]
    return [*local, *tmux, *terminal]


def _program(
    name: str,
    env: Mapping[str, str],
    which: Callable[[str], str | None],
    needed: str,
    *argv: str,
) -> list[Way]:
    if (needed and not env.get(needed)) or which(argv[0]) is None:
        return []
    return [Way(name, argv)]


def _wsl(env: Mapping[str, str], which: Callable[[str], str | None]) -> list[Way]:
    if not (env.get("WSL_DISTRO_NAME") or env.get("WSL_INTEROP")):
        return []
    program = which("clip.exe") or which(_WSL_CLIP)
    # In UTF-8 it would take the text for one in the console's own code page.
    return [Way("clip.exe", (program,), "utf-16")] if program else []


def sequence(text: str) -> str:
    """Return the OSC 52 sequence that puts a text on the terminal's clipboard."""
    return f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x1b\\"


def cleaned(text: str) -> str:
    """Return the text without what no clipboard holds: NUL and halves of characters."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()


class Clipboard:
    """Copies in one thread of its own, so that a program that hangs keeps nobody waiting.

    What is copied while another text is on its way replaces what waits: the newest counts.
    """

    def __init__(
        self,
        env: Mapping[str, str] = os.environ,
        *,
        to_terminal: Callable[[str], bool],
    ) -> None:
        self._env = env
        self._to_terminal = to_terminal
        self._lock = threading.Lock()
        self._working = False
        self._next: tuple[str, Callable[[Outcome], object]] | None = None

    def copy(self, text: str, then: Callable[[Outcome], object]) -> None:
        """Copy a text; `then` hears, in another thread, how that went, unless a newer one came."""
        with self._lock:
            self._next = (text, then)
            if self._working:
                return
            self._working = True
        threading.Thread(target=self._work, name="nagomi-clipboard", daemon=True).start()

    def _work(self) -> None:
        while (job := self._take()) is not None:
            text, then = job
            try:
                then(self._copy(cleaned(text)))
            except Exception:
                _log.exception("a copy failed")

    def _take(self) -> tuple[str, Callable[[Outcome], object]] | None:
        with self._lock:
            job, self._next = self._next, None
            self._working = job is not None
        return job

    def _copy(self, text: str) -> Outcome:
        too_long = False
        for way in ways(self._env):
            if way.argv:
                if run(way.argv, text.encode(way.encoding), self._env):
                    return Outcome(way.name)
            elif len(text.encode()) > TERMINAL_LIMIT:
                too_long = True
            elif self._to_terminal(sequence(text)):
                return Outcome(way.name)
        return Outcome("", too_long)


def run(argv: tuple[str, ...], data: bytes, env: Mapping[str, str]) -> bool:
    """Run a program that reads `data`; return whether it ended well before the deadline."""
    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        process.communicate(data, timeout=DEADLINE_SECONDS)
    except subprocess.TimeoutExpired:
        _end(process)
        return False
    return process.returncode == 0


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program that hangs, with what it started."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
