"""What each action does. Whatever changes a session is asked of the orchestrator."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Final

from nagomi_tui import paths
from nagomi_tui.api.messages import (
    AskJudge,
    Create,
    Done,
    Failed,
    Quit,
    Reload,
    Remove,
    Rename,
    Reorder,
    Restart,
    Seen,
    Send,
    Settings,
    Stop,
)
from nagomi_tui.core.text import printable
from nagomi_tui.view import hearing
from nagomi_tui.view.say import say, say_count
from nagomi_tui.view.state import ViewName, has_ended

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nagomi_tui.api.messages import Request
    from nagomi_tui.core.session import Session
    from nagomi_tui.view.room import Room


ASK_JUDGE: Final = "判定して"
"""What one writes in the prompt to ask the LLM judge, where it is on (N-81)."""


class Verbs:
    """One method for each action of the registry, named like it."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._state = room.state

    def perform(self, action: str) -> None:
        """Do what the action says."""
        if action.startswith("session:"):
            self.go_to(action.removeprefix("session:"))
        elif action.startswith("go_"):
            self.go_to(self._state.by_number(int(action.removeprefix("go_"))))
        else:
            getattr(self, action)()

    def ask(self, request: Request, then: Callable[[str], None] | None = None) -> None:
        """Send a request; a refusal is shown, or told to `then`, which hears "" for success."""

        def answered(answer: Done | Failed) -> None:
            fault = answer.message if isinstance(answer, Failed) else ""
            if then is not None:
                then(fault)
            elif fault:
                self._room.tell(fault, error=True)

        self._room.link.request(request, answered)

    # --- moving about

    def go_to(self, session_id: str) -> None:
        """Focus a session; it was seen then."""
        if session_id in self._state.sessions:
            self._state.focus(session_id)
            if self._state.sessions[session_id].waits:
                self._room.link.send(Seen(session=session_id))
            self._room.show()

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

    def send(self, text: str) -> None:
        """Send what was written; Enter goes apart from a text of several lines."""
        session = self._state.current
        if session is None:
            return
        settings = self._state.settings
        if text.strip() == ASK_JUDGE and settings.get("llm_judge") and settings.get("llm_consent"):
            self._ask_judge(session.session_id)
            return
        self._state.remember(session.session_id, text)
        if (glass := self._room.glass_in_front()) is not None:
            glass.follow()

        def answered(answer: Done | Failed) -> None:
            if isinstance(answer, Failed):
                self._room.give_back(session.session_id, text)
                self._room.tell(answer.message, error=True)
            elif answer.result.get("taken") is False:
                name = printable(session.name)
                self._room.tell(
                    say("It was typed, but {name} has not taken it so far.", name=name), error=True
                )

        self._room.link.request(Send(id=0, session=session.session_id, text=text), answered)

    def _ask_judge(self, session_id: str) -> None:
        """Ask the LLM judge; its advice comes by itself, and here only what went wrong."""

        def answered(answer: Done | Failed) -> None:
            failed = isinstance(answer, Failed)
            fault = answer.message if isinstance(answer, Failed) else answer.result.get("reason")
            if fault:
                self._room.tell(str(fault), error=failed)

        self._room.link.request(AskJudge(id=0, session=session_id), answered)

    # --- sessions

    def new(self) -> None:
        """Ask for a new session."""
        from nagomi_tui.view.new_session import NewSession

        current = self._state.current
        shell = str(self._state.settings.get("shell") or os.environ.get("SHELL") or "/bin/sh")
        self._room.open(
            NewSession(
                shell=shell,
                cwd=current.cwd if current else self._room.folder,
                recent=self._state.recent,
                taken=frozenset(entry.name for entry in self._state.ordered),
                submit=self._create,
            )
        )

    def _create(self, request: Create, then: Callable[[str], None]) -> None:
        from msgspec.structs import replace

        cols, rows = self._room.session_size()

        def answered(answer: Done | Failed) -> None:
            if isinstance(answer, Failed):
                then(answer.message)
                return
            then("")
            self._room.expect(str(answer.result.get("session_id", "")))

        self._room.link.request(replace(request, cols=cols, rows=rows), answered)

    def rename(self) -> None:
        """Ask for another name."""
        from nagomi_tui.view.rename import Rename as RenameDialog

        if (session := self._state.current) is not None:

            def submit(name: str, then: Callable[[str], None]) -> None:
                self.ask(Rename(id=0, session=session.session_id, name=name), then)

            self._room.open(RenameDialog(session.name, submit))

    def restart(self) -> None:
        """Start the command again; a running one is stopped only after asking."""
        self._restart(fresh=False)

    def restart_fresh(self) -> None:
        """Start the command again, an agent's with a new conversation."""
        self._restart(fresh=True)

    def _restart(self, *, fresh: bool) -> None:
        session = self._state.current
        if session is None:
            return
        request = Restart(id=0, session=session.session_id, fresh=fresh)
        if session.cmd_masked:
            self._ask_command(session)
            return
        if has_ended(session):
            self.ask(request)
            return
        self.confirm(
            say("Start again?"),
            say("{name} still runs. It will be stopped first.", name=session.name),
            say("Start again"),
            lambda: self.ask(request),
        )

    def _ask_command(self, session: Session) -> None:
        """Start a session anew whose command was stored without the secret in it."""
        from nagomi_tui.view.again import Again

        def submit(cmd: str, then: Callable[[str], None]) -> None:
            self.ask(Restart(id=0, session=session.session_id, cmd=cmd), then)

        self._room.open(Again(session.cmd, submit))

    def stop(self) -> None:
        """Stop the session, after asking."""
        session = self._state.current
        if session is None:
            return
        if has_ended(session):
            self._room.tell(say("{name} has ended already.", name=session.name))
            return
        self.confirm(
            say("Stop this session?"),
            say("{name} and everything that it started will be stopped.", name=session.name),
            say("Stop it"),
            lambda: self.ask(Stop(id=0, session=session.session_id)),
        )

    def remove(self) -> None:
        """Take an ended session off the list."""
        session = self._state.current
        if session is None:
            return
        if has_ended(session):
            self.ask(Remove(id=0, session=session.session_id))
        else:
            self._room.tell(say("{name} still runs; stop it first.", name=session.name))

    def earlier(self) -> None:
        """Move the session one place earlier."""
        self._reorder(-1)

    def later(self) -> None:
        """Move the session one place later."""
        self._reorder(1)

    def _reorder(self, by: int) -> None:
        session = self._state.current
        if session is not None and 1 <= session.number + by <= len(self._state.sessions):
            self.ask(Reorder(id=0, session=session.session_id, number=session.number + by))

    # --- the room

    def palette(self) -> None:
        """Search actions and sessions."""
        from nagomi_tui.view.palette import Palette

        def chosen(action: str | None) -> None:
            if action:
                self.perform(action)

        dialog = Palette(
            self._state.ordered,
            has_session=self._state.current is not None,
            cols=self._room.size.width,
        )
        self._room.open(dialog, chosen)

    def help(self) -> None:
        """Show all keys."""
        from nagomi_tui.view.help import Help

        self._room.open(Help(self._room.keys))

    def settings(self) -> None:
        """Open the settings."""
        from nagomi_tui.view.settings_view import Hands, SettingsView

        def change(values: dict[str, Any], then: Callable[[str], None]) -> None:
            self.ask(Settings(id=0, values=values), then)

        hands = Hands(change=change, remap=self._room.remap, try_sound=self._try_sound)
        view = SettingsView(dict(self._state.settings), self._room.keys, self._state.library, hands)
        self._room.settings_view = view
        self._room.open(view)

    def welcome(self) -> None:
        """Ask a newcomer a few questions, once."""
        from nagomi_tui.view.welcome import WelcomeView

        def change(values: dict[str, Any], then: Callable[[str], None]) -> None:
            self.ask(Settings(id=0, values=values), then)

        def closed(wish: str | None) -> None:
            with contextlib.suppress(OSError):
                paths.make_private(paths.state_folder())
                paths.welcomed_file().touch()
            if wish == "new":
                self.new()

        view = WelcomeView(dict(self._state.settings), self._state.library, change)
        self._room.settings_view = view
        self._room.open(view, closed)

    def mute(self) -> None:
        """Have no sound for an hour, or hear sounds again."""
        hearing.mute(self._room.link, self._room.tell)

    def sound_test(self) -> None:
        """Hear the sound that calls (N-57)."""
        self._try_sound(self._room.tell)

    def _try_sound(self, then: Callable[[str], object]) -> None:
        hearing.try_sound(self._room.link, then)

    def reload(self) -> None:
        """Load the installed version."""
        self.ask(Reload(id=0))

    def detach(self) -> None:
        """Leave; everything goes on running."""
        self._room.exit("detach")

    def quit(self) -> None:
        """Stop everything, after asking."""
        running = sum(not has_ended(session) for session in self._state.ordered)
        stops = say_count(
            "This stops {count} running session.",
            "This stops all {count} running sessions.",
            running,
        )
        leave = say("To only leave, press {key}.", key=self._room.hint("detach"))
        self.confirm(
            say("Quit nagomi?"), f"{stops}\n{leave}", say("Stop everything"),
            lambda: self.ask(Quit(id=0)),
        )  # fmt: skip

    def confirm(self, title: str, question: str, yes: str, act: Callable[[], None]) -> None:
        """Ask, and act on yes."""
        from nagomi_tui.view.dialog import Ask

        def answered(answer: bool | None) -> None:
            if answer:
                act()

        self._room.open(Ask(title, question, yes=yes, no=say("Not now")), answered)
