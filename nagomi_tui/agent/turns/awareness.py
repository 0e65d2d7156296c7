"""The agent's view of the workplace's sessions, the same for questions and for snapshots (X-3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent.modes.snapshot import Awareness, Thread
from nagomi_tui.core.session.session import has_ended

if TYPE_CHECKING:
    from nagomi_tui.agent.common.values import Mask
    from nagomi_tui.agent.tools.workplace import Workplace
    from nagomi_tui.core.session.session import Session


async def self_awareness(workplace: Workplace, mask: Mask) -> Awareness:
    """Return the workplace's sessions as they are now, with secrets masked.

    Raises:
        ToolFault: no workplace runs, or it does not answer.
    """
    return Awareness(tuple(_thread(one, mask) for one in await workplace.list_sessions()))


def _thread(session: Session, mask: Mask) -> Thread:
    return Thread(
        mask(session.name),
        str(session.phase),
        mask(session.summary or session.title),
        number=session.number,
        state=str(session.state),
        waits=session.waits,
        is_open=not has_ended(session),
    )
