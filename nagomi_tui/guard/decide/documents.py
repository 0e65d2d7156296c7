"""The guard's state and settings as values; unknown keys are kept."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

import msgspec

from nagomi_tui.system.decoding import from_builtins

_UNKNOWN: Final = "\x7funknown"

Kept = TypeVar("Kept", bound="Open")


class Open(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON object; keys without a field are kept unchanged."""

    unknown: dict[str, Any] = msgspec.field(name=_UNKNOWN, default_factory=dict)


def typed(raw: object, kind: type[Kept]) -> Kept:
    """Convert decoded JSON to a value of a type.

    Raises:
        msgspec.ValidationError: a field has the wrong type; the message says which.
    """
    return from_builtins(_gathered(raw, kind), kind)


def plain(value: Open) -> dict[str, Any]:
    """Return a value as plain JSON, with its unknown keys."""
    spread = _spread(msgspec.to_builtins(value))
    assert isinstance(spread, dict)
    return spread


def unknown_keys(value: Open) -> tuple[str, ...]:
    """Return the unknown keys as dotted paths, such as `features.colour`."""
    return tuple(_named(msgspec.to_builtins(value), ""))


def _gathered(value: object, kind: Any) -> object:
    if isinstance(value, dict) and (struct := _struct(kind)):
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(struct)}
        fields.pop(_UNKNOWN)
        known = {key: _gathered(value[key], fields[key]) for key in value if key in fields}
        return {**known, _UNKNOWN: {key: value[key] for key in value if key not in fields}}
    if isinstance(value, list) and (items := _items(kind)):
        return [_gathered(item, items) for item in value]
    return value


def _struct(kind: Any) -> type[Open] | None:
    """Return the struct in a type, such as an optional one; None without one."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and issubclass(each, Open):
            return each
    return None


def _items(kind: Any) -> Any:
    """Return the item type of a tuple type; None for other types."""
    for each in (kind, *get_args(kind)):
        if get_origin(each) is tuple:
            return get_args(each)[0]
    return None


def _spread(value: object) -> object:
    if isinstance(value, dict):
        own = {key: _spread(value[key]) for key in value if key != _UNKNOWN}
        return {**own, **value.get(_UNKNOWN, {})}
    if isinstance(value, list | tuple):
        return [_spread(item) for item in value]
    return value


def _named(value: object, way: str) -> list[str]:
    if isinstance(value, dict):
        here = [f"{way}{key}" for key in value.get(_UNKNOWN, {})]
        inner = (_named(value[key], f"{way}{key}.") for key in value if key != _UNKNOWN)
        return here + [name for names in inner for name in names]
    if isinstance(value, list | tuple):
        return [name for at, item in enumerate(value) for name in _named(item, f"{way}{at}.")]
    return []


VERSION = "0.3.6"
"""The version of cc-sessions that defines these fields."""


class Mode(StrEnum):
    """What the agent may do: discuss, or implement what was approved (D-12)."""

    DISCUSSION = "discussion"
    IMPLEMENTATION = "implementation"


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
    """The todos that the agent last proposed, not yet approved (DB-8)."""
    recorded: bool = False
    """Whether they were proposed by `nagomi todos set`, or by the guard, and not in a message."""
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
    mode: Mode = Mode.DISCUSSION
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

    def proposing(self, todos: tuple[str, ...], *, recorded: bool = False) -> State:
        """Return the state with a proposal, which was `recorded` or stands in a message."""
        return self.with_own(msgspec.structs.replace(self.own, proposal=todos, recorded=recorded))


class Phrases(Open, frozen=True, kw_only=True):
    """Phrases by which the user begins something, several for each purpose (D-31, D-43)."""

    implementation_mode: tuple[str, ...] = ("yert",)
    discussion_mode: tuple[str, ...] = ("SILENCE",)
    task_creation: tuple[str, ...] = ("mek:",)
    task_startup: tuple[str, ...] = ("start^",)
    task_completion: tuple[str, ...] = ("finito",)
    context_compaction: tuple[str, ...] = ("squish",)


class BlockedActions(Open, frozen=True, kw_only=True):
    """What is blocked in discussion."""

    implementation_only_tools: tuple[str, ...] = ("Edit", "Write", "MultiEdit", "NotebookEdit")
    bash_read_patterns: tuple[str, ...] = ()
    bash_write_patterns: tuple[str, ...] = ()
    extrasafe: bool = True
    """Whether a program of which nothing is known counts as writing (D-46, X-12)."""
    discussion_allowed_paths: tuple[str, ...] = ()
    """Files and folders in the project that are writable in discussion (DB-30)."""


class Git(Open, frozen=True, kw_only=True):
    """Preferences for commits (D-50)."""

    add_pattern: Literal["ask", "all"] = "ask"
    default_branch: str = "main"
    commit_style: Literal["conventional", "simple", "detailed"] = "conventional"
    auto_merge: bool = False
    auto_push: bool = False
    has_submodules: bool = False


class Environment(Open, frozen=True, kw_only=True):
    """The user's machine and name."""

    os: Literal["linux", "macos", "windows"] = "linux"
    shell: Literal["bash", "zsh", "fish", "powershell", "cmd"] = "bash"
    developer_name: str = "developer"


class ContextWarnings(Open, frozen=True, kw_only=True):
    """Which warnings of a full context are shown (D-49)."""

    warn_85: bool = True
    warn_90: bool = True


class Features(Open, frozen=True, kw_only=True):
    """Features that can be switched on and off."""

    branch_enforcement: bool = True
    task_detection: bool = True
    """Whether phrases begin the four protocols."""
    auto_ultrathink: bool = True
    icon_style: Literal["nerd_fonts", "emoji", "ascii"] = "nerd_fonts"
    context_warnings: ContextWarnings = msgspec.field(default_factory=ContextWarnings)


class OwnSettings(Open, frozen=True, kw_only=True):
    """Settings that only nagomi's guard has, not cc-sessions."""

    strict_phrases: bool = False
    """Whether a phrase counts anywhere in a prompt, also within a word (D-30), as in cc-sessions."""
    todos_required: bool = True
    """Whether implementation writes only while approved todos are open (DB-9)."""
    read_tools: tuple[str, ...] = ()
    """Tools, such as those of MCP servers, that according to the user only read."""
    prompts_without_terminal: bool = False
    """Whether phrases count in prompts of a client that runs in no terminal, as in an editor."""
    context_limits: dict[str, int] = msgspec.field(default_factory=dict)
    """The usable tokens of a context, by a part of the model's name (X-21)."""


class Config(Open, frozen=True, kw_only=True):
    """All settings of a project."""

    trigger_phrases: Phrases = msgspec.field(default_factory=Phrases)
    blocked_actions: BlockedActions = msgspec.field(default_factory=BlockedActions)
    git_preferences: Git = msgspec.field(default_factory=Git)
    environment: Environment = msgspec.field(default_factory=Environment)
    features: Features = msgspec.field(default_factory=Features)
    nagomi: OwnSettings = msgspec.field(default_factory=OwnSettings)


def migrated(raw: Any) -> Any:
    """Return decoded settings of an older version in this version's form (DC-3)."""
    features = raw.get("features") if isinstance(raw, dict) else None
    if not isinstance(features, dict) or not isinstance(features.get("use_nerd_fonts"), bool):
        return raw
    kept = {key: features[key] for key in features if key != "use_nerd_fonts"}
    style = "nerd_fonts" if features["use_nerd_fonts"] else "ascii"
    return {**raw, "features": {"icon_style": style, **kept}}
