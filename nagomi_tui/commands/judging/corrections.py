"""What the user has corrected, for the commands that speak of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.outcome import CommandError
from nagomi_tui.commands.speech import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.orchestrator.judging.corrections import Correction


def kept_corrections() -> Sequence[Correction]:
    """Return the corrections, oldest first.

    Raises:
        CommandError: they cannot be read.
    """
    import sqlite3

    import msgspec

    from nagomi_tui import paths
    from nagomi_tui.orchestrator.judging.corrections import kept

    try:
        return kept(paths.corrections_file())
    except (sqlite3.Error, msgspec.DecodeError) as exc:
        raise CommandError(tr("the corrections cannot be read: {reason}", reason=exc)) from exc
