"""The terminal that answers are written to."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.text.plain import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prompt_toolkit.output import Output

_SGR: Final = re.compile(r"(\x1b\[[0-9;]*m)")
_DUMB: Final = ("dumb", "unknown", "")


class Terminal:
    """Writes through prompt_toolkit's output, so that prompt and answers keep their order."""

    def __init__(self, output: Output, env: Mapping[str, str] = os.environ) -> None:
        self._output = output
        self.color = not env.get("NO_COLOR")
        self.can_move = env.get("TERM", "").lower() not in _DUMB or sys.platform == "win32"

    def size(self) -> tuple[int, int]:
        """Return columns and rows."""
        found = self._output.get_size()
        return max(1, found.columns), max(1, found.rows)

    def write(self, text: str) -> None:
        """Write text as it is, escape sequences included."""
        self._output.write_raw(text)
        self._output.flush()

    def line(self, text: str, sgr: str = "") -> None:
        """Write a line in the style of an SGR parameter; the terminal wraps it."""
        self.write(self.styled(text, sgr) + "\r\n")

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
        self.write((plain if self.color else _SGR.sub("", plain)) + "\r\n")
