"""Messages about reviews: what has changed in a session's folder, and the comments on it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from nagomi_tui.api.messages.base import Request
from nagomi_tui.api.messages.sessions import SessionNamed


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
