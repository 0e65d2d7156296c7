"""Key to echo over a simulated SSH link: a 2 MB buffer, so many bytes a second, a round trip."""

from __future__ import annotations

import os
import time
from collections import deque

from benchmarks.tools.multiplexers import Nagomi, Tmux, load_program
from benchmarks.tools.terminal import OuterTerminal, type_keys

BUFFER = 2_000_000
"""What ssh takes in before the PTY blocks: OpenSSH's channel window."""


class FarTerminal(OuterTerminal):
    """An outer terminal at the far end of a slow link, both ways delayed."""

    bytes_per_second = 300_000
    one_way = 0.025

    def __init__(self, *args: object, **options: object) -> None:
        self._taken: deque[bytes] = deque()
        self._waiting = 0
        self._flying: deque[tuple[float, bytes]] = deque()
        self._typed: deque[tuple[float, bytes]] = deque()
        self._credit = 0.0
        self._then = time.perf_counter()
        super().__init__(*args, **options)  # type: ignore[arg-type]

    def read(self, timeout: float) -> bytes:
        """Return what has come over the link within `timeout` seconds, or nothing."""
        end = time.perf_counter() + timeout
        while True:
            arrived = self._pump()
            if arrived or time.perf_counter() >= end:
                return arrived
            time.sleep(0.0005)

    def write(self, data: bytes) -> None:
        self._typed.append((time.perf_counter() + self.one_way, data))

    def _pump(self) -> bytes:
        now = time.perf_counter()
        while self._typed and self._typed[0][0] <= now:
            os.write(self.fd, self._typed.popleft()[1])
        self._take()
        self._send(now)
        parts = []
        while self._flying and self._flying[0][0] <= now:
            parts.append(self._flying.popleft()[1])
        arrived = b"".join(parts)
        self.seen += len(arrived)
        self._answer(arrived)
        return arrived

    def _take(self) -> None:
        while self._waiting < BUFFER:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return
            self._taken.append(data)
            self._waiting += len(data)

    def _send(self, now: float) -> None:
        burst = self.bytes_per_second * 0.01 + 1500
        self._credit = min(self._credit + (now - self._then) * self.bytes_per_second, burst)
        self._then = now
        while self._taken and self._credit > 0:
            data = self._taken.popleft()
            size = int(min(len(data), max(1, self._credit)))
            if size < len(data):
                self._taken.appendleft(data[size:])
            self._credit -= size
            self._waiting -= size
            self._flying.append((now + self.one_way, data[:size]))

    def _reply(self, data: bytes) -> None:
        self.write(data)


def main(arguments: list[str]) -> None:
    """Run `link [keys=1000] [tiles=4] [kbs=300] [rtt=50]`."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    FarTerminal.bytes_per_second = int(options.get("kbs", "300")) * 1000
    FarTerminal.one_way = float(options.get("rtt", "50")) / 2000
    tiles, keys = int(options.get("tiles", "4")), int(options.get("keys", "1000"))
    program = load_program()
    commands = [f"{program} echo"] + [f"{program} log 100"] * (tiles - 1)
    sizes = None
    for kind in (Tmux, Nagomi):
        if kind is Tmux:
            multiplexer: Tmux | Nagomi = Tmux(commands, terminal=FarTerminal)
            sizes = multiplexer.sizes()
        else:
            multiplexer = Nagomi(commands, sizes=sizes, terminal=FarTerminal)
        try:
            echoes = type_keys(multiplexer.terminal, keys, give_up=4.0)
        finally:
            multiplexer.close()
        print(
            f"{multiplexer.name:8} {options.get('kbs', '300')} KB/s, {options.get('rtt', '50')} ms: "
            f"p50 {echoes.at(0.5):.0f}  p95 {echoes.at(0.95):.0f} ms, "
            f"{echoes.lost} of {keys} keys without an answer",
            flush=True,
        )
