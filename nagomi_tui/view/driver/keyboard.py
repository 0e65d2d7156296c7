"""Holds input that was typed ahead while it is not settled who gets the keys.

The driver holds input after the leader's command, and after each key of Textual's that may give
the keys to somebody else: Enter in a dialog, `q` while looking back. It goes on when that key has
been dealt with and nothing is awaited of the orchestrator that gives the keys away, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, TypeAlias

from textual.app import App
from textual.driver import Driver
from textual.widgets import Input, TextArea

from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.view.common.timers import Timers, after_key
from nagomi_tui.view.driver.routed_input import RoutedInput

if not WINDOWS:
    from nagomi_tui.view.driver.driver import NagomiDriver, driver_of

    DRIVER: type[Driver] | None = NagomiDriver
else:
    NagomiDriver: TypeAlias = Any
    DRIVER = None

    def driver_of(app: App[Any]) -> NagomiDriver | None:
        """Return None: on Windows all keys stay with Textual's own driver."""
        return None


class Keyboard:
    """Sends keys where the application wants them. Without our driver Textual gets all keys."""

    def __init__(self) -> None:
        self._driver: NagomiDriver | None = None
        self.target: str | None = None
        """Id of the session that has the keys; None if Textual has them."""

    def attach(
        self,
        app: App[Any],
        on_leader: Callable[[str], object],
        on_pending: Callable[[bool], object],
        on_key_given: Callable[[], object],
        on_typed_behind: Callable[[], object],
        may_predict: Callable[[str], bool],
    ) -> None:
        """Use the app's driver, if it reads keys itself."""
        self._driver = driver_of(app)
        if self._driver is not None:
            self._driver.routed.on_leader = on_leader
            self._driver.routed.on_leader_pending = on_pending
            self._driver.routed.on_key_given = on_key_given
            self._driver.routed.on_typed_behind = on_typed_behind
            self._driver.routed.echo.may_predict = may_predict

    def give(self, session_id: str | None) -> None:
        """Give the keys to a session, or to Textual."""
        if session_id != self.target:
            self.target = session_id
            if self._driver is not None:
                self._driver.keys_to(session_id)

    def do(self, work: Callable[[RoutedInput], object]) -> None:
        """Do something with what is typed: hold it, drop it, go on."""
        if self._driver is not None:
            work(self._driver.routed)

    def to_terminal(self, data: str) -> bool:
        """Write a sequence to the terminal; return False if the driver is not ours. For any thread."""
        return self._driver is not None and self._driver.to_terminal(data)

    def listen(self, on_told: Callable[[str, str], object]) -> None:
        """Call `on_told` with what the terminal tells: its focus, its name, a click on a notice."""
        if self._driver is not None:
            self._driver.replies.on_told = on_told

    def watch_motion(self, near: bool) -> None:
        """Have every mouse motion reported if the terminal is `near`, that is, not remote."""
        if self._driver is not None:
            self._driver.watch_motion(near)

    def farewell(self, data: str) -> None:
        """Write this to the terminal when the application leaves it."""
        if self._driver is not None:
            self._driver.farewell = data

    def choose(self, *, leaders: list[str], painter: str) -> str:
        """Set leader keys and painter; return a sentence that names a key that is none, or ""."""
        if self._driver is None:
            return ""
        self._driver.set_painter(painter)
        try:
            self._driver.routed.router.leader.choose(leaders)
        except ValueError as exc:
            return str(exc)
        return ""


AWAIT_SECONDS: Final = 10.0
"""Seconds for which input waits at most for an answer of the orchestrator; then it is dropped."""
_READY_PAUSE: Final = 0.01
_READY_TRIES: Final = 500
"""How often the prompt or dialog is looked for that typed input is meant for."""


@dataclass(eq=False)
class TypedAhead:
    """Tells the keyboard when to go on; used on Textual's loop."""

    app: App[Any]
    timers: Timers
    keyboard: Keyboard
    _: KW_ONLY
    textual_has_keys: Callable[[], bool]
    route_keys: Callable[[], None]
    """Gives the keys to whom they belong by what is on the screen."""

    def __post_init__(self) -> None:
        self._awaited: set[object] = set()
        self._before: object = None
        """Who had the keys when Textual was given one."""

    def hold(self) -> Callable[[], None]:
        """Hold input while an answer is awaited that moves the focus.

        Return a function to be called once the focus is where the input belongs.
        """
        mark = object()

        def release() -> None:
            if mark in self._awaited:
                self._awaited.discard(mark)
                self.go_on()

        def give_up() -> None:
            if mark in self._awaited:
                self.keyboard.do(RoutedInput.drop)
                release()

        self._awaited.add(mark)
        self.keyboard.do(lambda typed: typed.hold(AWAIT_SECONDS))
        self.timers.after(AWAIT_SECONDS, give_up)
        return release

    def refuse(self) -> None:
        """Drop what is typed right behind a key that was refused."""
        self.keyboard.do(RoutedInput.refuse)

    def key_given(self) -> None:
        """Release input once Textual has handled the key that it was given."""
        self._before = self._holder()
        self.app.call_later(self._follow)

    def go_on(self) -> None:
        """Release input once the prompt or dialog in front can take keys."""
        self.timers.after_refresh(lambda: self._try(_READY_TRIES))

    def _follow(self) -> None:
        def done() -> None:
            self.keyboard.do(RoutedInput.key_done)
            self.go_on()

        after_key(self.app, done)

    def _try(self, tries: int) -> None:
        if self._awaited:
            return
        focused = self.app.screen.focused
        if tries and focused is None and self.textual_has_keys():
            self.timers.after(_READY_PAUSE, lambda: self._try(tries - 1))
            return
        if not self.textual_has_keys():
            self.route_keys()  # a dialog that has just closed has not given them back yet
        before, self._before = self._before, None
        moved = before is not None and before != self._holder()
        in_text = isinstance(focused, (Input, TextArea))
        self.keyboard.do(lambda typed: typed.resume(in_text=in_text, moved=moved))

    def _holder(self) -> object:
        """Return who has the keys: a session, a dialog, or a part of the main screen."""
        screen = self.app.screen
        part = None if len(self.app.screen_stack) > 1 else screen.focused
        return self.keyboard.target, screen, part
