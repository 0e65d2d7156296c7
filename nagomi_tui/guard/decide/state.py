"""The guard's state in the form of its file (D-17, DC-1), and changes of todos (DC-2)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from nagomi_tui.guard.decide.schema import Open

VERSION = "0.3.6"
"""The version of cc-sessions that defines these fields."""


class Mode(StrEnum):
    """What the agent may do: discuss, or implement what was approved (D-12)."""

    NO = "discussion"
    GO = "implementation"


class Protocol(StrEnum):
    """A procedure with its own todos (D-34)."""

    COMPACT = "context-compaction"
    CREATE = "task-creation"
    START = "task-startup"
    COMPLETE = "task-completion"


Status = Literal["pending", "in_progress", "completed"]


class Todo(Open, frozen=True, kw_only=True):
    """One thing to do."""

    content: str
    status: Status = "pending"
    active_form: str | None = msgspec.field(name="activeForm", default=None)


class Todos(Open, frozen=True, kw_only=True):
    """Active todos, and a stack of stashed ones, of which `stashed` is the top (DB-10)."""

    active: tuple[Todo, ...] = ()
    stashed: tuple[Todo, ...] = ()
    below: tuple[tuple[Todo, ...], ...] = ()
    """The stack below `stashed`, the latest first."""

    @property
    def all_complete(self) -> bool:
        """Tell whether there are active todos, and all are completed."""
        return bool(self.active) and all(one.status == "completed" for one in self.active)

    def with_active(self, active: tuple[Todo, ...]) -> Todos:
        """Return these with other active todos."""
        return msgspec.structs.replace(self, active=active)

    def stash_active(self) -> Todos:
        """Push the active todos on the stack."""
        if not self.active:
            return self
        below = (self.stashed, *self.below) if self.stashed else self.below
        return msgspec.structs.replace(self, active=(), stashed=self.active, below=below)

    def restore_stashed(self) -> Todos:
        """Pop the top of the stack into the active todos, unless some are not completed."""
        if not self.stashed or (self.active and not self.all_complete):
            return self
        top, below = (self.below[0], self.below[1:]) if self.below else ((), ())
        return msgspec.structs.replace(self, active=self.stashed, stashed=top, below=below)


class Task(Open, frozen=True, kw_only=True):
    """The current task; all fields are None if there is none."""

    name: str | None = None
    file: str | None = None
    branch: str | None = None
    status: str | None = None
    created: str | None = None
    started: str | None = None
    updated: str | None = None
    dependencies: tuple[str, ...] | None = None
    submodules: tuple[str, ...] | None = None


class Windows(Open, frozen=True, kw_only=True):
    """Commands that are allowed for now (D-59)."""

    startup_load: bool = False
    completion: bool = False
    todos_clear: bool = False


class Flags(Open, frozen=True, kw_only=True):
    """Flags of the session."""

    context_85: bool = False
    context_90: bool = False
    subagent: bool = False
    noob: bool = True
    bypass_mode: bool = False

    def cleared(self) -> Flags:
        """Return the flags with all but `noob` reset (DC-2)."""
        return msgspec.structs.replace(
            self, context_85=False, context_90=False, subagent=False, bypass_mode=False
        )


class Mirrored(Open, frozen=True, kw_only=True):
    """A copy of a task in the client's own list, which the client changes task by task (H-28)."""

    id: str
    content: str
    status: Status = "pending"
    adds: bool = False
    """Whether the list of approved todos grew by it, and may grow by further tasks."""


class Own(Open, frozen=True, kw_only=True):
    """State that only nagomi's guard has, not cc-sessions."""

    proposal: tuple[str, ...] = ()
    """The todos that the agent last proposed in a message, not yet approved (DB-8)."""
    agents: tuple[str, ...] = ()
    """The ids of running subagents (DB-19)."""
    tasks: tuple[Mirrored, ...] = ()
    """Copies of all tasks in the client's own list, also of those that are not approved."""
    model: str = ""
    """The agent's model, as named by the client when the session began."""
    chapter: int = 0
    """Where the tour for newcomers stands, counted from 1; 0 where there is none (DC-41)."""
    shown: str = ""
    """The mode that a client has shown last, if that was implementation; else empty (D-62)."""


class Metadata(Open, frozen=True, kw_only=True):
    """Free space for any program's keys."""

    nagomi: Own = msgspec.field(default_factory=Own)


class State(Open, frozen=True, kw_only=True):
    """The guard's whole state of a project; the default mode is discussion (D-3)."""

    version: str = VERSION
    current_task: Task = msgspec.field(default_factory=Task)
    active_protocol: Protocol | None = None
    api: Windows = msgspec.field(default_factory=Windows)
    mode: Mode = Mode.NO
    todos: Todos = msgspec.field(default_factory=Todos)
    model: str = "unknown"
    flags: Flags = msgspec.field(default_factory=Flags)
    metadata: Metadata = msgspec.field(default_factory=Metadata)

    @property
    def own(self) -> Own:
        """State that only nagomi's guard has, not cc-sessions."""
        return self.metadata.nagomi

    def with_own(self, own: Own) -> State:
        """Return the state with another `own`."""
        metadata = msgspec.structs.replace(self.metadata, nagomi=own)
        return msgspec.structs.replace(self, metadata=metadata)
