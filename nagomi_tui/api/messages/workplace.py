"""Messages about the workplace: hello and welcome, its processes, its settings, its hands."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from nagomi_tui.api.messages.base import Message, Nothing, Request, Result
from nagomi_tui.sessions.session import Session

SettingValues: TypeAlias = dict[str, Any]
"""Settings by their keys; no fixed type, since another version has other ones."""

# --- what is answered


class ProcessStatus(Result, frozen=True, kw_only=True):
    """A resident process; `pid` is 0 while it is not known."""

    pid: int


class OrchestratorStatus(ProcessStatus, frozen=True, kw_only=True):
    """The orchestrator's process."""

    started_at: float
    """Seconds since the epoch."""


class WorkerStatus(Result, frozen=True, kw_only=True):
    """A worker's process, and how many sessions it holds."""

    name: str
    pid: int
    sessions: int


class Folders(Result, frozen=True, kw_only=True):
    """Where this workplace keeps what."""

    config: str
    state: str
    sockets: str
    log: str


class WorkplaceStatus(Result, frozen=True, kw_only=True):
    """How the resident processes stand."""

    version: str
    python: str
    orchestrator: OrchestratorStatus
    supervisor: ProcessStatus
    workers: tuple[WorkerStatus, ...]
    sessions: int
    front_ends: int
    engines: tuple[str, ...]
    folders: Folders
    uptime: float
    """Seconds."""

    @property
    def pids(self) -> tuple[int, ...]:
        """Process ids of the orchestrator, its supervisor and the workers."""
        workers = (worker.pid for worker in self.workers)
        return (self.orchestrator.pid, self.supervisor.pid, *workers)


class Detached(Result, frozen=True, kw_only=True):
    """How many front ends were asked to leave."""

    front_ends: int


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
    protocol: int = 0
    """Version of the protocol that the client speaks; 0 from before there were any."""
    capabilities: tuple[str, ...] = ()
    """Each `type` of message that it understands."""


class Ping(Request[Nothing], frozen=True, kw_only=True, tag="ping"):
    """Ask for `done`."""


class Status(Request[WorkplaceStatus], frozen=True, kw_only=True, tag="status"):
    """Ask how the resident processes stand."""


class Settings(Request[SettingValues], frozen=True, kw_only=True, tag="settings"):
    """Change settings by key; all of them are answered. Nothing changes with no values."""

    values: SettingValues = {}


class Reload(Request[Nothing], frozen=True, kw_only=True, tag="reload"):
    """Replace the orchestrator by the installed version; sessions run on."""


class DetachAll(Request[Detached], frozen=True, kw_only=True, tag="detach_all"):
    """Ask every front end to leave; all sessions run on."""


class Quit(Request[Nothing], frozen=True, kw_only=True, tag="quit"):
    """Stop all sessions, workers and the orchestrator."""


# --- to a client


class Welcome(Message, frozen=True, kw_only=True, tag="welcome"):
    """The orchestrator's first line."""

    version: str
    pid: int
    sessions: tuple[Session, ...]
    settings: SettingValues
    recent: tuple[str, ...] = ()
    """Commands started lately, newest first."""
    digest: tuple[tuple[str, str], ...] = ()
    """Name and condition of what ended since the last front end left, and of all that waits."""
    protocol: int = 0
    """Version of the protocol that the orchestrator speaks; 0 from before there were any."""
    capabilities: tuple[str, ...] = ()
    """Each `type` of message that it understands."""


class Done(Message, frozen=True, kw_only=True, tag="done"):
    """The answer to a request that was carried out."""

    id: int
    result: dict[str, Any] = {}
    """As the type says that the request is declared with."""


class Failed(Message, frozen=True, kw_only=True, tag="failed"):
    """The answer to a request that was not carried out; `message` is a sentence for the user.

    `code` is `not_found`, `ambiguous`, `refused`, `login`, `risky`, `busy`, `bad_request` or
    `internal`. Behind `login`, the hand's ssh wants to ask something before a session can run there.
    """

    id: int
    message: str
    code: str = "refused"


class SettingsChanged(Message, frozen=True, kw_only=True, tag="settings_changed"):
    """Settings as they are now."""

    settings: SettingValues


class Notice(Message, frozen=True, kw_only=True, tag="notice"):
    """A sentence for the user from the orchestrator itself; `kind` is `info` or `error`."""

    kind: Literal["info", "error"]
    text: str


class Goodbye(Message, frozen=True, kw_only=True, tag="goodbye"):
    """The orchestrator leaves: a front end comes back after `reload`, and ends after the others."""

    reason: Literal["reload", "quit", "detach"]


# --- what is answered


class HandStanding(Result, frozen=True, kw_only=True):
    """A hand, and whether its worker is reached just now."""

    name: str
    kind: str
    command: tuple[str, ...]
    reached: bool
    pid: int = 0
    """Of the worker there, on its own machine; 0 while it is not reached."""
    sessions: int = 0
    """How many it holds; 0 while it is not reached."""
    fault: str = ""
    """Why it was not reached last."""
    seconds: float = 0.0
    """How long reaching for it has taken."""
    host: str = ""
    """What its machine calls itself; this and what follows is what its worker said last."""
    system: str = ""
    """The distribution or system there."""
    cores: int = 0
    load: float | None = None
    """How many processes wanted to run there, over a minute."""
    memory_mb: int = 0
    free_mb: int = 0
    plain: bool = False
    """Its worker runs without compiled modules, and slower."""
    folders: dict[str, str] = {}
    """Folders of this machine whose sessions begin there, and where each lies there."""


class HandList(Result, frozen=True, kw_only=True):
    """All hands in the order of their file."""

    hands: tuple[HandStanding, ...]


class FarFolders(Result, frozen=True, kw_only=True):
    """Folders on a hand."""

    folders: tuple[str, ...]


# --- from a client


class ListHands(Request[HandList], frozen=True, kw_only=True, tag="list_hands"):
    """Ask for all hands, and how they stand."""


class ReachHand(Request[HandStanding], frozen=True, kw_only=True, tag="reach_hand"):
    """Reach for a hand at once; answered when its worker has greeted, or cannot be reached."""

    name: str


class FindFolders(Request[FarFolders], frozen=True, kw_only=True, tag="find_folders"):
    """Ask for the folders on a hand whose paths begin so; none while it is away or does not answer."""

    name: str
    path: str


WorkplaceFromClient: TypeAlias = (
    Hello
    | Ping
    | Status
    | Settings
    | Reload
    | DetachAll
    | Quit
    | ListHands
    | ReachHand
    | FindFolders
)
WorkplaceToClient: TypeAlias = Welcome | Done | Failed | SettingsChanged | Notice | Goodbye
