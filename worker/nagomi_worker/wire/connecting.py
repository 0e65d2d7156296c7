"""Connects to a process of this user, by what stands for Unix sockets here."""

from __future__ import annotations

import os
import sys

from nagomi_worker.wire import trust

TYPE_CHECKING = False  # typing takes longer to import than this module
if TYPE_CHECKING:
    import socket


def by_loopback() -> bool:
    """Tell whether loopback ports stand in for Unix sockets."""
    return sys.platform == "win32" or os.environ.get("NAGOMI_SOCKETS") == "loopback"


def connect(path: str, timeout: float | None = None) -> socket.socket:
    """Return a connection to a process of this user at `path`, after checking folders and process.

    Raises:
        Untrusted: the folders or the process belong to another user.
        OSError: nobody listens there.
    """
    if not by_loopback():
        return trust.connect(path, timeout)
    from nagomi_worker.wire import loopback

    trust.check_place(path)
    return loopback.connect(path, timeout)
