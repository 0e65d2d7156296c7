"""What is said of sound: what played it, or until when there is none."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from nagomi_tui.view.say import say

if TYPE_CHECKING:
    from collections.abc import Mapping


def told(do: str, standing: Mapping[str, Any]) -> str:
    """Return a sentence for the answer to a request about sound."""
    if do == "mute":
        return _muted(standing.get("muted_until"))
    if standing.get("way") != "bell":
        return say("That was the sound, played by {way}.", way=standing.get("way", ""))
    why = standing.get("why") or say("That was the terminal's bell.")
    return str(why)


def _muted(until: float | None) -> str:
    if until is None:
        return say("Sounds may be heard again.")
    return say("No sound until {clock}.", clock=time.strftime("%H:%M", time.localtime(until)))
