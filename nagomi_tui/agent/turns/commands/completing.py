"""Completion of slash commands and their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent.modes.mode import MODES
from nagomi_tui.agent.turns.commands.table import COMMANDS

if TYPE_CHECKING:
    from nagomi_tui.agent.turns.commands.desk import Desk


def completions(desk: Desk, line: str) -> tuple[str, ...]:
    """Return whole lines that begin with `line`: command names, or a command with an argument."""
    name, space, argument = line.partition(" ")
    if not space:
        return tuple(f"/{one.name}" for one in COMMANDS if f"/{one.name}".startswith(line))
    return tuple(
        f"{name} {value}" for value in _values(desk, name) if value.startswith(argument.lstrip())
    )


def _values(desk: Desk, name: str) -> tuple[str, ...]:
    match name:
        case "/switch":
            return tuple(entry.label or entry.id for entry in desk.entries())
        case "/mode":
            return MODES
        case "/work":
            return ("status", "off")
        case "/context":
            return ("--show",)
        case _:
            return ()
