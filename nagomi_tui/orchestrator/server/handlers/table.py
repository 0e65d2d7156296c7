"""Which handler is for which message: told by the types of handlers' parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeAlias

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.requests import Caller

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime

Handler: TypeAlias = Callable[[Any, Any, Any], Any]
"""A method that gets a client and its message; of a request, it returns the type declared there."""
_PREFIX: Final = "messages."


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
    """Handlers of messages about one thing.

    Each public method handles messages of the type of its parameter `request`, which is answered with
    what it returns, or `message`, which is not answered.
    """

    HANDLERS: ClassVar[Mapping[type[messages.Message], Handler]] = {}

    def __init_subclass__(cls) -> None:
        found: dict[type[messages.Message], Handler] = {}
        for name, method in vars(cls).items():
            types = getattr(method, "__annotations__", {})
            kind = types.get("request") or types.get("message")
            if kind and not name.startswith("_"):
                found[getattr(messages, kind.removeprefix(_PREFIX))] = method
        cls.HANDLERS = found
