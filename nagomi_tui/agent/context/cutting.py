"""Where history may be cut: before a plain message of the user, so that no turn is torn (SB-3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.agent.conversations.replay import begins_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.agent.common.values import Message

SHARES: Final = (0.5, 0.7, 0.8)
"""Shares of the messages that are summed up, one after the other until the rest fits (S-23, SB-4)."""
LEAST: Final = 4
"""Messages that are kept at least; a history of no more is not summed up (SC-9)."""


def cut_for(messages: Sequence[Message], share: float) -> int:
    """Return how many messages to sum up for a share of them; 0 if nothing can be."""
    total = len(messages)
    keep = max(LEAST, int(total * 0.2))
    wanted = min(max(2, int(total * share)), total - keep)
    return boundary(messages, wanted, total - 1) if total > LEAST and wanted >= 2 else 0


def boundary(messages: Sequence[Message], wanted: int, most: int) -> int:
    """Return the nearest place for a cut at or before `wanted`, else behind it; 0 if there is none."""
    places = [at for at in range(2, most + 1) if begins_turn(messages[at])]
    before = [at for at in places if at <= wanted]
    return before[-1] if before else next(iter(places), 0)
