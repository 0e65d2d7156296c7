"""One check of `nagomi doctor`, the checks of resident processes, and the report as text and JSON."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from nagomi_tui import __version__
from nagomi_tui.api import client
from nagomi_tui.api.launch import await_restart
from nagomi_tui.api.messages import BadMessage, HandStanding, ListHands, Status, WorkplaceStatus
from nagomi_tui.system.console import adopt, tr
from nagomi_tui.system.paths import PlaceError
from nagomi_tui.text.cells import cells, fold, pad

Result = Literal["ok", "warning", "missing"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    key: str
    """Its name in JSON; it stays the same in every language."""
    label: str
    result: Result
    found: str
    meaning: str = ""
    """What the result means for the user, in a sentence."""
    remedy: str = ""
    """What to do about it; empty if nothing is to be done."""
    needed: bool = False
    """nagomi cannot work without it."""


def check(
    key: str, label: str, found: str, *, meaning: str = "", remedy: str = "", well: bool = True
) -> Check:
    """Return a check with the result `ok`, or `warning` where it is not `well`."""
    return Check(
        key=key,
        label=label,
        result="ok" if well else "warning",
        found=found,
        meaning=meaning,
        remedy=remedy,
    )


def printed(command: Sequence[str], seconds: float) -> str | None:
    """Return what a program prints; None if it fails, is not there or takes too long."""
    try:
        told = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if told.returncode else told.stdout.strip()


class Residents(msgspec.Struct, frozen=True, kw_only=True):
    """The processes of nagomi's own, as the orchestrator tells."""

    status: WorkplaceStatus | None = None
    """None where none runs, or it does not answer."""
    hands: tuple[HandStanding, ...] = ()
    fault: str = ""
    """Why the orchestrator could not be asked although it listens; empty if it could."""

    @property
    def engines(self) -> tuple[str, ...]:
        """Name and version of the terminal engines that sessions have, if those are of this version."""
        same = self.status is not None and self.status.version == __version__
        return self.status.engines if self.status and same else ()


def look() -> Residents:
    """Ask the orchestrator, if one runs; none is started."""
    try:
        await_restart(timeout=5.0)
        with client.Connection.open(timeout=5.0) as connection:
            adopt(connection.welcome.settings.get("language"))
            status = connection.request(Status(id=0), timeout=5.0)
            hands = connection.request(ListHands(id=0), timeout=5.0).hands
            return Residents(status=status, hands=hands)
    except (client.NotServed, PlaceError):
        return Residents()  # what is wrong with a folder is said where the folders are
    except (client.Gone, client.RequestFailed, TimeoutError, BadMessage) as exc:
        return Residents(fault=str(exc))


def checks(found: Residents) -> list[Check]:
    """Judge what runs."""
    return [_orchestrator(found), _workers(found)]


def _orchestrator(found: Residents) -> Check:
    label, running = tr("Orchestrator"), found.status
    if found.fault:
        return check(
            "orchestrator",
            label,
            found.fault,
            meaning=tr("It listens but does not answer; it is restarted if it stays so."),
            well=False,
        )
    if running is None:
        return check("orchestrator", label, tr("does not run"))
    pid = running.orchestrator.pid
    told = tr("process {pid}, version {version}", pid=pid, version=running.version)
    if running.version == __version__:
        return check("orchestrator", label, told)
    return check(
        "orchestrator",
        label,
        told,
        meaning=tr("Version {version} is installed.", version=__version__),
        remedy=tr("`nagomi reload` goes over to it; the sessions run on."),
        well=False,
    )


def _workers(found: Residents) -> Check:
    told = ", ".join(str(one.pid) for one in (found.status.workers if found.status else ()))
    none = tr("none runs")
    return check("workers", tr("Workers"), tr("processes {pids}", pids=told) if told else none)


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
    found = report.residents.status
    return {
        "version": __version__,
        "usable": report.usable,
        "orchestrator": {
            "pid": found.orchestrator.pid if found else None,
            "version": found.version if found else None,
        },
        "supervisor": {"pid": found.supervisor.pid if found else None},
        "workers": msgspec.to_builtins(found.workers if found else ()),
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
