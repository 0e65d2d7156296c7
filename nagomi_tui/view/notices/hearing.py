"""The user's actions on sound: play one, or mute all for an hour."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.api.messages import Failed, Sound
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import SoundStanding
    from nagomi_tui.view.connection.roles import RequestLink

_HOUR: Final = 3600.0


def try_sound(link: RequestLink, then: Callable[[str], object]) -> None:
    """Play the sound of a call (N-57); `then` is called with a sentence on what played it."""

    def answered(answer: SoundStanding | Failed) -> None:
        then(answer.message if isinstance(answer, Failed) else _played(answer))

    link.request(Sound(id=0, do="test"), answered)


def mute(link: RequestLink, then: Callable[[str], object]) -> None:
    """Mute sounds for an hour, or end that; `then` is called with a sentence on which."""

    def muted(answer: SoundStanding | Failed) -> None:
        then(answer.message if isinstance(answer, Failed) else _muted(answer.muted_until))

    def stood(answer: SoundStanding | Failed) -> None:
        if isinstance(answer, Failed):
            then(answer.message)
            return
        seconds = 0.0 if answer.muted_until else _HOUR
        link.request(Sound(id=0, do="mute", seconds=seconds), muted)

    link.request(Sound(id=0), stood)


def _played(standing: SoundStanding) -> str:
    if standing.way != "bell":
        return tr("Played by {way}.", way=standing.way)
    return standing.why or tr("The terminal's bell rings.")


def _muted(until: float | None) -> str:
    if until is None:
        return tr("Sounds may be heard again.")
    return tr("No sound until {clock}.", clock=time.strftime("%H:%M", time.localtime(until)))
