"""Key to what the user sees of it, in a shell's line elsewhere: with predicted echo and without."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from benchmarks.far_line import FarNagomi, said
from benchmarks.tools.terminal import GREEK, Echoes, OuterTerminal
from nagomi_tui.api import messages as m
from tests.helpers.far_hands import over
from tests.helpers.sshd import Host, host

_LINE = 20
"""Keys in a line; then Enter empties the screen."""
_COMMAND = "sh -c 'while read -r line; do printf \"\\033[2J\\033[H> \"; done'"


def type_lines(terminal: OuterTerminal, count: int, rest: float) -> Echoes:
    """Type letters that nothing else on the screen has, as a hand does; time when each is seen.

    `rest` is the time in seconds until a line's end is over.
    """
    dice = random.Random(7)
    result = Echoes()
    for number in range(count):
        if number % _LINE == 0:
            terminal.drain(rest)
            terminal.write(b"\r")
            terminal.drain(rest)
        terminal.drain(0.06 + dice.random() * 0.12)
        letter = GREEK[number % _LINE]
        sent = time.perf_counter()
        terminal.write(letter)
        tail = b""
        while time.perf_counter() - sent < rest + 2:
            data = tail + terminal.read(rest + 2)
            if letter in data:
                result.seconds.append(time.perf_counter() - sent)
                break
            tail = data[-1:]
        else:
            result.lost += 1
    return result


def measure(machine: Host, rtt: str, predicted: str, keys: int) -> Echoes:
    """Return what typing into one session takes, which fills the screen."""
    multiplexer = FarNagomi([_COMMAND], machine, over(f"rtt={rtt}"), attach=False)
    try:
        multiplexer.connection.request(m.Settings(id=0, values={"predicted_echo": predicted}))
        multiplexer.attach(120, 40)
        multiplexer.terminal.write(b"\x1dz")
        return type_lines(multiplexer.terminal, keys, float(rtt) / 1000 + 0.4)
    finally:
        multiplexer.close()


def main(arguments: list[str]) -> None:
    """Run `far_typing [rtt=50,200] [keys=200]`."""
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    keys = int(options.get("keys", "200"))
    with tempfile.TemporaryDirectory() as folder, host(Path(folder)) as machine:
        for rtt in options.get("rtt", "50,200").split(","):
            print(f"{rtt} ms")
            for predicted in ("never", "auto"):
                echoes = measure(machine, rtt, predicted, keys)
                said(f"predicted_echo = {predicted}", echoes, float(rtt), keys)
