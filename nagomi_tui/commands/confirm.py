"""Asking before something is lost: on a terminal only."""

from __future__ import annotations

import sys

from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.speech import tr

_YES = frozenset({"y", "yes", "はい"})


def confirm(question: str, *, yes: bool) -> bool:
    """Ask the user unless `yes` was given; anything but a clear yes means no.

    Raises:
        CommandError: there is nobody to ask.
    """
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise CommandError(tr("there is no terminal to ask on; add --yes."), Exit.USAGE)
    try:
        answer = input(f"{question} [y/N] ")
    except EOFError:
        return False
    return answer.strip().casefold() in _YES
