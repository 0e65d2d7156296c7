"""Coming, going and being answered; the resident processes; the settings."""

from __future__ import annotations

from typing import Any, Literal

from nagomi_tui.api.messages.base import Message, Request
from nagomi_tui.core.session.session import Session

# --- from a client


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """First line of a client. Only a front end counts as attached."""

    version: str
    front_end: bool = False
    env: dict[str, str] = {}
    """The client's environment: what a new session and a restart get, and what is refreshed."""
    cols: int = 0
    rows: int = 0
    foreground: int = -1
    """`0xRRGGBB` of the outer terminal's colours where it told them; -1 where it did not."""
    background: int = -1


class Ping(Request, frozen=True, kw_only=True, tag="ping"):
    """Ask for `done`."""


class Status(Request, frozen=True, kw_only=True, tag="status"):
    """Ask how the resident processes stand; `done.result` holds pids, versions and folders."""


class Settings(Request, frozen=True, kw_only=True, tag="settings"):
    """Change settings by key; `done.result` is all of them. Nothing changes with no values."""

    values: dict[str, Any] = {}


class Reload(Request, frozen=True, kw_only=True, tag="reload"):
    """Replace the orchestrator by the installed version; sessions run on."""


class DetachAll(Request, frozen=True, kw_only=True, tag="detach_all"):
    """Ask every front end to leave; all sessions run on."""


class Quit(Request, frozen=True, kw_only=True, tag="quit"):
    """Stop all sessions, workers and the orchestrator."""


# --- to a client


class Welcome(Message, frozen=True, kw_only=True, tag="welcome"):
    """The orchestrator's first line."""

    version: str
    pid: int
    sessions: tuple[Session, ...]
    settings: dict[str, Any]
    recent: tuple[str, ...] = ()
    """Commands started lately, newest first."""
    digest: tuple[tuple[str, str], ...] = ()
    """Name and outcome (`finished`, `failed`, `waits` or `lost`) since the last front end left."""


class Done(Message, frozen=True, kw_only=True, tag="done"):
    """The answer to a request that was carried out."""

    id: int
    result: dict[str, Any] = {}


class Failed(Message, frozen=True, kw_only=True, tag="failed"):
    """The answer to a request that was not carried out; `message` is a sentence for the user.

    `code` is `not_found`, `ambiguous`, `refused`, `risky`, `busy`, `bad_request` or `internal`.
    """

    id: int
    message: str
    code: str = "refused"


class SettingsChanged(Message, frozen=True, kw_only=True, tag="settings_changed"):
    """Settings as they are now."""

    settings: dict[str, Any]


class Notice(Message, frozen=True, kw_only=True, tag="notice"):
    """A sentence for the user from the orchestrator itself; `kind` is `info` or `error`."""

    kind: Literal["info", "error"]
    text: str


class Goodbye(Message, frozen=True, kw_only=True, tag="goodbye"):
    """The orchestrator leaves: a front end comes back after `reload`, and ends after the others."""

    reason: Literal["reload", "quit", "detach"]
