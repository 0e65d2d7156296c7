"""The guard's state as its file holds it (D-17, DC-1), and the steps that todos take (DC-2)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from nagomi_tui.guard.decide.schema import Open

VERSION = "0.3.6"
"""The version of cc-sessions whose fields these are."""


class Mode(StrEnum):
    """What the agent may do: talk, or what was approved (D-12)."""

    NO = "discussion"
    GO = "implementation"


class Protocol(StrEnum):
    """A piece of work with todos of its own (D-34)."""

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
    """Todos in hand, and those put aside: a stack, of which `stashed` is the top (DB-10)."""

    active: tuple[Todo, ...] = ()
    stashed: tuple[Todo, ...] = ()
    below: tuple[tuple[Todo, ...], ...] = ()
    """What was put aside before `stashed`, the latest first."""

    @property
    def all_complete(self) -> bool:
        """Tell whether there are todos and all are done."""
        return bool(self.active) and all(one.status == "completed" for one in self.active)

    def with_active(self, active: tuple[Todo, ...]) -> Todos:
        """Return these with other todos in hand."""
        return msgspec.structs.replace(self, active=active)

    def stash_active(self) -> Todos:
        """Put the todos in hand aside, on top of those that are there."""
        if not self.active:
            return self
        below = (self.stashed, *self.below) if self.stashed else self.below
        return msgspec.structs.replace(self, active=(), stashed=self.active, below=below)

    def restore_stashed(self) -> Todos:
        """Take the top of the stack in hand, unless something is still to be done."""
        if not self.stashed or (self.active and not self.all_complete):
            return self
        top, below = (self.below[0], self.below[1:]) if self.below else ((), ())
        return msgspec.structs.replace(self, active=self.stashed, stashed=top, below=below)


class Task(Open, frozen=True, kw_only=True):
    """The task that is worked at; all of it is None where there is none."""

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
    """Commands that are allowed for a moment (D-59)."""

    startup_load: bool = False
    completion: bool = False
    todos_clear: bool = False


class Flags(Open, frozen=True, kw_only=True):
    """What was said or set once."""

    context_85: bool = False
    context_90: bool = False
    subagent: bool = False
    noob: bool = True
    bypass_mode: bool = False

    def cleared(self) -> Flags:
        """Return these without all but `noob` (DC-2)."""
        return msgspec.structs.replace(
            self, context_85=False, context_90=False, subagent=False, bypass_mode=False
        )


class Mirrored(Open, frozen=True, kw_only=True):
    """One task of the client's own table, which it changes piece by piece (H-28)."""

    id: str
    content: str
    status: Status = "pending"


class Own(Open, frozen=True, kw_only=True):
    """What only this guard keeps."""

    proposal: tuple[str, ...] = ()
    """The todos in the agent's last message before it was approved (DB-8)."""
    agents: tuple[str, ...] = ()
    """Subagents that run, by id (DB-19)."""
    tasks: tuple[Mirrored, ...] = ()
    model: str = ""
    """The agent's model, as the client named it when the session began."""
    chapter: int = 0
    """Where the tour for newcomers stands, counted from 1; 0 where there is none (DC-41)."""


class Metadata(Open, frozen=True, kw_only=True):
    """A place that the file leaves to everyone."""

    nagomi: Own = msgspec.field(default_factory=Own)


class State(Open, frozen=True, kw_only=True):
    """All that the guard knows of a project; the defaults are those of discussion (D-3)."""

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
        """What only this guard keeps."""
        return self.metadata.nagomi

    def with_own(self, own: Own) -> State:
        """Return this with other things of our own."""
        metadata = msgspec.structs.replace(self.metadata, nagomi=own)
        return msgspec.structs.replace(self, metadata=metadata)
