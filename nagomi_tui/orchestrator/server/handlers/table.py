"""Which function answers which request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Protocol, TypeAlias

from nagomi_tui.api import messages

Handler: TypeAlias = Callable[[Any, Any, Any], Awaitable[Any]]
"""A method that gets the client and its request, and returns what the request is declared with."""
Handlers: TypeAlias = Mapping[type[messages.Request[Any]], Handler]


class Group(Protocol):
    """Handlers of requests about one thing."""

    HANDLERS: ClassVar[Handlers]
