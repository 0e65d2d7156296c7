"""Writes a turn of the agent to the terminal while it is streamed.

Text is plain at first; each piece is replaced by its rendered Markdown when it is final.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from wcwidth import iter_graphemes, wcswidth

from nagomi_tui.agent.chat.terminal import Terminal
from nagomi_tui.agent.talk import events
from nagomi_tui.text.cells import HIDDEN, cells, cut, printable, printable_lines
from nagomi_tui.text.markdown import Piece, Pieces, Renderer
from nagomi_tui.text.words import Words, translatable

Size = Callable[[], tuple[int, int]]

_TOGETHER: Final = "\x1b[?2026h{}\x1b[?2026l"
"""Synchronized output (DEC mode 2026): terminals that know it show the text in one step."""
_UNWRAPPED: Final = "\x1b[?7l{}\x1b[?7h"
"""Autowrap off (DECAWM): `Live` breaks lines, also where the terminal's widths differ."""


class Live:
    """Writes a piece as plain text, and erases it again when its rendering is ready.

    A piece is not erased if it is too tall for the screen, or if the terminal's width changed since
    it was begun: then the row of its beginning is not known. `fixed` means that no piece is erased,
    since the terminal cannot move its cursor.
    """

    def __init__(self, write: Callable[[str], None], size: Size, *, fixed: bool) -> None:
        self._write = write
        self._size = size
        self._fixed = fixed
        self._row = 0
        self._column = 0
        self._width = 0
        self.stays = fixed

    @property
    def column(self) -> int:
        return self._column

    @property
    def is_tall(self) -> bool:
        """Tell whether the piece fills the screen up to its last rows."""
        return self._row >= self._size()[1] - 2

    def more(self, text: str) -> None:
        """Write text at the end of the piece."""
        if not text:
            return
        columns = self._size()[0]
        if self._width not in (0, columns):
            self.stays = True
        self._width = columns
        self._write(_UNWRAPPED.format("".join(self._broken(printable_lines(text), columns))))

    def replace(self, rendered: str) -> None:
        """Write `rendered` in the place of the piece, and begin another piece below it.

        A piece that cannot be erased stays, and `rendered` is not written.
        """
        if self.stays or (self._width and self._size()[0] != self._width):
            self._write("\r\n" if self._column else "")
        else:
            self._write(_TOGETHER.format(self._erasing() + rendered.replace("\n", "\r\n")))
        self.begin()

    def begin(self, *, stays: bool = False) -> None:
        """Begin a piece at the cursor's row; with `stays` it is not to be erased."""
        self._row = self._column = self._width = 0
        self.stays = stays or self._fixed

    def _erasing(self) -> str:
        up = f"\x1b[{self._row}A" if self._row else ""
        return f"\r{up}\x1b[J" if self._width else ""

    def _broken(self, text: str, columns: int) -> list[str]:
        out = []
        for cluster in iter_graphemes(text.expandtabs(4)):
            if cluster in ("\n", "\r\n"):
                out.append(self._next_row())
                continue
            width = max(0, wcswidth(cluster))
            if self._column + width > columns:
                out.append(self._next_row())
            self._column += width
            out.append(cluster)
        return out

    def _next_row(self) -> str:
        self._row += 1
        self._column = 0
        return "\r\n"


_PARTS: Final = re.compile(r"[^\n]*\n|[^\n]+")
_COLORS: Final = {"+": "32", "-": "31", "@": "36"}
_RISK_WORDS: Final = {
    "low": translatable("low"),
    "medium": translatable("medium"),
    "high": translatable("high"),
}
_RISKS: Final = {"low": "32", "medium": "33", "high": "31"}


FOOTER_ROWS: Final = 2
"""Rows below a turn that runs: how long it takes, and what is typed meanwhile."""


class Shown:
    """One turn on the terminal."""

    def __init__(self, terminal: Terminal, words: Words, *, below: int = 0) -> None:
        """`below` is the number of rows below the turn that the terminal keeps for a footer."""
        self._terminal = terminal
        self._below = below
        self._words = words
        self._live = Live(terminal.write, self._room, fixed=not terminal.can_move)
        self._pieces = Pieces()
        self._renderer = Renderer(color=terminal.color)
        self._tools: dict[str, str] = {}
        self._follows = False
        self._waits = False
        self.spoke = False
        self.characters = 0
        """How long the answers are so far."""

    def _room(self) -> tuple[int, int]:
        """Return the columns and rows that there are above the footer."""
        columns, rows = self._terminal.size()
        return columns, max(1, rows - self._below)

    def column(self) -> int:
        return self._live.column

    def wait(self) -> None:
        """Show that the model is being asked, until the first event arrives.

        Where a footer tells it, nothing more is shown.
        """
        if self._below:
            return
        self._waits = True
        self._live.more(self._words.gettext("… (Ctrl+C ends the turn)"))

    def text(self, chunk: str) -> None:
        """Show the next chunk of the answer's text."""
        self.stop_waiting()
        self.spoke = self.spoke or bool(chunk.strip())
        self.characters += len(chunk)
        for part in _PARTS.findall(chunk):
            self._part(part)

    def _part(self, part: str) -> None:
        final = self._pieces.feed(part)
        if final:
            self._settle(final, part)
        elif self._pieces.open:
            self._gap()
            self._live.more(part)
            if self._live.is_tall:
                self._make_room()

    def _make_room(self) -> None:
        """Render the whole lines of a piece that fills the screen; without one it stays plain."""
        if cut := self._pieces.cut():
            self._settle([cut], "")
        else:
            self._live.stays = True

    def _settle(self, final: list[Piece], part: str) -> None:
        """Replace the plain text of final pieces by their rendering, and show the next piece below.

        `part` is the text that made them final; it is written where their plain text stays.
        """
        self._gap()
        if self._live.stays:
            self._live.more(part)
            self._live.replace("")
            self._live.begin(stays=bool(self._pieces.open))
        else:
            self._live.replace("\n".join(map(self._rendered, final)))
        self._follows = final[-1].ends
        if self._pieces.open and not self._live.stays:
            self._gap()
            self._live.more(self._pieces.open)

    def _gap(self) -> None:
        """Write an empty line before a piece that follows other output."""
        if self._follows:
            self._follows = False
            self._terminal.write("\r\n")

    def _rendered(self, piece: Piece) -> str:
        return self._renderer.render(piece, self._terminal.size()[0])

    def _flush(self) -> None:
        self.stop_waiting()
        if final := self._pieces.end():
            self._settle(final, "")

    def stop_waiting(self) -> None:
        """Take back that the model is being asked."""
        if self._waits:
            self._waits = False
            self._live.replace("")

    def tool_started(self, event: events.ToolStarted) -> None:
        """Show what a tool does, until it has ended."""
        self._flush()
        self._tools[event.id] = cut(printable(event.summary), max(10, self._terminal.size()[0] - 3))
        self._live.more(f"▸ {self._tools[event.id]}")

    def tool_ended(self, event: events.ToolEnded) -> None:
        """Show how a tool ended, in place of the line on its start."""
        begun = self._tools.pop(event.id, "")
        sign = "✓" if event.ok else "✗"
        self._live.replace("")
        told = cut(
            " · ".join(filter(None, (begun, printable(event.summary)))),
            max(10, self._terminal.size()[0] - 3),
        )
        self._line(f"{sign} {told}", "2" if event.ok else "33")

    def stage(self, text: str) -> None:
        """Show what is done before the answer begins, and that it is still waited for."""
        self.notice(text)
        self.wait()

    def notice(self, text: str) -> None:
        """Show a sentence beside the answer."""
        self._flush()
        self._line(printable(text), "2")

    def question(self, question: events.Question) -> None:
        """Show exactly what would be done, and which keys answer; what is asked stays in sight."""
        self._flush()
        self._live.replace("")
        title = f"? {visible(question.title)}"
        lines = question.detail.split("\n") if question.detail else []
        said = [(f"  {visible(line)}", _COLORS.get(line[:1], "")) for line in lines]
        if question.again:
            said.append((f"  {printable(question.again)}", "33"))
        if question.risk:
            risk = self._words.gettext(_RISK_WORDS.get(question.risk, question.risk))
            told = self._words.say("risk: {risk}", risk=risk)
            said.append((f"  {told}", _RISKS.get(question.risk, "")))
        keys = [self._words.gettext("o once"), self._words.gettext("n no (Enter: no)")]
        if question.scope:
            keys.insert(1, f"c {visible(question.scope)}")
        columns, rows = self._terminal.size()
        *before, last = keys
        joined = f"  {' · '.join(keys)} "
        if cells(joined) >= columns:
            joined = "\n".join(f"  {key}" for key in before) + f"\n  {last} "
        self._line(title, "1")
        for text, color in said:
            self._line(text, color)
        taken = [title, *(text for text, _ in said), *joined.split("\n")]
        if sum(-(-cells(text) // columns) or 1 for text in taken) >= rows:  # the footer takes one
            self._line(title, "1")
        self._live.more(joined)

    def answered(self, choice: events.Choice, scope: str = "") -> None:
        """Show what the user chose."""
        said = {
            "once": self._words.gettext("yes, this once"),
            "conversation": self._words.say("yes: {scope}", scope=visible(scope)),
            "no": self._words.gettext("no"),
        }
        self._live.replace(self._terminal.styled(f"  → {said[choice]}", "1") + "\n")

    def acted(self, event: events.Acted) -> None:
        """Show what a tool does by a yes for the conversation, as exactly as it was asked then."""
        self._flush()
        self._live.replace("")
        self._line(
            f"→ {visible(event.title)} ({self._words.gettext('as you allowed: /grants')})", ""
        )
        for line in event.detail.split("\n") if event.detail else ():
            self._line(f"  {visible(line)}", _COLORS.get(line[:1], ""))

    def ended(self, event: events.TurnEnded) -> None:
        """Show the last piece; for a failed turn also the reason, and how to say it again."""
        if event.outcome == "done" and not self.spoke:
            self.text(event.text)
        self._flush()
        if event.outcome == "failed":
            self._live.replace("")  # the keys of a question that nobody answers any more
            self._line(printable(event.text), "31")
            if "/retry" not in event.text:
                self._line(self._words.gettext("/retry says it again."), "2")

    def cancelled(self) -> None:
        """Keep the text received so far, and say that the turn was cancelled."""
        self._flush()
        self._live.replace("")
        self._line(self._words.gettext("Ended here; what came is kept."), "2")

    def _line(self, text: str, sgr: str) -> None:
        self._terminal.line(text, sgr)
        self._live.begin()
        self._follows = True


_MOST_SAID: Final = 3
_MOST_ANSWERED: Final = 12


def show_exchange(last: events.Exchange, terminal: Terminal) -> None:
    """Show the last words of a conversation: the user's dim, and the end of the answer."""
    columns = terminal.size()[0]
    said = last.said.strip().splitlines() or [""]
    more = " …" if len(said) > _MOST_SAID else ""
    for at, line in enumerate(said[:_MOST_SAID]):
        terminal.line(("❯ " if at == 0 else "  ") + printable(line) + more * (at == 2), "2")
    pieces = Pieces()
    renderer = Renderer(color=terminal.color)
    whole = [*pieces.feed(last.answered), *pieces.end()]
    rows = "\n".join(renderer.render(piece, columns) for piece in whole).splitlines()
    if len(rows) > _MOST_ANSWERED:
        terminal.line("…", "2")
    terminal.write("".join(f"{row}\r\n" for row in rows[-_MOST_ANSWERED:]))


def visible(text: str) -> str:
    """Return text with control and format characters escaped, so that a question hides nothing."""
    return HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
