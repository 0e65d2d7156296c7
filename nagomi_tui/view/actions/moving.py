"""Actions that move between sessions, views and places."""

from __future__ import annotations

import time
from collections.abc import Callable

from nagomi_tui.api.messages import Remove, Restart, Seen
from nagomi_tui.sessions.order import is_over
from nagomi_tui.sessions.session import Session, has_ended
from nagomi_tui.view.actions.asking import Asking, Handlers
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.screens.chat_view import lanes_shown
from nagomi_tui.view.screens.state import ViewName


class MovingHandlers(Handlers):
    """Actions on what the user sees and types into, and on all sessions that have ended."""

    def __init__(self, asking: Asking, *, go_to_caller: Callable[[], bool]) -> None:
        super().__init__(asking)
        self._go_to_caller = go_to_caller
        """Goes to the session that called last; returns False if none did."""

    # --- sessions

    def go_to(self, session_id: str) -> None:
        """Focus a session, which counts as seen then."""
        if session_id in self._state.sessions:
            self._state.focus(session_id)
            if self._state.sessions[session_id].waits:
                self._link.send(Seen(session=session_id))
            self._main.show()

    def jump_to(self, session_id: str) -> None:
        """Focus a session that calls; `back` leads to where the user was."""
        if session_id in self._state.sessions:
            self._state.places.jumped(self._state.place, session_id)
            self.go_to(session_id)

    def action_last(self) -> None:
        """Go to the session that was in front before this one."""
        if self._state.places.before in self._state.sessions:
            self.go_to(self._state.places.before)
        else:
            self._refuse(tr("There is no session before this one."))

    def action_back(self) -> None:
        """Go back to where the user was before the jump, with the lanes as they were."""
        if self._state.go_back():
            self.go_to(self._state.focused)
        else:
            self._refuse(tr("There is nothing to go back to: this session was not jumped to."))

    def go_to_number(self, number: int) -> None:
        if found := self._state.by_number(number):
            self.go_to(found)
        else:
            self._refuse(tr("There is no session {number}.", number=number))

    def action_next(self) -> None:
        self.go_to(self._state.step(1))

    def action_previous(self) -> None:
        self.go_to(self._state.step(-1))

    def action_next_waiting(self) -> None:
        """Go to the session that has waited longest."""
        if found := self._state.next_waiting(time.monotonic()):
            self.jump_to(found)
        elif (current := self._state.current) and current.waits:
            self._refuse(tr("Nobody else waits for you."))
        else:
            self._refuse(tr("Nobody waits for you."))

    def action_called(self) -> None:
        """Go to the session that called last; where none did, to that which has waited longest."""
        if not self._go_to_caller():
            self.action_next_waiting()

    def action_left(self) -> None:
        """Go to the session on the left, or to the lane there."""
        self._go("left")

    def action_right(self) -> None:
        """Go to the session on the right, or to the lane there."""
        self._go("right")

    def action_up(self) -> None:
        self._go("up")

    def action_down(self) -> None:
        self._go("down")

    def _go(self, direction: str) -> None:
        if self._state.view is ViewName.CHAT and not self._state.zoomed:
            lanes = self._state.lanes
            at = lanes.index(self._state.focused) if self._state.focused in lanes else 0
            step = {"left": -1, "right": 1}.get(direction, 0)
            self.go_to(lanes[max(0, min(len(lanes) - 1, at + step))] if lanes else "")
        elif not self._state.zoomed:
            self.go_to(self._main.stage.neighbour(direction))

    def action_judge(self) -> None:
        """Open the judge's pane with the keys in it, or close it."""
        self._main.toggle_judge()

    # --- views

    def action_zoom(self) -> None:
        """Show one session on the whole screen, or go back."""
        if self._state.current is not None:
            self._state.zoomed = not self._state.zoomed
            self._main.show()

    def action_bars(self) -> None:
        """Hide or show the thin line over a zoomed session."""
        self._state.bare = not self._state.bare
        self._main.show()

    def action_align(self) -> None:
        """Give all tiles one size, or enlarge the focused one."""
        self._state.enlarged = "" if self._state.enlarged else self._state.focused
        self._main.show()

    def action_switch_view(self) -> None:
        self._to_view(ViewName.RUN if self._state.view is ViewName.CHAT else ViewName.CHAT)

    def action_view_run(self) -> None:
        self._to_view(ViewName.RUN)

    def action_view_chat(self) -> None:
        self._to_view(ViewName.CHAT)

    def _to_view(self, view: ViewName) -> None:
        self._state.view, self._state.zoomed = view, False
        self._main.show()

    def action_copy(self) -> None:
        self._main.look_back()

    def action_find(self) -> None:
        """Search the lines of the session in front."""
        self._main.look_back(search=True)

    # --- chat

    def action_to_program(self) -> None:
        """Switch keys between the prompt and the program."""
        self._state.to_program = not self._state.to_program
        self._to_view(ViewName.CHAT)

    def action_add_lane(self) -> None:
        """Show one more session in a lane: the user chooses where there are several."""
        free = self._state.without_lane
        if len(free) > 1:
            self._choose_lane(free)
            return
        if free:
            self._open_lane(free[0].session_id)
        else:
            self._to_view(ViewName.CHAT)
            self._refuse(tr("Every session has a lane already."))

    def _open_lane(self, session_id: str) -> None:
        state = self._state
        state.view, state.zoomed = ViewName.CHAT, False
        state.open_lane(session_id)
        if session_id not in lanes_shown(state, self._main.screen.size.width):
            one = state.sessions[session_id]
            sentence = tr("{name} has a lane, for which a wider screen has room.", name=one.name)
            self._tell(sentence)
        self._main.show()

    def _choose_lane(self, free: list[Session]) -> None:
        from nagomi_tui.view.dialogs.palette import Palette

        def chosen(name: str | None) -> None:
            session_id = (name or "").removeprefix("session:")
            if session_id in self._state.sessions:
                self._open_lane(session_id)

        cols = self._main.screen.size.width
        dialog = Palette(free, has_session=True, cols=cols, title=tr("A lane for"), actions=False)
        self._main.open(dialog, chosen)

    def action_close_lane(self) -> None:
        if self._state.view is ViewName.CHAT and not self._state.close_lane():
            self._refuse(tr("The last lane stays."))
        self._main.show()

    def action_tail(self) -> None:
        """Go to the tail of the session in front, and follow it (N-35)."""
        self._main.follow_tail()

    # --- the overview

    def action_list(self) -> None:
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
        self._to_view(ViewName.RUN)

    def action_mark(self) -> None:
        """Mark the session in front, and go to the next line."""
        if not self._state.overview.listed or self._state.view is not ViewName.RUN:
            self._refuse(tr("Sessions are marked in the list."))
            return
        self._state.overview.mark(self._state.focused)
        self.action_down()
        self._main.show()

    def action_ended(self) -> None:
        """Ask what to do with the sessions that have ended: those whose end was seen, if there are any."""
        from nagomi_tui.view.dialogs.session_dialogs import Ended

        gone = [session for session in self._state.ordered if has_ended(session)]
        gone = [session for session in gone if is_over(session)] or gone
        if not gone:
            self._refuse(tr("No session has ended."))
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
