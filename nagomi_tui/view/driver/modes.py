"""The modes that the outer terminal is asked for at the start, and that are given back at the end."""

from __future__ import annotations

import os
import re
from typing import Final

from nagomi_tui.text.rows import Modes

KITTY_FLAGS: Final = 1 | 4
"""Disambiguate, and report the shifted key beside the plain one."""
_KITTY_FROM_CHILD: Final = 2 | 8 | 16
"""Releases, every key as a sequence, and its text: only while the focused child asks for them."""

_ENTER: Final = (
    "\x1b[22;0t"  # the title comes back when we leave
    "\x1b[?1049h"  # alternate screen
    "\x1b[?25l"
    "\x1b[?7l"  # a row's last cell does not move the cursor on
    "\x1b[?2004h"  # bracketed paste
    "\x1b[?1004h"  # focus
    "\x1b[?2031h"  # changes between a dark and a light scheme
)
_LEAVE: Final = (
    "\x1b[?2026l\x1b[?2031l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[0 q\x1b[?1049l\x1b[?25h\x1b[23;0t"
)
_MOUSE_ON: Final = "\x1b[?1000h\x1b[?1002h\x1b[?1006h"
_MOUSE_OFF: Final = "\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1006l"
COLORS_QUERY: Final = "\x1b]10;?\x1b\\\x1b]11;?\x1b\\"
_SYNC_QUERY: Final = "\x1b[?2026$p"
_NAME_QUERY: Final = "\x1b[>0q"
_KEYBOARD_QUERY: Final = "\x1b[?u"
STATUS_QUERY: Final = "\x1b[5n"
"""Asks the terminal whether it is well (DSR 5); every terminal answers."""
_COLOR: Final = re.compile(
    rb"\x1b\](1[01]);rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})"
)


def enter(*, mouse: bool) -> str:
    """Return what takes the terminal over and asks what it can."""
    parts = [_ENTER, _MOUSE_ON if mouse else "", f"\x1b[>{KITTY_FLAGS}u", _KEYBOARD_QUERY]
    if "TMUX" in os.environ:
        parts.append("\x1b[>4;2m")
    # Apple's terminal types a part of this query instead of ignoring it.
    if os.environ.get("TERM_PROGRAM") != "Apple_Terminal":
        parts.append(_SYNC_QUERY + _NAME_QUERY)
    # Every terminal answers the last one, so that nobody waits for colours that do not come.
    parts.append(COLORS_QUERY + STATUS_QUERY)
    return "".join(parts)


def leave(*, mouse: bool) -> str:
    """Return what gives the terminal back as it was."""
    other_keys = "\x1b[>4m" if "TMUX" in os.environ else ""
    return f"{_MOUSE_OFF if mouse else ''}\x1b[<u{other_keys}{_LEAVE}"


def requested(modes: Modes | None, *, near: bool = False) -> tuple[bool, int]:
    """Return whether motion is reported, and kitty's flags, for the child that has the keys.

    A terminal that is `near` always reports motion, so that links under the mouse can be shown.
    """
    if modes is None:
        return near, KITTY_FLAGS
    return near or modes.mouse == 1003, KITTY_FLAGS | (modes.kitty_flags & _KITTY_FROM_CHILD)


def requests(before: tuple[bool, int], after: tuple[bool, int]) -> str:
    """Return the sequence that leads the terminal from one result of `requested` to another."""
    parts = []
    if before[0] != after[0]:
        parts.append("\x1b[?1003h" if after[0] else "\x1b[?1003l\x1b[?1002h")
    if before[1] != after[1]:
        parts.append(f"\x1b[={after[1]};1u")
    return "".join(parts)


def name_reply(data: bytes) -> str:
    """Return the terminal's name and version from a reply to XTVERSION, or nothing."""
    if not data.startswith(b"\x1bP>|"):
        return ""
    return data[4:].rstrip(b"\x07\x1b\\").decode(errors="replace")


def color_reply(data: bytes) -> tuple[int, int] | None:
    """Return 10 or 11 and `0xRRGGBB` for a reply to OSC 10 or 11."""
    if (match := _COLOR.match(data)) is None:
        return None
    red, green, blue = (_eight_bits(part) for part in match.groups()[1:])
    return int(match[1]), red << 16 | green << 8 | blue


def _eight_bits(part: bytes) -> int:
    return round(int(part, 16) * 255 / ((1 << 4 * len(part)) - 1))
