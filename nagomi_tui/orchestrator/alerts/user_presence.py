"""Where the user is: which terminal is looked at, and on which machine sounds are heard."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from nagomi_tui.alerts import surroundings
from nagomi_tui.alerts.calls import looks
from nagomi_tui.system.environment import is_far

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nagomi_tui.orchestrator.runtime.requests import Requester
    from nagomi_tui.orchestrator.sessions.audience import Listener


class UserPresence:
    """Follows the front ends that come and go."""

    def __init__(self, front_ends: Callable[[], Sequence[Listener]]) -> None:
        self.front_ends = front_ends
        self._last = dict(os.environ)
        """The environment of the front end that came last; at first this process's own."""

    def arrived(self, client: Listener) -> None:
        """Note a front end that came."""
        self._last = client.env

    def left(self, client: Listener) -> None:
        """Note a front end that has gone; if it was the last, its user may still sit there."""
        if not self.front_ends():
            self._last = client.env

    def last_env(self) -> dict[str, str]:
        """Return the environment of the front end that is or was active last."""
        return self._last

    def env(self, asking: Requester | None = None) -> dict[str, str] | None:
        """Return the environment where a sound is heard, or None if all users are on other machines.

        Without a front end it is that of the last one, or of a command that asks.
        """
        front_ends = self.front_ends()
        near = [client.env for client in front_ends if not is_far(client.env)]
        if near:
            return self._last if self._last in near else near[-1]
        if front_ends:
            return None
        alone = dict(asking.env) if asking is not None else self._last
        return None if is_far(alone) else alone

    def helper_env(self, user_env: dict[str, str]) -> dict[str, str]:
        """Return a helper's environment: ours, with the user's display and sound server."""
        ours = {
            name: value for name, value in os.environ.items() if name not in surroundings.CARRIED
        }
        for name in ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"):
            ours.pop(name, None)
        return ours | surroundings.carried(user_env)

    def looked_at(self, session: str) -> bool:
        """Return whether a user looks at the session right now."""
        return session in self._looked_at()

    def here(self) -> bool:
        """Return whether a user looks at any session right now."""
        return bool(self._looked_at())

    def _looked_at(self) -> set[str]:
        now = time.monotonic()
        return {
            client.looking
            for client in self.front_ends()
            if client.looking and looks(told=client.looking_told, idle=now - client.active_at)
        }
