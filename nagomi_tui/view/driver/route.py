"""Decides where input goes: to the session, to Textual, or to the command after the leader key."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, Protocol, TypeAlias

from nagomi_tui.api.messages import PASTE_LIMIT, Message, Paste, Point, Press, TypeText
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.key_names import CTRL, SHIFT, is_latin, parse_key
from nagomi_tui.view.driver.strokes import Report, Stroke, decode, key_name, mouse_report
from nagomi_tui.view.driver.tokens import Kind, Token, typed
from nagomi_tui.view.pane.buffer import PaneBuffer

DEFAULT_LEADERS: Final = (Settings().leader, Settings().second_leader)


class Leader:
    """Knows the leader keys, and whether one was pressed and its command is awaited."""

    def __init__(self) -> None:
        self.pending = False
        self.choose(DEFAULT_LEADERS)

    def choose(self, names: Iterable[str]) -> None:
        """Set the leader keys.

        Raises:
            ValueError: one of the names does not name a key; nothing changes.
        """
        self._keys = frozenset([_key(name) for name in names])

    def is_leader(self, stroke: Stroke) -> bool:
        return (stroke.by_place().key, stroke.mods) in self._keys


def _key(name: str) -> tuple[str, int]:
    try:
        return parse_key(name.strip().lower())
    except ValueError as exc:
        raise ValueError(f"{name!r} is no key: write it like ctrl+] or f12") from exc


def command_of(stroke: Stroke) -> str:
    """Return a command key's name: leader + Ctrl+letter is the same as leader + letter."""
    stroke = stroke.by_place()
    if len(stroke.key) == 1 and stroke.key.isalpha() and stroke.mods & CTRL:
        return stroke.key
    if len(stroke.text) == 1 and not stroke.mods & ~SHIFT:
        return "space" if stroke.text == " " else stroke.text
    return key_name(stroke)


Item: TypeAlias = "Stroke | str"
"""A stroke, or the text of a paste."""

HOLD_SECONDS: Final = 10.0
"""Longest that input waits for a leader's command or a key to be carried out."""
_RUN: Final = 64
"""Characters that no hand types at once: they are sent as text, not as strokes."""
_EVERYTHING: Final = 1003
"""The mode of a child that hears of motion with no button held, too."""
_DIGITS: Final = "0123456789"
_MODIFIERS: Final = ("left_", "right_", "iso_", "capslock", "numlock", "scrolllock")


class Destinations(Protocol):
    """Where the router's decisions are carried out, in the IO thread."""

    def to_session(self, message: Message) -> None:
        """Send what was typed."""

    def to_textual_key(self, stroke: Stroke) -> bool:
        """Give Textual a key; False for one that it has no use for."""

    def to_textual_paste(self, text: str) -> None:
        """Give Textual a paste."""

    def to_textual_mouse(self, report: Report) -> None:
        """Give Textual what the mouse did."""

    def leader_pending(self, pending: bool) -> None:
        """Show that a leader's command is awaited, or no longer."""

    def leader_command(self, key: str) -> None:
        """Carry a leader's command out; input is held until `resume`."""

    def ignored(self) -> None:
        """A key was ignored since it was pressed again right behind the one that moved the keys."""

    def held(self, *, leads: bool) -> None:
        """A key that types something is held, which may be a leader key, or a paste."""

    def key_given(self) -> None:
        """Textual got a key that may give the keys away; input is held until `resume`."""

    def pointed(self, x: int, y: int) -> PaneBuffer | None:
        """Return the pane whose cell that is, if nothing lies over it."""


class Router:
    """Decides where each token goes. For the IO thread only, but for `session`."""

    def __init__(self, destinations: Destinations) -> None:
        self.session = ""
        """Id of the session that has the keys; empty if Textual has them."""
        self.erase = 127
        """The byte that the terminal's Backspace sends, 127 or 8."""
        self.leader = Leader()
        self.in_text = False
        """Whether a text field of Textual's has the keys; plain characters move no focus there."""
        self._latin = True
        """Whether the last letter typed was one of a layout with Latin letters."""
        self._digit = False
        """Whether a second digit of the leader's command is awaited."""
        self._again: frozenset[str] = frozenset()
        """Keys that are ignored: the one that moved the keys to somebody else, Enter and Escape."""
        self._given = ""
        """The key that Textual got last."""
        self._destinations = destinations
        self._held: deque[Item] | None = None
        self._dragging: PaneBuffer | None = None
        self._textual_drags = False

    def take(self, token: Token) -> None:
        """Take a token that is input: no reply, and no focus."""
        if token.kind is Kind.MOUSE:
            if (report := mouse_report(token)) is not None:
                self._mouse(report)
        elif token.kind is Kind.PASTE:
            self._item(token.data.decode("utf-8", "replace"))
        elif token.kind is Kind.BURST and not self._is_free:
            for part in typed(token.data):
                self.take(part)
        elif token.kind is Kind.BURST:
            self._item(token.data.decode("utf-8", "replace"))
        elif self._is_free and token.kind is Kind.TEXT and len(token.data) > _RUN:
            self._destinations.to_session(TypeText(session=self.session, text=token.data.decode()))
        else:
            for stroke in decode(token, erase=self.erase):
                self._item(self._placed(stroke))

    def _placed(self, stroke: Stroke) -> Stroke:
        """Return a shortcut on a sign of a layout without Latin letters by its place.

        Ctrl with the key of `w` is Ctrl+' in a Hebrew layout; in Dvorak's a sign is meant itself.
        """
        key, mods = stroke.key, stroke.mods
        if len(key) == 1 and key.isalpha():
            self._latin = is_latin(key)
        elif not self._latin and stroke.base and mods & ~SHIFT:
            return stroke._replace(key=stroke.base, text=stroke.base if stroke.text else "")
        return stroke

    def hold(self) -> None:
        """Hold what is typed from now on."""
        if self._held is None:
            self._held = deque()

    def drop(self, *, to_leader: bool = False) -> int:
        """Forget what is held, or only what stands before a leader key, and hold on; return how much that was.

        Strokes that type something count, and pastes.
        """
        count = 0
        while self._held and not (to_leader and self._leads(self._held[0])):
            item = self._held.popleft()
            count += isinstance(item, str) or _counts(item)
        return count

    def _leads(self, item: Item) -> bool:
        return isinstance(item, Stroke) and item.action == "press" and self.leader.is_leader(item)

    def resume(self) -> None:
        """Route what was held, by who has the keys now."""
        held, self._held = self._held, None
        while held:
            item = held.popleft()
            self._item(item)
            if self._held is not None:
                self._held.extend(held)
                return

    @property
    def submitted(self) -> bool:
        """Whether the key that Textual got last was Enter in a text field."""
        return self.in_text and self._given == "enter"

    def ignore_again(self) -> None:
        """Ignore the key that Textual got last, Enter and Escape, until `heed` or another key.

        Whoever presses a key twice, or Enter behind an answer, does not mean who has the keys now.
        """
        self._again = frozenset({self._given, "enter", "escape"})

    def heed(self) -> None:
        self._again = frozenset()

    def await_digit(self) -> None:
        """Take the next stroke, which may be held already, for the command's second digit.

        The command is ended by it: with the digit, with `escape`, or with nothing when something
        else came, which is held then.
        """
        self._digit = True
        self.resume()

    def end_digit(self) -> None:
        """Stop waiting for a second digit: none came in time."""
        if self._digit:
            self._end_command("")

    def _second(self, item: Item) -> None:
        if isinstance(item, Stroke) and not _counts(item):
            return
        key = "" if isinstance(item, str) else command_of(item)
        is_digit = len(key) == 1 and key in _DIGITS
        self._end_command(key if is_digit or key == "escape" else "")
        if not is_digit and key != "escape" and self._held is not None:
            self._held.append(item)

    def _end_command(self, key: str) -> None:
        self._digit = False
        self.hold()
        self._destinations.leader_command(key)

    @property
    def _is_free(self) -> bool:
        """Whether what is typed goes straight to a session."""
        waits = self.leader.pending or self._digit
        return bool(self._held is None and not waits and self.session)

    def _item(self, item: Item) -> None:
        if self._held is not None:
            self._held.append(item)
            if isinstance(item, str) or _counts(item):
                self._destinations.held(leads=self._leads(item))
        elif self._digit:
            self._second(item)
        elif isinstance(item, str):
            self._paste(item)
        else:
            self._stroke(item)

    def _paste(self, text: str) -> None:
        if self.leader.pending:
            self._cancel()
            self._end_command("paste")  # which is no command
            return
        if not self.session:
            self._destinations.to_textual_paste(text.replace("\0", ""))
            return
        for at in range(0, len(text), PASTE_LIMIT // 4):
            part = text[at : at + PASTE_LIMIT // 4]
            self._destinations.to_session(Paste(session=self.session, text=part))

    def _stroke(self, stroke: Stroke) -> None:
        if self.leader.pending:
            self._command(stroke)
        elif self.leader.is_leader(stroke):
            if stroke.action == "press":
                self.heed()
                self.leader.pending = True
                self._destinations.leader_pending(True)
        elif not self._is_again(stroke):
            self._through(stroke)

    def _command(self, stroke: Stroke) -> None:
        if not _counts(stroke):
            return
        self._cancel()
        if self.leader.is_leader(stroke):
            if self.session:
                self._through(stroke)
        elif (stroke.key, stroke.mods) != ("escape", 0):
            self._end_command(command_of(stroke))
        else:
            self._again = frozenset({"escape"})
            self._destinations.ignored()

    def _cancel(self) -> None:
        if self.leader.pending:
            self.leader.pending = False
            self._destinations.leader_pending(False)

    def _is_again(self, stroke: Stroke) -> bool:
        """Whether a key is ignored; another one that types something ends that."""
        again = stroke.key in self._again
        if again:
            self._destinations.ignored()
        elif _counts(stroke):
            self.heed()
        return again

    def _through(self, stroke: Stroke) -> None:
        if not self.session:
            self._to_textual(stroke)
            return
        self._destinations.to_session(
            Press(
                session=self.session,
                key=stroke.key,
                mods=stroke.mods,
                text=stroke.text,
                action=stroke.action,
                base=stroke.base,
            )
        )

    def _to_textual(self, stroke: Stroke) -> None:
        if not self.in_text or stroke.mods & ~SHIFT:
            stroke = stroke.by_place()
        if self._destinations.to_textual_key(stroke) and not (self.in_text and stroke.text):
            self._given = stroke.key
            self.hold()
            self._destinations.key_given()

    # --- the mouse

    def _mouse(self, report: Report) -> None:
        if not report.motion:
            self._cancel()
            if self._digit:
                self._end_command("escape")
        pane = self._listening(report)
        if pane is None:
            self._textual_drags = not report.released and not report.wheel and report.button != 3
            self._destinations.to_textual_mouse(report)
        else:
            self._point(pane, report)

    def _listening(self, report: Report) -> PaneBuffer | None:
        """Return the pane whose child gets this; a drag stays with who had its beginning."""
        if self._dragging is not None and not report.wheel:
            dragged = self._dragging
            if report.released:
                self._dragging = None
            return dragged
        if report.mods & SHIFT or not self.session or (self._textual_drags and not report.wheel):
            return None
        pane = self._destinations.pointed(report.x, report.y)
        if pane is None or pane.session != self.session or pane.viewport.line is not None:
            return None
        if not pane.modes.mouse or (report.hovers and pane.modes.mouse != _EVERYTHING):
            return None
        if not (report.motion or report.wheel or report.released):
            self._dragging = pane
        return pane

    def _point(self, pane: PaneBuffer, report: Report) -> None:
        place, scroll = pane.terminal.exposed_at or pane.terminal.lies_at, pane.scroll
        if place is None or report.button > 7:
            return
        x = min(max(report.x - place.x, 0), place.width - 1) + scroll.left
        y = min(max(report.y - place.y, 0), place.height - 1) + scroll.top
        self._destinations.to_session(
            Point(
                session=pane.session,
                x=x,
                y=y,
                button=report.button,
                action="release" if report.released else "move" if report.motion else "press",
                mods=report.mods,
            )
        )


def _counts(stroke: Stroke) -> bool:
    """Tell whether a stroke is a key of a command, and no release, repetition or modifier."""
    return stroke.action == "press" and types(stroke.key, stroke.action)


def types(key: str, action: str) -> bool:
    """Tell whether a key does something by itself: no release, and no modifier alone."""
    return action != "release" and not key.startswith(_MODIFIERS)
