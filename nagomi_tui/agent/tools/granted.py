"""The folders that file tools may use, and the resolving of paths within them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.agent.tools.interface import ToolFault

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEVER_WRITTEN: Final = frozenset({".git", ".sessions"})
"""Folder names below which tools never write.

Files in `.git` can make git run programs; a conversation in `.sessions` has a single writer.
"""


class Place(NamedTuple):
    """A resolved path within a granted folder."""

    root: Path
    relative: Path

    @property
    def path(self) -> Path:
        """The absolute path."""
        return self.root / self.relative

    @property
    def above(self) -> Place:
        """The folder that contains this place; for the root, the root itself."""
        return self._replace(relative=self.relative.parent)


class Granted:
    """The agent's workspace, and the folders that the user has granted.

    Granting a folder does not grant a `hidden` folder below it, such as nagomi's own state. But a
    folder inside a hidden one can be granted; the workspace may be such a folder.
    """

    def __init__(
        self, workspace: Path, folders: Iterable[Path] = (), *, hidden: Iterable[Path] = ()
    ) -> None:
        self.workspace = _real(workspace)
        self.roots = tuple(dict.fromkeys([self.workspace, *map(_real, folders)]))
        self._hidden = tuple(map(_real, hidden))

    def place(self, path: str) -> Place:
        """Return the place of a path, with links resolved (SB-17).

        A relative path begins in the workspace.

        Raises:
            ToolFault: the path is not valid, or leads out of the granted folders.
        """
        if "\0" in path:
            raise ToolFault("A path cannot hold a zero byte.")
        try:
            real = _real(self.workspace / path)
        except (OSError, ValueError) as exc:
            raise ToolFault(f"{path!r} leads nowhere: {exc}.") from exc
        root = _innermost(self.roots, real)
        hidden = _innermost(self._hidden, real)
        if root is None or (hidden is not None and hidden not in root.parents):
            granted = ", ".join(map(str, self.roots))
            raise ToolFault(
                f"{path!r} is not in a folder that the user has granted. Granted: {granted}."
            )
        return Place(root, real.relative_to(root))

    def writable(self, path: str) -> Place:
        """Return the place of a path that tools may write.

        Raises:
            ToolFault: `place` refuses the path, or tools never write there.
        """
        place = self.place(path)
        if any(part.casefold() in _NEVER_WRITTEN for part in place.path.parts):
            raise ToolFault(f"{path!r} is kept by programs; tools only read there.")
        return place


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _innermost(folders: Iterable[Path], path: Path) -> Path | None:
    holding = [folder for folder in folders if path.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=None)
