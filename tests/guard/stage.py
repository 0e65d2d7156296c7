"""The first process of a PID namespace: a user's terminals and an agent in it, for `test_caller.py`.

`stage.py FOLDER PLACE LINES` types the lines into a terminal that is older than the agent (`old`) or
younger (`new`), or has the agent run them, in a terminal of the user (`agent`) or beside a tmux that
the user began there (`tmux`). It prints what the lines left in FOLDER/answer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

SECONDS = 40
EMULATOR = """
import os, pty, select, sys, termios
line = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.execlp("bash", "bash", "-i")
seen, at = b"", 0
while True:
    ready, _, _ = select.select([fd], [], [], 0.3)
    if ready:
        try:
            seen = (seen + os.read(fd, 65536))[-4096:]
        except OSError:
            break
    elif at < len(line):
        os.write(fd, line[at].encode() + b"\\r")
        at += 1
"""
"""A small terminal emulator: it types each line once nothing was printed for a while."""


def main(folder: Path, place: str, lines: str) -> None:
    os.environ |= {"HOME": str(folder), "TERM": "xterm", "TMUX_TMPDIR": str(folder), "SHELL": "/bin/bash"}  # fmt: skip
    os.chdir(folder)
    (folder / "emulator.py").write_text(EMULATOR)
    emulator = folder / "xterm"
    emulator.write_text(f'#!/bin/bash\nexec -a xterm {sys.executable} {folder}/emulator.py "$@"\n')
    emulator.chmod(0o755)
    agent = folder / "claude"
    agent.write_text('#!/bin/bash\nexec -a claude bash -c "$1; exit 0"\n')
    agent.chmod(0o755)
    shutil.copy("/bin/sleep", folder / "codex")
    if place == "old":
        window(folder, f"./codex 60 </dev/null >/dev/null 2>&1 & sleep 0.1; {lines}")
    elif place == "new":
        window(folder, "./codex 60")
        wait(lambda: running("codex"))
        time.sleep(0.05)  # The clock of processes ticks every hundredth of a second.
        window(folder, *lines.split("\n"))
    elif place == "agent":
        (folder / "lines").write_text(lines)
        window(folder, './claude "$(cat lines)"')
    else:
        window(folder, "tmux -L own new")
        wait(lambda: idle("own"))
        (folder / "lines").write_text(lines)
        window(folder, './claude "$(cat lines)"')
    answer = folder / "answer"
    wait(answer.exists)
    print(answer.read_text(), flush=True)
    os._exit(0)


def window(folder: Path, *lines: str) -> None:
    """Open a terminal of the user's whose emulator has only the first process above it."""
    subprocess.Popen(
        [str(folder / "xterm"), *lines], start_new_session=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def idle(name: str) -> bool:
    """Tell whether a client of a tmux has had no key for five seconds."""
    words = ["tmux", "-L", name, "list-clients", "-F", "#{client_activity}"]
    told = subprocess.run(words, capture_output=True, text=True).stdout.split()
    return bool(told) and time.time() - int(told[0]) > 5


def running(name: str) -> bool:
    for each in filter(str.isdigit, os.listdir("/proc")):
        try:
            if Path(f"/proc/{each}/comm").read_text().strip() == name:
                return True
        except OSError:
            continue
    return False


def wait(done: object) -> None:
    until = time.monotonic() + SECONDS
    while not done():  # type: ignore[operator]
        assert time.monotonic() < until, "did not happen in time"
        time.sleep(0.05)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
