"""What the hooks of the agents in our sessions tell: evidence, and which conversation it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import psutil

from nagomi_tui.core.conversation import heard as after

if TYPE_CHECKING:
    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.live import Live
    from nagomi_tui.orchestrator.workplace import Workplace


def heard(place: Workplace, event: messages.Hook) -> None:
    """Take in an event of the agent in a session."""
    live = place.get(event.session)
    if live is None or not live.running or _is_of_another(live, event.pid):
        return
    ended = event.payload.get("hook_event_name") == "SessionEnd"
    live.agent_pid = 0 if ended else max(0, event.pid)
    conversation = after(live.conversation, event.agent, event.payload)
    if conversation != live.conversation:
        live.conversation = conversation
        place.keep(live)
    _tell_judge(live, event, min(event.at, time.time()))


def _tell_judge(live: Live, event: messages.Hook, at: float) -> None:
    """Hand the event on as evidence."""


def _is_of_another(live: Live, pid: int) -> bool:
    """Tell whether an agent that another one runs as its tool speaks; only the outer one counts."""
    if not pid or not live.agent_pid or pid == live.agent_pid:
        return False
    try:
        state = psutil.Process(live.agent_pid).status()
    except psutil.Error:
        return False
    return state not in (psutil.STATUS_ZOMBIE, psutil.STATUS_STOPPED, psutil.STATUS_DEAD)
