"""Messages about git worktrees, how they stand and come home, and about reviews of changes."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from nagomi_tui.api.messages.base import Request, Result
from nagomi_tui.api.messages.sessions import SessionNamed
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


class ReviewedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that has changed."""

    path: str
    """Its name from the repository on."""
    status: str
    """As git has it: `A` added, `D` removed, `M` changed, `R` renamed, `T` of another type."""
    kind: Literal["text", "binary", "large", "submodule"]
    added: int
    removed: int


class ReviewComment(msgspec.Struct, frozen=True, kw_only=True):
    """What the user has to say of some lines."""

    place: str
    """File and lines, such as `src/a.py:12-14`."""
    side: Literal["new", "old"]
    """Whether it is on lines as they are now, or on removed ones."""
    lines: tuple[str, ...]
    text: str
    standing: Literal["draft", "open", "touched", "lost"]
    """Not sent yet, sent and not worked at, changed since it was sent, or its lines are gone."""


class Reviewed(SessionNamed, frozen=True, kw_only=True):
    """What has changed in a session's folder, masked."""

    root: str
    since: Literal["uncommitted", "turn", "base"]
    against: str
    """What it is compared with, such as `main@a1b2c3d`; empty for a turn."""
    added: int
    removed: int
    files: tuple[ReviewedFile, ...]
    lines: tuple[str, ...]
    """The changes as in a unified diff."""
    left_out: int
    """How many more lines there are; ask for single files."""
    comments: tuple[ReviewComment, ...]


class ReviewSession(Request[Reviewed], frozen=True, kw_only=True, tag="review"):
    """Ask what has changed in a session's folder, and for its user's comments on it."""

    session: str
    since: Literal["", "uncommitted", "turn", "base"] = ""
    """The last commit, the beginning of the session's last turn, or where its branch began.

    Empty for what is not committed, and where there is none, since the branch began.
    """
    path: str = ""
    """One file, as `ReviewedFile.path` has it; empty for all."""


ReviewFromClient: TypeAlias = ReviewSession
