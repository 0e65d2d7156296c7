"""A slow, long and broken line, in user space: as a ProxyCommand of ssh, or around any command.

`python bad_line.py [OPTION…] to=HOST:PORT` carries its stdin and stdout to a port, and
`python bad_line.py [OPTION…] -- COMMAND…` to a command's. The options:

    rtt=MS           a round trip takes so long; each way half of it
    kbs=N            each way carries so many thousand bytes a second
    stall=SHARE:MS   such a share of packets is lost, as TCP shows that: all behind it come so much later
    cut=AT:SECONDS   after so many seconds nothing passes for a while
    hold=FILE        nothing passes while there is such a file
    life=FROM:TO     it kills itself after so many seconds, at random, with all that is on the way
    seed=N           what randomness begins with; each run behind the same log draws anew
    log=FILE         a line is added there at the beginning, and at such an end
"""

from __future__ import annotations

import os
import random
import select
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

PACKET: Final = 1448
QUEUE: Final = 32 * 1024
"""Bytes that wait in front of the narrow place; what is more stays with the sender."""
_MOST_PACKETS: Final = 4000
_LOOK_SECONDS: Final = 0.02


class Options(NamedTuple):
    """How bad the line is."""

    rtt: float = 0.0
    kbs: float = 0.0
    stall: tuple[float, float] = (0.0, 0.0)
    cut: tuple[float, float] = (0.0, 0.0)
    hold: str = ""
    life: tuple[float, float] = (0.0, 0.0)
    seed: int = 1
    log: str = ""


class Way:
    """One direction: packets pass a narrow place one after another, and then travel."""

    def __init__(self, source: int, sink: int, options: Options, dice: random.Random) -> None:
        self.source, self.sink = source, sink
        self._options = options
        self._dice = dice
        self._flying: deque[tuple[float, bytes]] = deque()
        self._free_at = 0.0
        """When the narrow place has let through what it has taken."""
        self._last_due = 0.0
        self._rest = b""
        self.ended = False
        """The source has ended."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is on the way."""
        return not (self._flying or self._rest)

    def room(self, now: float) -> int:
        """Return how many bytes may be read now."""
        if self.ended or len(self._flying) > _MOST_PACKETS:
            return 0
        if not self._options.kbs:
            return QUEUE
        return QUEUE - int(max(0.0, self._free_at - now) * self._options.kbs * 1000)

    def take(self, now: float) -> None:
        """Read what is there, and send it on its way."""
        try:
            data = os.read(self.source, min(self.room(now), 8192))
        except OSError:
            data = b""
        self.ended = not data
        share, seconds = self._options.stall
        for at in range(0, len(data), PACKET):
            packet = data[at : at + PACKET]
            self._free_at = max(now, self._free_at)
            if self._options.kbs:
                self._free_at += len(packet) / (self._options.kbs * 1000)
            due = self._free_at + self._options.rtt / 2000
            if share and self._dice.random() < share:
                due += seconds / 1000
            self._last_due = max(due, self._last_due)
            self._flying.append((self._last_due, packet))

    def due(self) -> float:
        """Return when something arrives next."""
        return 0.0 if self._rest else self._flying[0][0] if self._flying else float("inf")

    def hand_over(self, now: float) -> None:
        """Write what has arrived."""
        while self._rest or self._flying and self._flying[0][0] <= now:
            if not self._rest:
                self._rest = self._flying.popleft()[1]
            if not select.select([], [self.sink], [], 0)[1]:
                return
            self._rest = self._rest[os.write(self.sink, self._rest[:4096]) :]


class Line:
    """Both directions, until the far side has ended."""

    def __init__(self, far: socket.socket, options: Options, dice: random.Random) -> None:
        self._far = far
        self._ways = (
            Way(0, far.fileno(), options, dice),
            Way(far.fileno(), 1, options, dice),
        )
        self._options = options
        self._began = time.monotonic()
        low, high = options.life
        self._dies_at = self._began + dice.uniform(low, high) if high else float("inf")

    def run(self) -> None:
        """Carry bytes until the far side has ended; it is told when this side has."""
        there, back = self._ways
        told = False
        while not (back.ended and back.is_empty):
            now = time.monotonic()
            if now >= self._dies_at:
                note(self._options, "killed")
                os.kill(os.getpid(), signal.SIGKILL)
            held = self._is_held(now)
            if not held:
                for way in self._ways:
                    way.hand_over(now)
            if there.ended and there.is_empty and not told:
                told = True
                self._far.shutdown(socket.SHUT_WR)
            self._wait(now, held=held)

    def _is_held(self, now: float) -> bool:
        at, seconds = self._options.cut
        cut = bool(seconds) and at <= now - self._began < at + seconds
        return cut or bool(self._options.hold) and os.path.exists(self._options.hold)

    def _wait(self, now: float, *, held: bool) -> None:
        sources = {way.source: way for way in self._ways if way.room(now) >= PACKET}
        due = min(self._dies_at, *(way.due() for way in self._ways))
        pause = _LOOK_SECONDS if held else min(_LOOK_SECONDS, max(0.0, due - now))
        # What cannot be written yet, and what has no room, is looked at again soon.
        if pause == 0.0:
            pause = 0.0005
        for ready in select.select(list(sources), [], [], pause)[0]:
            sources[ready].take(time.monotonic())


def note(options: Options, word: str) -> None:
    """Add a line to the log, in one piece."""
    if options.log:
        with open(options.log, "ab", buffering=0) as file:
            file.write(f"{word} {os.getpid()}\n".encode())


def count(log: Path, word: str) -> int:
    """Return how often a word is in the log."""
    return log.read_text().split().count(word) if log.exists() else 0


def _options(words: list[str]) -> Options:
    given: dict[str, object] = {}
    for word in words:
        name, _, value = word.partition("=")
        kind = type(Options._field_defaults[name])
        if kind is tuple:
            low, _, high = value.partition(":")
            given[name] = float(low), float(high or low)
        else:
            given[name] = kind(value)
    return Options(**given)  # type: ignore[arg-type]


def main() -> int:
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    mine, command = words[:end], words[end + 1 :]
    target = next((word[3:] for word in mine if word.startswith("to=")), "")
    options = _options([word for word in mine if not word.startswith("to=")])
    runs = count(Path(options.log), "begin") if options.log else 0
    dice = random.Random(f"{options.seed} {runs}")
    note(options, "begin")
    child = None
    if target:
        host, _, port = target.rpartition(":")
        far = socket.create_connection((host, int(port)))
        far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    else:
        far, theirs = socket.socketpair()
        child = subprocess.Popen(command, stdin=theirs, stdout=theirs)
        theirs.close()
    with suppress(OSError):
        Line(far, options, dice).run()
    far.close()
    return child.wait() if child else 0


if __name__ == "__main__":
    sys.exit(main())
