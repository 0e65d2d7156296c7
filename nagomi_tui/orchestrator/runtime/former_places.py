"""Former places of the sockets: programs that know one find today's sockets from there."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.system import folders, paths
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from pathlib import Path

AGENT_LINK: Final = "agent"
_NAMES: Final = (paths.FRONT, AGENT_LINK)
_OLD_SECONDS: Final = 24 * 3600.0


def lead_on() -> None:
    """Link the place of the version before to today's."""
    for folder in _others():
        if os.path.lexists(folder / paths.FRONT):
            lead_from(folder)


def lead_from(folder: Path) -> None:
    """Link the names in a former place to today's sockets."""
    now = paths.socket_folder()
    if folder == now:
        return
    with contextlib.suppress(OSError):
        _keep_agent(folder / AGENT_LINK, now / AGENT_LINK)
        for name in _NAMES:
            point(folder / name, now / name)


def point(link: Path, target: Path | str) -> None:
    """Create a symbolic link, or atomically replace what is there.

    Raises:
        OSError: the link cannot be created.
    """
    spare = link.with_name(f".{link.name}-{os.getpid()}")
    spare.unlink(missing_ok=True)
    spare.symlink_to(target)
    os.replace(spare, link)


def leave() -> None:
    """Remove all links, since the workplace is closed."""
    for folder in paths.socket_places():
        for name in _NAMES:
            with contextlib.suppress(OSError):
                (folder / name).unlink()
    paths.remove_empty_places()


def tidy() -> None:
    """Remove empty folders that former workplaces have left in the temporary folder."""
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
    """Keep the SSH agent that sessions reach by the former link, until another client brings one."""
    if before.is_symlink() and not now.is_symlink():
        point(now, os.readlink(before))
