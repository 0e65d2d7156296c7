"""Places where the sockets were before: who was told of them finds today's from there."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Final

from nagomi_tui import folders, paths
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from pathlib import Path

AGENT_LINK: Final = "agent"
_NAMES: Final = (paths.FRONT, AGENT_LINK)
_OLD_SECONDS: Final = 24 * 3600.0


def lead_on() -> None:
    """Lead those on that the version before told of another place."""
    for folder in _others():
        if os.path.lexists(folder / paths.FRONT):
            lead_from(folder)


def lead_from(folder: Path) -> None:
    """Have the names in a former place lead to what has them today."""
    now = paths.socket_folder()
    if folder == now:
        return
    with contextlib.suppress(OSError):
        _keep_agent(folder / AGENT_LINK, now / AGENT_LINK)
        for name in _NAMES:
            point(folder / name, now / name)


def point(link: Path, target: Path | str) -> None:
    """Make a symbolic link, at once in the place of what is there.

    Raises:
        OSError: it cannot be made.
    """
    spare = link.with_name(f".{link.name}-{os.getpid()}")
    spare.unlink(missing_ok=True)
    spare.symlink_to(target)
    os.replace(spare, link)


def leave() -> None:
    """The workplace is closed: remove what nobody is to find any more."""
    for folder in paths.socket_places():
        for name in _NAMES:
            with contextlib.suppress(OSError):
                (folder / name).unlink()
    paths.remove_empty_places()


def tidy() -> None:
    """Remove the empty folders that workplaces of long ago have left in the temporary folder."""
    above = {os.path.dirname(place) for place in folders.places() if folders.is_temporary(place)}
    for root in above:
        with contextlib.suppress(OSError):
            trust.check_folder(root)
            for folder in os.scandir(root):
                _remove_old(folder)


def _remove_old(folder: os.DirEntry[str]) -> None:
    with contextlib.suppress(OSError):
        if time.time() - folder.stat(follow_symlinks=False).st_mtime > _OLD_SECONDS:
            os.rmdir(folder)


def _others() -> list[Path]:
    return [folder for folder in paths.socket_places() if folder != paths.socket_folder()]


def _keep_agent(before: Path, now: Path) -> None:
    """The agent that sessions reach by the former link is today's, until another one comes."""
    if before.is_symlink() and not now.is_symlink():
        point(now, os.readlink(before))
