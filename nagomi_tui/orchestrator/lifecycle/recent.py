"""The last commands that were started, offered for new sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking import REDACTED, mask

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.sessions.store import Store

_MOST: Final = 50


class RecentCommands:
    """Remembers commands, the latest first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.commands: tuple[str, ...] = ()

    def recall(self) -> None:
        """Load the stored commands."""
        kept = self._store.fact("recent", list[str]) or ()
        self.commands = tuple(cmd for cmd in kept if REDACTED not in cmd)

    def remember(self, cmd: str) -> None:
        """Put a command that was started at the front."""
        others = [known for known in self.commands if known != cmd]
        self.commands = (cmd, *others)[:_MOST]
        # What masking would change cannot be run again, so it is offered in this life only.
        self._store.keep_fact("recent", [known for known in self.commands if mask(known) == known])
