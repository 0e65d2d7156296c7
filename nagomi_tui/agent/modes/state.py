"""The file with the agent's mode; the mode is never derived from anything else (MB-1, MC-4)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec

from nagomi_tui import files
from nagomi_tui.agent.modes.mode import START, AgentMode
from nagomi_tui.decoding import from_json

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.common.values import Clock


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file."""

    mode: AgentMode = START
    changed_at: float = 0.0
    """Seconds since the epoch."""


class BrokenState(Exception):
    """The file with the mode cannot be read, so that the mode calm applies.

    `aside` is the path that the file was moved to, or None if it could not be moved.
    """

    def __init__(self, path: Path, aside: Path | None) -> None:
        super().__init__(str(path))
        self.path = path
        self.aside = aside


def read_mode(path: Path, *, now: Clock) -> Kept:
    """Return the content of the file; the mode `START` if there is no file.

    Raises:
        BrokenState: the file cannot be read or is not valid; it was moved aside if possible.
    """
    try:
        return from_json(files.read(path), Kept)
    except FileNotFoundError:
        return Kept()
    except (OSError, msgspec.MsgspecError) as exc:
        raise BrokenState(path, _moved(path, now)) from exc


def _moved(path: Path, now: Clock) -> Path | None:
    aside = path.with_name(f"{path.name}.broken-{int(now())}")
    with contextlib.suppress(OSError):
        return path.rename(aside)
    return None


def write_mode(path: Path, kept: Kept) -> None:
    """Replace the file.

    Raises:
        OSError: the file cannot be written; it still holds the former mode.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(kept))
