"""Opens links where the user has a desktop; elsewhere there is nothing to open them with."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

from nagomi_tui.core.copy.urls import may_open
from nagomi_tui.variables import is_far
from nagomi_tui.view.desktop.programs import find

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def opener(
    env: Mapping[str, str],
    *,
    which: Callable[[str], str | None] = find,
    platform: str = sys.platform,
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


def is_allowed(target: str) -> bool:
    """Return whether a link is of a kind that may be opened, and of this machine if a file."""
    return may_open(target, host=socket.gethostname())


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
    threading.Thread(target=_wait, args=(process,), name="nagomi-link", daemon=True).start()
    return True


def _wait(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        process.wait()
