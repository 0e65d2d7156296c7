"""Why the agent is to run whenever the orchestrator does: a file with a reason a line."""

from __future__ import annotations

import logging
from typing import Literal, TypeAlias

from nagomi_tui import files, paths

_log = logging.getLogger(__name__)
Reason: TypeAlias = Literal["mode", "api"]


def need(reason: Reason, on: bool) -> None:
    """Add or remove a reason; without any reason there is no file."""
    path = paths.agent_needed_file()
    try:
        before = set(files.read(path).decode(errors="replace").split())
    except OSError:
        before = set()
    now = before | {reason} if on else before - {reason}
    try:
        if now != before and now:
            files.write(path, "".join(f"{one}\n" for one in sorted(now)).encode())
        elif not now:
            path.unlink(missing_ok=True)
    except OSError as exc:
        _log.warning("%s cannot be written: %s", path, exc)
