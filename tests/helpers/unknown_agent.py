"""Agents that nobody knows: `python unknown_agent.py KIND` is one, each with shapes of its own.

Enter begins a turn of three seconds, which the first time ends in a dialog that any key answers.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS: Final = 3.0


class Look(NamedTuple):
    """What an agent draws: rows, and where the cursor stands; it is hidden where that is absent."""

    rows: list[str]
    cursor: tuple[int, int] | None = None


class Agent(NamedTuple):
    """A full screen or rows below a log, at rest or at work (with a number), and while it asks."""

    full: bool
    field: Callable[[str, int | None], Look]
    asks: list[str]


def cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def padded(text: str, width: int) -> str:
    return text + " " * max(0, width - cells(text))


COLS, ROWS = os.get_terminal_size() if sys.stdout.isatty() else (80, 24)


def double(text: str, tick: int | None) -> Look:
    busy = [] if tick is None else [f" {'|/-%'[tick % 4]} Busy, {tick // 10}s so far", ""]
    box = ["╔" + "═" * 60 + "╗", "║ » " + padded(text, 57) + "║", "╚" + "═" * 60 + "╝"]
    return Look([*busy, *box], (len(busy) + 1, 4 + cells(text)))


def modal(text: str, tick: int | None) -> Look:
    sign = "READY" if tick is None else f"BUSY {'▁▂▃▄▅▆▇█'[tick % 8]}"
    rows = [""] * (ROWS - 2) + [f"\x1b[7m{padded(f' {sign}   model-x', COLS)}\x1b[0m", f"> {text}"]
    return Look(rows, (ROWS - 1, 2 + cells(text)))


def japanese(text: str, tick: int | None) -> Look:
    busy = [] if tick is None else [f" {'⠋⠙⠹⠸⠼⠴⠦⠧'[tick % 8]} 考えています…（Escで中断）", ""]
    rule = "─" * COLS
    return Look([*busy, rule, f"❯ {text}", rule, "  ?でヘルプ"], (len(busy) + 1, 2 + cells(text)))


def silent(text: str, tick: int | None) -> Look:
    if tick is not None:
        return Look(["", "  Thinking it over"])
    return Look(["", f"▌ {text}", "", "  ctrl+k: menu"], (1, 2 + cells(text)))


def percent(text: str, tick: int | None) -> Look:
    done = 0 if tick is None else min(24, tick)
    bar = "" if tick is None else f"  {'█' * done}{'░' * (25 - done)} {done * 4}%"
    rows = [""] * (ROWS - 4) + [bar, "─" * COLS, f"▶ {text}", "─" * COLS]
    return Look(rows, (ROWS - 2, 2 + cells(text)))


KINDS: Final = {
    "double": Agent(False, double, ["", "It would like to run:", "   make", "", "Is that okay?",
                                    "  (1) Yes", "  (2) No", "", "Your pick: "]),
    "modal": Agent(True, modal, ["", "  ┌" + "─" * 38 + "┐", "  │  Write to main.rs?" + " " * 19 + "│",
                                 "  │      \x1b[7m Allow \x1b[0m      Deny" + " " * 15 + "│",
                                 "  └" + "─" * 38 + "┘"]),
    "japanese": Agent(False, japanese, ["", "┏━ 確認 " + "━" * 40, "┃ 次のコマンドを実行してもよろしいですか。",
                                        "┃ ▶ はい、今回だけ", "┃   いいえ", "┃",
                                        "┃ ↑↓で移動、Enterで決定、Escでやめる", "┗" + "━" * 47]),
    "silent": Agent(False, silent, ["", "  Take the plan?", "", "  » Approve", "    Change", "    Reject",
                                    "", "  space: choose   q: back"]),
    "percent": Agent(True, percent, ["", "  It wants to query the database", "",
                                     f"\x1b[7m{padded('  1  Allow', 40)}\x1b[0m", "  2  Deny"]),
}  # fmt: skip


class Screen:
    """Draws a full screen, or rows in place of those before them."""

    def __init__(self, *, full: bool, write: Callable[[str], None] | None = None) -> None:
        self._full = full
        self._above = 0
        self._write = write or _print
        self._write("\x1b[?2004h" + ("\x1b[?1049h" if full else ""))

    def say(self, line: str) -> None:
        """Print a line of the log above what is drawn."""
        if not self._full:
            self._write(self._home() + f"{line}\r\n")
            self._above = 0

    def draw(self, look: Look) -> None:
        rows, cursor = look
        shown = "\x1b[?25h" if cursor else "\x1b[?25l"
        y, x = cursor or (len(rows) - 1, cells(rows[-1]))
        back = len(rows) - 1 - y
        place = (f"\x1b[{back}A" if back else "") + "\r" + (f"\x1b[{x}C" if x else "")
        self._write(self._home() + "\r\n".join(rows) + place + shown)
        self._above = y

    def _home(self) -> str:
        up = f"\x1b[{self._above}A" if self._above else ""
        return "\x1b[H\x1b[J" if self._full else f"{up}\r\x1b[J"


def _print(text: str) -> None:
    os.write(1, text.encode())


def run(agent: Agent) -> None:
    """Be this agent for ever."""
    tty.setraw(0, termios.TCSANOW)
    screen = Screen(full=agent.full)
    screen.say("Zubrowka, the helper of tomorrow")
    text, begun, asking, turns = "", 0.0, False, 0
    tick = 0
    while True:
        works = begun > 0 and not asking
        screen.draw(Look(agent.asks) if asking else agent.field(text, tick if works else None))
        if select.select([0], [], [], 0.1)[0]:
            for char in os.read(0, 1024).decode(errors="replace"):
                if asking:
                    asking, begun, tick = False, time.monotonic(), 0
                elif char == "\r" and text:
                    screen.say(f"You: {text}")
                    text, begun, tick, turns = "", time.monotonic(), 0, turns + 1
                elif char.isprintable() and not works:
                    text += char
        tick += 1
        if works and time.monotonic() > begun + SECONDS:
            asking, begun = turns == 1 and not asking, 0.0
            turns += asking
            if not asking:
                screen.say("It is done: 3 files changed.")


if __name__ == "__main__":
    run(KINDS[sys.argv[1]])
