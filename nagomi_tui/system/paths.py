"""Where things live: settings, state, sockets, and the data that is shipped with the program."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path
from typing import Final

from nagomi_tui.system import folders
from nagomi_tui.system.environment import is_text
from nagomi_tui.text.words import translatable
from nagomi_worker.wire import trust

FRONT: Final = "front"
"""The name of the orchestrator's socket in any socket folder."""
SSH_AGENT: Final = "agent"
"""The name of the link to the SSH agent of whoever came last, beside it."""
API: Final = "api"
"""The name of the socket that the agent serves HTTP on."""
ORCHESTRATOR_LOCK: Final = "orchestrator.lock"
"""The name of the lock that an orchestrator holds in the state folder; a quit stamps it."""
ZYGOTE_LOCK: Final = "zygote.lock"
"""The name of the lock that a zygote holds in the state folder while it lives."""
AGENT: Final = "resident"
"""The name of the resident agent's socket, beside it."""
_PACKAGE: Final = Path(__file__).resolve().parents[1]


class PlaceError(OSError):
    """A folder that nagomi needs cannot be made or trusted; the sentence says what to do."""

    def __init__(self, sentence: str, **values: object) -> None:
        super().__init__(sentence.format(**values) if values else sentence)
        self.sentence = sentence
        self.values = values


_UNTRUSTED: Final[dict[trust.Kind, str]] = {
    "link": translatable(
        "{place} is a symbolic link of {owner}; nagomi goes by real folders only, and sent nothing. "
        "Remove it, or set NAGOMI_HOME to a folder of your own."
    ),
    "file": translatable(
        "{place} is no folder; move it away, or set NAGOMI_HOME to a folder of your own."
    ),
    "owner": translatable(
        "{place} belongs to {owner}, and you are {user}; nagomi sent nothing there. "
        "If it ought not to be there, have it removed; or set NAGOMI_HOME to a folder of your own."
    ),
    "open": translatable("Others can enter {place} (mode {mode}); `chmod 700 {place}` closes it."),
    "peer": translatable(
        "A process of {owner} listens at {place}, and you are {user}; nagomi sent nothing to it. "
        "Have it ended, or set NAGOMI_HOME to a folder of your own."
    ),
}


def untrusted(exc: trust.Untrusted) -> PlaceError:
    """Return the error for a socket's path at which another user could listen."""
    return PlaceError(
        _UNTRUSTED[exc.kind],
        place=exc.place,
        owner=user_name(exc.uid),
        user=user_name(trust.me()),
        mode=f"{exc.mode:o}",
    )


def user_name(uid: int) -> str:
    """Return a user's name; the number of one who has no name on this system."""
    if sys.platform == "win32":
        return str(uid)
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return str(uid)


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
    return Path(folders.config())


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
    """The database of the users' corrections of the judge."""
    return state_folder() / "corrections.db"


def misread_file() -> Path:
    """Which agents' screens were not understood (`nagomi_tui/judge/misread.py`)."""
    return state_folder() / "misread.json"


def welcomed_file() -> Path:
    """The file whose existence says that the welcome was shown in this workplace."""
    return state_folder() / "welcomed"


def front_ends_folder() -> Path:
    """Where front ends keep drafts, what was sent, and where their users were."""
    return state_folder() / "front-ends"


def agent_needed_file() -> Path:
    """The file whose existence says that the resident agent runs whenever the orchestrator does."""
    return state_folder() / "agent.needed"


def socket_folder() -> Path:
    """Where this workplace's sockets are: one folder for each state folder."""
    return Path(folders.sockets())


def socket_places() -> list[Path]:
    """Every folder of ours in which sockets of this workplace are, or were before."""
    found = []
    for place in folders.places():
        with contextlib.suppress(OSError):
            trust.check_place(os.path.join(place, "any"))
            found.append(Path(place))
    return found


def remove_empty_places() -> None:
    """Remove the socket folders in which nothing is left."""
    for place in socket_places():
        with contextlib.suppress(OSError):
            place.rmdir()


def remove_sockets() -> None:
    """Remove the names by which an orchestrator is found, since the workplace is closed."""
    for place in socket_places():
        for name in (FRONT, SSH_AGENT):
            with contextlib.suppress(OSError):
                (place / name).unlink()
    remove_empty_places()


def agent_folder(named: str) -> Path:
    """Where the agent keeps notes and conversations: as the settings name it, else in the state folder."""
    return Path(named.strip()).expanduser() if named.strip() else state_folder() / "agent"


def agent_socket() -> Path:
    """The resident agent's socket for whoever talks with it."""
    return socket_folder() / AGENT


def front_end_socket() -> Path:
    """The orchestrator's socket for front ends and commands."""
    return socket_folder() / FRONT


def listed(folder: Path, pattern: str) -> list[Path]:
    """Return the matching files of a folder, sorted; none if it cannot be read."""
    import glob

    return sorted(folder / name for name in glob.glob(pattern, root_dir=folder))


def make_private(folder: Path) -> Path:
    """Make a folder that only its owner can enter, and return it.

    It may be a symbolic link of ours to a folder of ours, as those have who keep their settings
    elsewhere.

    Raises:
        PlaceError: it cannot be made, written or named in a message, or belongs to somebody else.
    """
    if not is_text(os.fspath(folder)):
        raise PlaceError(
            "The name of nagomi's folder {folder} is not valid UTF-8. "
            "Set NAGOMI_HOME to a folder whose name is.",
            folder=ascii(os.fspath(folder)),
        )
    _make(_followed(folder))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PlaceError(
            "nagomi cannot write to its folder {folder}. "
            "Set NAGOMI_HOME to a folder that you can write to.",
            folder=folder,
        )
    return folder


def make_socket_folder() -> Path:
    """Make the folder for the sockets and the one above it, both private; return it.

    Raises:
        PlaceError: one of them cannot be made or belongs to somebody else.
    """
    make_private(state_folder())
    folder = folders.chosen()
    _make(os.path.dirname(folder))
    _make(folder)
    with contextlib.suppress(OSError):  # A full disk does not keep it from serving.
        folders.record(folder)
    return Path(folder)


def _followed(folder: Path) -> str:
    """Return the target of a symbolic link of this user or root; any other path unchanged."""
    with contextlib.suppress(OSError):
        found = folder.lstat()
        if stat.S_ISLNK(found.st_mode) and (found.st_uid == 0 or trust.is_ours(found.st_uid)):
            return os.path.realpath(folder)
    return os.fspath(folder)


def _make(folder: str) -> None:
    try:
        trust.make_private(folder)
    except trust.Untrusted as exc:
        raise untrusted(exc) from exc
    except OSError as exc:
        raise _not_made(folder, exc) from exc


def _not_made(folder: str, exc: OSError) -> PlaceError:
    return PlaceError(
        "nagomi could not make its folder {folder}: {reason}. "
        "Set NAGOMI_HOME to a folder that you can write to.",
        folder=folder,
        reason=exc.strerror,
    )
