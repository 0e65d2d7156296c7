"""What moves about: which session is in front, and in which view."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nagomi_tui.api.messages import Seen
from nagomi_tui.view.common.translate import say
from nagomi_tui.view.screens.state import ViewName

if TYPE_CHECKING:
    from nagomi_tui.view.app.application import Room


class MovingVerbs:
    """Actions that change nothing but what the user sees and types into."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._state = room.state

    # --- sessions

    def go_to(self, session_id: str) -> None:
        """Focus a session; it was seen then."""
        if session_id in self._state.sessions:
            self._state.focus(session_id)
            if self._state.sessions[session_id].waits:
                self._room.link.send(Seen(session=session_id))
            self._room.show()

    def go_to_number(self, number: int) -> None:
        """Focus the session with this number."""
        if found := self._state.by_number(number):
            self.go_to(found)
        else:
            self._room.tell(say("There is no session {number}.", number=number))

    def next(self) -> None:
        """Go to the next session."""
        self.go_to(self._state.step(1))

    def previous(self) -> None:
        """Go to the previous session."""
        self.go_to(self._state.step(-1))

    def next_waiting(self) -> None:
        """Go to the session that has waited longest."""
        if found := self._state.next_waiting(time.monotonic()):
            self.go_to(found)
        else:
            self._room.tell(say("Nobody waits for you."))

    def called(self) -> None:
        """Go to the session that called last."""
        if not self._room.calls.go():
            self._room.tell(say("Nobody has called since."))

    def left(self) -> None:
        """Go left."""
        self._go("left")

    def right(self) -> None:
        """Go right."""
        self._go("right")

    def up(self) -> None:
        """Go up."""
        self._go("up")

    def down(self) -> None:
        """Go down."""
        self._go("down")

    def _go(self, direction: str) -> None:
        if self._state.view is ViewName.CHAT and not self._state.zoomed:
            lanes = self._state.lanes
            at = lanes.index(self._state.focused) if self._state.focused in lanes else 0
            step = {"left": -1, "right": 1}.get(direction, 0)
            self.go_to(lanes[max(0, min(len(lanes) - 1, at + step))] if lanes else "")
        elif not self._state.zoomed:
            self.go_to(self._room.neighbour(direction))

    def judge(self) -> None:
        """Open the judge's pane with the keys in it, or close it."""
        self._room.judge()

    # --- views

    def zoom(self) -> None:
        """Show one session on the whole screen, or go back."""
        if self._state.current is not None:
            self._state.zoomed = not self._state.zoomed
            self._room.show()

    def bars(self) -> None:
        """Hide or show the thin line."""
        self._state.bare = not self._state.bare
        self._room.show()

    def align(self) -> None:
        """Give all tiles one size, or enlarge the focused one."""
        self._state.enlarged = not self._state.enlarged
        self._room.show()

    def switch_view(self) -> None:
        """Switch between overview and chat."""
        other = ViewName.RUN if self._state.view is ViewName.CHAT else ViewName.CHAT
        self._to_view(other)

    def view_run(self) -> None:
        """Show the overview."""
        self._to_view(ViewName.RUN)

    def view_chat(self) -> None:
        """Show the chat."""
        self._to_view(ViewName.CHAT)

    def _to_view(self, view: ViewName) -> None:
        self._state.view, self._state.zoomed = view, False
        self._room.show()

    def copy(self) -> None:
        """Look back through what was printed."""
        self._room.look_back()

    def find(self) -> None:
        """Search through what was printed."""
        self._room.look_back(search=True)

    # --- chat

    def to_program(self) -> None:
        """Send keys to the prompt, or straight to the program."""
        self._state.to_program = not self._state.to_program
        self._state.view, self._state.zoomed = ViewName.CHAT, False
        self._room.show()

    def add_lane(self) -> None:
        """Show one more session in a lane."""
        self._state.view, self._state.zoomed = ViewName.CHAT, False
        if not self._state.add_lane():
            self._room.tell(say("Every session has a lane already."))
        self._room.show()

    def close_lane(self) -> None:
        """Close the focused lane."""
        if self._state.view is ViewName.CHAT and not self._state.close_lane():
            self._room.tell(say("The last lane stays."))
        self._room.show()

    def tail(self) -> None:
        """Go to the end and follow new lines (N-35)."""
        if (glass := self._room.glass_in_front()) is not None:
            glass.follow()
