"""Chooses the terminals and process trees of this operating system."""

from __future__ import annotations

import sys

from nagomi_worker.pty.interface import Host


def host() -> Host:
    if sys.platform == "win32":
        from nagomi_worker.pty.windows import WindowsHost

        return WindowsHost()
    else:
        from nagomi_worker.pty.posix import PosixHost

        return PosixHost()
