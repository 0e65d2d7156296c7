"""The terminal of `nagomi chat` while a turn runs.

Ctrl+C stops the turn, and keys may answer its question; all others are kept for the next prompt.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import anyio
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import Output

from nagomi_tui.agent.talk.events import Choice
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.cells import cells, cut, printable, wrap
from nagomi_tui.text.key_names import ALONE_SECONDS, BEHIND_SECONDS

_SGR: Final = re.compile(r"(\x1b\[[0-9;]*m)")
_SEQUENCE: Final = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]")
_DUMB: Final = ("dumb", "unknown", "")


class Terminal:
    """Writes through prompt_toolkit's output, so that prompt and answers keep their order."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.color = not os.environ.get("NO_COLOR")
        self.can_move = os.environ.get("TERM", "").lower() not in _DUMB or WINDOWS
        self._footer: Callable[[int], list[str]] | None = None
        self._column_above: Callable[[], int] = lambda: 0
        self._shown = False
        """Whether the footer stands on the screen."""
        self._column = 0
        """The column of the cursor in the output above the footer."""

    def size(self) -> tuple[int, int]:
        """Return columns and rows."""
        found = self._output.get_size()
        return max(1, found.columns), max(1, found.rows)

    def write(self, text: str) -> None:
        """Write text as it is, escape sequences included, and keep the footer below it."""
        erased = self._erased()
        if plain := _SEQUENCE.sub("", text):
            stays = self._footer is not None and plain[-1] not in "\r\n"
            self._column = self._column_above() if stays else 0
        self._output.write_raw(erased + text + self._drawn())
        self._output.flush()

    @contextmanager
    def footed(
        self, footer: Callable[[int], list[str]], column: Callable[[], int]
    ) -> Iterator[None]:
        """Show lines below what is written until the end of the block.

        `footer` returns them for so many columns, `column` that of the cursor in the output above.
        """
        if not self.can_move:
            yield
            return
        self._footer, self._column_above = footer, column
        self.write("")
        try:
            yield
        finally:
            text, self._footer = self._erased(), None
            self.write(text)

    def refresh(self) -> None:
        """Draw the footer again, as it is now."""
        if self._footer is not None:
            self.write("")

    def _erased(self) -> str:
        """Return what erases the footer: it alone stands behind the cursor."""
        if not self._shown:
            return ""
        self._shown = False
        return "\x1b[J"

    def _drawn(self) -> str:
        """Return what draws the footer below the cursor's row, and takes the cursor back."""
        if self._footer is None:
            return ""
        columns = self.size()[0]
        lines = [cut(line, columns - 1) for line in self._footer(columns - 1)]
        if not lines:
            return ""
        self._shown = True
        drawn = "".join(f"\r\n{self.styled(line, '2')}" for line in lines)
        return f"{drawn}\x1b[{len(lines)}A\x1b[{min(columns, self._column + 1)}G"

    def line(self, text: str, sgr: str = "") -> None:
        """Write a line in the style of an SGR parameter, broken between words where it is too long."""
        lines = broken(text, self.size()[0])
        self.write("".join(f"{self.styled(line, sgr)}\r\n" for line in lines))

    def styled(self, text: str, sgr: str) -> str:
        """Return text in the style of an SGR parameter, such as `31`; colours obey `NO_COLOR`."""
        if not sgr or (sgr.startswith("3") and not self.color):
            return text
        return f"\x1b[{sgr}m{text}\x1b[0m"

    def reply(self, text: str) -> None:
        """Write a line of a command's reply; its SGR sequences are removed under `NO_COLOR`."""
        coloured = _SGR.split(text)
        plain = "".join(
            printable(part) if at % 2 == 0 else part for at, part in enumerate(coloured)
        )
        if len(coloured) == 1:
            self.line(plain)
        else:
            self.write((plain if self.color else _SGR.sub("", plain)) + "\r\n")


def broken(text: str, columns: int) -> list[str]:
    """Return a line as lines of at most `columns` cells, broken between words.

    The lines after the first are indented as it is, and a little more.
    """
    if cells(text) <= columns:
        return [text]
    indent = len(text) - len(text.lstrip(" "))
    more = " " * min(indent + 2 if indent else 0, columns // 4)
    first, *rest = wrap(text, max(1, columns - max(indent, len(more)))) or [""]
    return [" " * indent + first, *(more + line for line in rest)]


_CHOICES: Final[dict[str, Choice]] = {
    "o": "once", "c": "conversation", "n": "no",
    Keys.ControlM.value: "no", Keys.ControlJ.value: "no", Keys.Escape.value: "no",
    Keys.ControlD.value: "no",
}  # fmt: skip


class Keyboard:
    """Reads the terminal while a turn runs."""

    def __init__(self, input: Input, output: Output) -> None:
        self._input = input
        self._output = output
        self._cancel: Callable[[], None] = lambda: None
        self._question: _Question | None = None
        self.typed = ""
        """What was typed for the next prompt, as it will stand there."""
        self.on_typed: Callable[[], object] = lambda: None

    @contextmanager
    def listening(self, cancel: Callable[[], None]) -> Iterator[None]:
        """Read keys until the end of the block; Ctrl+C or a closed terminal calls `cancel`."""
        self._cancel = cancel
        self.typed = ""
        self._output.enable_bracketed_paste()
        self._output.flush()
        try:
            with self._input.raw_mode(), self._input.attach(self._read):
                yield
        finally:
            self._output.disable_bracketed_paste()
            self._output.flush()
            self._cancel = lambda: None

    async def choice(self, *, may_grant: bool = True) -> Choice:
        """Wait for a key that answers the question on the screen.

        Without `may_grant`, the key for the whole conversation is none of them.
        """
        self._read()  # keys typed before the question are no answer; the prompt gets them
        self._question = _Question(may_grant)
        try:
            return await self._question.answer()
        finally:
            self._question = None

    @property
    def is_asking(self) -> bool:
        """Whether a question waits for its key."""
        return self._question is not None

    def _read(self) -> None:
        keys = [*self._input.read_keys(), *self._input.flush_keys()]
        if any(key.key == Keys.ControlC for key in keys) or self._input.closed:
            self._cancel()
        elif self._question is None or not self._question.take(keys):
            store_typeahead(self._input, keys)
            self.typed = edited(self.typed, keys)
            self.on_typed()


def edited(text: str, keys: Iterable[KeyPress]) -> str:
    """Return the text that keys make of it in the prompt; a line that they send ends in ⏎."""
    for key in keys:
        name = key.key.value if isinstance(key.key, Keys) else key.key
        if name in (Keys.ControlM.value, Keys.ControlJ.value):
            text += "⏎ "
        elif name in (Keys.Backspace.value, Keys.ControlH.value):
            text = text[:-1]
        elif name == Keys.ControlU.value:
            text = text[: text.rfind("⏎ ") + 2] if "⏎ " in text else ""
        elif name == Keys.BracketedPaste.value:
            text += key.data
        elif len(name) == 1:
            text += name
    return text


class _Question:
    """Decides which keys answer a question, and which were typed for the prompt.

    A key answers it if there was none for `BEHIND_SECONDS` before, as a user who still types has not
    seen the question, and none comes within `ALONE_SECONDS` after it.
    """

    def __init__(self, may_grant: bool) -> None:
        self._may_grant = may_grant
        self._taken: list[KeyPress] = []
        self._came = anyio.Event()
        self._open_at = anyio.current_time() + BEHIND_SECONDS

    def take(self, keys: list[KeyPress]) -> bool:
        """Take keys as a possible answer; return False if they came too early to be one.

        Keys that came too early belong to the caller, and begin the wait for silence anew.
        """
        early = anyio.current_time() < self._open_at
        self._open_at = max(self._open_at, anyio.current_time() + (BEHIND_SECONDS if early else 0))
        if early:
            return False
        self._taken += keys
        self._came.set()
        return True

    async def answer(self) -> Choice:
        """Wait for a key with a meaning that no other key follows, and return its choice."""
        while True:
            await self._came.wait()
            await anyio.sleep(ALONE_SECONDS)
            taken, self._taken, self._came = self._taken, [], anyio.Event()
            choice = _meant(taken[0]) if len(taken) == 1 else None
            if choice and (choice != "conversation" or self._may_grant):
                return choice
            self._open_at = anyio.current_time() + BEHIND_SECONDS


def _meant(key: KeyPress) -> Choice | None:
    """Return the choice of a key, full-width letters included; None for any other key."""
    name = key.key.value if isinstance(key.key, Keys) else key.key
    return _CHOICES.get(unicodedata.normalize("NFKC", name).casefold())
