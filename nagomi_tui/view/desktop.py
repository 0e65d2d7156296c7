"""What leaves the front end: copied text and links.

Over SSH only the terminal is where the user is, so it goes first there; on a local display its
programs do, since they take any length and say whether they did it.
"""

from __future__ import annotations

import base64
import logging
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping
from functools import partial
from threading import BoundedSemaphore
from typing import Final, NamedTuple

from nagomi_tui.system import deadlines, platforms
from nagomi_tui.system.children import end_group
from nagomi_tui.system.environment import is_far
from nagomi_tui.text.cells import cut, printable
from nagomi_tui.text.selection import may_open
from nagomi_tui.view.common.translate import tr, tr_count

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
    platform: str = platforms.NAME,
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
    name: str, env: Mapping[str, str], which: Callable[[str], str | None], needed: str, *argv: str
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

    def __init__(self, env: Mapping[str, str], *, to_terminal: Callable[[str], bool]) -> None:
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
        end_group(process)
        process.wait()
        return False
    return process.returncode == 0


_SECONDS: Final = 0.5
_slots = BoundedSemaphore(4)


def find(name: str) -> str | None:
    """Return a program's path as `shutil.which` does, or None if it is not found soon."""
    try:
        return deadlines.wait(partial(shutil.which, name), seconds=_SECONDS, slots=_slots)
    except TimeoutError:
        return None


def opener(
    env: Mapping[str, str],
    *,
    which: Callable[[str], str | None] = find,
    platform: str = platforms.NAME,
) -> str:
    """Return the program that opens links here, or ""."""
    if is_far(env):
        return ""
    if platform == "darwin":
        return which("open") or ""
    if env.get("WSL_DISTRO_NAME") or env.get("WSL_INTEROP"):
        return which("wslview") or which("explorer.exe") or ""
    if env.get("WAYLAND_DISPLAY") or env.get("DISPLAY"):
        return which("xdg-open") or ""
    return ""


def open_link(program: str, target: str, env: Mapping[str, str] = os.environ) -> bool:
    """Have a program open a link; false where it could not be started."""
    try:
        process = subprocess.Popen(
            (program, target),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            start_new_session=True,
        )
    except OSError:
        return False
    # Somebody has to wait for it; a browser that it became may take hours.
    threading.Thread(target=process.wait, name="nagomi-link", daemon=True).start()
    return True


_SHOWN = 60
"""Columns of a link in a sentence."""


class Outside:
    """Copies and opens, and shows a sentence on where the text or link went."""

    def __init__(
        self,
        post: Callable[[Callable[[], object]], None],
        env: Mapping[str, str],
        *,
        to_terminal: Callable[[str], bool],
        tell: Callable[..., object],
    ) -> None:
        self._post = post
        self._env = env
        self._tell = tell
        self._clipboard = Clipboard(env, to_terminal=to_terminal)

    def copy(self, text: str) -> None:
        """Put a text on the user's clipboard."""
        self._copy(text, amount(text))

    def open(self, target: str) -> None:
        """Open a link where there is a desktop, else copy it."""
        shown = cut(printable(target), _SHOWN)
        if not may_open(target, host=socket.gethostname()):
            self._tell(tr("{link} is not a link that nagomi opens.", link=shown), error=True)
            return
        program = opener(self._env)
        if program and open_link(program, target, self._env):
            self._tell(tr("Opening {link}", link=shown))
        else:
            self._copy(target, tr("No desktop here to open it on; the link"))

    def _copy(self, text: str, what: str) -> None:
        def told(outcome: Outcome) -> None:
            self._post(lambda: self._report(outcome, what))

        self._clipboard.copy(text, told)

    def _report(self, outcome: Outcome, what: str) -> None:
        if outcome.way == TERMINAL:
            self._tell(tr("{what}: sent to the terminal's clipboard (OSC 52).", what=what))
        elif outcome.way:
            self._tell(tr("{what}: copied by {way}.", what=what, way=outcome.way))
        elif outcome.too_long:
            self._tell(
                tr(
                    "Too long for the terminal's clipboard. Select less, or install wl-copy,"
                    " xclip or xsel."
                ),
                error=True,
            )
        else:
            self._tell(tr("Nothing here takes a copy. Install wl-copy, xclip or xsel."), error=True)


def amount(text: str) -> str:
    """Return a sentence's part on how long a text is, such as `3 lines`."""
    lines = text.count("\n") + 1
    if lines > 1:
        return tr_count("{count} line", "{count} lines", lines)
    return tr_count("{count} character", "{count} characters", len(text))
