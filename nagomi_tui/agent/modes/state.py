"""The agent mode on disk: an explicit file, so that no change of it is ever guessed (MB-1, MC-4)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec

from nagomi_tui import files
from nagomi_tui.agent.modes.mode import START, AgentMode

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.common.values import Clock


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What the file holds."""

    mode: AgentMode = START
    changed_at: float = 0.0
    """Seconds since the epoch."""


class BrokenState(Exception):
    """The mode cannot be read: the mode is calm; `aside` is where the file is kept now, if moved."""

    def __init__(self, path: Path, aside: Path | None) -> None:
        super().__init__(str(path))
        self.path = path
        self.aside = aside


def read_mode(path: Path, *, now: Clock) -> Kept:
    """Return what is kept; the first mode if there is no file.

    Raises:
        BrokenState: the file cannot be read, or holds something else; it is moved aside.
    """
    try:
        return msgspec.json.decode(files.read(path), type=Kept)
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
        OSError: it cannot be written; the former mode is still there.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(kept))
