"""The list of sessions: what is on it, and what becomes of it."""

from __future__ import annotations

from nagomi_tui.api.messages.base import Message, Request
from nagomi_tui.core.session.session import Session

# --- from a client


class ListSessions(Request, frozen=True, kw_only=True, tag="list"):
    """Ask for all sessions; `done.result` is `{"sessions": [Session, …]}`."""


class Find(Request, frozen=True, kw_only=True, tag="find"):
    """Ask which session a user means by a number, name, id or unique prefix."""

    session: str


class Create(Request, frozen=True, kw_only=True, tag="create"):
    """Start a session; `done.result` is `{"session_id": …, "number": …, "name": …}`."""

    cmd: str
    cwd: str
    env: dict[str, str] = {}
    """Added to the client's environment."""
    name: str = ""
    agent: str = ""
    character: str = ""
    """Id of the session's character; without it the setting says which."""
    worker_id: str = "local"
    cols: int = 120
    rows: int = 30


class Stop(Request, frozen=True, kw_only=True, tag="stop"):
    """End the session's process tree; answered when none of it is left."""

    session: str


class Restart(Request, frozen=True, kw_only=True, tag="restart"):
    """Stop the session if it runs, and start its command again under the same id.

    An agent goes on with the conversation that its hooks told of (`done.result.resumed`), unless
    it is to begin `fresh`.
    """

    session: str
    cmd: str = ""
    """Start this instead: needed where the command held a secret, which no record keeps."""
    fresh: bool = False


class Rename(Request, frozen=True, kw_only=True, tag="rename"):
    """Give the session another name."""

    session: str
    name: str


class Reorder(Request, frozen=True, kw_only=True, tag="reorder"):
    """Move the session to place `number` (1 is first); the others make room.

    Its own number is another thing, and stays.
    """

    session: str
    number: int


class Renumber(Request, frozen=True, kw_only=True, tag="renumber"):
    """Number all sessions 1, 2, 3 … by the order on screen."""


class Remove(Request, frozen=True, kw_only=True, tag="remove"):
    """Take an ended session off the list, with its record."""

    session: str
    history: bool = False
    """What it printed, too."""


# --- to a client


class SessionChanged(Message, frozen=True, kw_only=True, tag="session"):
    """A session is new or has changed."""

    session: Session


class SessionRemoved(Message, frozen=True, kw_only=True, tag="removed"):
    """A session is off the list."""

    session_id: str
