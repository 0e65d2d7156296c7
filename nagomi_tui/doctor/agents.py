"""Agents whose screens nagomi does not understand any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui import paths
from nagomi_tui.commands.speech import program, tr
from nagomi_tui.doctor.check import Check

if TYPE_CHECKING:
    from nagomi_tui.judging.misread import Misread


def checks() -> list[Check]:
    """Name each agent that this version of nagomi has misread."""
    if not paths.misread_file().exists():
        return []
    from nagomi_tui.judging import misread

    return [_misread(agent, noted) for agent, noted in misread.kept().items()]


def _misread(agent: str, noted: Misread) -> Check:
    from nagomi_tui.judging import misread

    title = misread.title(agent, noted.version)
    learn = tr(
        "`{program} judge learn {trace}` proposes a rule.", program=program(), trace=noted.trace
    )
    record = tr(
        "The setting `keep_misread` keeps a masked recording the next time, "
        "from which `{program} judge learn` proposes a rule.",
        program=program(),
    )
    return Check(
        key=f"misread_{agent}",
        label=title,
        result="warning",
        found=tr("nagomi no longer understands it well"),
        meaning=tr(misread.REASONS[noted.misfit]),
        remedy=learn if noted.trace else record,
    )
