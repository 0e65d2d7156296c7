"""Sends input where the router has decided: to a session, to Textual, or to a leader command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.message import Message as TextualMessage

from nagomi_tui.api.messages import Message, Paste, Press, TypeText
from nagomi_tui.text.key_names import BEHIND_SECONDS, SHIFT
from nagomi_tui.text.predicted_echo import ERASE, OTHER
from nagomi_tui.view.common.io_thread import IoThread, Timer
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.driver.frame_writer import FrameWriter
from nagomi_tui.view.driver.route import HOLD_SECONDS, Router, types
from nagomi_tui.view.driver.strokes import Report, Stroke, key_event, mouse_event
from nagomi_tui.view.pane.buffer import PaneBuffer


class EchoKeys:
    """Hands keys to the pane that shows them, and looks again when their echo is due.

    For the IO thread only, but for `may_predict`, which is called in it, and `look_again`.
    """

    def __init__(self, io: IoThread, frame_writer: Callable[[], FrameWriter | None]) -> None:
        self.may_predict: Callable[[str], bool] = lambda _session: False
        """Tells whether the echo of a session may be predicted now."""
        self._io = io
        self._frame_writer = frame_writer
        self._pane: PaneBuffer | None = None
        """The pane that was typed into last."""
        self._timer: Timer | None = None

    def typed(self, message: Press | TypeText | Paste) -> None:
        """Take what was sent to a session."""
        key = guessed_key(message)
        frame_writer = self._frame_writer()
        pane = frame_writer.watched(message.session) if frame_writer and key is not None else None
        if pane is None or key is None:
            return
        self._pane = pane
        may = pane.follows_from_the_left and self.may_predict(message.session)
        self._show(pane, pane.typed(key) if may else pane.forget_echo())

    def look_again(self) -> None:
        """Take predictions back where there may be none any more; for any thread."""
        self._io.call(self._look_again)

    def _look_again(self) -> None:
        pane = self._pane
        if pane is not None and not self.may_predict(pane.session):
            self._show(pane, pane.forget_echo())

    def _show(self, pane: PaneBuffer, changed: bool) -> None:
        frame_writer = self._frame_writer()
        if changed and (frame_writer is None or not frame_writer.repaint(pane)):
            pane.tell()
        wait = pane.echo_wait
        if self._timer is None and wait is not None:
            self._timer = self._io.after(wait, lambda: self._due(pane))

    def _due(self, pane: PaneBuffer) -> None:
        self._timer = None
        self._show(pane, pane.look_for_echo())


def guessed_key(message: Press | TypeText | Paste) -> str | None:
    """Return the key that the echo is predicted with; None for one that types nothing."""
    if not isinstance(message, Press):
        return OTHER
    if not types(message.key, message.action):
        return None
    if message.key == "backspace" and not message.mods:
        return ERASE
    plain = len(message.text) == 1 and message.text.isprintable() and not message.mods & ~SHIFT
    return message.text if plain else OTHER


@dataclass(eq=False)
class RoutedInput:
    """Sends input to sessions and to Textual, from the IO thread.

    `on_leader`, `on_leader_pending`, `on_key_given` and `on_typed_behind` are called on Textual's
    loop. At first, and after `on_leader` and `on_key_given`, input is held until `resume`.
    `on_typed_behind` hears that a session was typed into whose pane does not show its tail.
    """

    link: Link
    to_textual: Callable[[TextualMessage], object]
    frame_writer: Callable[[], FrameWriter | None]

    def __post_init__(self) -> None:
        self.router = Router(self)
        self.router.hold()
        self.on_leader: Callable[[str], object] = lambda _key: self.resume()
        self.on_leader_pending: Callable[[bool], object] = lambda _pending: None
        self.on_key_given: Callable[[], object] = self._key_taken
        self.on_typed_behind: Callable[[], object] = lambda: None
        self.echo = EchoKeys(self.link.io, self.frame_writer)
        """What is shown of keys before their session does."""
        self._hold_timer: Timer | None = None
        self._again_timer: Timer | None = None
        self._refusal: Timer | None = None
        """Set while what is typed behind a key that was refused is dropped."""
        self._key_given = False
        """Whether Textual is still at a key, which holds input whatever else is over meanwhile."""
        self._digit_timer: Timer | None = None
        self._unseen = False
        """Whether what is typed was typed before one could see what the leader's command did."""
        self._unseen_timer: Timer | None = None
        self._mouse_at = (0, 0)

    # --- for any thread

    def resume(self, *, in_text: bool = False, moved: bool = False) -> None:
        """Route what was typed since the leader's command or the key given to Textual.

        Call it when that is carried out: for a dialog, when it is mounted and focused.
        `in_text` says that Textual's keys go into a field for text now, `moved` that the key given
        to Textual has given the keys to somebody else.
        """
        self.link.io.call(lambda: self._resume(in_text=in_text, moved=moved))

    def key_done(self) -> None:
        """Note that Textual has handled the key that it was given; `resume` is to follow."""
        self.link.io.call(self._end_key)

    def hold(self, seconds: float) -> None:
        """Hold what is typed until `resume`; what is still held after this time is dropped."""
        self.link.io.call(lambda: self._hold(seconds))

    def await_digit(self, seconds: float | None) -> None:
        """Have `on_leader` told a second digit of its command, or "" when none came in time."""
        self.link.io.call(lambda: self._await_digit(seconds))

    def drop(self) -> None:
        """Forget what is held, and say so."""
        self.link.io.call(self._drop)

    def refuse(self) -> None:
        """Drop what is typed right behind a key that was refused: it is for what the key was to open.

        A pause ends that, or a leader key.
        """
        self.link.io.call(self._refuse)

    def _refuse(self) -> None:
        if self._refusal is not None:
            self._refusal.cancel()
        self.router.hold()
        self._refusal = self.link.io.after(BEHIND_SECONDS, self._swallow)

    def _swallow(self) -> None:
        self._refusal = None
        self._tell_dropped(self.router.drop(to_leader=True))
        if self._hold_timer is None:
            self.router.resume()

    def ignored(self) -> None:
        """A key was pressed again, as by a hand that has not seen what it did."""
        self._ignore_a_moment()

    def _ignore_a_moment(self) -> None:
        if self._again_timer is not None:
            self._again_timer.cancel()
        self._again_timer = self.link.io.after(BEHIND_SECONDS, self.router.heed)

    def _end_key(self) -> None:
        self._key_given = False

    def _key_taken(self) -> None:
        self.key_done()
        self.resume()

    def _resume(self, *, in_text: bool = False, moved: bool = False) -> None:
        if self._key_given:
            return  # an answer came, or a session, for which something typed before was held
        self._cancel_hold()
        submitted, self.router.in_text = self.router.submitted, in_text
        if self._unseen:
            self._unseen_timer = self.link.io.after(BEHIND_SECONDS, self._see)
        if moved:
            self.router.ignore_again()
            self._ignore_a_moment()
            if self._unseen and self.router.session and not submitted:
                self._refuse()
        if self._refusal is None:
            self.router.resume()

    def _see(self) -> None:
        self._unseen = False

    def _hold(self, seconds: float) -> None:
        self._cancel_hold()
        self._hold_timer = self.link.io.after(seconds, self._give_up)
        self.router.hold()

    def _give_up(self) -> None:
        """Forget what is held, since nobody said whom it is for: it might be typed into another session."""
        self._drop()
        self._key_given = False
        self._resume()

    def _await_digit(self, seconds: float | None) -> None:
        self._cancel_hold()
        if seconds is not None:
            self._digit_timer = self.link.io.after(seconds, self.router.end_digit)
        self.router.await_digit()

    def _drop(self) -> None:
        self._tell_dropped(self.router.drop())

    def _tell_dropped(self, count: int) -> None:
        if count:
            self.link.post(lambda: self.link.on_keys_dropped(count))

    def _cancel_hold(self) -> None:
        if self._hold_timer is not None:
            self._hold_timer.cancel()
            self._hold_timer = None
        if self._unseen_timer is not None:
            self._unseen_timer.cancel()
            self._unseen_timer = None

    # --- for the router

    def to_session(self, message: Message) -> None:
        if (frame_writer := self.frame_writer()) is not None:
            frame_writer.typed()
        self.link.send(message)
        if frame_writer is not None and isinstance(message, (TypeText, Paste, Press)):
            self._look_behind(frame_writer, message)
            self.echo.typed(message)

    def _look_behind(self, frame_writer: FrameWriter, message: TypeText | Paste | Press) -> None:
        """Tell if what was typed cannot be seen; releases and modifiers alone type nothing."""
        if isinstance(message, Press) and not types(message.key, message.action):
            return
        pane = frame_writer.watched(message.session)
        if pane is not None and not pane.viewport.at_tail:
            self.link.post(self.on_typed_behind)

    def to_textual_key(self, stroke: Stroke) -> bool:
        """Give Textual a key; False for one that it has no use for."""
        event = key_event(stroke)
        if event is not None:
            self.to_textual(event)
        return event is not None

    def to_textual_paste(self, text: str) -> None:
        self.to_textual(events.Paste(text))

    def to_textual_mouse(self, report: Report) -> None:
        event = mouse_event(report, self._mouse_at)
        self._mouse_at = (report.x, report.y)
        self.to_textual(event)

    def leader_pending(self, pending: bool) -> None:
        """Show that a leader's command is awaited, or no longer."""
        self.link.post(lambda: self.on_leader_pending(pending))

    def leader_command(self, key: str) -> None:
        """Have a leader's command carried out; input is held meanwhile, but not for ever."""
        if self._digit_timer is not None:
            self._digit_timer.cancel()
            self._digit_timer = None
        self._hold(HOLD_SECONDS)
        self._unseen = True
        self.link.post(lambda: self.on_leader(key))

    def held(self, *, leads: bool) -> None:
        """Drop what is typed behind a refused key up to a pause behind the last one, or a leader key."""
        if self._refusal is not None:
            self._refuse()
            if leads:
                self._refusal.cancel()
                self._swallow()

    def key_given(self) -> None:
        """Have the app say when the key is dealt with; input is held meanwhile."""
        self._hold(HOLD_SECONDS)
        self._key_given = True
        self.link.post(lambda: self.on_key_given())

    def pointed(self, x: int, y: int) -> PaneBuffer | None:
        """Return the pane at a cell of the terminal, if nothing lies over it."""
        frame_writer = self.frame_writer()
        return None if frame_writer is None else frame_writer.pointed(x, y)
