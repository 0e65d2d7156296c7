"""How long an open sequence is waited for: a lone Escape must be quick, and a split one whole."""

from __future__ import annotations

import os
from typing import Final

from nagomi_tui.view.driver.tokens import Waiting

LOCAL_SECONDS: Final = 0.010
FAR_SECONDS: Final = 0.050
"""Seconds to wait over SSH until a round trip was measured."""
_LEAST_FAR: Final = 0.025
_MOST_FAR: Final = 0.250
_FIXED: Final = {Waiting.SEQUENCE: 60.0, Waiting.BURST: 0.02, Waiting.STUCK: 1.0}
"""A torn sequence may come as late as the line stands still; what never comes swallows a key at most."""


class Patience:
    """Follows the connection: over SSH the wait for a lone Escape is half a measured round trip."""

    def __init__(self, *, far: bool | None = None) -> None:
        self._far = "SSH_CONNECTION" in os.environ if far is None else far
        self._escape = FAR_SECONDS if self._far else LOCAL_SECONDS

    def seconds(self, waiting: Waiting) -> float | None:
        """Return the seconds to wait for the rest of a sequence, or None if none is incomplete."""
        if waiting is Waiting.NOTHING:
            return None
        return self._escape if waiting is Waiting.ESCAPE else _FIXED[waiting]

    def measured(self, trip: float) -> None:
        """Note a round trip of `trip` seconds, from a query to the terminal until its reply."""
        if self._far:
            wanted = min(max(trip / 2, _LEAST_FAR), _MOST_FAR)
            self._escape = wanted if trip > 2 * self._escape else (self._escape + wanted) / 2
