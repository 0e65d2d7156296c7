"""Malformed output, from a seed: into the engine itself, and through whole sessions.

`python -m tests.fidelity.fuzz RUNS [BYTES] [engine|session|both]` with resizes and read-backs in
between; it ends with a traceback, or the death of a process, when something cannot bear it.
"""

from __future__ import annotations

import faulthandler
import random
import sys
import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.api import messages
from nagomi_tui.terminal.choose import open_engine, restore_engine
from tests.fidelity.peers import Ours
from tests.fidelity.streams import KINDS, RECORDINGS, Dice
from tests.helpers.workplace import PATIENCE, session, workplace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

MEGABYTE: Final = 1_000_000
_NUMBERS: Final = (0, 1, 2, 5, 50, 999, 65535, 65536, 2**32 - 1, 2**63)
_SIZES: Final = ((1, 1), (2, 1), (3, 50), (20, 5), (80, 24), (133, 40), (400, 3), (60, 16))
_CLUSTERS: Final = "👩\u200d💻e\u0301🇯🇵⚠\ufe0f日본ก็नि\u200d\u202e".encode()


def _csi(dice: Dice) -> bytes:
    numbers = ";".join(str(dice.choice(_NUMBERS)) for _ in range(dice.randrange(6)))
    lead, middle = dice.choice(("", "?", ">", "=", "<")), dice.choice(("", " ", "$", '"', "*", "!"))
    return f"\x1b[{lead}{numbers}{middle}{chr(dice.randrange(0x40, 0x7F))}".encode()


def _mode(dice: Dice) -> bytes:
    modes = (3, 5, 6, 7, 40, 45, 47, 66, 69, 1000, 1006, 1047, 1048, 1049, 2004, 2026, 2027)
    return f"\x1b[?{dice.choice(modes)}{dice.choice('hlsr')}".encode()


def _string(dice: Dice) -> bytes:
    start = dice.choice(
        (b"]0;", b"]8;;", b"]52;c;", b"]9;4;", b"]133;", b"P$q", b"P+q", b"_G", b"X")
    )
    end = dice.choice((b"\x07", b"\x1b\\", b"\x18", b""))
    return b"\x1b" + start + dice.randbytes(dice.randrange(200)) + end


def _cluster(dice: Dice) -> bytes:
    at = dice.randrange(len(_CLUSTERS))
    return _CLUSTERS[at : at + dice.randrange(1, 30)] * dice.randrange(1, 4)


def _stream(dice: Dice) -> bytes:
    return b"".join(KINDS[dice.choice(list(KINDS))](dice))


def _recording(dice: Dice) -> bytes:
    data = bytearray(dice.choice(sorted(RECORDINGS.glob("*.bin"))).read_bytes())
    for _ in range(dice.randrange(30)):
        data[dice.randrange(len(data))] = dice.randrange(256)
    at = dice.randrange(len(data))
    return bytes(data[at : at + dice.randrange(4000)])


_MADE: Final[tuple[Callable[[Dice], bytes], ...]] = (
    _csi, _csi, _csi, _mode, _string, _cluster, _cluster, _stream, _recording,
    lambda dice: dice.randbytes(dice.randrange(1, 400)),
    lambda dice: dice.wide() * dice.randrange(1, 9),
)  # fmt: skip


def pieces(seed: int, size: int) -> Iterator[bytes]:
    """Yield `size` bytes of it, a few kilobytes at a time."""
    dice = Dice(f"fuzz-{seed}")
    left = size
    while left > 0:
        made = b"".join(dice.choice(_MADE)(dice) for _ in range(40))[:left]
        left -= len(made)
        yield made


def into_engine(seed: int, size: int) -> int:
    """Feed the default engine, with resizes, read-backs and restores; return the bytes fed."""
    dice = random.Random(seed)
    engine = open_engine(80, 24, history=1000)
    fed = 0
    for piece in pieces(seed, size):
        engine.feed(piece)
        fed += len(piece)
        if dice.random() < 0.2:
            engine.resize(*dice.choice(_SIZES))
        if dice.random() < 0.2:
            rows = engine.screen()
            assert len(rows) == engine.rows
            assert all(row.cells <= engine.cols for row in rows)
            engine.lines(engine.first_line, engine.first_line + 100)
        if dice.random() < 0.03:
            version, cols, rows_, saved = (
                engine.version,
                engine.cols,
                engine.rows,
                engine.snapshot(),
            )
            engine.close()
            engine = restore_engine(version, saved, cols, rows_, history=1000)
        if dice.random() < 0.02:
            engine.compact()
        engine.take_events()
        engine.take_replies()
    engine.resize(80, 24)
    engine.feed(b"\x18\x1b\\\x1bcstill here")
    assert engine.screen()[0].text == "still here", seed
    engine.close()
    return fed


class Sessions:
    """One session of a workplace, shown to a front end that resizes it."""

    def __init__(self, place: Place, connection: Connection) -> None:
        self._place, self._link = place, connection
        self._pid = place.orchestrator
        self._ours = Ours(connection, place.home)

    def feed(self, seed: int, size: int) -> int:
        """Send it through the session; hold that nothing above it died, and that it goes on."""
        dice = random.Random(seed)
        fed, batch = 0, b""
        for piece in pieces(seed, size):
            batch += piece
            if len(batch) > 20_000:
                fed += self._send(batch)
                batch = b""
                cols, rows = dice.choice(_SIZES)
                view = messages.View(
                    view=1, session=self._ours.session, cols=cols, rows=rows, own_size=True, fps=30
                )
                self._link.send(view)
        fed += self._send(batch + b"\x18\x1b\\\x1bcstill here")
        self._hold(seed)
        return fed

    def close(self) -> None:
        """End the child."""
        self._ours.feed.close()

    def _send(self, data: bytes) -> int:
        self._ours.feed.send(data)
        self._ours.feed.cursor()
        for said in self._link.pushed(0.0005):
            if isinstance(said, messages.Frame):
                self._link.send(messages.Taken(view=said.view, frame=said.frame))
            if isinstance(said, messages.Notice):
                assert "had a fault" not in said.text, said.text
        return len(data)

    def _hold(self, seed: int) -> None:
        found = session(self._link, self._ours.session)
        assert (found["state"], found["engine"][:7]) == ("running", "ghostty"), seed
        assert self._place.orchestrator == self._pid, seed
        order = messages.Capture(id=0, session=self._ours.session)
        text = self._link.request(order, timeout=PATIENCE).text.strip()
        # A small screen shows the end of it only.
        assert text and "still here".endswith(text), (seed, text)


def through_sessions(seeds: range, size: int) -> int:
    """Send all of it through one session of a workplace of its own."""
    with workplace() as place, place.connect(front_end=True) as connection:
        sessions = Sessions(place, connection)
        try:
            return sum(sessions.feed(seed, size) for seed in seeds)
        finally:
            sessions.close()


def main() -> None:
    """Run both, and print how much was fed and how long it took."""
    faulthandler.enable()
    count = int(sys.argv[1])
    size = int(sys.argv[2]) if len(sys.argv) > 2 else MEGABYTE
    which = sys.argv[3] if len(sys.argv) > 3 else "both"
    started = time.monotonic()
    if which != "session":
        fed = sum(into_engine(seed, size) for seed in range(count))
        print(
            f"engine: {count} runs, {fed / 1e6:.0f} MB, {time.monotonic() - started:.0f} s",
            flush=True,
        )
    started = time.monotonic()
    if which != "engine":
        fed = through_sessions(range(count), size)
        print(f"sessions: {count} runs, {fed / 1e6:.0f} MB, {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
