"""Programs that nagomi works with where they are there; none is needed."""

from __future__ import annotations

import shutil
from typing import Final

from nagomi_tui.commands.speech import tr
from nagomi_tui.doctor.check import Check
from nagomi_tui.words import mark

_PROGRAMS: Final = {
    "git": mark("shows the branch of a session's folder"),
    "ssh": mark("reaches other machines"),
    "claude": mark("Claude Code, an agent"),
    "codex": mark("Codex, an agent"),
    "gemini": mark("Gemini CLI, an agent"),
    "aider": mark("aider, an agent"),
}


def checks() -> list[Check]:
    """Look for each program on the path."""
    return [_program(name, purpose) for name, purpose in _PROGRAMS.items()]


def _program(name: str, purpose: str) -> Check:
    found = shutil.which(name)
    return Check(
        key=f"program_{name}",
        label=name,
        result="ok" if found else "missing",
        found=found or tr("not installed; optional: {purpose}", purpose=tr(purpose)),
    )
