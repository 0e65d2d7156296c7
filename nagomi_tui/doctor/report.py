"""All checks together: as a value, as JSON, and as text to read."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from nagomi_tui import __version__
from nagomi_tui.commands.speech import tr
from nagomi_tui.core.text import cells, pad
from nagomi_tui.doctor.check import Check
from nagomi_tui.doctor.residents import Residents

_INDENT: Final = " " * 4


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


def as_text(report: Report) -> str:
    """Return the report for people: a line for each check, explained where it is not well."""
    words: dict[str, str] = {"ok": tr("ok"), "warning": tr("note"), "missing": tr("missing")}
    mark_width = max(cells(word) for word in words.values())
    label_width = max(cells(check.label) for check in report.checks)
    lines = [f"nagomi {__version__}", ""]
    for check in report.checks:
        mark = pad(words[check.result], mark_width)
        lines.append(f"  {mark}  {pad(check.label, label_width)}  {check.found}".rstrip())
        lines += [f"{_INDENT}{' ' * mark_width}{text}" for text in _explanation(check)]
    return "\n".join(lines)


def _explanation(check: Check) -> list[str]:
    """Return what to read under a check; one that is well needs its meaning only."""
    remedy = f"→ {check.remedy}" if check.remedy and check.result != "ok" else ""
    return [text for text in (check.meaning, remedy) if text]
