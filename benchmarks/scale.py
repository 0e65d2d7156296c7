"""Many sessions on many hands: what they cost the orchestrator, and how it answers meanwhile.

The hands are simulated (`tools/simulated_hands.py`), or with `real` workers of their own on this machine.
"""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import msgspec

from benchmarks.tools.multiplexers import Nagomi, load_program
from benchmarks.tools.processes import cpu_seconds, pss_bytes, switches
from benchmarks.tools.simulated_hands import Told
from benchmarks.tools.terminal import GREEK, Echoes, type_keys
from nagomi_tui.api import messages as m
from nagomi_tui.hands import registry
from nagomi_tui.hands.hand import Hand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nagomi_tui.api.client import Connection

_NAGOMI: Final = str(Path(sys.executable).with_name("nagomi"))
_SETTLE_SECONDS: Final = 6.0
_ROUNDS: Final = 5


class Simulation:
    """The process that holds the workers of simulated hands."""

    def __init__(self, folder: str) -> None:
        self._path = f"{folder}/hands"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.tools.simulated_hands", self._path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def hand(self, name: str) -> Hand:
        """Return a hand that leads there."""
        command = (load_program(), "bridge", self._path, name)
        return Hand(name=name, command=command, program=("worker",))

    def print(self, count: int, rate: float) -> None:
        """Have so many agents print, `rate` updates a second each."""
        self._order(f"print {count} {rate}")

    def carried(self) -> int:
        """Return the bytes that all lines have carried, both ways."""
        self._order("tell")
        assert self._process.stdout is not None
        told = msgspec.json.decode(self._process.stdout.readline(), type=Told)
        return told.from_hands + told.to_hands

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _order(self, text: str) -> None:
        assert self._process.stdin is not None
        print(text, file=self._process.stdin, flush=True)


class ManyHands(Nagomi):
    """nagomi with its sessions dealt out to hands in turn."""

    def __init__(self, sessions: int, hands: int, *, real: bool) -> None:
        self._real = real
        self._names = [f"hand{number}" for number in range(hands)]
        self.simulation: Simulation | None = None
        super().__init__([], attach=False)
        self.orchestrator = self.connection.request(m.Status(id=0)).orchestrator.pid
        began, cpu = time.perf_counter(), cpu_seconds({self.orchestrator})
        try:
            for number in range(sessions):
                self._create(number)
        except BaseException:
            self.close()
            raise
        self.start_seconds = time.perf_counter() - began
        self.start_cpu = cpu_seconds({self.orchestrator}) - cpu

    @property
    def name_of_hands(self) -> str:
        """What kind of hands they are."""
        return "real" if self._real else "simulated"

    def print(self, count: int, rate: float) -> None:
        """Have so many agents print; real ones that wait begin, and print as they were told to."""
        if self.simulation is not None:
            self.simulation.print(count, rate)
        elif count:
            os.close(os.open(self._gate, os.O_WRONLY | os.O_NONBLOCK))

    def carried(self) -> int | None:
        """Return the bytes that all lines have carried; None where nobody counts them."""
        return self.simulation.carried() if self.simulation is not None else None

    def run(self, *words: str) -> float:
        """Return the seconds that a command takes, the quickest of some rounds."""
        return min(_spent([_NAGOMI, *words], self.env) for _ in range(_ROUNDS))

    def detach(self) -> None:
        """Close the front end."""
        self.terminal.close()
        del self.terminal

    def close(self) -> None:
        super().close()
        if self.simulation is not None:
            self.simulation.close()

    def _create(self, number: int) -> None:
        worker_id = self._names[number % len(self._names)]
        self.connection.request(
            m.Create(
                id=0, cmd=self._command(number), cwd="", worker_id=worker_id, cols=120, rows=30
            )
        )

    def _start(self) -> Connection:
        connection = super()._start()
        if not self._real:
            self.simulation = Simulation(self._home)
        self._gate = f"{self._home}/gate"
        os.mkfifo(self._gate)
        for name in self._names:
            registry.add(self._hand(name))
        return connection

    def _hand(self, name: str) -> Hand:
        if self.simulation is not None:
            return self.simulation.hand(name)
        there = ("env", f"TMPDIR={self._home}", sys.executable, "-P", "-m", "nagomi_worker")
        return Hand(name=name, command=("env",), program=there)

    def _command(self, number: int) -> str:
        kind = "agent" if number else "echo"
        if not self._real:
            return kind
        if kind == "echo":
            return f"{load_program()} echo"
        script = f"read -r _ < {self._gate}; exec {load_program()} agent 12"
        return f"sh -c {shlex.quote(script)}"


class Sample(NamedTuple):
    """What has been used up to a moment."""

    at: float
    cpu: float
    switches: int
    carried: int | None


def main(arguments: list[str]) -> None:
    """Run `scale [real] [sizes=10/1,100/10,1000/100] [printing=16,64] [updates=12] [seconds=20] [keys=100]`.

    A size is sessions/hands. The first session echoes, the others are agents, of which `printing`
    print; `real` takes workers and programs of this machine, of which all print.
    """
    options = dict(a.split("=", 1) for a in arguments if "=" in a)
    printing = list(map(int, options.get("printing", "16,64").split(",")))
    for size in options.get("sizes", "10/1,100/10,1000/100").split(","):
        sessions, hands = map(int, size.split("/"))
        nagomi = ManyHands(sessions, hands, real="real" in arguments)
        try:
            _measure(nagomi, sessions, hands, printing, options)
        finally:
            nagomi.close()


def _measure(
    nagomi: ManyHands, sessions: int, hands: int, printing: Sequence[int], options: dict[str, str]
) -> None:
    seconds, keys = float(options.get("seconds", "20")), int(options.get("keys", "100"))
    rate = float(options.get("updates", "12"))
    print(
        f"{sessions} sessions on {hands} {nagomi.name_of_hands} hands: started in "
        f"{nagomi.start_seconds:.1f} s, {nagomi.start_cpu:.1f} s of the orchestrator's "
        f"(load {os.getloadavg()[0]:.1f})",
        flush=True,
    )
    time.sleep(_SETTLE_SECONDS)
    files = len(os.listdir(f"/proc/{nagomi.orchestrator}/fd"))
    memory = pss_bytes({nagomi.orchestrator}) / 1e6
    print(
        f"  orchestrator: {memory:.0f} MB, {files} files; ls {nagomi.run('ls') * 1000:.0f} ms, "
        f"next {nagomi.run('next') * 1000:.0f}, an empty Python {_empty_python() * 1000:.0f}",
        flush=True,
    )
    _tell(nagomi, "at rest", seconds, keys, attached=False)
    nagomi.attach(200, 60)
    nagomi.terminal.drain(_SETTLE_SECONDS)
    _tell(nagomi, "at rest", seconds, keys, attached=True)
    counts = sorted({min(count, sessions - 1) for count in printing})
    if nagomi.simulation is None:
        counts = [sessions - 1]
    for count in counts:
        nagomi.print(count, rate)
        nagomi.terminal.drain(_SETTLE_SECONDS)
        _tell(nagomi, f"{count} print", seconds, keys, attached=True)
    nagomi.detach()
    time.sleep(_SETTLE_SECONDS)
    _tell(nagomi, f"{counts[-1]} print", seconds, keys, attached=False)
    print(f"  orchestrator at last: {pss_bytes({nagomi.orchestrator}) / 1e6:.0f} MB", flush=True)


def _empty_python() -> float:
    """Return the seconds that a Python takes which does nothing."""
    return min(_spent([sys.executable, "-I", "-c", "pass"], os.environ) for _ in range(_ROUNDS))


def _spent(words: Sequence[str], env: Mapping[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(words, env=env, capture_output=True, check=False)
    return time.perf_counter() - began


def _tell(nagomi: ManyHands, what: str, seconds: float, keys: int, *, attached: bool) -> None:
    before = _sample(nagomi)
    if attached:
        nagomi.terminal.drain(seconds)
    else:
        time.sleep(seconds)
    after = _sample(nagomi)
    spent = after.at - before.at
    line = (
        f"  {what:10} {'front end' if attached else 'no front end':12} "
        f"{(after.cpu - before.cpu) / spent * 100:5.1f} % of a core, "
        f"{(after.switches - before.switches) / spent:6.0f} wake-ups/s"
    )
    if before.carried is not None and after.carried is not None:
        line += f", {(after.carried - before.carried) / spent / 1000:6.1f} KB/s"
    echoes = type_keys(nagomi.terminal, keys) if attached else _echoes(keys)
    line += f"; key p50 {echoes.at(0.5):.1f} p99 {echoes.at(0.99):.1f} ms, {echoes.lost} lost"
    print(f"{line} (load {os.getloadavg()[0]:.1f})", flush=True)


def _sample(nagomi: ManyHands) -> Sample:
    pids = {nagomi.orchestrator}
    return Sample(time.perf_counter(), cpu_seconds(pids), switches(pids), nagomi.carried())


class _Viewer:
    """A client that shows the first session and nothing else, as a web page might."""

    def __enter__(self) -> Self:
        from nagomi_tui.api.client import Connection

        self._connection = Connection.open()
        self._session = self._connection.request(m.ListSessions(id=0)).sessions[0].session_id
        self._connection.send(m.View(view=1, session=self._session, cols=120, rows=30, fps=30))
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._connection.close()

    def answers(self, letter: int, give_up: float) -> bool:
        """Type a letter; tell whether its echo has come within `give_up` seconds."""
        self._connection.send(m.TypeText(session=self._session, text=chr(97 + letter)))
        end = time.perf_counter() + give_up
        for message in self._connection.pushed(give_up):
            if isinstance(message, m.Frame):
                self._connection.send(m.Taken(view=1, frame=message.frame))
                if any(
                    GREEK[letter].decode() in run[0] for _, runs in message.rows for run in runs
                ):
                    return True
            if time.perf_counter() > end:
                break
        return False


def _echoes(keys: int) -> Echoes:
    """Type keys without a front end, and time each echo."""
    dice, result = random.Random(7), Echoes()
    with _Viewer() as viewer:
        for number in range(keys):
            time.sleep(0.02 + dice.random() * 0.02)
            sent = time.perf_counter()
            if viewer.answers(number % 24, 2.0):
                result.seconds.append(time.perf_counter() - sent)
            else:
                result.lost += 1
    return result
