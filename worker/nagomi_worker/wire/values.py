"""What stands inside of messages between orchestrator and worker."""

from __future__ import annotations

import msgspec


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
    """Folders in whose place an empty one is seen."""
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
