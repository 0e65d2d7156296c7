"""What the user asks of sound: to hear one, or to have none for an hour."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.api.messages import Failed, Sound
from nagomi_tui.view.common.translate import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.api.messages import Done
    from nagomi_tui.view.connection.link import Link

_HOUR: Final = 3600.0


def try_sound(link: Link, then: Callable[[str], object]) -> None:
    """Play the sound of a call (N-57); `then` hears what played it."""

    def answered(answer: Done | Failed) -> None:
        then(answer.message if isinstance(answer, Failed) else _played(answer.result))

    link.request(Sound(id=0, do="test"), answered)


def mute(link: Link, then: Callable[[str], object]) -> None:
    """Have no sound for an hour, or sounds again; `then` hears which."""

    def muted(answer: Done | Failed) -> None:
        until = None if isinstance(answer, Failed) else answer.result.get("muted_until")
        then(answer.message if isinstance(answer, Failed) else _muted(until))

    def stood(answer: Done | Failed) -> None:
        if isinstance(answer, Failed):
            then(answer.message)
            return
        seconds = 0.0 if answer.result.get("muted_until") else _HOUR
        link.request(Sound(id=0, do="mute", seconds=seconds), muted)

    link.request(Sound(id=0), stood)


def _played(standing: Mapping[str, Any]) -> str:
    if standing.get("way") != "bell":
        return say("Played by {way}.", way=standing.get("way", ""))
    why = standing.get("why") or say("The terminal's bell rings.")
    return str(why)


def _muted(until: float | None) -> str:
    if until is None:
        return say("Sounds may be heard again.")
    return say("No sound until {clock}.", clock=time.strftime("%H:%M", time.localtime(until)))
