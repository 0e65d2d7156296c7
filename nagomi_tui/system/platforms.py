"""Which operating system this is: the one place that asks for it.

`typings/platforms_plugin.py` tells mypy what these are on the platform that it checks.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing would be loaded before nagomi's name is shown
if TYPE_CHECKING:
    from typing import Final

LINUX: Final = sys.platform == "linux"
MACOS: Final = sys.platform == "darwin"
WINDOWS: Final = sys.platform == "win32"
"""Native Windows: WSL is Linux."""
NAME: Final = sys.platform


def described() -> str:
    """Return name, release and machine of the system, for people to read."""
    import platform

    return f"{platform.system()} {platform.release()} {platform.machine()}"
