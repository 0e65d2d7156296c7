"""Hears the orchestrator: each message goes into the state, and to whoever acts on its kind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.api.messages import ToClient
    from nagomi_tui.view.connection.link import Link


class Listener:
    """Takes in what comes over the connection, while the application is up."""

    def __init__(
        self,
        apply: Callable[[ToClient], bool],
        handlers: Mapping[type, Callable[[Any], object]],
        *,
        changed: Callable[[], object],
        heard: Callable[[], object],
    ) -> None:
        self._apply = apply
        """Takes a message in; tells whether the list of sessions is another one than before."""
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
        """Listen from now on, and connect."""
        link.on_message = self.heard
        link.on_connected = connected
        link.on_keys_dropped = keys_dropped
        link.start(asyncio.get_running_loop())

    def heard(self, message: ToClient) -> None:
        """Take in what the orchestrator said."""
        changed = self._apply(message)
        if (handle := self._handlers.get(type(message))) is not None:
            handle(message)
        if changed:
            self._changed()
        self._heard()
