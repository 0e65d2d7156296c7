"""Cuts streamed Markdown into final pieces (paragraphs, lists, code blocks).

A piece is final when text that arrives later cannot change how it is rendered.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

_FENCE: Final = re.compile(r"( {0,3})(`{3,}|~{3,})([^`\n]*)")
_ITEM: Final = re.compile(r" {0,3}([-*+]|\d{1,9}[.)])(\s|$)")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(\s|$)")


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
