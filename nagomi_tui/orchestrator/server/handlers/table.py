"""The types of the tables that tell which handler answers which message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.requests import Caller

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime

Handler: TypeAlias = Callable[[Any, Any, Any], Awaitable[Any]]
"""A method that gets client and request, and returns the result type declared by the request."""
Handlers: TypeAlias = Mapping[type[messages.Request[Any]], Handler]


class Asker(Caller, Protocol):
    """The client whose request is answered."""

    @property
    def requester(self) -> Requester:
        """The client as its requests are carried out for it."""

    @property
    def focus(self) -> SessionRuntime | None:
        """The session that gets its keys, or None."""

    def send(self, message: messages.Message) -> None:
        """Send it a message."""

    def fail(self, request: messages.Request[Any], refusal: Refusal) -> None:
        """Answer a request with a refusal."""


class Group:
    """Handlers of requests about one thing."""

    HANDLERS: ClassVar[Handlers]


UnansweredHandler: TypeAlias = Callable[[Any, Any, Any], None]
"""A method that gets the client and a message that is no request."""
UnansweredHandlers: TypeAlias = Mapping[type[messages.Message], UnansweredHandler]


class UnansweredGroup:
    """Handlers of messages about one thing, none of which is answered."""

    HANDLERS: ClassVar[UnansweredHandlers]
