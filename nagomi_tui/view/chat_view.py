"""おはなし: lanes on the left, the prompt below, the character in its own corner (N-30 … N-35)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from nagomi_tui.core.text import printable
from nagomi_tui.view.badge import badge
from nagomi_tui.view.character import DEFAULT
from nagomi_tui.view.chip import Chip
from nagomi_tui.view.framed import Framed
from nagomi_tui.view.hint import hint
from nagomi_tui.view.prompt import Prompt
from nagomi_tui.view.say import say, say_count
from nagomi_tui.view.sprite import Sprite
from nagomi_tui.view.state import has_ended

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from nagomi_tui.core.session import Session
    from nagomi_tui.view.character import Character
    from nagomi_tui.view.glass import TerminalGlass
    from nagomi_tui.view.link import Link
    from nagomi_tui.view.state import RoomState

_CORNER_FROM = 80
"""Columns from which the character has its own corner; below it is a line of text."""
_LANE_AT_LEAST = 40
"""Columns of the narrowest lane; lanes that do not fit wait behind the others."""


class Lane(Framed):
    """One session's console; its PTY takes the lane's size."""

    DEFAULT_CSS = """
    Lane { width: 1fr; height: 1fr; }
    """

    def __init__(self, link: Link, session: Session) -> None:
        super().__init__(link, session, own_size=True, fps=20)


class Who(Horizontal):
    """The line over the prompt: who answers, how they stand, and the way to the end."""

    DEFAULT_CSS = """
    Who { height: 1; padding: 0 1; background: $background; color: $muted; }
    Who > .who { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    Who > #tail { background: $panel; color: $accent; display: none; }
    Who > #tail.-open { display: block; }
    Who > #keys { color: $primary; }
    """

    def compose(self) -> ComposeResult:
        """From left to right."""
        yield Static(classes="who")
        yield Chip("tail", id="tail")
        yield Chip("to_program", id="keys")


class ChatView(Container):
    """One or several lanes, and one prompt for the lane in front."""

    DEFAULT_CSS = """
    ChatView { width: 1fr; height: 1fr; layout: vertical; background: $background; }
    ChatView > .lanes { height: 1fr; }
    ChatView > .foot { height: 6; }
    ChatView > .foot > Vertical { width: 1fr; }
    ChatView > .foot > Sprite { margin: 0 2; dock: right; }
    ChatView.-narrow > .foot { height: 5; }
    ChatView.-narrow > .foot > Sprite { display: none; }
    ChatView.-low > .foot { height: 4; }
    ChatView.-to-program > .foot Prompt { color: $muted; border: round $frame; }
    """

    class Chosen(Message):
        """A lane was clicked; the prompt is for its session now."""

        def __init__(self, session_id: str) -> None:
            super().__init__()
            self.session_id = session_id

    class Ready(Message):
        """The prompt is there and can take keys."""

    def __init__(self, link: Link, state: RoomState, characters: dict[str, Character]) -> None:
        super().__init__()
        self._link = link
        self._state = state
        self._characters = characters
        self._writing_for = ""

    def compose(self) -> ComposeResult:
        """Lanes above, prompt and character below."""
        yield Horizontal(classes="lanes")
        with Horizontal(classes="foot"):
            with Vertical():
                yield Who()
                yield Prompt()
            yield Sprite()

    # --- what it shows

    def on_mount(self) -> None:
        """Show what there is."""
        self.show()
        self.post_message(self.Ready())

    def on_resize(self, event: events.Resize) -> None:
        """Below 80 columns the character becomes a line; on a low screen the prompt is small."""
        self.set_class(event.size.width < _CORNER_FROM, "-narrow")
        self.set_class(event.size.height < 18, "-low")
        self.show()

    def show(self) -> None:
        """Show lanes, prompt and character as things are now."""
        self._show_lanes()
        self.set_class(self._state.to_program, "-to-program")
        session = self._state.current
        if session is None:
            return
        self._show_prompt(session)
        character = self._characters.get(session.character_id) or self._characters.get(DEFAULT)
        self.query_one(Sprite).follow(session.session_id, session.phase, character)
        self._show_who(session)

    def _show_lanes(self) -> None:
        lanes = {lane.session.session_id: lane for lane in self.query(Lane)}
        for session_id in lanes.keys() - set(self._state.lanes):
            lanes.pop(session_id).remove()
        holder = self.query_one(".lanes")
        shown = lanes_shown(self._state.lanes, self._state.focused, self.size.width)
        for session_id in self._state.lanes:
            session = self._state.sessions[session_id]
            lane = lanes.get(session_id)
            if lane is None:
                lane = Lane(self._link, session)
                holder.mount(lane)
            lane.show(
                session,
                focused=session_id == self._state.focused,
                fps=self._state.fps(session_id),
            )
            lane.display = session_id in shown

    def _show_prompt(self, session: Session) -> None:
        prompt = self.query_one(Prompt)
        if session.session_id != self._writing_for:
            self._keep_draft()
            self._writing_for = session.session_id
            prompt.begin(
                self._state.drafts.get(session.session_id, ""),
                self._state.history.setdefault(session.session_id, []),
            )
        prompt.enter_sends = bool(self._state.settings.get("enter_sends", True))
        prompt.placeholder = say("Write to {name} …", name=printable(session.name))
        prompt.disabled = has_ended(session)

    def _keep_draft(self) -> None:
        if self._writing_for in self._state.sessions:
            self._state.drafts[self._writing_for] = self.query_one(Prompt).text

    def on_text_area_changed(self, event: Prompt.Changed) -> None:
        """Nothing typed is lost when the view changes."""
        self._keep_draft()

    def _show_who(self, session: Session) -> None:
        lane = self.lane_in_front()
        who = self.query_one(Who)
        who.query_one(".who", Static).update(self._words_of(session))
        following = lane is None or lane.glass.following
        more = lane.glass.lines_below if lane else 0
        tail = who.query_one("#tail", Chip)
        tail.set_class(not following, "-open")
        lines = say_count("{count} more line", "{count} more lines", more) if more else ""
        end = say("To the end")
        tail.update(f"↓ {end} {lines}".rstrip())
        target = say("program") if self._state.to_program else say("prompt")
        keys = say("keys → {target}", target=target)
        who.query_one("#keys", Chip).update(f"{keys} ({hint('to_program')})")

    def _words_of(self, session: Session) -> Content:
        sprite = self.query_one(Sprite)
        look = badge(session)
        face = ""
        if self.has_class("-narrow") and sprite.character is not None:
            face = sprite.character.pictures[sprite.face.phase].line
        said = session.summary or say(look.word)
        return Content.from_markup(
            "[$foreground]$face[/] [$color]$shape $said[/]".replace("$color", f"${look.color}"),
            face=face,
            shape=look.shape,
            said=printable(said),
        )

    def lane_in_front(self) -> Lane | None:
        """Return the lane of the focused session."""
        found = [
            lane for lane in self.query(Lane) if lane.session.session_id == self._state.focused
        ]
        return found[0] if found else None

    def tick(self) -> None:
        """Let the times go on."""
        for lane in self.query(Lane):
            lane.tick()

    # --- what happens in it

    def on_terminal_glass_clicked(self, event: TerminalGlass.Clicked) -> None:
        """A click on a lane brings it to the front."""
        event.stop()
        self.post_message(self.Chosen(event.glass.session_id))

    def on_terminal_glass_scrolled(self, event: TerminalGlass.Scrolled) -> None:
        """The way to the end is shown while the tail is not followed."""
        event.stop()
        if self._state.current is not None:
            self._show_who(self._state.current)


def lanes_shown(lanes: list[str], focused: str, width: int) -> list[str]:
    """Return the lanes that are wide enough side by side, the focused one among them."""
    room = max(1, width // _LANE_AT_LEAST)
    at = lanes.index(focused) if focused in lanes else 0
    first = max(0, min(at - room + 1, len(lanes) - room))
    return lanes[first : first + room]
