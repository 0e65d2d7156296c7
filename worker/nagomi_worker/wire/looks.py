"""Messages about the machine that a worker runs on, and folders there."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from nagomi_worker.wire.message import Message

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
