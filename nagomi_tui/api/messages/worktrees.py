"""Messages about git worktrees: how those of a repository stand, and bringing one's work home."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from nagomi_tui.api.messages.base import Request, Result
from nagomi_tui.worktrees.model import Figures, How

Folder = Annotated[str, Meta(extra_json_schema={"pattern": "^/"})]
"""An absolute path."""


class WorktreeList(Result, frozen=True, kw_only=True):
    """How the worktrees of a repository stand, the main one first."""

    worktrees: tuple[Figures, ...]


class WorktreeMerged(Result, frozen=True, kw_only=True):
    """What a merge has come to."""

    merged: bool
    """False where both branches change the same lines; nothing was done then."""
    branch: str
    target: str
    commit: str = ""
    """Where the target is now."""
    conflicts: tuple[str, ...] = ()
    """The files in which both change the same lines."""
    kept: bool = True
    """Whether the worktree is still there."""
    why: tuple[str, ...] = ()
    """Why it is, though it was to be taken away."""


class ListWorktrees(Request[WorktreeList], frozen=True, kw_only=True, tag="list_worktrees"):
    """Return how the worktrees of the repository stand that a folder is in, and which of them meet."""

    folder: Folder


class MergeWorktree(Request[WorktreeMerged], frozen=True, kw_only=True, tag="merge_worktree"):
    """Merge the commits of the worktree at `folder` into its base, then take it away unless it is kept.

    A conflict, or uncommitted changes that are in the way, leave all as it was.
    """

    folder: Folder
    into: str = ""
    """Another branch than the base."""
    how: How = "merge"
    keep: bool = False


WorktreesFromClient: TypeAlias = ListWorktrees | MergeWorktree
