"""Why the kernel refuses to hold a project, and what its user can do about it.

As a program of its own (`python -m nagomi_worker.confine.probe`), since it leaves its namespaces, it
tries that and says on stdout why the kernel would not, or nothing if it would: a sentence and its
values as one JSON array, for whoever translates it.
"""

from __future__ import annotations

import errno
import json
import sys
from pathlib import Path
from typing import Final

from nagomi_worker.runtime.limits import WorkerFault

_APPARMOR: Final = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_DEBIAN: Final = Path("/proc/sys/kernel/unprivileged_userns_clone")
_MOST: Final = Path("/proc/sys/user/max_user_namespaces")


class Refused(WorkerFault):
    """The project cannot be held; the message says why, and what to do."""


def refused(number: int, fault: str) -> Refused:
    """Return what to tell the user; `number` is the kernel's `errno`."""
    if number == errno.ENOSYS:
        return Refused(
            "Strict mode is off: the kernel does not hold the project ({fault}). "
            "It needs Linux 5.12 or newer.",
            fault=fault,
        )
    if _says(_MOST, "0"):
        return Refused(
            "Strict mode is off: the kernel does not hold the project ({fault}). "
            "Allow user namespaces: `sudo sysctl user.max_user_namespaces=10000`.",
            fault=fault,
        )
    if _says(_DEBIAN, "0"):
        return Refused(
            "Strict mode is off: the kernel does not hold the project ({fault}). "
            "Allow user namespaces: `sudo sysctl kernel.unprivileged_userns_clone=1`.",
            fault=fault,
        )
    if _says(_APPARMOR, "1"):
        return Refused(
            "Strict mode is off: the kernel does not hold the project ({fault}). "
            "AppArmor restricts user namespaces: give nagomi's Python a profile with `userns,`, or "
            "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`.",
            fault=fault,
        )
    if number in (errno.EPERM, errno.EACCES):
        return Refused(
            "Strict mode is off: the kernel does not hold the project ({fault}). "
            "A container that is started without the right to make user namespaces refuses them.",
            fault=fault,
        )
    return Refused(
        "Strict mode is off: the kernel does not hold the project ({fault}). "
        "Start the session without strict mode, or look at what stands in the way.",
        fault=fault,
    )


def _says(path: Path, value: str) -> bool:
    try:
        return path.read_text().strip() == value
    except OSError:
        return False


def main() -> None:
    """Try what a holder does, on this process and an empty folder."""
    if sys.platform != "linux":
        _tell(Refused("Strict mode is off: it needs Linux."))
        return
    from nagomi_worker.confine import kernel

    try:
        kernel.make()
        kernel.bind("/proc")
        kernel.set_writable("/proc", writable=False)
    except OSError as exc:
        _tell(refused(exc.errno or 0, f"{exc.filename or 'namespaces'}: {exc.strerror}"))


def _tell(fault: Refused) -> None:
    sys.stdout.write(json.dumps([fault.sentence, fault.values]))


if __name__ == "__main__":
    main()
