"""Why the kernel refuses to hold a project, and what its user can do about it."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

_APPARMOR: Final = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_DEBIAN: Final = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MOST: Final = Path("/proc/sys/user/max_user_namespaces")


class Refused(Exception):
    """The project cannot be held; the message says why, and what to do."""


def sentence(number: int, fault: str) -> str:
    """Return what to tell the user; `number` is the kernel's `errno`."""
    remedy = _remedy(number)
    return f"Strict mode is off: the kernel does not hold the project ({fault}). {remedy}"


def _remedy(number: int) -> str:
    if number == errno.ENOSYS:
        return "It needs Linux 5.12 or newer."
    if _says(_MOST, "0"):
        return "Allow user namespaces: `sudo sysctl user.max_user_namespaces=10000`."
    if _says(_DEBIAN, "0"):
        return "Allow user namespaces: `sudo sysctl kernel.unprivileged_userns_clone=1`."
    if _says(_APPARMOR, "1"):
        return (
            "AppArmor restricts user namespaces: give nagomi's Python a profile with `userns,`, or "
            "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`."
        )
    if number in (errno.EPERM, errno.EACCES):
        return "A container that is started without the right to make user namespaces refuses them."
    return "Start the session without strict mode, or look at what stands in the way."


def _says(path: Path, value: str) -> bool:
    try:
        return path.read_text().strip() == value
    except OSError:
        return False
