"""The branch of a folder, read from git's own files without running git."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_SHORT: Final = 7
_LIMIT: Final = 4096


class Branch:
    """The branch of one folder; looking again costs one `stat` while nothing changed."""

    def __init__(self, folder: str) -> None:
        self._head = find_head(Path(folder)) if folder else None
        self._stamp = -1
        self.name = ""
        self.look()

    def look(self) -> bool:
        """Read the branch again if its file has changed; tell whether the name is another."""
        if self._head is None:
            return False
        try:
            stamp = self._head.stat().st_mtime_ns
        except OSError:
            return False
        if stamp == self._stamp:
            return False
        self._stamp, before = stamp, self.name
        self.name = _branch(_read(self._head))
        return self.name != before


def find_head(folder: Path) -> Path | None:
    """Return the HEAD of the work tree that `folder` lies in, worktrees and submodules too."""
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_dir():
            return git / "HEAD"
        if git.is_file():
            key, _, target = _read(git).partition(":")
            return (place / target.strip() / "HEAD") if key == "gitdir" else None
    return None


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LIMIT).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _branch(head: str) -> str:
    if head.startswith("ref:"):
        return head.removeprefix("ref:").strip().removeprefix("refs/heads/")
    return head[:_SHORT]
