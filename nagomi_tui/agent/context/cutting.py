"""Chooses where to cut history: only before a user's message without tool results (SB-3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.agent.conversations.replay import begins_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.agent.common.values import Message

SHARES: Final = (0.5, 0.7, 0.8)
"""Shares of the messages to summarise, tried in order until the request fits (S-23, SB-4)."""
LEAST: Final = 4
"""The fewest messages to keep; a history of this length or less is not summarised (SC-9)."""


def cut_for(messages: Sequence[Message], share: float) -> int:
    """Return how many messages to summarise, about `share` of them; 0 if there is no place to cut.

    At least `LEAST` messages, and a fifth of all, are aimed to be kept.
    """
    total = len(messages)
    keep = max(LEAST, int(total * 0.2))
    wanted = min(max(2, int(total * share)), total - keep)
    return boundary(messages, wanted, total - 1) if total > LEAST and wanted >= 2 else 0


def boundary(messages: Sequence[Message], wanted: int, most: int) -> int:
    """Return the last index for a cut at or before `wanted`, else the first after it.

    Indices lie between 2 and `most`; 0 means that there is none.
    """
    places = [at for at in range(2, most + 1) if begins_turn(messages[at])]
    before = [at for at in places if at <= wanted]
    return before[-1] if before else next(iter(places), 0)
