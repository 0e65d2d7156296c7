"""All checks together: as a value, as JSON, and as text to read."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from nagomi_tui import __version__
from nagomi_tui.commands.speech import tr
from nagomi_tui.core.text.text import cells, fold, pad
from nagomi_tui.doctor.check import Check
from nagomi_tui.doctor.residents import Residents

_INDENT: Final = " " * 4
_LEAST_ROOM: Final = 20
"""Cells that a text must have to be broken at all."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was looked at."""

    residents: Residents
    checks: tuple[Check, ...]

    @property
    def usable(self) -> bool:
        """Whether nothing is missing that nagomi needs."""
        return not any(check.needed and check.result == "missing" for check in self.checks)


def as_json(report: Report) -> dict[str, Any]:
    """Return the report for programs: `orchestrator.pid`, `workers`, `checks` and more."""
    found = report.residents
    return {
        "version": __version__,
        "usable": report.usable,
        "orchestrator": {"pid": found.orchestrator.pid, "version": found.orchestrator.version},
        "supervisor": {"pid": found.supervisor.pid},
        "workers": [
            {"pid": worker.pid, "name": worker.name, "sessions": worker.sessions}
            for worker in found.workers
        ],
        "checks": [msgspec.to_builtins(check) for check in report.checks],
    }


def as_text(report: Report, width: int = 0) -> str:
    """Return the report for people: a line for each check, explained where it is not well.

    Lines are broken to `width` cells, if any are given.
    """
    words = [_word(check) for check in report.checks]
    mark_width = max(cells(word) for word in words)
    label_width = max(cells(check.label) for check in report.checks)
    indent = _INDENT + " " * mark_width
    lines = [f"nagomi {__version__}", ""]
    for check, word in zip(report.checks, words, strict=True):
        head = f"  {pad(word, mark_width)}  {pad(check.label, label_width)}  "
        lines += _hung(head, " " * cells(head), check.found, width)
        for text in _explanation(check):
            lines += _hung(indent, f"{indent}  " if text.startswith("→") else indent, text, width)
    return "\n".join(lines)


def _word(check: Check) -> str:
    """Return in a word how a check went; what is missing and not needed is no fault."""
    if check.result == "missing" and not check.needed:
        return tr("none")
    return {"ok": tr("ok"), "warning": tr("note"), "missing": tr("missing")}[check.result]


def _hung(head: str, indent: str, text: str, width: int) -> list[str]:
    """Return the text behind its head, its later lines indented."""
    room = width - max(cells(head), cells(indent))
    first, *more = fold(text, room) if width and room >= _LEAST_ROOM else [text]
    return [f"{head}{first}".rstrip(), *(indent + line for line in more)]


def _explanation(check: Check) -> list[str]:
    """Return what to read under a check; one that is well needs its meaning only."""
    remedy = f"→ {check.remedy}" if check.remedy and check.result != "ok" else ""
    return [text for text in (check.meaning, remedy) if text]
