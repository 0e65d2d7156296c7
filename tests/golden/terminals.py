"""What a golden checkpoint was taken of, and what is to be seen of a terminal as plain JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from nagomi_tui.terminal.engine import Engine

OUTPUT: Final = (
    b"\x1b]2;a title\x07\x1b]7501;busy\x1b\\\x1b[>4;2m"
    + b"".join(b"line %d\r\n" % number for number in range(20))
    + "日本語 👩\u200d💻 e\u0301 ".encode()
    + b"\x1b[1;38;5;123mcolour\x1b[m \x1b[4:3;58;2;1;2;3mcurly\x1b[m\r\n"
    + b"\x1b]8;;https://example.org/\x1b\\link\x1b]8;;\x1b\\ "
    + b"\x1b[48;2;1;2;3mbackground\x1b[m\r\n"
    + b"a line that is long enough to be wrapped at the edge of the screen\r\n"
    + b"\x1b[?2004h\x1b[?1h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[>1u\x1b[4 q"
    + b"$ \x1b]133;D;7"
)
"""It ends within a sequence, whose end is to be understood after a restart."""


def picture(engine: Engine) -> Any:
    """Return what a terminal shows, as JSON."""
    seen = {
        "screen": list(engine.screen()),
        "above": engine.lines(engine.first_line, engine.screen_line),
        "bounds": [engine.first_line, engine.screen_line],
        "cursor": engine.cursor,
        "modes": engine.modes,
        "title": engine.title,
    }
    return json.loads(msgspec.json.encode(seen))
