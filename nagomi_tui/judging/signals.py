"""A program's own signals in its output (titles, OSC 9;4, 7501, 133, notifications) → evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.judge.evidence import Evidence, Says, Source
from nagomi_tui.core.judge.verdict import CTRL_C
from nagomi_tui.judging.status import StatusReader

if TYPE_CHECKING:
    from nagomi_tui.core.text.screen import ScreenEvent

ENDS_COMMAND: Final = "mark-D"
"""The rule of a shell's mark that its command has ended."""

HEARTBEAT: Final = 5.0
"""Seconds after which a spinner in a title that does not move counts no more."""

BEAT: Final = 0.25
"""Seconds within which a moving spinner is not reported again."""

# Braille frames, circles that fill or turn, and clocks; an eight-spoked asterisk rests.
_SPINNER: Final = re.compile(
    "^[\u2800-\u28ff\u25d0-\u25d7\u25dc-\u25df\u25f0-\u25f7][\ufe0e\ufe0f]?(?: |$)"
)
_RESTING: Final = re.compile("^\u2733(?: |$)")
_PROGRESS: Final = {"0": Says.REST, "1": Says.BUSY, "2": Says.FAILED, "3": Says.BUSY}
_WISHED: Final = frozenset({str(CTRL_C), "145", "146", "147", "148", "149", "150"})
"""Statuses of an end by Ctrl-C, and of a stop: 128 and SIGSTOP, SIGTSTP, SIGTTIN or SIGTTOU, which
have other numbers on macOS than on Linux."""
_WORDY: Final = frozenset({"title", "progress", "notify", "bell", "status"})


class SignalReader:
    """Reads one session's screen events in order; some mean something only after another."""

    def __init__(self) -> None:
        self._spun = False
        self._beat_at = float("-inf")
        self._ended = False
        self._status = StatusReader()

    def read(self, event: ScreenEvent, at: float) -> Evidence | None:
        """Return what the event says of the session's state, or None."""
        match event.kind:
            case "title":
                return self._title(event.text, at)
            case "progress":
                return _progress(event.text, at)
            case "status":
                return self._status.read(event.text, at)
            case "command":
                return self._mark(event.text, at)
            case "notify":
                text = ": ".join(part for part in (event.title, event.text) if part)
                return _said(Source.NOTICE, Says.CALLS, at, "notification", text)
            case "bell":
                return _said(Source.NOTICE, Says.CALLS, at, "bell", "")
            case _:
                return None

    def _title(self, title: str, at: float) -> Evidence | None:
        if _SPINNER.match(title):
            if at < self._beat_at + BEAT:
                return None
            self._spun, self._beat_at = True, at
            return Evidence(
                source=Source.TITLE,
                says=Says.BUSY,
                at=at,
                rule="title-spins",
                text=title,
                expires=at + HEARTBEAT,
            )
        self._beat_at = float("-inf")
        if _RESTING.match(title) or (self._spun and title):
            return _said(Source.TITLE, Says.REST, at, "title-rests", title)
        return None

    def _mark(self, body: str, at: float) -> Evidence | None:
        """Read A and B (prompt), C (the command runs) and D;STATUS (it has ended)."""
        self._status.forget()
        kind, _, rest = body.partition(";")
        if kind == "C":
            self._ended = False
            return _said(Source.SHELL, Says.RUNNING, at, "mark-C", body)
        if kind == "D":
            self._ended = True
            return _said(Source.SHELL, _exit(rest.partition(";")[0]), at, ENDS_COMMAND, body)
        if kind in ("A", "B") and not self._ended:
            return _said(Source.SHELL, Says.REST, at, f"mark-{kind}", body)
        return None


def is_agents_own(event: ScreenEvent) -> bool:
    """Tell whether the event is a program's signal about itself, and not the shell's mark."""
    return event.kind in _WORDY


def _progress(text: str, at: float) -> Evidence | None:
    says = _PROGRESS.get(text.partition(";")[0])
    return _said(Source.PROGRESS, says, at, "progress", text) if says else None


def _exit(code: str) -> Says:
    if code == "0":
        return Says.SUCCEEDED
    return Says.FAILED if code.isdigit() and code not in _WISHED else Says.INTERRUPTED


def _said(source: Source, says: Says, at: float, rule: str, text: str) -> Evidence:
    return Evidence(source=source, says=says, at=at, rule=rule, text=text)
