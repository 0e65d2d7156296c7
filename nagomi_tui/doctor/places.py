"""The folders that nagomi keeps things in: can they be written, and is there room?"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Final

from nagomi_tui import paths
from nagomi_tui.commands.speech import tr
from nagomi_tui.doctor.check import Check
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from pathlib import Path

_LEAST_BYTES: Final = 100 * 1024 * 1024


def checks() -> list[Check]:
    """Look at each folder, without making one."""
    return [
        _folder("config_folder", tr("Settings folder"), paths.config_folder()),
        _folder("state_folder", tr("State folder"), paths.state_folder()),
        _sockets(),
        _socket(),
        _log(),
    ]


def _sockets() -> Check:
    """Look at the sockets' folder, and whether anybody else could be listening there."""
    label, folder = tr("Socket folder"), paths.socket_folder()
    try:
        trust.check_place(str(folder / paths.FRONT))
    except trust.Untrusted as exc:
        told = paths.untrusted(exc)
        return Check(
            key="socket_folder",
            label=label,
            result="missing",
            needed=True,
            found=str(folder),
            meaning=tr(told.sentence, **told.values),
        )
    except OSError:
        pass  # it is made by the first start
    return _folder("socket_folder", label, folder)


def _folder(key: str, label: str, folder: Path) -> Check:
    """Look at the folder, or at the nearest one above it that exists."""
    nearest = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if not os.access(nearest, os.W_OK | os.X_OK):
        return Check(
            key=key,
            label=label,
            result="missing",
            needed=True,
            found=str(folder),
            meaning=tr("{path} cannot be written to.", path=nearest),
            remedy=tr("Set NAGOMI_HOME to a folder that you can write to."),
        )
    free = shutil.disk_usage(nearest).free
    room = tr("{path} ({size} MiB free)", path=folder, size=free // 1024 // 1024)
    if free < _LEAST_BYTES:
        return Check(
            key=key,
            label=label,
            result="warning",
            found=room,
            meaning=tr("There is little room; records of sessions may be lost."),
            remedy=tr("Make room there, or set NAGOMI_HOME to another folder."),
        )
    return Check(key=key, label=label, result="ok", found=room)


def _socket() -> Check:
    """Tell whether the socket's path fits into what the system allows."""
    length = len(os.fsencode(paths.front_end_socket()))
    fits = length <= 103
    return Check(
        key="socket",
        label=tr("Socket"),
        result="ok" if fits else "missing",
        needed=True,
        found=str(paths.front_end_socket()),
        meaning="" if fits else tr("Its path has {count} bytes, which is too long.", count=length),
        remedy=tr("Set TMPDIR to a shorter folder."),
    )


def _log() -> Check:
    log = paths.log_file()
    size = log.stat().st_size if log.exists() else 0
    return Check(
        key="log",
        label=tr("Log"),
        result="ok",
        found=tr("{path} ({size} KiB)", path=log, size=-(-size // 1024)),
    )
