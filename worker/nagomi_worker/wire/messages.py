"""Messages of sessions on a hand, and parts that several messages between both sides share.

Those of programs of a session on a hand are sent by a worker with the capability `inside`.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import msgspec

from nagomi_worker.wire.framing import CHUNK_BYTES


class Message(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=True
):
    """One line of the protocol; the field `type` is the tag of its class."""


class Left(msgspec.Struct, frozen=True):
    """A process that outlived the command that started it."""

    pid: int
    command: str


class Writer(msgspec.Struct, frozen=True):
    """A process that has a file open for writing."""

    pid: int
    command: str
    path: str


class Guard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the kernel is to hold of a session, by real paths; the project's folder comes first."""

    held: tuple[str, ...]
    """Folders that are read-only until `hold` says otherwise."""
    shut: tuple[str, ...] = ()
    """Files and folders in them that stay read-only. In place of a missing one is an empty folder."""
    open: tuple[str, ...] = ()
    """Files and folders in them that stay writable."""
    hidden: tuple[str, ...] = ()
    """Folders in whose place an empty one is seen; if it is also `open`, the session writes to its own one."""
    elsewhere: tuple[str, ...] | None = None
    """What stays writable outside of `held`, while all else there is read-only as `held` is.

    None leaves all of it writable.
    """
    place: str = ""
    """The first of `held` as the user named it, by symbolic links."""
    door: str = ""
    """Path of a socket in one of these that the worker makes, and that is seen nonetheless."""
    program: tuple[str, ...] = ()
    """What is started outside for each that comes there, with them as stdin and stdout."""


class SessionState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a worker holds of one session."""

    session_id: str
    pid: int
    cols: int
    rows: int
    next_offset: int
    exit_code: int | None = None
    signal: int | None = None
    cmd: str = ""
    """The command as it was given, with its secrets, which are masked in session records."""
    note: str = ""
    """The text of the last `note`."""
    writable: bool | None = None
    """Whether what its `guard` names can be written; None where it has no `guard`."""
    typed: int = 0
    """The number of the last input that was taken."""
    parts: tuple[str, ...] = ()
    """What the last inputs were named that had a `part`."""


RAW_CHUNKS: Final = 256
"""Most chunks behind one `raw`: 1 MiB, which is also the limit of a line."""

PACKED_MOST: Final = 4 * 1024 * 1024
"""Most bytes of the messages in one `packed`, and of what they become."""

_ChunkSize: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=CHUNK_BYTES)]


# --- orchestrator to worker


class Received(Message, frozen=True, kw_only=True, tag="received"):
    """So many bytes of this connection have arrived, since the first one of the worker's `hello`."""

    size: Annotated[int, msgspec.Meta(ge=0)]


# --- worker to orchestrator


class Typed(Message, frozen=True, kw_only=True, tag="typed"):
    """The input up to this number was taken, and is not needed again."""

    session_id: str
    number: int


class Raw(Message, frozen=True, kw_only=True, tag="raw"):
    """Chunks of the session's output, whose bytes follow right behind the line's newline.

    Sent instead of `output` where both hellos name `raw`, for chunks that are UTF-8. `sizes` are
    the chunks' lengths in bytes; the next line begins behind the last chunk. `offset` is the
    position after the last chunk.
    """

    session_id: str
    offset: int
    sizes: Annotated[tuple[_ChunkSize, ...], msgspec.Meta(min_length=1, max_length=RAW_CHUNKS)]


class Packed(Message, frozen=True, kw_only=True, tag="packed"):
    """Whole messages, compressed; their bytes follow right behind the line's newline.

    `size` is the number of these, and `whole` of those that come of them. The bytes of all `packed`
    of a connection are one zlib stream, flushed at the end of each. None is inside of another.
    """

    size: Annotated[int, msgspec.Meta(ge=1, le=PACKED_MOST)]
    whole: Annotated[int, msgspec.Meta(ge=1, le=PACKED_MOST)]


MOST_FOLDERS: Final = 20
"""Most paths in one `folders`."""


class AskHost(Message, frozen=True, kw_only=True, tag="ask_host"):
    """Ask for `host`; this and `list_folders` are for a worker with the capability `look`."""


class ListFolders(Message, frozen=True, kw_only=True, tag="list_folders"):
    """Ask for `folders`: those whose paths begin as `path`, in which `~` is the home folder."""

    path: str


class Host(Message, frozen=True, kw_only=True, tag="host"):
    """What the worker runs on; what the system does not tell is left out."""

    name: str
    system: str
    cores: int = 0
    load: float | None = None
    """How many processes wanted to run, over the last minute."""
    memory_mb: int = 0
    free_mb: int = 0


class Folders(Message, frozen=True, kw_only=True, tag="folders"):
    """The answer to `list_folders` of the same `path`; nothing where a disk does not answer."""

    path: str
    folders: Annotated[tuple[str, ...], msgspec.Meta(max_length=MOST_FOLDERS)]


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
