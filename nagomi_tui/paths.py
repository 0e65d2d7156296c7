"""Where things live: settings, state, sockets, and the data that is shipped with the program."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Final

from nagomi_tui import folders

_PACKAGE: Final = Path(__file__).resolve().parent


class PlaceError(OSError):
    """A folder that nagomi needs cannot be made or trusted; the message says what to do."""


def shipped(name: str) -> Path:
    """Return the folder of shipped data `name`: inside the wheel, or beside the package.

    Raises:
        FileNotFoundError: nagomi was installed without it.
    """
    for parent in (_PACKAGE / "_shipped", _PACKAGE.parent):
        if (folder := parent / name).is_dir():
            return folder
    raise FileNotFoundError(f"nagomi was installed without its {name}/ folder")


def config_folder() -> Path:
    """Where `settings.json` and the user's overrides are."""
    if home := folders.home():
        return Path(home) / "config"
    import platformdirs

    return platformdirs.user_config_path("nagomi", appauthor=False)


def state_folder() -> Path:
    """Where session records, locks and logs are."""
    return Path(folders.state())


def log_file() -> Path:
    """Where the resident processes write what went wrong."""
    return state_folder() / "nagomi.log"


def history_file() -> Path:
    """The database of what sessions printed, masked."""
    return state_folder() / "history.db"


def corrections_file() -> Path:
    """What users said of the judge's verdicts."""
    return state_folder() / "corrections.db"


def welcomed_file() -> Path:
    """The mark of a workplace whose user was welcomed once."""
    return state_folder() / "welcomed"


def socket_folder() -> Path:
    """Where this workplace's sockets are: one folder for each state folder."""
    return Path(folders.sockets())


def front_end_socket() -> Path:
    """The orchestrator's socket for front ends and commands."""
    return socket_folder() / "front"


def listed(folder: Path, pattern: str) -> list[Path]:
    """Return what fits in a folder, in order; one that cannot be read holds nothing."""
    import glob

    return sorted(folder / name for name in glob.glob(pattern, root_dir=folder))


def make_private(folder: Path) -> Path:
    """Make a folder that only its owner can enter, and return it.

    Raises:
        PlaceError: it cannot be made or written, or belongs to somebody else.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError as exc:
        raise PlaceError(
            f"nagomi could not make its folder {folder}: {exc.strerror}. "
            "Set NAGOMI_HOME to a folder that you can write to."
        ) from exc
    if sys.platform != "win32":
        if found.st_uid != os.getuid():
            raise PlaceError(f"{folder} belongs to another user; nagomi does not use it.")
        if stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PlaceError(
            f"nagomi cannot write to its folder {folder}. "
            "Set NAGOMI_HOME to a folder that you can write to."
        )
    return folder


def make_socket_folder() -> Path:
    """Make the sockets' folder and its parent, both private, and return it.

    Raises:
        PlaceError: one of them cannot be made or belongs to somebody else.
    """
    folder = socket_folder()
    make_private(folder.parent)
    return make_private(folder)
