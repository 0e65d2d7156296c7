"""The settings of a guarded project (D-43…D-50, D-61, DC-3)."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from nagomi_tui.guard.decide.schema import Open


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
