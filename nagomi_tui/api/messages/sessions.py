"""Messages about the list of sessions: what is on it, and what becomes of it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from nagomi_tui.api.messages.base import Message, Nothing, Request, Result
from nagomi_tui.sessions.session import Condition, Session

# --- what is answered


class WholeSession(Session, frozen=True, kw_only=True, omit_defaults=False):
    """A session with each of its fields, also one at its default."""

    condition: Condition = Condition.IDLE
    """How it stands, in the one word that badges and lists show: its phase, or how it ended."""


class SessionNamed(Result, frozen=True, kw_only=True):
    """Which session it was."""

    session_id: str
    number: int
    name: str


class SessionList(Result, frozen=True, kw_only=True):
    """All sessions in their order."""

    sessions: tuple[WholeSession, ...]


class SessionFound(SessionNamed, frozen=True, kw_only=True):
    """The session that was meant."""

    session: WholeSession


class Restarted(SessionNamed, frozen=True, kw_only=True):
    """The session that was started again."""

    resumed: bool
    """Its agent goes on with the conversation that it had."""


def whole(session: Session) -> WholeSession:
    """Return the session so that it is told with all fields."""
    return WholeSession(**msgspec.structs.asdict(session), condition=session.condition)


# --- from a client


class ListSessions(Request[SessionList], frozen=True, kw_only=True, tag="list"):
    """Ask for all sessions."""


class Find(Request[SessionFound], frozen=True, kw_only=True, tag="find"):
    """Ask which session a user means by a number, name, id or unique prefix."""

    session: str


class Create(Request[SessionNamed], frozen=True, kw_only=True, tag="create"):
    """Start a session."""

    cmd: str
    cwd: Annotated[str, Meta(extra_json_schema={"pattern": "^(/|~|$)"})]
    """An absolute path. On a hand, `~` is the home folder there, and nothing the hand's own."""
    env: dict[str, str] = {}
    """Added to the client's environment."""
    name: str = ""
    agent: str = ""
    character: str = ""
    """Id of the session's character; without it the setting says which."""
    worker_id: str = "local"
    cols: Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 1000})] = 120
    rows: Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 500})] = 30


class Stop(Request[SessionNamed], frozen=True, kw_only=True, tag="stop"):
    """End the session's process tree; answered when none of it is left."""

    session: str


class Restart(Request[Restarted], frozen=True, kw_only=True, tag="restart"):
    """Stop the session if it runs, and start its command again under the same id.

    An agent goes on with the conversation that its hooks told of, unless it is to begin `fresh`.
    """

    session: str
    cmd: str = ""
    """Start this instead: needed where the command held a secret, which no record keeps."""
    fresh: bool = False


class Rename(Request[SessionNamed], frozen=True, kw_only=True, tag="rename"):
    """Give the session another name."""

    session: str
    name: str


class Dress(Request[SessionNamed], frozen=True, kw_only=True, tag="dress"):
    """Give the session another character, by the id of that."""

    session: str
    character: str


class KeepSize(Request[SessionNamed], frozen=True, kw_only=True, tag="keep_size"):
    """Bind the session's size to what it is now, or have it take the size of its view again."""

    session: str
    keep: bool = True


class Reorder(Request[SessionNamed], frozen=True, kw_only=True, tag="reorder"):
    """Move the session to place `number` (1 is first); the others make room.

    Its own number is another thing, and stays.
    """

    session: str
    number: int


class Renumber(Request[Nothing], frozen=True, kw_only=True, tag="renumber"):
    """Number all sessions 1, 2, 3 … by the order on screen."""


class Remove(Request[SessionNamed], frozen=True, kw_only=True, tag="remove"):
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


SessionsFromClient: TypeAlias = (
    ListSessions
    | Find
    | Create
    | Stop
    | Restart
    | Rename
    | Dress
    | KeepSize
    | Reorder
    | Renumber
    | Remove
)
SessionsToClient: TypeAlias = SessionChanged | SessionRemoved
