"""Predicted echo: what a far program will most likely show of the keys that are on their way to it.

Keys and rows go in with their times, and cells to lay over the row with the cursor come out. Each
key that types a character, and a Backspace that takes one back, makes a *guess*: how the row will
look then. The rows that the program draws are compared with the guesses. One that is seen settles
itself and all before it; a row that is neither one of them nor as it was shows that they were wrong.

No guess is shown until the program has been seen to echo: since the last key of another kind (Enter,
an arrow), and in this very line. A password, which is not echoed, is thus never shown, nor are
commands of a full-screen program. After a shown guess was wrong, several keys must have been echoed.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from nagomi_tui.text.cells import cells as cells_of

ERASE: Final = "\x7f"
"""The key that takes the character before the cursor back."""
OTHER: Final = ""
"""Any key whose effect is not guessed."""

SLOW_SECONDS: Final = 0.040
"""From key to echo; from here on guesses are shown."""
QUICK_SECONDS: Final = 0.030
"""From here down they are shown no more."""
PROOFS: Final = 5
"""Keys that must be echoed as expected after a shown guess was wrong."""
_SMOOTHING: Final = 0.25
_UNKNOWN_SECONDS: Final = 0.5
_SPARE_SECONDS: Final = 0.25
_LONGEST_PATIENCE: Final = 2.0
_LONGEST_RUN: Final = 500
_BLANK: Final = " "


class CursorLine(NamedTuple):
    """The line with the cursor, as the program has drawn it so far."""

    number: int
    """The line's number in its session."""
    cells: tuple[str, ...]
    """What stands in each cell of the row; the second cell of a wide character holds nothing."""
    x: int
    """The cursor's column."""


class Overlay(NamedTuple):
    """Cells to be shown in place of a line's own, and where the cursor is to stand in it."""

    number: int
    cells: tuple[tuple[int, str], ...]
    x: int


class _Guess(NamedTuple):
    """A line as it will be once a key has been echoed."""

    at: float
    """When the key was typed."""
    cells: dict[int, str]
    """Every cell that differs from the line without any guess, by its column."""
    x: int
    char: tuple[int, str] | None
    """The column and character whose sight proves an echo; None for blanks and for Backspace."""
    length: int
    """How long the run of typed characters was with this key."""

    def is_seen(self, line: CursorLine) -> bool:
        """Tell whether the line looks like this."""
        return line.x == self.x and all(line.cells[at] == text for at, text in self.cells.items())


class PredictedEcho:
    """Guesses for one session as one pane shows it. Times are seconds of any one clock."""

    def __init__(self) -> None:
        self.seconds: float | None = None
        """From key to echo, smoothed; None before any echo was seen."""
        self._slow = False
        self._unproven = 1
        """Keys that must be echoed yet before guesses are shown."""
        self._line: CursorLine | None = None
        """As it was seen last."""
        self._base: CursorLine | None = None
        """The line that the guesses begin with."""
        self._guesses: list[_Guess] = []
        self._stuck = False
        """A key was typed whose effect is not guessed: nothing can be added to the guesses."""
        self._before_other = False
        """The guesses are older than the last other key. They stay, but prove nothing any more."""
        self._run: list[tuple[str, float]] = []
        """The characters typed since the last other key, less those taken back, and when."""
        self._echoed = 0
        """How many of them were seen."""

    @property
    def patience(self) -> float:
        """Seconds after which a guess that was not seen is given up."""
        usual = _UNKNOWN_SECONDS if self.seconds is None else self.seconds
        return min(_LONGEST_PATIENCE, 2 * usual + _SPARE_SECONDS)

    @property
    def due(self) -> float | None:
        """When `look` is to be called next; None while there are no guesses."""
        return self._guesses[0].at + self.patience if self._guesses else None

    @property
    def is_shown(self) -> bool:
        """Whether guesses are shown: the line is slow, and the program is seen to echo."""
        return self._slow and (self._before_other or not self._unproven)

    def overlay(self) -> Overlay | None:
        """Return what to lay over the session's rows now."""
        line, base = self._line, self._base
        if not (self._guesses and self.is_shown and line and base and line.number == base.number):
            return None
        last = self._guesses[-1]
        differing = [one for one in sorted(last.cells.items()) if line.cells[one[0]] != one[1]]
        return Overlay(line.number, tuple(differing), last.x)

    def forget(self) -> None:
        """Guess nothing of what was typed so far, and show nothing until an echo is seen again."""
        self._drop()
        self._other()

    # --- what happens

    def typed(self, key: str, now: float) -> None:
        """Take a key: one character, `ERASE`, or `OTHER`."""
        if key == OTHER or len(self._run) >= _LONGEST_RUN:
            self._other()
        elif key == ERASE:
            self._erase(now)
        else:
            self._run.append((key, now))
            if not self._guesses:
                self._guess_anew(now)
            else:
                self._add(key, now, len(self._run))

    def saw(self, line: CursorLine | None, now: float) -> None:
        """Take the line with the cursor as it is now; None where there is no cursor."""
        self._line = line
        if line is None:
            return
        base = self._base
        if base is None or (line.number, len(line.cells)) != (base.number, len(base.cells)):
            self._drop()
            self._unproven = max(1, self._unproven)
            self._guess_anew(now)
        elif self._guesses:
            self._compare(line, base, now)
        else:
            self._guess_anew(now)

    def look(self, now: float) -> None:
        """Give up guesses that should have been seen by now."""
        due = self.due
        if due is None or now < due:
            return
        if self._line is None or not self._guesses[-1].is_seen(self._line):
            self._were_wrong()
        if not self._before_other:
            self._clear_run()
        self._drop()

    # --- guessing

    def _other(self) -> None:
        """Guess nothing of what this key does, nor where others will then stand."""
        self._before_other = bool(self._guesses) and self.is_shown
        if not self._before_other:
            self._drop()
        self._clear_run()
        self._stuck = True
        self._unproven = max(1, self._unproven)

    def _guess_anew(self, now: float) -> None:
        """Guess from the line as it is, with the characters that it does not show yet."""
        self._drop()
        line = self._base = self._line
        if line is None:
            return
        self._echoed = max(self._echoed, self._shown_already(line))
        waiting = self._run[self._echoed :]
        if waiting and now - waiting[0][1] > self.patience:
            self._clear_run()  # the program does not echo
            return
        for length, (char, at) in enumerate(waiting, self._echoed + 1):
            self._add(char, at, length)

    def _shown_already(self, line: CursorLine) -> int:
        """Return how many of the run's characters stand before the cursor."""
        before = "".join(line.cells[: line.x])
        text = "".join(char for char, _ in self._run)
        return next((n for n in range(len(text), 0, -1) if before.endswith(text[:n])), 0)

    def _add(self, char: str, at: float, length: int) -> None:
        """Guess that a character is drawn at the cursor, which goes on."""
        x, width = self._x, cells_of(char)
        # What stands behind the cursor is pushed on by some programs, and overwritten by others.
        if self._stuck or not (width in (1, 2) and self._is_blank(x, x + width + 1)):
            self._stuck = True
            return
        drawn = {x: char} if width == 1 else {x: char, x + 1: ""}
        proof = None if char == _BLANK else (x, char)
        self._guesses.append(_Guess(at, self._drawn | drawn, x + width, proof, length))

    def _erase(self, now: float) -> None:
        """Guess that the last character of the run is taken back."""
        if not self._guesses:
            self._guess_anew(now)
        x = self._x
        first = x - cells_of(self._run[-1][0]) if self._run else -1
        if first < 0 or self._stuck or not self._is_blank(x, x + 1):
            self._other()
            return
        self._run.pop()
        self._echoed = min(self._echoed, len(self._run))
        drawn = self._drawn | dict.fromkeys(range(first, x), _BLANK)
        self._guesses.append(_Guess(now, drawn, first, None, len(self._run)))

    @property
    def _drawn(self) -> dict[int, str]:
        """The cells that were guessed so far."""
        return self._guesses[-1].cells if self._guesses else {}

    @property
    def _x(self) -> int:
        if self._guesses:
            return self._guesses[-1].x
        return self._base.x if self._base else 0

    def _is_blank(self, first: int, end: int) -> bool:
        """Tell whether there are such cells, and all of them are blank as guessed so far."""
        base, drawn = self._base, self._drawn
        if base is None or end > len(base.cells):
            return False
        return all(drawn.get(at, base.cells[at]) == _BLANK for at in range(first, end))

    # --- comparing

    def _compare(self, line: CursorLine, base: CursorLine, now: float) -> None:
        touched = self._guesses[-1].cells
        if line.x == base.x and all(line.cells[at] == base.cells[at] for at in touched):
            return  # as it was: nothing of them has arrived
        seen = next((n for n, guess in enumerate(self._guesses) if guess.is_seen(line)), None)
        if seen is None:
            if self._were_wrong():
                # The first of them did something else, and is done with.
                self._run, self._echoed = self._run[self._guesses[0].length :], 0
            self._guess_anew(now)
        else:
            self._settle(seen, line, now)

    def _settle(self, seen: int, line: CursorLine, now: float) -> None:
        """The guess of this index was right, and so are those before it."""
        settled, self._guesses = self._guesses[: seen + 1], self._guesses[seen + 1 :]
        self._base = line
        if settled[-1].char:
            self._measure(now - settled[-1].at)
        if not self._before_other:
            chars = [guess.char for guess in settled if guess.char]
            proofs = sum(line.cells[at] == text for at, text in chars)
            self._unproven = max(0, self._unproven - proofs)
            self._echoed = max(self._echoed, min(settled[-1].length, len(self._run)))
        if not self._guesses:
            self._guess_anew(now)

    def _measure(self, seconds: float) -> None:
        known = seconds if self.seconds is None else self.seconds
        self.seconds = known + (seconds - known) * _SMOOTHING
        self._slow = self.seconds > (QUICK_SECONDS if self._slow else SLOW_SECONDS)

    def _were_wrong(self) -> bool:
        """Show nothing for a while, if something wrong was shown; return whether it was."""
        shown = self.is_shown and not self._before_other
        if shown:
            self._unproven = PROOFS
        return shown

    def _clear_run(self) -> None:
        self._run, self._echoed = [], 0

    def _drop(self) -> None:
        self._guesses = []
        self._stuck = self._before_other = False
