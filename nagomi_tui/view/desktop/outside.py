"""What leaves the front end: text for the user's clipboard, and links for the desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.text.text import cut, printable
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.desktop.clipboard import TERMINAL, Clipboard, Outcome
from nagomi_tui.view.desktop.open_link import is_allowed, open_link, opener

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_SHOWN = 60
"""Columns of a link in a sentence."""


class Outside:
    """Copies and opens, and shows a sentence on where the text or link went."""

    def __init__(
        self,
        post: Callable[[Callable[[], object]], None],
        env: Mapping[str, str],
        *,
        to_terminal: Callable[[str], bool],
        tell: Callable[..., object],
    ) -> None:
        self._post = post
        self._env = env
        self._tell = tell
        self._clipboard = Clipboard(env, to_terminal=to_terminal)

    def copy(self, text: str) -> None:
        """Put a text on the user's clipboard."""
        self._copy(text, amount(text))

    def open(self, target: str) -> None:
        """Open a link where there is a desktop, else copy it."""
        shown = cut(printable(target), _SHOWN)
        if not is_allowed(target):
            self._tell(tr("{link} is not a link that nagomi opens.", link=shown), error=True)
            return
        program = opener(self._env)
        if program and open_link(program, target, self._env):
            self._tell(tr("Opening {link}", link=shown))
        else:
            self._copy(target, tr("No desktop here to open it on; the link"))

    def _copy(self, text: str, what: str) -> None:
        def told(outcome: Outcome) -> None:
            self._post(lambda: self._told(outcome, what))

        self._clipboard.copy(text, told)

    def _told(self, outcome: Outcome, what: str) -> None:
        if outcome.way == TERMINAL:
            self._tell(tr("{what}: sent to the terminal's clipboard (OSC 52).", what=what))
        elif outcome.way:
            self._tell(tr("{what}: copied by {way}.", what=what, way=outcome.way))
        elif outcome.too_long:
            self._tell(
                tr(
                    "Too long for the terminal's clipboard. Select less, or install wl-copy,"
                    " xclip or xsel."
                ),
                error=True,
            )
        else:
            self._tell(tr("Nothing here takes a copy. Install wl-copy, xclip or xsel."), error=True)


def amount(text: str) -> str:
    """Return a sentence's part on how long a text is, such as `3 lines`."""
    lines = text.count("\n") + 1
    if lines > 1:
        return tr_count("{count} line", "{count} lines", lines)
    return tr_count("{count} character", "{count} characters", len(text))
