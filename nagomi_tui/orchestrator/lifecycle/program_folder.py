"""A folder with a link to `nagomi` and nothing else, for the PATH of sessions.

The program's own folder holds Python and other programs, which a session's commands must not
find.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui import paths
from nagomi_tui.orchestrator.runtime.former_places import point

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME: Final = "nagomi"


def folder(state: Path) -> str:
    """Return the folder, which is created if missing; "" if there is no such program."""
    program = Path(sys.executable).with_name(_NAME)
    if sys.platform == "win32" or not os.access(program, os.X_OK):
        return ""
    place = state / "bin"
    try:
        _link(paths.make_private(place) / _NAME, program)
    except OSError:
        return ""
    return os.fspath(place)


def _link(link: Path, program: Path) -> None:
    if not (link.is_symlink() and os.readlink(link) == os.fspath(program)):
        point(link, program)


def findable(env: Mapping[str, str], programs: str) -> dict[str, str]:
    """Return the variable PATH, with the folder of the program at its end."""
    path = env.get("PATH", "")
    if not (path and programs) or programs in path.split(os.pathsep):
        return {}
    return {"PATH": f"{path}{os.pathsep}{programs}"}
