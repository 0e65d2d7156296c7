"""Removes `[INNER]…[/INNER]` from the model's streamed text (MB-6 to MB-8, MC-6).

- The text between an opening tag and its closing tag is an inner block. Of several blocks only the
  last one that is not blank counts.
- Tags may be nested: the block ends with the tag that closes its first tag, and holds the text of
  all levels. A block that is never closed does not count, and hides all text after its first tag.
- A closing tag without an opening tag is removed.
- In code (a fence or a span between backticks) a tag is ordinary text: it stays visible, and neither
  opens nor closes a block. Within a block, fences are ordinary text.
- Inner blocks between `[ACTION]` and `[/ACTION]` are removed, too, and do not count.
- An incomplete tag is removed at the end of the text, and directly before a tag.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

_PARTS: Final = r"(?:\[(?:I(?:N(?:N(?:ER?)?)?)?|/(?:I(?:N(?:N(?:ER?)?)?)?)?)?)*"
"""Beginnings of tags: when a tag is removed, the text around it must not form a new tag."""
_TAG: Final = re.compile(_PARTS + r"\[(/?)INNER\]")
_TAG_PART: Final = re.compile(_PARTS)
_ACTION: Final = re.compile(r"\[(/?)ACTION\]")
_ACTION_PARTS: Final = frozenset(
    tag[:length] for tag in ("[ACTION]", "[/ACTION]") for length in range(1, len(tag))
)
_FENCE: Final = re.compile(r" {0,3}(`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})[^\n]*\n?")
_MAYBE_FENCE: Final = re.compile(r" {0,3}(?:`{0,2}|`{3,}[^`\n]*|~{0,2}|~{3,}[^\n]*)\Z")
_CLOSES: Final = re.compile(r" {0,3}(`+|~+)[ \t]*\n?\Z")
_TICKS: Final = re.compile("`+")
_PLAIN: Final = re.compile(r"[^`\[\n]+")


class Tagged(msgspec.Struct, frozen=True):
    """The text for the user, and the inner block that counts; None if there is none."""

    visible: str
    inner: str | None = None


def inner_blocks(text: str) -> Tagged:
    """Split a whole text into its visible part and its inner block."""
    filter = InnerFilter()
    visible = filter.feed(text) + filter.finish()
    return Tagged(visible, filter.inner)


class InnerFilter:
    """Takes a text in pieces, and returns its visible part as soon as it is certain."""

    def __init__(self) -> None:
        self.inner: str | None = None
        """The last inner block so far; None if there was none."""
        self._rest = ""
        self._at = 0
        self._fence = ""
        self._line_starts = True
        self._depth = 0
        self._block: list[str] = []
        self._before_action: tuple[str | None] | None = None

    def feed(self, piece: str) -> str:
        """Take the next piece, and return the text that is now known to be visible."""
        self._rest = self._rest[self._at :] + piece
        self._at = 0
        return self._read(final=False)

    def finish(self) -> str:
        """Return the visible part of what is left, after the last piece."""
        return self._read(final=True)

    def _read(self, *, final: bool) -> str:
        visible: list[str] = []
        while self._at < len(self._rest):
            taken = self._next(final=final)
            if taken is None:
                break
            visible.append(taken)
        return "".join(visible)

    def _next(self, *, final: bool) -> str | None:
        """Read on, and return the visible text; None if that depends on text yet to come."""
        if self._fence:
            return self._code_line(final=final)
        if self._line_starts and not self._depth:
            if not final and _MAYBE_FENCE.match(self._rest, self._at):
                return None
            if fence := _FENCE.match(self._rest, self._at):
                self._fence = fence[1]
                return self._take(fence.end())
        match self._rest[self._at]:
            case "[":
                return self._bracket(final=final)
            case "`":
                return self._ticks(final=final)
            case "\n":
                return self._words(self._at + 1)
            case _:
                return self._words(self._end_of(_PLAIN))

    def _code_line(self, *, final: bool) -> str | None:
        """Take a line within a fence; None if the line is not complete yet."""
        end = self._rest.find("\n", self._at) + 1
        if not end and not final:
            return None
        line = self._take(end or len(self._rest))
        closing = _CLOSES.match(line)
        if closing and closing[1].startswith(self._fence):
            self._fence = ""
        return line

    def _bracket(self, *, final: bool) -> str | None:
        if tag := _TAG.match(self._rest, self._at):
            self._at = tag.end()
            self._tag(closes=bool(tag[1]))
            return ""
        if action := _ACTION.match(self._rest, self._at):
            self._action(closes=bool(action[1]))
            return self._words(action.end())
        parts = self._end_of(_TAG_PART)
        if parts == len(self._rest):
            return self._words(parts, hidden=True) if final else None
        last = self._rest.rfind("[", self._at, parts)
        if last > self._at:
            return self._words(last)
        if not final and self._rest[self._at :] in _ACTION_PARTS:
            return None
        return self._words(self._at + 1)

    def _ticks(self, *, final: bool) -> str | None:
        """Take a code span up to the same number of backticks on its line.

        Without them, take the opening backticks alone; None if the line is not complete yet.
        """
        ticks = _TICKS.match(self._rest, self._at)
        assert ticks is not None
        line_end = self._rest.find("\n", self._at)
        for closing in _TICKS.finditer(
            self._rest, ticks.end(), line_end if line_end != -1 else len(self._rest)
        ):
            if closing[0] == ticks[0] and (final or closing.end() < len(self._rest)):
                return self._words(closing.end())
        if line_end == -1 and not final:
            return None
        return self._words(ticks.end())

    def _tag(self, *, closes: bool) -> None:
        if not closes:
            self._depth += 1
        elif self._depth:
            self._depth -= 1
            if not self._depth:
                self.inner = "".join(self._block).strip() or self.inner
                self._block = []

    def _action(self, *, closes: bool) -> None:
        if self._depth:
            return
        if not closes:
            self._before_action = self._before_action or (self.inner,)
        elif self._before_action:
            (self.inner,) = self._before_action
            self._before_action = None

    def _words(self, end: int, *, hidden: bool = False) -> str:
        """Take text without tags up to `end`, and return what of it is visible.

        Within an inner block, the text is added to the block instead.
        """
        words = self._take(end)
        if self._depth:
            self._block.append(words)
        return "" if self._depth or hidden else words

    def _take(self, end: int) -> str:
        taken = self._rest[self._at : end]
        self._at = end
        if not self._depth:
            self._line_starts = taken.endswith("\n")
        return taken

    def _end_of(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._rest, self._at)
        return found.end() if found else self._at
