"""Messages about the guard: what the agent proposes, approval, stop, back to discussion."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from nagomi_tui.api.messages.base import Nothing, Request, Result
from nagomi_tui.api.messages.sessions import SessionNamed

# --- what is answered


class GuardTodo(msgspec.Struct, frozen=True, kw_only=True):
    """One approved todo."""

    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


class GuardShown(SessionNamed, frozen=True, kw_only=True):
    """How the guard of a session's project stands."""

    project: str
    """The project's folder."""
    mode: str
    """`discussion` or `implementation`."""
    protocol: str
    bypassed: bool
    proposal: tuple[str, ...]
    """The todos in the agent's last message before it was approved."""
    offered: tuple[str, ...]
    """The todos that can be approved: the proposal, or those kept from before."""
    todos: tuple[GuardTodo, ...]
    """The approved todos."""
    stashed: int
    """How many todos were put aside."""
    notices: tuple[str, ...]
    """What is wrong with the guard's files."""
    others: tuple[str, ...]
    """Names of the other sessions in this project, which share all of it."""
    strict: bool = False
    """The kernel holds the project as the guard stands."""
    strict_fault: str = ""
    """Why it does not, in the client's language: files are open, or there can be none here."""


class GuardDiffed(SessionNamed, frozen=True, kw_only=True):
    """What has changed in the project since its last commit, masked."""

    lines: tuple[str, ...]
    left_out: int
    """How many more lines there are."""
    fault: str
    """Why it cannot be told, in the client's language; empty if it can."""


class GuardApproved(SessionNamed, frozen=True, kw_only=True):
    """The todos that were approved."""

    todos: tuple[str, ...]
    told: bool
    """It was typed into the agent's prompt that it may begin."""


class GuardStopped(Result, frozen=True, kw_only=True):
    """Whom an emergency stop has sent back to discussion."""

    sessions: tuple[str, ...]
    """Names of the sessions."""
    faults: tuple[str, ...]
    """What went wrong, in the client's language; an agent there may still be allowed to write."""


class GuardUnapproved(SessionNamed, frozen=True, kw_only=True):
    """What has changed in a project in discussion, which no approval covers."""

    change: str
    """A name of the change, for `GuardUndo`; empty if nothing was noticed."""
    paths: tuple[str, ...]
    """Files that were added, changed or removed, named from the project on."""
    lines: tuple[str, ...]
    """The change as git shows it, masked."""
    left_out: int
    """How many more lines there are."""


class GuardUndone(SessionNamed, frozen=True, kw_only=True):
    """What was put back."""

    paths: tuple[str, ...]
    left: tuple[str, ...]
    """Files that were left, since they have changed once more."""


# --- from a client


class GuardShow(Request[GuardShown], frozen=True, kw_only=True, tag="guard_show"):
    """Ask how the guard of a session stands, and what its agent proposes."""

    session: str


class GuardDiff(Request[GuardDiffed], frozen=True, kw_only=True, tag="guard_diff"):
    """Ask what has changed in a session's guarded project since its last commit."""

    session: str


class GuardApprove(Request[GuardApproved], frozen=True, kw_only=True, tag="guard_approve"):
    """Approve some of the offered todos, so that the agent may write.

    Only the user does: a client that cannot be proved to run outside of every session is refused,
    and so is whatever came by the API or an agent's tool.
    """

    session: str
    todos: tuple[str, ...] = ()
    """As `GuardShown.offered` has them, in its order; an empty list only where that is empty."""
    tell: bool = True
    """Type into the agent's prompt that it may begin, where nothing stands in the way."""


class GuardStop(Request[GuardStopped], frozen=True, kw_only=True, tag="guard_stop"):
    """Stop at once: back to discussion, without approved todos."""

    session: str = ""
    """Empty for all guarded sessions."""


class GuardDiscuss(Request[Nothing], frozen=True, kw_only=True, tag="guard_discuss"):
    """Go back to discussion; the todos stay for the next approval."""

    session: str


class GuardNoticed(Request[GuardUnapproved], frozen=True, kw_only=True, tag="guard_noticed"):
    """Ask what has changed in a session's project in discussion, which no approval covers."""

    session: str


class GuardUndo(Request[GuardUndone], frozen=True, kw_only=True, tag="guard_undo"):
    """Put back what has changed in discussion; only the user does, as `GuardApprove` says."""

    session: str
    change: str = ""
    """As `GuardUnapproved.change` has it, so that nothing else is undone than what was seen."""


GuardFromClient: TypeAlias = (
    GuardShow | GuardDiff | GuardApprove | GuardStop | GuardDiscuss | GuardNoticed | GuardUndo
)
