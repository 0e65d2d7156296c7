"""What listeners are told of a turn that is over, or needs the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.api import messages
    from nagomi_tui.orchestrator.sessions.roles import Readable

    TurnListener = Callable[["FinishedTurn"], None]


class FinishedTurn(NamedTuple):
    """A finished turn: `told` in every language, `done` in that of the workplace."""

    session: Readable
    told: Mapping[str, messages.TurnCompleted]
    done: messages.TurnCompleted
    began: float | None
    """When the turn began, in seconds since the epoch; None if that is not known."""
