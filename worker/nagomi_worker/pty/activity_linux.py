"""Samples a terminal's foreground processes from /proc, on Linux.

Nothing here is judged. What cannot be read is left out without an error: processes vanish, and
those of another user, or with other privileges, show less.
"""

from __future__ import annotations

import os
import re
import select
import struct
import sys
import termios
from collections.abc import Iterator
from typing import Final

from nagomi_worker.pty.activity import TTY_READ, Activity, Process, Task
from nagomi_worker.runtime.proc import read_stat

assert sys.platform != "win32"

_MOST_VISITED: Final = 64
_MOST_TOLD: Final = 6
_MOST_THREADS: Final = 48
"""Most threads of a process that are looked at: who reads is found among the first ones."""
_INTERPRETER: Final = re.compile(r"(?:node|bun|deno|MainThread|node-MainThread|[Pp]ython[\d.]*)$")
"""Names of programs that run others; Node calls its first thread `MainThread`."""
_EPOLL: Final = re.compile(r"ep_poll|epoll_wait")
_MAY_READ: Final = re.compile(f"{TTY_READ.pattern}|{_EPOLL.pattern}")
"""What is looked at of other threads; the runtime of Erlang polls its input in one all the time."""
_POLLED: Final = re.compile(r"^tfd:\s+(\d+) events:\s+([0-9a-f]+)", re.MULTILINE)
"""A file that an epoll set waits for, as its `fdinfo` tells: its number, and for what, EPOLLIN being 1."""
_POLL_CALLS: Final = (7, 271, 73)
"""Numbers of `poll` and `ppoll`, on x86-64 and arm64."""
_SELECT_CALLS: Final = (23, 270, 72)
"""Numbers of `select` and `pselect6`, on x86-64 and arm64."""
_ARGUMENTS: Final = 3
_MOST_FILES: Final = 1024
_TERMINAL: Final = re.compile(r"/dev/(?:pts/\d+|tty\w*)$")
_LONGEST: Final = 256
"""Most characters of a script's path that are told."""


def look(fd: int, leader: int) -> Activity | None:
    """Return what is in the foreground of the terminal `fd`; None where that cannot be found out.

    `leader` is the pid of the session's first process.
    """
    if sys.platform != "linux":
        return None
    try:
        group = os.tcgetpgrp(fd)
        modes: int = termios.tcgetattr(fd)[3]
    except (OSError, termios.error):
        return None
    return Activity(
        fg=group,
        shell=group == leader,
        icanon=bool(modes & termios.ICANON),
        echo=bool(modes & termios.ECHO),
        procs=_told(sorted(_group(group, leader), key=lambda one: one.pid)),
    )


def _told(found: list[Process]) -> tuple[Process, ...]:
    """Return the first few of them, and one that reads the terminal if there is any."""
    kept = found[:_MOST_TOLD]
    reader = next(
        (one for one in found[_MOST_TOLD:] if one.reads or any(task.reads for task in one.tasks)),
        None,
    )
    return (*kept, reader) if reader else tuple(kept)


def _group(group: int, leader: int) -> Iterator[Process]:
    """Yield the members of a process group among the descendants of the leader.

    Who reads the terminal in a session without one, as below `su -c`, belongs to its parent's group.
    """
    if group <= 0:
        return
    waiting, visited, within = [group, leader], set[int](), set[int]()
    while waiting and len(visited) < _MOST_VISITED:
        pid = waiting.pop(0)
        if pid in visited:
            continue
        visited.add(pid)
        if (member := _process(pid, group, within)) is not None:
            yield member
        for tid in _threads(pid):
            waiting += map(int, _read(f"/proc/{pid}/task/{tid}/children").split())


def _process(pid: int, group: int, within: set[int]) -> Process | None:
    """Return a process from /proc; None if it is gone or of another process group.

    Processes `within` the group gain those without a terminal below them, of which only readers count.
    """
    try:
        found = read_stat(pid)
    except OSError:
        return None
    apart = found.group != group
    if apart and (found.parent not in within or found.terminal):
        return None
    within.add(pid)
    wchan, call = _read(f"/proc/{pid}/wchan"), _call(str(pid))
    told = Process(
        pid=pid,
        comm=found.name,
        st=found.state,
        cpu=found.ticks,
        wchan=wchan,
        sys=_told_call(pid, wchan, call),
        script=_script(pid) if _INTERPRETER.match(found.name) else "",
        tasks=_tasks(pid) if found.threads != 1 else (),
        watches=_watches(pid, wchan, call),
    )
    return None if apart and not told.reads else told


def _tasks(pid: int) -> tuple[Task, ...]:
    """Return what the other threads of a process sleep in, each kind once."""
    kinds = set[Task]()
    for tid in _threads(pid):
        if tid != pid and (wchan := _read(f"/proc/{pid}/task/{tid}/wchan")) not in ("", "0"):
            call = _call(f"{pid}/task/{tid}") if _MAY_READ.search(wchan) else []
            told = _told_call(pid, wchan, call) if TTY_READ.search(wchan) else None
            kinds.add(Task(wchan, told, _watches(pid, wchan, call)))
    return tuple(sorted(kinds, key=lambda task: (task.wchan, task.sys or "", task.watches)))


def _told_call(pid: int, wchan: str, call: list[str]) -> str | None:
    """Return a system call and its first argument; None if it sleeps as a reader does, of no terminal."""
    if len(call) < _ARGUMENTS:
        return " ".join(call) or None
    reads = TTY_READ.search(wchan) and call[0] == "0"
    return " ".join(call[:2]) if not reads or _is_terminal(pid, int(call[1], 16)) else None


def _watches(pid: int, wchan: str, call: list[str]) -> bool:
    """Tell whether a thread in this system call waits until its terminal can be read."""
    return any(_is_terminal(pid, file) for file in _awaited(pid, wchan, call))


def _awaited(pid: int, wchan: str, call: list[str]) -> list[int]:
    """Return the files that it waits to read: epoll tells them, the others have them in memory."""
    if len(call) < _ARGUMENTS:
        return []
    number, (first, second) = int(call[0]), (int(word, 16) for word in call[1:_ARGUMENTS])
    if _EPOLL.search(wchan):
        files = _POLLED.findall(_read(f"/proc/{pid}/fdinfo/{first}"))
        return [int(file) for file, events in files if int(events, 16) & select.POLLIN]
    if number in _POLL_CALLS:
        told = struct.iter_unpack("=ihh", _memory(pid, first, 8 * min(second, _MOST_FILES)))
        return [file for file, events, _ in told if events & select.POLLIN]
    if number in _SELECT_CALLS:
        count = min(first, _MOST_FILES)
        bits = int.from_bytes(_memory(pid, second, (count + 7) // 8), sys.byteorder)
        return [file for file in range(count) if bits >> file & 1]
    return []


def _memory(pid: int, at: int, size: int) -> bytes:
    """Return what a system call was given a pointer to; nothing where that may not be read."""
    try:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(at)
            found = memory.read(size)
    except (OSError, OverflowError):
        return b""
    return found if len(found) == size else b""


def _is_terminal(pid: int, file: int) -> bool:
    try:
        return _TERMINAL.match(os.readlink(f"/proc/{pid}/fd/{file}")) is not None
    except OSError:
        return False


def _threads(pid: int) -> list[int]:
    """Return the first threads of a process: any of them may read, or start programs."""
    try:
        return sorted(map(int, os.listdir(f"/proc/{pid}/task")))[:_MOST_THREADS]
    except OSError:
        return []


def _call(of: str) -> list[str]:
    """Return the number of a system call and its arguments; nothing that may not be told."""
    return _read(f"/proc/{of}/syscall").split()


def _script(pid: int) -> str:
    """Return what an interpreter runs, and nothing of its arguments."""
    words = _read(f"/proc/{pid}/cmdline").split("\0")[1:]
    if "-m" in words[:4]:
        named = words[words.index("-m") + 1 :]
    else:
        named = [word for word in words if not word.startswith("-")]
    return named[0][:_LONGEST] if named else ""


def _read(path: str) -> str:
    """Return the text of a file of /proc; nothing where it is gone or may not be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(fd, 4096).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(fd)
