"""Turns samples of foreground processes, and what the user types, into evidence for the judge."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from nagomi_tui.judge.evidence import Foreground, Key, Wait
from nagomi_tui.system.decoding import from_json
from nagomi_worker.pty.activity import TICKS, Process

# What event loops sleep in.
_EVENTS: Final = re.compile(r"poll|select|do_sel|epoll|ep_|futex|kevent|^0$")
# What they sleep in where they wait for files, such as the terminal.
_POLLS: Final = re.compile(r"poll|select|ep_")
# What a program sleeps in that waits for another process to answer.
_ANSWERS: Final = re.compile(
    r"unix_(?:stream|dgram)|skb_wait|sk_wait|tcp_recv|inet_csk|pipe_(?:read|wait)"
)


_SLEEPS: Final = re.compile(r"nanosleep")


class Sample(msgspec.Struct, frozen=True):
    """One sample of the processes, as a line of a `.proc.jsonl` holds it."""

    t: float = 0.0
    fg: int = 0
    shell: bool = False
    icanon: bool = True
    echo: bool = True
    procs: tuple[Process, ...] = ()


def sample_of(detail: str, at: float) -> Sample | None:
    """Return the sample in a worker's `phase` message; None if it is malformed."""
    try:
        return msgspec.structs.replace(from_json(detail, Sample), t=at)
    except (msgspec.DecodeError, RecursionError):
        return None


class ProcessReader:
    """Reads samples in order, since only the growth of CPU time is evidence."""

    def __init__(self) -> None:
        self._cpu: dict[int, int] = {}

    def read(self, sample: Sample) -> Foreground | None:
        """Return the foreground, or None while there is no such process group."""
        living = [process for process in sample.procs if process.st not in "ZX"]
        if not sample.fg or not living:
            return None
        busy = self._works(living)
        return Foreground(
            at=sample.t,
            command=_speaker(living).comm,
            leader=sample.shell,
            wait=_wait(living, sample, busy),
            canonical=sample.icanon,
            echo=sample.echo,
            busy=busy,
            aside=not any(item.reads for item in living) and any(map(_reads_aside, living)),
            polls=not busy and any(map(_polls, living)),
            watches=any(item.watches for item in living)
            or (not sample.icanon and any(task.watches for item in living for task in item.tasks)),
            sleeps=any(_SLEEPS.search(item.wchan) for item in living),
            others=tuple(dict.fromkeys(name for item in living for name in _names(item))),
        )

    def _works(self, living: list[Process]) -> bool:
        grown = max((item.cpu - self._cpu.get(item.pid, item.cpu) for item in living), default=0)
        self._cpu = {item.pid: item.cpu for item in living}
        return grown >= TICKS or any(item.st == "R" for item in living)


def _names(item: Process) -> tuple[str, ...]:
    return (item.comm, item.script) if item.script else (item.comm,)


def _wait(living: list[Process], sample: Sample, busy: bool) -> Wait:
    if any(item.reads or _reads_aside(item) for item in living):
        return Wait.READ
    if sample.icanon or busy:
        return Wait.NOTHING
    if any(_EVENTS.search(item.wchan) or _polls(item) for item in living):
        return Wait.KEYS
    # Nobody here reads keys, but somebody made the terminal raw: one who was asked, as
    # gpg-agent's pinentry, which belongs to no group of this terminal.
    return Wait.KEYS if any(_ANSWERS.search(item.wchan) for item in living) else Wait.NOTHING


def _polls(item: Process) -> bool:
    """Tell whether any of its threads waits for files."""
    sleeps_in = (item.wchan, *(task.wchan for task in item.tasks))
    return any(map(_POLLS.search, sleeps_in))


def _speaker(living: list[Process]) -> Process:
    """Return the process that reads the terminal, or else the first of the group."""
    aside = next((item for item in living if _reads_aside(item)), living[0])
    return next((item for item in living if item.reads), aside)


def _reads_aside(item: Process) -> bool:
    """Tell whether another thread than the first one waits in a `read` of the terminal."""
    return any(task.reads for task in item.tasks)


# The same keys as a program gets them that asked for kitty's protocol or xterm's; no releases.
_ENTER: Final = re.compile(r"[\r\n]\Z|\x1b\[13(?:;1(?::[12])?)?u\Z")
_INTERRUPT: Final = re.compile(r"\x03\Z|\x1b\[99;5(?::[12])?u\Z|\x1b\[27;5;99~\Z")
_ESCAPE: Final = re.compile(r"\x1b(?:\[27(?:;1(?::[12])?)?u)?")
_REPLY: Final = re.compile(r"\x1b(?:\[[?>=]?[\d;]*(?:[Rcn]|\$y)|\[\?\d+u|[\]P]).*", re.DOTALL)


def is_reply(text: str) -> bool:
    """Tell whether this is what a terminal answers to a query, and nothing that was typed."""
    return _REPLY.fullmatch(text) is not None


def key_of(text: str) -> Key:
    """Return what the keys in `text`, which were sent together, mean."""
    if _ENTER.search(text):
        return Key.ENTER
    if _INTERRUPT.search(text):
        return Key.INTERRUPT
    return Key.ESCAPE if _ESCAPE.fullmatch(text) else Key.TEXT
