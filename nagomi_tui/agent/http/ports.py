"""What the API needs of the rest of the agent."""

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
        """Return what a request is answered.

        Raises:
            RequestFailed: it was refused.
            BadMessage: the answer is none to such a request.
            TimeoutError: no answer came in time.
            ConnectionError: the orchestrator is not there.
        """


class Modes(Protocol):
    """The agent's mode."""

    def report(self) -> ModeReport:
        """Return the mode, without any steps."""

    async def change(self, to: str) -> ModeReport:
        """Go over to a mode, do all that belongs to it, and tell each step.

        Raises:
            InvalidMode: there is no such mode.
        """


class AskFailed(Exception):
    """There is no answer; the message says why, in the user's language."""


class Asking(Protocol):
    """Questions to the agent."""

    async def ask(self, question: str) -> Answered:
        """Answer a question, in any mode.

        Raises:
            AskFailed: there is no answer.
        """


@dataclass(frozen=True, kw_only=True)
class ApiServices:
    """All that requests are answered with."""

    workplace: Workplace
    modes: Modes
    asking: Asking
    events: EventLog
    status: Callable[[], ApiStatus]
