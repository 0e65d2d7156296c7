"""The option `--where`, by which commands choose sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.resident import carried
from nagomi_tui.commands.speech import tr

if TYPE_CHECKING:
    from argparse import _ActionsContainer
    from collections.abc import Iterable

    from nagomi_tui.api.messages import WholeSession


def add_option(parser: _ActionsContainer) -> None:
    """Let a command, or one of its groups of options, choose sessions by terms."""
    parser.add_argument(
        "--where",
        metavar="TERM",
        action="append",
        default=[],
        help=tr(
            "those of which this holds, several times for all of it: is:ended, is:waits or another "
            "state, on:HAND, in:FOLDER"
        ),
    )


def filtered(sessions: Iterable[WholeSession], terms: list[str]) -> tuple[WholeSession, ...]:
    """Return the sessions of which all terms hold.

    Raises:
        CommandError: a term says nothing.
    """
    from nagomi_tui.api.where import ENDED, STATES, BadTerm, meant_by

    try:
        tests = [meant_by(carried(term)) for term in terms]
    except BadTerm as exc:
        from difflib import get_close_matches

        known = sorted([ENDED, *STATES])
        near = get_close_matches(exc.term.removeprefix("is:"), known, 1)
        says = tr("`--where {term}` says nothing.", term=exc.term)
        if near:
            says += " " + tr("Did you mean `is:{meant}`?", meant=near[0])
        there = tr(
            "There are is:STATE with one of {states}, on:HAND and in:FOLDER.",
            states=", ".join(known),
        )
        raise CommandError(f"{says} {there}", Exit.USAGE) from exc
    return tuple(one for one in sessions if all(test(one) for test in tests))
