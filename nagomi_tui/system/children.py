"""Child processes in a group of their own, and how they end with all that they have started."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING, Final, TypedDict

from nagomi_tui.system.platforms import WINDOWS

if TYPE_CHECKING:
    import subprocess

    import anyio.abc


class _OwnGroup(TypedDict, total=False):
    start_new_session: bool


OWN_GROUP: Final[_OwnGroup] = {} if WINDOWS else {"start_new_session": True}
"""How to start a child that no Ctrl+C of ours reaches, and that `end_group` can end."""
NOWHERE: Final = None if WINDOWS else "/"
"""The folder of a child that is not to keep a folder of the user's from being unmounted."""


def end_group(
    process: anyio.abc.Process | subprocess.Popen[bytes], number: int | None = None
) -> None:
    """Send a signal to a child of `OWN_GROUP` and all that it has started; without one, kill them.

    On Windows the child alone is ended.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if WINDOWS:
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL if number is None else number)
