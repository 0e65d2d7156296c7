"""When something is done, or meant: delayed calls on Textual's event loop, keys and clicks too early, git's answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

from textual.app import App
from textual.dom import DOMNode
from textual.message_pump import MessagePump
from textual.timer import Timer
from textual.widget import Widget

from nagomi_tui.system import deadlines
from nagomi_tui.system.git import GitFault
from nagomi_tui.system.paths import PlaceError
from nagomi_tui.view.common.translate import tr

_Value = TypeVar("_Value")

SETTLE_SECONDS: Final = 0.6
"""For so long after a question came up a key is meant for what stood there before."""

_REPEAT_SECONDS: Final = 0.15
"""A held key comes again within this; on a console of Linux it does each 0.09 s."""
_FIRST_REPEAT_SECONDS: Final = 1.0
"""A key that is held comes again within this for the first time; after 0.66 s on X11."""
_ARRIVAL_SECONDS: Final = 0.3


def after_key(app: App[Any], then: Callable[[], object]) -> None:
    """Call `then` once the key that the app was given is dealt with.

    This goes the way of the key up to the app, and then that of the message that it led to.
    """
    focused = app.screen.focused or app.screen
    _pass([*focused.ancestors_with_self] * 2, then)


def _pass(way: list[MessagePump], then: Callable[[], object]) -> None:
    while way:
        if way.pop(0).call_later(_pass, way, then):
            return
    then()


class HeldKey:
    """Tells a key that is held from one that is pressed again."""

    def __init__(self) -> None:
        self._keys: tuple[str, ...] = ()
        self._until = float("-inf")

    def begin(self, *keys: str) -> None:
        self._keys, self._until = keys, time.monotonic() + _FIRST_REPEAT_SECONDS

    def repeats(self, key: str) -> bool:
        """Note a key; return whether it only repeats, as it came right behind the same one."""
        now = time.monotonic()
        held = key in self._keys and now < self._until
        self._until = max(self._until if held else now, now + _REPEAT_SECONDS)
        self._keys = (key,)
        return held


class TerminalFocus:
    """Tells whether the user has come to this terminal just now, as by the click that is handled."""

    def __init__(self, widget: Widget) -> None:
        self._at = float("-inf")
        widget.watch(widget.app, "app_focus", self._changed, init=False)

    def _changed(self, focused: bool) -> None:
        if focused:
            self._at = time.monotonic()

    @property
    def came_now(self) -> bool:
        """Whether what comes in may only have been meant to get the keyboard's focus."""
        return time.monotonic() < self._at + _ARRIVAL_SECONDS


class Timers:
    """The timers of an application.

    Textual's own may still fire while the widgets that they use are being removed; these do not.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    def after(self, seconds: float, work: Callable[[], object]) -> Timer:
        """Do `work` once, in so many seconds."""
        return self._app.set_timer(seconds, self.guarded(work))

    def every(self, seconds: float, work: Callable[[], object]) -> Timer:
        """Call `work` every `seconds`, until the timer is stopped."""
        return self._app.set_interval(seconds, self.guarded(work))

    def after_refresh(self, work: Callable[[], object]) -> None:
        """Call `work` once, when everything that has changed is drawn."""
        self._app.call_after_refresh(self.guarded(work))

    def guarded(self, work: Callable[[], object]) -> Callable[[], None]:
        """Return a function that calls `work`, and does nothing once the application ends."""

        def do() -> None:
            if self._app.is_running and self._app.screen_stack:
                work()

        return do


async def from_git(
    widget: DOMNode,
    work: Callable[[], _Value],
    then: Callable[[_Value], object],
    refused: Callable[[str], object],
    *,
    seconds: float,
) -> None:
    """Do something that blocks, and then something with its result, or with why there is none.

    Nothing follows once the widget goes: it is not displayed any more, and loses its parts one by one.
    """
    try:
        value = await deadlines.run(work, seconds=seconds)
    except (GitFault, PlaceError) as exc:
        fault = tr(exc.sentence, **exc.values)
    except TimeoutError:
        fault = tr("git did not answer in time.")
    except OSError as exc:
        fault = f"{exc.strerror or exc} {exc.filename or ''}".strip()
    else:
        if widget.display:
            then(value)
        return
    if widget.display:
        refused(fault)
