"""The worker where it was sent to: run by its path, with nothing installed and no site packages.

Beside this package lie the compiled modules that were sent along, in the folder `compiled`. Where
there are none, or they cannot be loaded, those of a Python that was installed for it do, else those in
`plain` take their place.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import IO

_HERE = os.path.dirname(os.path.abspath(__file__))
_ROOT = os.path.dirname(_HERE)


def main() -> int:
    """Run the worker; with `--stdio`, a line first says that it runs or what it lacks.

    With `--module NAME` as the first words, it runs another program that was sent with it.
    """
    name = "nagomi_worker.__main__"
    if sys.argv[1:2] == ["--module"]:
        name = sys.argv[2]
        del sys.argv[1:3]
    sys.path.insert(0, _ROOT)
    try:
        folders = [os.path.join(_ROOT, "compiled"), *_installed()]
        plain = not any(_has_compiled(folder) for folder in folders)
        if plain:
            sys.path.insert(1, os.path.join(_HERE, "plain"))
        program = importlib.import_module(name)
        from nagomi_worker.pty.host import host

        host()
    except ImportError as exc:
        _tell("failed", why="python", said=str(exc))
        return 1
    _tell("running", plain=plain)
    lock = _lock()
    try:
        words = (sys.executable, "-I", "-S", os.path.abspath(__file__))
        return int(program.main(program=words))
    finally:
        if lock:
            lock.close()


def _installed() -> list[str]:
    """Return the site packages of our Python, if it is the one that `nagomi hands install` has made."""
    root = os.path.dirname(os.path.dirname(sys.executable))
    if not root.endswith("/nagomi/python"):
        return []
    version = ".".join(map(str, sys.version_info[:2]))
    return [os.path.join(root, "lib", f"python{version}", "site-packages")]


def _has_compiled(folder: str) -> bool:
    """Tell whether the compiled modules can be loaded; if not, nothing is left of the attempt.

    They cannot from a file system without leave to execute, or with an older C library.
    """
    sys.path.insert(1, folder)
    try:
        import msgspec  # noqa: F401
        import psutil  # noqa: F401
    except ImportError:
        sys.path.remove(folder)
        for name in [name for name in sys.modules if name.split(".")[0] in ("msgspec", "psutil")]:
            del sys.modules[name]
        return False
    return True


def _tell(kind: str, **facts: object) -> None:
    if "--stdio" in sys.argv:
        os.write(1, f"nagomi-far {kind} {json.dumps(facts)}\n".encode())


def _lock() -> IO[bytes] | None:
    """Hold the lock that keeps this folder from being removed as an old one."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        file = open(os.path.join(_ROOT, "MANIFEST"), "rb")  # noqa: SIM115 (held to the end)
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return None
    return file


if __name__ == "__main__":
    sys.exit(main())
