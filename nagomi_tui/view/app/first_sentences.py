"""What is told once the first screen is there: problems, the digest, and broken characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.notifications import Notification

from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.notices.digest import agent_lines, digest_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.character.library import Library
    from nagomi_tui.view.common.timers import Timers
    from nagomi_tui.view.notices.toasts import Toasts

_DIGEST_SECONDS: Final = 30.0
"""Seconds for which the agent's digest is shown."""
_PACKS_AFTER: Final = 1.0
"""Seconds until all characters are read, which nobody waits for."""


class FirstSentences:
    """Tells the user what is new or wrong, after the start."""

    def __init__(
        self,
        toasts: Toasts,
        timers: Timers,
        library: Library,
        *,
        problems: tuple[str, ...],
        tell: Callable[..., object],
        ask_newcomer: Callable[[], object] | None,
    ) -> None:
        self._toasts = toasts
        self._timers = timers
        self._library = library
        self._problems = problems
        """Sentences about what in the user's keymap does not fit."""
        self._tell = tell
        self._ask_newcomer = ask_newcomer
        """Opens the welcome, or None for a user who was here before."""

    def tell(self, digest: tuple[tuple[str, str], ...]) -> None:
        """Tell all that there is; `digest` is the orchestrator's, of the user's absence."""
        for problem in self._problems:
            self._tell(problem, error=True)
        if line := digest_line(digest):
            self._tell(line)
        if lines := agent_lines(digest):
            title = tr("While you were away")
            self._toasts.show(Notification(lines, title, timeout=_DIGEST_SECONDS))
        self._timers.after(_PACKS_AFTER, self._name_broken_packs)
        if self._ask_newcomer is not None:
            self._ask_newcomer()

    def _name_broken_packs(self) -> None:
        """Read all characters now that the screen is there, and name those that are broken."""
        for problem in self._library.problems():
            self._tell(problem, error=True)
