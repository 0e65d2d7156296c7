"""A note outside the project of what the guard has written there.

A state that says "implementation" counts only as the guard wrote it: one from a checkout, a copy
or another program is discussion. It holds nobody who may write everywhere, and needs no secret.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nagomi_tui import files, folders

if TYPE_CHECKING:
    from nagomi_tui.guard.files.project import Project


def write(project: Project, data: bytes) -> None:
    """Note what the state file holds from now on.

    Raises:
        OSError: it cannot be noted.
    """
    path = _path(project)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, _digest(data))


def holds(project: Project, data: bytes) -> bool:
    """Tell whether the guard wrote what the state file holds."""
    try:
        return files.read(_path(project), limit=1000) == _digest(data)
    except OSError:
        return False


def take_back(project: Project) -> None:
    """Let no state of the project count as implementation from now on.

    Raises:
        OSError: it cannot be taken back.
    """
    _path(project).unlink(missing_ok=True)


def _path(project: Project) -> Path:
    import hashlib

    name = hashlib.sha256(str(project.root).encode("utf-8", "surrogateescape")).hexdigest()
    return Path(folders.state()) / "guard" / f"{name[:32]}.seal"


def _digest(data: bytes) -> bytes:
    import hashlib

    return hashlib.sha256(data).hexdigest().encode()
