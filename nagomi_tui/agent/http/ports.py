"""Interfaces to what the API needs of the rest of the agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.agent.http.bodies import Answered, ApiStatus
    from nagomi_tui.agent.http.events import EventLog
    from nagomi_tui.agent.modes.modes import ModeReport
    from nagomi_tui.api.messages import Request

Result = TypeVar("Result")


class Workplace(Protocol):
    """The orchestrator, asked over the front-end socket."""

    async def request(self, message: Request[Result], *, timeout: float | None = None) -> Result:
        """Send a request and return its result.

        Raises:
            RequestFailed: the orchestrator refused it.
            BadMessage: the answer does not fit the request.
            TimeoutError: no answer came in time.
            ConnectionError: the orchestrator is not there.
        """


class Modes(Protocol):
    """The agent's mode."""

    def report(self) -> ModeReport:
        """Return the mode, without any steps."""

    async def change(self, to: str) -> ModeReport:
        """Change to a mode, and return the report with the result of each step.

        Raises:
            InvalidMode: there is no such mode.
        """


class AskFailed(Exception):
    """The agent has no answer; the message says why, in the user's language."""


class Asking(Protocol):
    """Questions to the agent."""

    async def ask(self, question: str) -> Answered:
        """Answer a question, in any mode.

        Raises:
            AskFailed: there is no answer.
        """


@dataclass(frozen=True, kw_only=True)
class ApiServices:
    """All services that the endpoints use."""

    workplace: Workplace
    modes: Modes
    asking: Asking
    events: EventLog
    status: Callable[[], ApiStatus]
