"""Messages about what programs of a session tell and ask, and where the session is.

They are sent of sessions on a hand, by a worker with the capability `inside`.
"""

from __future__ import annotations

from typing import Final

from nagomi_worker.wire.message import Message

EVENT_BYTES: Final = 64 * 1024
"""Most bytes of the event in a `hook`."""

REQUEST_BYTES: Final = 256 * 1024
"""Most bytes of a request in an `asked`."""

ANSWER_BYTES: Final = 512 * 1024
"""Most bytes of an answer in an `answered`."""


# --- orchestrator to worker


class Locate(Message, frozen=True, kw_only=True, tag="locate"):
    """Ask where the session's first process is; `located` says so if that is news."""

    session_id: str


class Answered(Message, frozen=True, kw_only=True, tag="answered"):
    """The answer to the `asked` of this number: JSON, in one line, or nothing if there is none."""

    session_id: str
    number: int
    answer: str


# --- worker to orchestrator


class Hook(Message, frozen=True, kw_only=True, tag="hook"):
    """A program of the session has told of an agent's event: `event` is its line, as it came.

    It was told `age` milliseconds ago: what comes while nobody is connected is kept for a while. Of the
    agents that told of events before, `alive` are the processes that still run. `service` says that
    the agent has no terminal, so that it may work for another session.
    """

    session_id: str
    event: str
    age: int = 0
    alive: tuple[int, ...] = ()
    service: bool = False


class Asked(Message, frozen=True, kw_only=True, tag="asked"):
    """A program of the session asks the workplace, and waits for the `answered` of this number.

    `request` is its line of JSON; without one, the program of this number waits no more.
    """

    session_id: str
    number: int
    request: str = ""


class Located(Message, frozen=True, kw_only=True, tag="located"):
    """Where the session's first process is, if not where it began, and the git branch there."""

    session_id: str
    folder: str
    branch: str
