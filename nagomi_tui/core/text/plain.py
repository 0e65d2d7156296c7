"""Text from outside made plain: nothing in it moves, hides or reorders what a terminal shows."""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0 and C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # direction
    "\u2028\u2029"  # line ends
    "\xad\u180e\u200b\u2060-\u2065\ufeff\ufff9-\ufffb"  # nothing to be seen
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
"""Control and format characters, but for the joiners and variation selectors that emoji and
scripts need."""


def printable(text: str) -> str:
    """Return the text on one line, with a space for each character that is not to be shown."""
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub(" ", text)


def printable_lines(text: str) -> str:
    """Return text of several lines, which keeps its line ends and tabs."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


def link_target(target: str) -> str:
    """Return the target of a link as it may stand in a terminal's sequence."""
    return "".join(char for char in target if char.isprintable())


def visible(command: str) -> str:
    """Return the command with control and direction characters escaped, to be shown verbatim."""
    return "".join(char if char.isprintable() else _escaped(char) for char in command)


def _escaped(char: str) -> str:
    return repr(char)[1:-1] if ord(char) < 0x100 else f"\\u{ord(char):04x}"
