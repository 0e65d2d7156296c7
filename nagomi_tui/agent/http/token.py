"""The bearer token, in a file that only its owner can read."""

from __future__ import annotations

import secrets
import stat
from typing import TYPE_CHECKING, Final

from nagomi_tui import files, paths
from nagomi_tui.words import translatable
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from pathlib import Path

_BYTES: Final = 32
_LEAST: Final = 32
"""The shortest valid token, in characters; a shorter one is replaced."""
_OTHERS: Final = 0o077


def token_file() -> Path:
    """Where this workplace's token is."""
    return paths.state_folder() / "api.token"


def token(path: Path) -> str:
    """Return the token; make one if there is none, or if other users could read it.

    Raises:
        PlaceError: the file belongs to another user.
        OSError: the file cannot be read or written.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return _made(path)
    if not trust.is_ours(found.st_uid):
        raise paths.PlaceError(
            translatable("{place} belongs to {owner}; have it removed."),
            place=path,
            owner=paths.user_name(found.st_uid),
        )
    if stat.S_IMODE(found.st_mode) & _OTHERS or not stat.S_ISREG(found.st_mode):
        path.unlink()
        return _made(path)
    kept = files.read_text(path).strip()
    return kept if len(kept) >= _LEAST else _made(path)


def _made(path: Path) -> str:
    paths.make_private(path.parent)
    made = secrets.token_urlsafe(_BYTES)
    files.write(path, f"{made}\n".encode())
    path.chmod(0o600)
    return made
