"""Agents that nobody knows, as frames: what each draws at rest, at work and where it asks.

They are played to a judge by the clock of a test (`tests/helpers/drawn.py`), not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.helpers.unknown_agent import Agent, Look, Screen, cells, padded

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.helpers.drawn import Drawn

RULE: Final = "─" * 76
COLS, ROWS = 80, 24


def boxed(text: str) -> list[str]:
    return ["╭" + "─" * 74 + "╮", "│ > " + padded(text, 71) + "│", "╰" + "─" * 74 + "╯"]


def above(busy: Callable[[int], list[str]], *below: str) -> Callable[[str, int | None], Look]:
    """Return an agent's look: what it is busy with above a box, and rows below that stay."""

    def field(text: str, tick: int | None) -> Look:
        rows = [] if tick is None else busy(tick)
        return Look([*rows, *boxed(text), *below], (len(rows) + 1, 4 + cells(text)))

    return field


def bare(text: str, tick: int | None) -> Look:
    if tick is not None:
        return Look([f"{'⠋⠙⠹⠸⠼⠴⠦⠧'[tick % 8]} asking the oracle"])
    return Look([f"zub> {text}"], (0, 5 + cells(text)))


def lone(text: str, tick: int | None) -> Look:
    """A sign alone, and no blank behind it while nothing is typed."""
    if tick is not None:
        return Look([f"{'⠋⠙⠹⠸⠼⠴⠦⠧'[tick % 8]} Thinking… ({tick // 10}s · esc to interrupt)"])
    return Look(["", f"› {text}".rstrip()], (1, 2 + cells(text)))


def shimmer(tick: int) -> list[str]:
    word = "Pondering the request"
    lit = tick % len(word)
    return [
        f"\x1b[38;5;240m{word[:lit]}\x1b[38;5;255m{word[lit]}\x1b[38;5;240m{word[lit + 1 :]}\x1b[0m",
        "",
    ]


def clocked(text: str, tick: int | None) -> Look:
    """A clock of the session runs below the field, at rest as well."""
    clocked.now += 1  # type: ignore[attr-defined]
    seconds = clocked.now // 10  # type: ignore[attr-defined]
    busy = [] if tick is None else [f"{'◐◓◑◒'[tick % 4]} Asking", ""]
    below = f"  session {seconds // 60}:{seconds % 60:02}   model-x"
    return Look([*busy, *boxed(text), below], (len(busy) + 1, 4 + cells(text)))


clocked.now = 0  # type: ignore[attr-defined]


def hall(text: str, tick: int | None) -> Look:
    """A full screen whose top row tells the time of day."""
    hall.now += 1  # type: ignore[attr-defined]
    second = hall.now // 10  # type: ignore[attr-defined]
    busy = "" if tick is None else f"  {'▹▹▹▹▹'[: tick % 5]}▸{'▹▹▹▹▹'[tick % 5 :]} Reading"
    top = padded(f" zubrowka   12:{second // 60:02}:{second % 60:02}", COLS)
    rows = [f"\x1b[7m{top}\x1b[0m", *[""] * (ROWS - 5), busy, RULE, f"» {text}", RULE]
    return Look(rows, (ROWS - 2, 2 + cells(text)))


hall.now = 0  # type: ignore[attr-defined]


def hidden(text: str, tick: int | None) -> Look:
    return Look(boxed(text), (1, 4 + cells(text))) if tick is None else Look(["", "  On it.", ""])


def right(text: str, tick: int | None) -> Look:
    sign = "" if tick is None else "⣾⣽⣻⢿⡿⣟⣯⣷"[tick % 8]
    rows = [
        *[""] * (ROWS - 4),
        padded("  Talking to the model", 70) + sign,
        RULE,
        f"❯ {text}",
        RULE,
    ]
    if tick is None:
        rows[-4] = ""
    return Look(rows, (ROWS - 2, 2 + cells(text)))


def unsigned(text: str, tick: int | None) -> Look:
    """A field without a sign between two rules; what it prints is marked as a shell marks its own."""
    busy = (
        [] if tick is None else [f"\x1b]133;B\a\x1b]133;C\a {'⠋⠙⠹⠸⠼⠴⠦⠧'[tick % 8]} Working...", ""]
    )
    return Look([*busy, RULE, text, RULE, "0.0%/128k", ""], (len(busy) + 1, cells(text)))


def role(text: str, tick: int | None) -> Look:
    """A conversation line by line, whose prompt names the user."""
    if tick is not None:
        return Look([f"Assistant: {'⠋⠙⠹⠸⠼⠴⠦⠧'[tick % 8]} Generating"])
    return Look([f"User: {text}"], (0, 6 + cells(text)))


WORDS: Final = ("Pondering", "Musing", "Weaving", "Brewing")
ODD: Final[dict[str, Agent]] = {
    "bare": Agent(False, bare, ["Run `make`? [y/N] "]),
    "lone": Agent(False, lone, ["Run this command?", "  make", "", "❯ 1. Yes", "  2. No (esc)", ""]),
    "percent": Agent(
        False,
        above(lambda tick: [f"Reading files, {min(99, tick * 3)}% done", ""]),
        ["I would like to run make.", "", "Proceed? (yes/no): "],
    ),
    "shimmer": Agent(
        False,
        above(shimmer),
        ["Which of these may I touch?", "  [x] main.py", "> [ ] test.py", "  [ ] setup.py", "",
         "  space: toggle   enter: confirm   esc: leave"],
    ),
    "clock": Agent(
        False, clocked,
        ["  May it write to main.py?", "", "  (•) Yes", "  ( ) Yes, always", "  ( ) No", "",
         "  ↑/↓ move  ⏎ select"],
    ),
    "elapsed": Agent(
        False,
        above(lambda tick: ["Working", f"  {tick // 10}s elapsed", ""]),
        ["  The tool wants the network.", "", "   \x1b[7m Approve \x1b[0m   Reject ", ""],
    ),
    "kanji": Agent(
        False,
        above(lambda tick: [f" 実行中 {'▰' * (tick % 5)}{'▱' * (5 - tick % 5)}", ""]),
        ["make を実行します。", "", "よろしいですか？ (はい/いいえ): "],
    ),
    "hall": Agent(
        True, hall,
        ["", *[""] * 8, "        ┌──────────────────────────────┐", "        │ Run this command?            │",
         "        │   make test                  │", "        │ (a)llow  (d)eny  (e)dit      │",
         "        └──────────────────────────────┘"],
    ),
    "dots": Agent(
        False,
        above(lambda tick: [f"Thinking{'.' * (tick // 3 % 4)}", ""]),
        ["Apply this patch? [Y/n] "],
    ),
    "arrows": Agent(
        False,
        above(lambda tick: [f"{'←↖↑↗→↘↓↙'[tick % 8]} Fetching", ""]),
        ["? What now? (Use arrow keys)", "❯ Run it", "  Change it", "  Leave it"],
    ),
    "moon": Agent(
        False,
        above(lambda tick: [f"{'🌑🌒🌓🌔🌕🌖🌗🌘'[tick % 8]} dreaming", ""]),
        ["It wants to delete build/.", "", "Press y to allow, n to refuse"],
    ),
    "hidden": Agent(
        False, hidden,
        ["  Do you want to go on?", "", "  \x1b[7m Yes \x1b[0m", "   No ", ""],
    ),
    "rider": Agent(
        False,
        above(lambda tick: [f"[{' ' * (tick % 8)}<=>{' ' * (8 - tick % 8)}] compiling thoughts", ""]),
        ["Approve this action? (a)pprove/(r)eject/(e)dit: "],
    ),
    "hint": Agent(
        False,
        above(lambda _: ["Busy. Press Ctrl-C to stop.", ""]),
        ["How shall I go on?", "  1. Run the tests", "  2. Commit", "  3. Stop", "", "Enter a number: "],
    ),
    "right": Agent(
        True, right,
        [*[""] * 12, "  Trust the files in this folder?", "", "  › Trust", "    Do not trust", "",
         "  enter select · esc quit", ""],
    ),
    "words": Agent(
        False,
        above(lambda tick: [f"{WORDS[tick // 8 % 4]}… ({tick // 10}s)", ""]),
        ["┌ Permission ────────────────┐", "│ bash: rm -r build          │", "├────────────────────────────┤",
         "│ [1] once [2] always [3] no │", "└────────────────────────────┘"],
    ),
    "letters": Agent(
        False,
        above(lambda tick: [f"{'.oO0Oo'[tick % 6]} Blowing bubbles", ""]),
        ["Allow zubrowka to edit main.py?", "", "  Yes", "\x1b[7m  Yes, for this session\x1b[0m", "  No"],
    ),
    "unsigned": Agent(False, unsigned, ["May it run make?", "", "  › Yes", "    No", "",
                                        "  enter select · esc cancel"]),
    "role": Agent(False, role, ["Execute it? [Y/n/e/?] "]),
    "countdown": Agent(
        False,
        above(lambda tick: [f"The model is busy; next try in {30 - tick // 10} seconds", ""]),
        ["Overwrite notes.txt? (y)es, (n)o, (a)ll: "],
    ),
}  # fmt: skip


class Play:
    """An agent of these shapes before a judge: who types, and how often it draws, is the test's."""

    def __init__(self, agent: Agent, drawn: Drawn) -> None:
        self.drawn = drawn
        self.agent = agent
        self.screen = Screen(full=agent.full, write=drawn.prints)
        self.screen.say("Zubrowka, the helper of tomorrow")

    def rests(self, seconds: float, text: str = "") -> None:
        for _ in range(round(seconds * 10)):
            self.screen.draw(self.agent.field(text, None))
            self.drawn.wait(0.1)

    def works(self, seconds: float, every: Callable[[], float] = lambda: 0.1) -> None:
        until, begun = self.drawn.at + seconds, self.drawn.at
        while self.drawn.at < until:
            self.screen.draw(self.agent.field("", round((self.drawn.at - begun) * 10)))
            self.drawn.wait(every())

    def asks(self, seconds: float) -> None:
        self.screen.draw(Look(self.agent.asks))
        self.drawn.wait(seconds)
