"""`nagomi doctor`: checks what is there and what is missing, with consequences and remedies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

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

__all__ = ["Report", "as_json", "as_text", "examine"]


def examine() -> Report:
    """Look at everything once; it starts nothing that stays, and takes about a second."""
    with ThreadPoolExecutor(1) as beside:
        strict_mode = beside.submit(machine.strict_mode)  # It waits for a process.
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
            strict_mode.result(),
        )
    return Report(residents=found, checks=checks)
