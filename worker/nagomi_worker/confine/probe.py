"""Says on stdout why the kernel would not hold a project, or nothing if it would.

What it says is a sentence and its values as one JSON array, for whoever translates it. It is a program of its own (`python -m nagomi_worker.confine.probe`), since it leaves its namespaces.
"""

from __future__ import annotations

import json
import sys

from nagomi_worker.confine.refusal import Refused, refused


def main() -> None:
    """Try what a holder does, on this process and an empty folder."""
    if sys.platform != "linux":
        _tell(Refused("Strict mode is off: it needs Linux."))
        return
    from nagomi_worker.confine import kernel
    from nagomi_worker.confine import kernel as namespaces

    try:
        namespaces.make()
        kernel.bind("/proc")
        kernel.set_writable("/proc", writable=False)
    except OSError as exc:
        _tell(refused(exc.errno or 0, f"{exc.filename or 'namespaces'}: {exc.strerror}"))


def _tell(fault: Refused) -> None:
    sys.stdout.write(json.dumps([fault.sentence, fault.values]))


if __name__ == "__main__":
    main()
