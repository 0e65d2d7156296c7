"""Says on stdout why the kernel would not hold a project, or nothing if it would.

It is a program of its own (`python -m nagomi_worker.confine.probe`), since it leaves its namespaces.
"""

from __future__ import annotations

import sys

from nagomi_worker.confine.refusal import sentence


def main() -> None:
    """Try what a holder does, on this process and an empty folder."""
    if sys.platform != "linux":
        sys.stdout.write("Strict mode is off: it needs Linux.\n")
        return
    from nagomi_worker.confine import kernel, namespaces

    try:
        namespaces.make()
        kernel.bind("/proc")
        kernel.set_writable("/proc", writable=False)
    except OSError as exc:
        fault = f"{exc.filename or 'namespaces'}: {exc.strerror}"
        sys.stdout.write(f"{sentence(exc.errno or 0, fault)}\n")


if __name__ == "__main__":
    main()
