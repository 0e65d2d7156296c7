"""`nagomi doctor`: checks what is there and what is missing, with consequences and remedies."""

from __future__ import annotations

from threading import Thread

from nagomi_tui.doctor import machine, report, terminal, workplace
from nagomi_tui.doctor.report import Check, Report, as_json, as_text

__all__ = ["Report", "as_json", "as_text", "examine"]


def examine() -> Report:
    """Look at everything once; it starts nothing that stays, and takes about a second."""
    strict_mode: list[Check] = []
    # It waits for a process; a pool of threads would take as long to load as all of this.
    beside = Thread(target=lambda: strict_mode.append(machine.strict_mode()))
    beside.start()
    found = report.look()
    checks = (
        *report.checks(found),
        *machine.machine_checks(found.engines),
        *terminal.terminal_checks(),
        *machine.folder_checks(),
        *workplace.checks(),
        *workplace.hand_checks(found),
        *terminal.checks(found),
        *machine.program_checks(),
        *workplace.agent_checks(),
        *workplace.guard_checks(),
    )
    beside.join()
    return Report(residents=found, checks=(*checks, *strict_mode))
