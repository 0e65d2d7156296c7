"""The branch of a folder, read from git's own files without running git."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_SHORT: Final = 7
_LIMIT: Final = 4096


def find_head(folder: Path) -> Path | None:
    """Return the HEAD file of the work tree that holds `folder`, or None; worktrees included."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if os.path.isdir(git):
            return git / "HEAD"
        if os.path.isfile(git):
            key, _, target = _read(git).partition(":")
            return (place / target.strip() / "HEAD") if key == "gitdir" else None
    return None


def branch_in(head: Path) -> str:
    """Return the branch that a HEAD file names, or the beginning of a commit's name."""
    told = _read(head)
    name = told[:_SHORT]
    if told.startswith("ref:"):
        name = told.removeprefix("ref:").strip().removeprefix("refs/heads/")
    # Git itself makes no branch whose name holds a control.
    return name if name.isprintable() else ""


def _read(path: Path) -> str:
    """Return the text of a regular file, which may be anybody's; nothing if it cannot be read."""
    try:
        # Opening a device may do something already, so it is not even opened.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return ""
        return os.read(fd, _LIMIT).decode("utf-8", "replace").strip()
    except OSError:
        return ""
    finally:
        os.close(fd)
