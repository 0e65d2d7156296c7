"""Events of agents under the names that the judge reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.core.agents.registry import AGENTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def as_read(agent: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an agent's event, called as Claude Code calls it."""
    known = AGENTS.get(agent)
    if known is None or known.hooks is None:
        return payload
    name = payload.get("hook_event_name")
    called = dict(known.hooks.called).get(name) if isinstance(name, str) else None
    return {**payload, "hook_event_name": called} if called else payload
