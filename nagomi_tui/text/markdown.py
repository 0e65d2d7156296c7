"""Renders Markdown for a terminal: pages whole, and an answer that still arrives piece by piece.

A piece is final when text that arrives later cannot change how it is rendered.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

import msgspec

from nagomi_tui.text.cells import line_starts, printable_lines

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_FENCE: Final = re.compile(r"( {0,3})(`{3,}|~{3,})([^`\n]*)")
_ITEM: Final = re.compile(r" {0,3}([-*+]|\d{1,9}[.)])(\s|$)")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(\s|$)")
_REDACTED: Final = "***REDACTED***"
"""What stands for a masked secret (N-86): its stars are no emphasis."""


class Piece(msgspec.Struct, frozen=True):
    """A piece of an answer, or a part of one that was cut as it was too tall for the screen."""

    text: str
    """Markdown; for a code block, its lines without the fences."""
    code: bool = False
    language: str = ""
    begins: bool = True
    ends: bool = True
    """`begins` and `ends` are False where another part of a cut piece comes before or after."""


class _Fence(msgspec.Struct, frozen=True):
    mark: str
    language: str

    def is_closed_by(self, line: str) -> bool:
        bare = line.strip()
        return bare.startswith(self.mark) and not bare.strip(self.mark[0])


class Pieces:
    """Takes an answer as it arrives, and parses each line once."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._partial: list[str] = []
        self._fence: _Fence | None = None
        self._code = False
        self._begins = True

    @property
    def open(self) -> str:
        """The text of the unfinished piece so far; for code, with its opening fence."""
        head = f"{self._fence.mark}{self._fence.language}\n" if self._code and self._fence else ""
        return (head if self._begins else "") + "".join((*self._lines, *self._partial))

    def feed(self, text: str) -> list[Piece]:
        """Take text in which only the last character may be a line end; return the final pieces."""
        self._partial.append(text)
        if not text.endswith("\n"):
            return []
        line = "".join(self._partial)
        self._partial.clear()
        return self._line(line)

    def cut(self) -> Piece | None:
        """Return the whole lines of the unfinished piece as a part; None if it has no whole line."""
        return self._take(ends=False) if self._lines else None

    def end(self) -> list[Piece]:
        """Return the pieces that are left when the answer has ended."""
        if self._partial and not "".join(self._partial).endswith("\n"):
            self._partial.append("\n")
        last = self.feed("") if not self._partial else self._line("".join(self._drained()))
        return [*last, *([self._take()] if self._lines or self._code else [])]

    def _drained(self) -> list[str]:
        partial, self._partial = self._partial, []
        return partial

    def _line(self, line: str) -> list[Piece]:
        if self._fence is not None:
            return self._in_fence(self._fence, line)
        if not line.strip():
            return self._blank(line)
        over = [self._take()] if self._lines and self._is_over(line) else []
        fence = _FENCE.match(line)
        if fence:
            self._fence = _Fence(fence[2], fence[3].strip())
            self._code = not self._lines
        if not self._code:
            self._lines.append(line)
        if _HEADING.match(line) and len(self._lines) == 1:
            over.append(self._take())
        return over

    def _in_fence(self, fence: _Fence, line: str) -> list[Piece]:
        closed = fence.is_closed_by(line)
        if not (closed and self._code):
            self._lines.append(line)
        if closed and self._code:
            return [self._take()]
        if closed:
            self._fence = None
        return []

    def _blank(self, line: str) -> list[Piece]:
        """End a paragraph at a blank line; a list may go on after one."""
        if self._is_list():
            self._lines.append(line)
            return []
        return [self._take()] if self._lines else []

    def _is_over(self, line: str) -> bool:
        """Tell whether `line`, which is not blank, begins another piece."""
        if _HEADING.match(line) or (_FENCE.match(line) and not self._is_list()):
            return True
        if not self._is_list() or self._lines[-1].strip():
            return False
        return not (line.startswith((" ", "\t")) or _ITEM.match(line))

    def _is_list(self) -> bool:
        return bool(self._lines) and _ITEM.match(self._lines[0]) is not None

    def _take(self, *, ends: bool = True) -> Piece:
        fence = self._fence if self._code else None
        piece = Piece(
            "".join(self._lines),
            code=fence is not None,
            language=fence.language if fence else "",
            begins=self._begins,
            ends=ends,
        )
        self._lines.clear()
        self._begins = ends
        if ends:
            self._fence, self._code = None, False
        return piece


_SGR: Final = re.compile(r"\x1b\[[0-9;]*m")
_TRAILING: Final = re.compile(r" +((?:\x1b\[[0-9;]*m| )*)$")
_STYLES: Final = {
    "markdown.code": "bold",
    "markdown.code_block": "none",
    "markdown.block_quote": "italic",
    "markdown.list": "none",
    "markdown.item.number": "bold",
    "markdown.h1": "bold underline",
    "markdown.h2": "bold underline",
    "markdown.h3": "bold",
    "markdown.h4": "bold",
    "markdown.link": "underline",
    "markdown.link_url": "underline",
    "markdown.table.border": "dim",
    "markdown.table.header": "bold",
}
"""Text attributes only and no colours, so that text is readable on any background."""


class Renderer:
    """Turns pieces into text with SGR sequences; without `color`, these set attributes only."""

    def __init__(self, *, color: bool) -> None:
        self._color = color
        self._parser: Any = None

    def render(self, piece: Piece, width: int) -> str:
        """Return the piece rendered `width` cells wide, at least 10, with a line end after each row.

        A piece that rich cannot render is returned as plain text.
        """
        from rich.errors import ConsoleError, MarkupError, StyleError

        try:
            return self._rendered(piece, max(10, width))
        except (ConsoleError, MarkupError, StyleError, RecursionError, ValueError, IndexError):
            return printable_lines(piece.text)

    def _rendered(self, piece: Piece, width: int) -> str:
        console = self._console(width)
        text = printable_lines(piece.text)
        if piece.code:
            self._print_code(console, piece, text)
        else:
            console.print(self._markdown(text))
        file: Any = console.file
        return _tidy(file.getvalue())

    def _console(self, width: int) -> Console:
        import rich.text
        from rich.console import Console
        from rich.theme import Theme

        # rich breaks lines at spaces alone, and cuts off in a table what has none, as Japanese.
        vars(rich.text)["divide_line"] = _broken
        return Console(
            file=io.StringIO(),
            width=width,
            height=25,
            force_terminal=True,
            color_system="standard",
            no_color=not self._color,
            legacy_windows=False,
            highlight=False,
            emoji=False,
            theme=Theme(_STYLES),
        )

    def _markdown(self, text: str) -> RenderableType:
        """Return Markdown with HTML shown as text (as in `List<String>`), and with link targets."""
        from markdown_it import MarkdownIt
        from rich.markdown import Heading, Markdown, TableElement

        class Table(TableElement):
            """A table of whose cells nothing is cut off, and whose header is shown if it says something."""

            def __rich_console__(self, *at: Any) -> Any:
                for table in super().__rich_console__(*at):
                    made = cast("Any", table)
                    made.show_header = any(column.header for column in made.columns)
                    for column in made.columns:
                        column.overflow = "fold"
                    yield made

        class Tables(Markdown):
            elements: ClassVar[Any] = Markdown.elements | {"table_open": Table}

        if self._parser is None:
            self._parser = MarkdownIt("commonmark", {"html": False})
            self._parser.enable("strikethrough").enable("table")
            self._parser.inline.ruler.before("emphasis", "redacted", _redacted)
        Heading.LEVEL_ALIGN["h1"] = "left"
        made = Tables("", hyperlinks=False, inline_code_lexer=None)
        made.markup, made.parsed = text, self._parser.parse(text)
        return made

    def _print_code(self, console: Console, piece: Piece, text: str) -> None:
        from rich.syntax import Syntax

        if piece.begins:
            console.print(f"```{printable_lines(piece.language)}", style="dim", markup=False)
        if text.strip("\n"):
            language = piece.language.partition(" ")[0] or "text"
            console.print(Syntax(text.rstrip("\n"), language, theme=_code_theme(), word_wrap=True))
        if piece.ends:
            console.print("```", style="dim")


def _redacted(state: Any, silent: bool) -> bool:
    """Take what stands for a secret as text: a rule of the parser, as it asks for one."""
    found: bool = state.src.startswith(_REDACTED, state.pos)
    if found:
        state.pending += "" if silent else _REDACTED
        state.pos += len(_REDACTED)
    return found


def _broken(text: str, width: int, fold: bool = True) -> list[int]:
    """Return where lines begin, as `rich.text` asks for it; they always fit, whatever `fold` says."""
    return line_starts(text, width)


def _tidy(text: str) -> str:
    """Remove trailing spaces from each line, and blank lines at the beginning and the end."""
    lines = [
        _TRAILING.sub(lambda found: found[1].replace(" ", ""), line) for line in text.split("\n")
    ]
    filled = [at for at, line in enumerate(lines) if _SGR.sub("", line).strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) + "\n" if filled else ""


def _code_theme() -> Any:
    """Return a theme from the terminal's palette, readable on light and dark backgrounds."""
    from pygments import token
    from rich.style import Style
    from rich.syntax import ANSISyntaxTheme

    return ANSISyntaxTheme(
        {
            token.Token: Style(),
            token.Comment: Style(dim=True, italic=True),
            token.Keyword: Style(color="magenta"),
            token.Operator.Word: Style(color="magenta"),
            token.Name.Function: Style(color="blue"),
            token.Name.Class: Style(color="blue"),
            token.Name.Builtin: Style(color="cyan"),
            token.String: Style(color="green"),
            token.Number: Style(color="cyan"),
            token.Generic.Deleted: Style(color="red"),
            token.Generic.Inserted: Style(color="green"),
            token.Generic.Heading: Style(bold=True),
            token.Error: Style(),
        }
    )
