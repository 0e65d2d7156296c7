"""What wakes the loop: turns that ended, sessions that wait or have ended, and `NEXT.md`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui.agent.resident.loop_workplace import OVER, is_own
from nagomi_tui.api import messages
from nagomi_tui.core.session.session import Phase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LOOK_SECONDS: Final = 10.0


def wakes(message: messages.ToClient) -> bool:
    """Return whether a message of the orchestrator wakes the loop."""
    match message:
        case messages.TurnCompleted() | messages.Welcome() | messages.SettingsChanged():
            return True
        case messages.SessionChanged(session=session):
            calls = session.state in OVER or session.phase is Phase.ATTENTION
            return calls and not is_own(session)
        case _:
            return False


async def watch(path: Path, changed: Callable[[], object]) -> None:
    """Call `changed` whenever the file has changed, for ever."""
    before = _stamp(path)
    while True:
        await anyio.sleep(_LOOK_SECONDS)
        if (now := _stamp(path)) != before:
            before = now
            changed()


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino
