"""Turns a program's own signals (title, bell, marks, status reports) into evidence for the judge.

A report replaces the last one with the same `id`; without `id` it is about the whole program.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from nagomi_tui.judge.evidence import MESSAGE, WORK_LEFT, Evidence, Says, Source
from nagomi_tui.judge.verdict import CTRL_C
from nagomi_tui.text.cells import printable
from nagomi_tui.text.rows import ScreenEvent

_FIELD: Final = re.compile(r"(?:^|:)([a-z]+)=([^:]*)")
_STATES: Final = {
    "idle": Says.REST,
    "working": Says.BUSY,
    "blocked": Says.WAITS,
    "done": Says.SUCCEEDED,
    "error": Says.FAILED,
}
_URGENT: Final = (Says.WAITS, Says.BUSY, Says.FAILED, Says.SUCCEEDED, Says.REST)
_AT_REST: Final = frozenset({Says.REST, Says.SUCCEEDED, Says.FAILED})
_MOST_PARTS: Final = 64
_LEFT: Final = re.compile(r"(?i)\bstill running\W*$")
"""What a program says that is done but for work which it has left to run, and calls this working."""


class StatusReader:
    """Reads one session's reports in order."""

    def __init__(self) -> None:
        self._own: Says | None = None
        self._parts: dict[str, Says] = {}
        self._idle = True

    def forget(self) -> None:
        """Drop all reports: the program that sent them is gone."""
        self._own, self._parts, self._idle = None, {}, True

    def read(self, body: str, at: float) -> Evidence | None:
        """Return what the program as a whole is said to do, or None if that says nothing.

        What was said before expires when the program takes it back.
        """
        fields, before = dict(_FIELD.findall(body)), self._whole()
        message = _message(fields)
        left = fields.get("state") == "working" and _LEFT.search(message) is not None
        if not self._keep(fields.get("id", ""), "done" if left else fields.get("state", "")):
            return None
        says = self._whole()
        if says is None:
            self._idle = True
            gone = Evidence(source=Source.STATUS, says=Says.REST, at=at, rule="status", expires=at)
            return gone if before else None
        begins, self._idle = says is Says.BUSY and self._idle, _ends(says, fields)
        return Evidence(
            source=Source.STATUS,
            says=says,
            at=at,
            rule=MESSAGE if message else "status",
            text=message or body,
            kind=WORK_LEFT if left else fields.get("kind", ""),
            begins=begins,
        )

    def _keep(self, part: str, state: str) -> bool:
        """Take in a report; tell whether it was one."""
        says = _STATES.get(state)
        if says is None and state != "clear":
            return False
        if not part:
            self._own = says
            self._parts = self._parts if says else {}
        elif says is None:
            gone = {one for one in self._parts if one == part or one.startswith(f"{part}/")}
            self._parts = {one: kept for one, kept in self._parts.items() if one not in gone}
        elif part in self._parts or len(self._parts) < _MOST_PARTS:
            self._parts[part] = says
        return True

    def _whole(self) -> Says | None:
        """Return the state of the whole: a blocked part counts, else the report of the program."""
        parts = set(self._parts.values())
        if self._own is not None and Says.WAITS not in parts:
            return self._own
        return next((says for says in _URGENT if says in parts), None)


def _ends(says: Says, fields: dict[str, str]) -> bool:
    """Tell whether work behind it is another turn; a login that is missing ends one, too."""
    return says in _AT_REST or (says is Says.WAITS and fields.get("kind") == "auth")


def _message(fields: dict[str, str]) -> str:
    try:
        raw = base64.b64decode(fields.get("msg", ""), validate=True)
    except (binascii.Error, ValueError):
        return ""
    # Claude Code says before a question what is to be done with it.
    return printable(raw.decode("utf-8", "replace")).strip().removeprefix("answer: ")


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
