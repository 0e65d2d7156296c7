"""Where the programs for sessions are, and the variables by which sessions find them.

In a pack they lie in the folder `given` beside this module; where nagomi is installed, in its own.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Final

from nagomi_worker.pty.command import PROGRAMS, SHELLS
from nagomi_worker.wire.trust import make_private

_HERE: Final = Path(__file__).resolve().parent
_ABOVE: Final = (_HERE.parents[1], _HERE.parents[2])
"""Where nagomi is installed, and the tree of its sources."""
_EVENT: Final = (
    _HERE / "given" / "event.py",
    *(above / "nagomi_tui" / "event.py" for above in _ABOVE),
)
_SHELLS: Final = (
    _HERE / "given" / "shell",
    _ABOVE[0] / "nagomi_tui" / "_shipped" / "config" / "shell",
    _ABOVE[1] / "config" / "shell",
)
_NAME: Final = "nagomi"
_PROGRAM: Final = """\
#!/bin/sh
# nagomi's own: inside of a session it asks the workplace that the session belongs to.
exec "${NAGOMI_PYTHON:-python3}" -IS "${NAGOMI_INSIDE:?is not set: this is no session of nagomi}/nagomi.py" "$@"
"""


def variables(socket: str, aside: Path) -> dict[str, str]:
    """Return the variables of a session; `aside` is where a program can be put if not at home."""
    found = {
        "NAGOMI_SOCKET": socket,
        "NAGOMI_PYTHON": sys.executable,
        "NAGOMI_INSIDE": str(_HERE),
        "NAGOMI_EVENT": _first(_EVENT),
        PROGRAMS: _program(aside),
        SHELLS: _first(_SHELLS),
    }
    return {name: value for name, value in found.items() if value}


def _first(places: tuple[Path, ...]) -> str:
    return next((str(place) for place in places if place.exists()), "")


def _program(aside: Path) -> str:
    """Return a folder that holds the program `nagomi` and nothing else; "" if none can be made."""
    for place in (*_caches(), aside):
        with contextlib.suppress(OSError):
            folder = place / "bin"
            make_private(str(folder))
            if not _forbids_programs(folder):
                _keep(folder / _NAME)
                return str(folder)
    return ""


def _caches() -> tuple[Path, ...]:
    cache = os.environ.get("XDG_CACHE_HOME", "")
    home = os.path.expanduser("~")
    if not os.path.isabs(cache):
        cache = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return (Path(cache, "nagomi"),) if cache else ()


def _forbids_programs(folder: Path) -> bool:
    """Tell whether the disk there lets no program be run."""
    no_exec = getattr(os, "ST_NOEXEC", 0)
    return sys.platform != "win32" and bool(os.statvfs(folder).f_flag & no_exec)


def _keep(path: Path) -> None:
    """Write the program if it is not there as it should be, whole or not at all."""
    try:
        if path.read_text() == _PROGRAM and os.access(path, os.X_OK):
            return
    except OSError:
        pass
    new = path.with_name(f".{_NAME}-{os.getpid()}")
    new.write_text(_PROGRAM)
    new.chmod(0o700)
    new.replace(path)
