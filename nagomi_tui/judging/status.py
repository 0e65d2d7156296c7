"""The Program Status Protocol (OSC 7501): reports of a program and its parts → evidence.

A report replaces the last one with the same `id`; without `id` it is about the whole program.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from nagomi_tui.core.judge.evidence import MESSAGE, WORK_LEFT, Evidence, Says, Source
from nagomi_tui.core.text.text import printable

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
