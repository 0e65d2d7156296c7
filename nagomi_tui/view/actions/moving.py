"""Actions that move between sessions, views and places."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nagomi_tui.api.messages import Remove, Restart, Seen
from nagomi_tui.sessions.order import is_over
from nagomi_tui.sessions.session import has_ended
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.screens.state import ViewName

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Message
    from nagomi_tui.sessions.session import Session
    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState


class MovingHandlers:
    """Actions that change nothing but what the user sees and types into."""

    def __init__(
        self,
        send: Callable[[Message], None],
        main: MainScreen,
        state: AppState,
        *,
        go_to_caller: Callable[[], bool],
        tell: Callable[[str], object],
    ) -> None:
        self._send = send
        self._main = main
        self._state = state
        self._go_to_caller = go_to_caller
        """Goes to the session that called last; returns False if none did."""
        self._tell = tell

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {
            "next": self.next,
            "previous": self.previous,
            "next_waiting": self.next_waiting,
            "called": self.called,
            "last": self.last,
            "back": self.back,
            "left": self.left,
            "down": self.down,
            "up": self.up,
            "right": self.right,
            "judge": self.judge,
            "zoom": self.zoom,
            "bars": self.bars,
            "align": self.align,
            "switch_view": self.switch_view,
            "view_run": self.view_run,
            "view_chat": self.view_chat,
            "copy": self.copy,
            "find": self.find,
            "to_program": self.to_program,
            "add_lane": self.add_lane,
            "close_lane": self.close_lane,
            "tail": self.tail,
        }

    # --- sessions

    def go_to(self, session_id: str) -> None:
        """Focus a session, which counts as seen then."""
        if session_id in self._state.sessions:
            self._state.focus(session_id)
            if self._state.sessions[session_id].waits:
                self._send(Seen(session=session_id))
            self._main.show()

    def jump_to(self, session_id: str) -> None:
        """Focus a session that calls; `back` leads to where the user was."""
        if session_id in self._state.sessions:
            self._state.places.jumped(self._state.place, session_id)
            self.go_to(session_id)

    def last(self) -> None:
        """Go to the session that was in front before this one."""
        if self._state.places.before in self._state.sessions:
            self.go_to(self._state.places.before)
        else:
            self._tell(tr("There is no session before this one."))

    def back(self) -> None:
        """Go back to where the user was before the jump, with the lanes as they were."""
        if self._state.go_back():
            self.go_to(self._state.focused)
        else:
            self._tell(tr("There is nothing to go back to: this session was not jumped to."))

    def go_to_number(self, number: int) -> None:
        """Focus the session with this number."""
        if found := self._state.by_number(number):
            self.go_to(found)
        else:
            self._tell(tr("There is no session {number}.", number=number))

    def next(self) -> None:
        """Go to the next session."""
        self.go_to(self._state.step(1))

    def previous(self) -> None:
        """Go to the previous session."""
        self.go_to(self._state.step(-1))

    def next_waiting(self) -> None:
        """Go to the session that has waited longest."""
        if found := self._state.next_waiting(time.monotonic()):
            self.jump_to(found)
        elif (current := self._state.current) and current.waits:
            self._tell(tr("Nobody else waits for you."))
        else:
            self._tell(tr("Nobody waits for you."))

    def called(self) -> None:
        """Go to the session that called last; where none did, to that which has waited longest."""
        if not self._go_to_caller():
            self.next_waiting()

    def left(self) -> None:
        """Go to the session on the left, or to the lane there."""
        self._go("left")

    def right(self) -> None:
        """Go to the session on the right, or to the lane there."""
        self._go("right")

    def up(self) -> None:
        """Go to the session above."""
        self._go("up")

    def down(self) -> None:
        """Go to the session below."""
        self._go("down")

    def _go(self, direction: str) -> None:
        if self._state.view is ViewName.CHAT and not self._state.zoomed:
            lanes = self._state.lanes
            at = lanes.index(self._state.focused) if self._state.focused in lanes else 0
            step = {"left": -1, "right": 1}.get(direction, 0)
            self.go_to(lanes[max(0, min(len(lanes) - 1, at + step))] if lanes else "")
        elif not self._state.zoomed:
            self.go_to(self._main.stage.neighbour(direction))

    def judge(self) -> None:
        """Open the judge's pane with the keys in it, or close it."""
        self._main.toggle_judge()

    # --- views

    def zoom(self) -> None:
        """Show one session on the whole screen, or go back."""
        if self._state.current is not None:
            self._state.zoomed = not self._state.zoomed
            self._main.show()

    def bars(self) -> None:
        """Hide or show the thin line over a zoomed session."""
        self._state.bare = not self._state.bare
        self._main.show()

    def align(self) -> None:
        """Give all tiles one size, or enlarge the focused one."""
        self._state.enlarged = "" if self._state.enlarged else self._state.focused
        self._main.show()

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
        self._main.show()

    def copy(self) -> None:
        """Open copy mode in the session in front."""
        self._main.look_back()

    def find(self) -> None:
        """Search the lines of the session in front."""
        self._main.look_back(search=True)

    # --- chat

    def to_program(self) -> None:
        """Switch keys between the prompt and the program."""
        self._state.to_program = not self._state.to_program
        self._state.view, self._state.zoomed = ViewName.CHAT, False
        self._main.show()

    def add_lane(self) -> None:
        """Show one more session in a lane: the user chooses where there are several."""
        free = self._state.without_lane
        if len(free) > 1:
            self._choose_lane(free)
            return
        self._state.view, self._state.zoomed = ViewName.CHAT, False
        if free:
            self._state.open_lane(free[0].session_id)
        else:
            self._tell(tr("Every session has a lane already."))
        self._main.show()

    def _choose_lane(self, free: list[Session]) -> None:
        from nagomi_tui.view.dialogs.palette import Palette

        def chosen(name: str | None) -> None:
            session_id = (name or "").removeprefix("session:")
            if session_id in self._state.sessions:
                self._state.view, self._state.zoomed = ViewName.CHAT, False
                self._state.open_lane(session_id)
                self._main.show()

        cols = self._main.screen.size.width
        dialog = Palette(free, has_session=True, cols=cols, title=tr("A lane for"), actions=False)
        self._main.open(dialog, chosen)

    def close_lane(self) -> None:
        """Close the focused lane."""
        if self._state.view is ViewName.CHAT and not self._state.close_lane():
            self._tell(tr("The last lane stays."))
        self._main.show()

    def tail(self) -> None:
        """Go to the tail of the session in front, and follow it (N-35)."""
        self._main.follow_tail()


class OverviewHandlers:
    """Changes how sessions are listed, and acts on all of those that have ended."""

    def __init__(
        self,
        main: MainScreen,
        state: AppState,
        asking: Asking,
        *,
        go_down: Callable[[], object],
        tell: Callable[[str], object],
    ) -> None:
        """`go_down` goes to the next line of the list."""
        self._main = main
        self._state = state
        self._asking = asking
        self._go_down = go_down
        self._tell = tell

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {"list": self.switch, "mark": self.mark, "ended": self.ended}

    def switch(self) -> None:
        """Switch between list, tiles and the room's choice, and to the overview from elsewhere."""
        state = self._state
        if state.view is ViewName.RUN and not state.zoomed:
            state.overview.switch()
            words = {
                True: tr("The overview is a list, on a screen of this size."),
                False: tr("The overview is tiles, on a screen of this size."),
                None: tr("The overview is a list or tiles, as the room allows."),
            }
            self._tell(words[state.overview.wish])
        state.view, state.zoomed = ViewName.RUN, False
        self._main.show()

    def mark(self) -> None:
        """Mark the session in front, and go to the next line."""
        if not self._state.overview.listed or self._state.view is not ViewName.RUN:
            self._tell(tr("Sessions are marked in the list."))
            return
        self._state.overview.mark(self._state.focused)
        self._go_down()
        self._main.show()

    def ended(self) -> None:
        """Ask what to do with the sessions that have ended: those whose end was seen, if there are any."""
        from nagomi_tui.view.dialogs.session_dialogs import Ended

        gone = [session for session in self._state.ordered if has_ended(session)]
        gone = [session for session in gone if is_over(session)] or gone
        if not gone:
            self._tell(tr("No session has ended."))
            return
        dialog = Ended(gone, unfolded=self._state.overview.unfolded)
        self._main.open(dialog, lambda wish: self._chosen(wish, gone))

    def _chosen(self, wish: str | None, gone: list[Session]) -> None:
        if wish == "fold":
            self._state.overview.unfolded = not self._state.overview.unfolded
            self._main.show()
        elif wish == "restart":
            for session in gone:
                if not session.cmd_masked:
                    self._asking.ask(Restart(id=0, session=session.session_id))
        elif wish == "remove":
            self._asking.confirm(
                tr("Remove them?"),
                tr_count(
                    "{count} ended session leaves the list, and its lines with it.",
                    "{count} ended sessions leave the list, and their lines with them.",
                    len(gone),
                ),
                tr("Remove them"),
                lambda: self._remove(gone),
            )

    def _remove(self, gone: list[Session]) -> None:
        for session in gone:
            self._asking.ask(Remove(id=0, session=session.session_id))
