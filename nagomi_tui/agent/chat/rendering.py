"""Renders Markdown pieces for a terminal with rich, which is imported at the first use."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.core.text.plain import printable_lines

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from nagomi_tui.agent.chat.pieces import Piece

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
        from rich.console import Console
        from rich.theme import Theme

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
        from rich.markdown import Heading, Markdown

        if self._parser is None:
            self._parser = MarkdownIt("commonmark", {"html": False})
            self._parser.enable("strikethrough").enable("table")
        Heading.LEVEL_ALIGN["h1"] = "left"
        made = Markdown("", hyperlinks=False, inline_code_lexer=None)
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


def _tidy(text: str) -> str:
    """Remove trailing spaces from each line, and blank lines at the beginning and the end."""
    lines = [_TRAILING.sub(_only_sgr, line) for line in text.split("\n")]
    filled = [at for at, line in enumerate(lines) if _SGR.sub("", line).strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) + "\n" if filled else ""


def _only_sgr(found: re.Match[str]) -> str:
    return found[1].replace(" ", "")


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
