"""What has changed since the last approval, found in a shadow repository, and undoing it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from nagomi_tui.guard.decide.documents import Config
from nagomi_tui.guard.files.project import Project
from nagomi_tui.review.git import Shadow, own_repository, paths_in
from nagomi_tui.system import files

_LOCK_SECONDS: Final = 60.0
_OWN_FOLDER: Final = "sessions"
"""Where the guard and the tasks are; the guard's files are sealed another way."""


class Change(NamedTuple):
    """A difference between two snapshots of a project."""

    before: str
    """Object id of the earlier git tree."""
    after: str
    """Object id of the later git tree."""
    paths: tuple[str, ...]
    """Files that were added, changed or removed, relative to the project."""


class Undone(NamedTuple):
    """Files that were restored (`paths`), and those left as they had changed again (`left`)."""

    paths: tuple[str, ...]
    left: tuple[str, ...]


class TreeWatch:
    """Compares a project's files, untracked ones too, with the last stored snapshot.

    Ignored files, submodules, and paths that may be written in discussion are left out. Every
    method blocks, for about as long as `git status`; it raises GitFault where git fails, and OSError
    where a file cannot be written.
    """

    def __init__(self, project: Project, shadow: Shadow, config: Config) -> None:
        self._project = project
        self._shadow = shadow
        self._allowed = config.blocked_actions.discussion_allowed_paths

    def begin(self) -> str:
        """Store a snapshot to compare with from now on; return the object id of its tree."""
        with self._shadow.locked(_LOCK_SECONDS):
            tree = self._snapshot()
            files.write(self._baseline, tree.encode())
        return tree

    def look(self) -> Change | None:
        """Return what has changed; None if nothing has, or no snapshot was stored yet."""
        with self._shadow.locked(_LOCK_SECONDS):
            before = self._before()
            after = self._snapshot() if before else ""
            return None if before == after else self._change(before, after)

    def diff(self, change: Change) -> str:
        """Return the change as a git diff."""
        shown = self._shadow.run(
            "diff-tree", "-p", "--no-color", "--no-ext-diff", "--no-textconv", "-M",
            change.before, change.after,
        )  # fmt: skip
        return shown.decode("utf-8", "replace")

    def undo(self, change: Change) -> Undone:
        """Restore changed files, except those that have changed again since the change was found.

        The undone content stays in the shadow repository, in the tree `change.after`.
        """
        with self._shadow.locked(_LOCK_SECONDS):
            since = self._change(change.after, self._snapshot()).paths
            left = tuple(path for path in change.paths if path in since)
            paths = tuple(path for path in change.paths if path not in since)
            kept = self._listed(change.before)
            self._shadow.run("read-tree", change.before, index="undo")
            back = [path for path in paths if path in kept]
            self._remove(path for path in paths if path not in kept)
            self._shadow.run(
                "checkout-index", "--force", "-z", "--stdin",
                given=b"".join(os.fsencode(path) + b"\0" for path in back), index="undo",
            )  # fmt: skip
        return Undone(paths, left)

    # --- steps

    @property
    def _baseline(self) -> Path:
        return self._shadow.folder / "baseline"

    def _before(self) -> str:
        try:
            return files.read(self._baseline).decode("ascii", "replace")
        except FileNotFoundError:
            return ""

    def _snapshot(self) -> str:
        """Store the files as they are now; one that cannot be read keeps its earlier content."""
        self._shadow.ignore((_OWN_FOLDER, *self._allowed))
        self._shadow.run("add", "--all", "--ignore-errors", ".", codes=(0, 1))
        return self._shadow.run("write-tree").decode().strip()

    def _change(self, before: str, after: str) -> Change:
        names = self._shadow.run("diff-tree", "-r", "-z", "--name-only", before, after)
        return Change(before, after, paths_in(names))

    def _listed(self, tree: str) -> frozenset[str]:
        return frozenset(paths_in(self._shadow.run("ls-tree", "-r", "-z", "--name-only", tree)))

    def _remove(self, paths: Iterable[str]) -> None:
        root = os.path.realpath(self._project.root)
        for path in paths:
            place = os.path.join(root, path)
            # A symbolic link in the path may lead out of the project.
            if os.path.realpath(os.path.dirname(place)) == os.path.dirname(place):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(place)
                files.remove_empty(os.path.dirname(place), root)


def watch(project: Project, config: Config) -> TreeWatch | None:
    """Return the watch over a project; None if the project has no git repository."""
    own = own_repository(project.root)
    return TreeWatch(project, Shadow(project.root, own), config) if own else None
