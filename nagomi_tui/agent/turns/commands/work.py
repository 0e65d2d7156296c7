"""Commands for work mode (the work overlay) and for the agent mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent.modes.mode import MODES
from nagomi_tui.agent.overlay.overlay import USAGE
from nagomi_tui.agent.talk.events import Reply

if TYPE_CHECKING:
    from nagomi_tui.agent.turns.commands.desk import Desk


async def work(desk: Desk, argument: str) -> Reply:
    """Switch work mode on or off, or show how many turns of it are left (W-6)."""
    return _overlay(desk, f"/work {argument}")


async def normal(desk: Desk, argument: str) -> Reply:
    """Switch work mode off."""
    return _overlay(desk, f"/normal {argument}")


def _overlay(desk: Desk, line: str) -> Reply:
    lines = desk.work.command(line)
    if lines is None:
        return Reply(lines=(USAGE,), failed=True)
    return Reply(lines=lines, status=desk.status)


async def mode(desk: Desk, to: str) -> Reply:
    """Show the agent mode, or change it and tell each step's result."""
    if not to:
        return Reply(lines=(desk.status.mode,))
    if to.casefold() not in MODES:
        return Reply(lines=(f"Usage: /mode [{'|'.join(MODES)}]",), failed=True)
    lines = await desk.change_mode(to.casefold())
    return Reply(lines=lines, status=desk.status)
