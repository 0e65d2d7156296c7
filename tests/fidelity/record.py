"""Makes the recordings again: `python -m tests.fidelity.record`; needs vim, less, htop and ls.

Each program runs in a terminal of the tests' size, is typed at once it has drawn, and what it
wrote is kept up to a size that shows everything that it does.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import tempfile
import termios
from pathlib import Path
from typing import Final

from tests.fidelity.peers import COLS, ROWS
from tests.fidelity.streams import RECORDINGS

_QUIET: Final = 0.4
_LIMIT: Final = 24 * 1024
_SAMPLE: Final = "".join(
    f"def step_{n}(value: int) -> str:  # 手順 {n} tab\there\n    return 'done' * {n}\n\n"
    for n in range(60)
)
_PROGRAMS: Final[dict[str, tuple[list[str], list[bytes]]]] = {
    "vim": (
        ["vim", "-u", "NONE", "-N", "--cmd", "syntax on", "-c", "set number", "sample.py"],
        [b"\x06", b"\x06", b"10G", "odef 日本語(): pass\x1b".encode(), b"dd", b"3J", b"u", b"\x15",
         b":split\r", b"G", b"\x17w", b"/step_30\r", b"zt", b"5\x05", b":set wrap! list\r", b":q!\r:q!\r"],
    ),
    "less": (["less", "-N", "sample.py"], [b" ", b" ", b"b", b"/step_40\r", b"n", b"jjjj", b"kk", b"G", b"g", b"q"]),
    "htop": (["sh", "-c", "sleep 60 & htop --delay=5 --pid=$!; kill $!"], [b"", b"\x1b[B\x1b[B", b"t", b"F", b"q"]),
    "ls": (["sh", "-c", "ls --color=always -la . folder; ls --color=always -C folder; ls -C"], []),
}  # fmt: skip


def _sample(folder: Path) -> None:
    (folder / "sample.py").write_text(_SAMPLE)
    (folder / "folder").mkdir()
    for name in ("ひらがな.txt", "a b", "run.sh", "picture.png", "한국어", "archive.tar.gz"):
        (folder / "folder" / name).touch()
    (folder / "folder" / "run.sh").chmod(0o755)
    (folder / "folder" / "link").symlink_to("run.sh")


def _read(fd: int) -> bytes:
    """Return what comes until nothing has come for a while."""
    said = b""
    while len(said) < _LIMIT and select.select([fd], [], [], _QUIET)[0]:
        try:
            said += os.read(fd, 65536)
        except OSError:
            break
    return said


def record(argv: list[str], keys: list[bytes], folder: Path) -> bytes:
    """Return what a program writes while keys are typed at it."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLS, 0, 0))
        os.chdir(folder)
        env = {
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "HOME": ".",
        }
        os.execvpe(argv[0], argv, env)
    said = _read(fd)
    for key in keys:
        os.write(fd, key)
        said += _read(fd)
    os.close(fd)
    os.waitpid(pid, 0)
    return said[:_LIMIT]


def main() -> None:
    """Write all recordings."""
    RECORDINGS.mkdir(exist_ok=True)
    for name, (argv, keys) in _PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            _sample(Path(folder))
            data = record(argv, keys, Path(folder))
        (RECORDINGS / f"{name}.bin").write_bytes(data)
        print(f"{name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
