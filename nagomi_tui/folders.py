"""Where state and sockets are, as text: found without importing what takes time.

The front end's start cannot wait for more; everybody else asks `nagomi_tui.paths`.
"""

from __future__ import annotations

import os
import sys


def home() -> str:
    """Return the folder that NAGOMI_HOME names, or nothing."""
    named = os.environ.get("NAGOMI_HOME", "")
    if not named or _is_plain(named):
        return named
    from pathlib import Path

    return str(Path(named).expanduser().absolute())


def state() -> str:
    """Return the folder of session records, locks and logs."""
    if own := home():
        return os.path.join(own, "state")
    if sys.platform == "linux" and "ANDROID_ROOT" not in os.environ:
        base = os.environ.get("XDG_STATE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.expanduser("~/.local/state")
        if _is_plain(base):
            return os.path.join(base, "nagomi")
    import platformdirs

    return str(platformdirs.user_state_path("nagomi", appauthor=False))


def sockets() -> str:
    """Return the folder of this workplace's sockets: one for each state folder.

    It lies under the system's temporary folder because a logout deletes the runtime folder,
    and its name is short because a socket's path holds at most 107 bytes.
    """
    import hashlib

    digest = hashlib.sha256(os.fsencode(state())).hexdigest()[:12]
    return os.path.join(_temporary(), f"nagomi-{_owner()}", digest)


def _temporary() -> str:
    """Return the system's temporary folder, as `tempfile` would find it."""
    if sys.platform != "win32":
        named = next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), "/tmp")
        if _is_plain(named) and os.path.isdir(named) and os.access(named, os.W_OK | os.X_OK):
            return named
    import tempfile

    return tempfile.gettempdir()


def _is_plain(path: str) -> bool:
    """Tell whether a path needs no reading: absolute, and written as it would be found."""
    return os.path.isabs(path) and os.path.normpath(path) == path


def _owner() -> str:
    if sys.platform == "win32":
        return os.environ.get("USERNAME", "user")
    return str(os.getuid())
