"""`nagomi doctor`: checks what is there and what is missing, with consequences and remedies."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

from nagomi_tui.doctor import (
    agents,
    cues,
    guard,
    hands,
    machine,
    places,
    programs,
    residents,
    stays,
    terminal,
)
from nagomi_tui.doctor.report import Report, as_json, as_text

if TYPE_CHECKING:
    from nagomi_tui.doctor.check import Check

__all__ = ["Report", "as_json", "as_text", "examine"]


def examine() -> Report:
    """Look at everything once; it starts nothing that stays, and takes about a second."""
    strict_mode: list[Check] = []
    # It waits for a process; a pool of threads would take as long to load as all of this.
    beside = Thread(target=lambda: strict_mode.append(machine.strict_mode()))
    beside.start()
    found = residents.look()
    checks = (
        *residents.checks(found),
        *machine.checks(found.engines),
        *terminal.checks(),
        *places.checks(),
        *stays.checks(),
        *hands.checks(found),
        *cues.checks(found),
        *programs.checks(),
        *agents.checks(),
        *guard.checks(),
    )
    beside.join()
    return Report(residents=found, checks=(*checks, *strict_mode))
