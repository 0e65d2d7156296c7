"""Receives the orchestrator's messages: each is applied to the state, and passed to its handler."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.api.messages import ToClient
    from nagomi_tui.view.connection.link import Link


class Listener:
    """Dispatches the messages of the connection."""

    def __init__(
        self,
        apply: Callable[[ToClient], bool],
        handlers: Mapping[type, Callable[[Any], object]],
        *,
        changed: Callable[[], object],
        heard: Callable[[], object],
    ) -> None:
        self._apply = apply
        """Applies a message; returns whether the list of sessions has changed."""
        self._handlers = handlers
        self._changed = changed
        """Called when the list of sessions has changed."""
        self._heard = heard
        """Called after each message."""

    def start(
        self,
        link: Link,
        *,
        connected: Callable[[bool], object],
        keys_dropped: Callable[[int], object],
    ) -> None:
        """Connect, and handle messages from now on."""
        link.on_message = self.heard
        link.on_connected = connected
        link.on_keys_dropped = keys_dropped
        link.start(asyncio.get_running_loop())

    def heard(self, message: ToClient) -> None:
        """Handle one message."""
        changed = self._apply(message)
        if (handle := self._handlers.get(type(message))) is not None:
            handle(message)
        if changed:
            self._changed()
        self._heard()
