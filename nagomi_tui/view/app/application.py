"""The application: it makes its parts, composes the screen, and hands on what happens there."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App

from nagomi_tui.api.messages import (
    Advice,
    Agent,
    Called,
    Event,
    Goodbye,
    GoTo,
    Notice,
    Proposed,
    SettingsChanged,
    Speaking,
    Welcome,
)
from nagomi_tui.view.actions.agent import AgentHandlers
from nagomi_tui.view.actions.application import ApplicationHandlers
from nagomi_tui.view.actions.asking import Asking
from nagomi_tui.view.actions.handlers import ActionHandlers
from nagomi_tui.view.actions.moving import MovingHandlers
from nagomi_tui.view.actions.sessions import SessionHandlers
from nagomi_tui.view.app.arrival import Arrival
from nagomi_tui.view.app.expected import ExpectedSession
from nagomi_tui.view.app.first_paint import FirstPaint
from nagomi_tui.view.app.leader_commands import LeaderCommands
from nagomi_tui.view.app.listener import Listener
from nagomi_tui.view.app.redraw import Redraw
from nagomi_tui.view.character.face_clock import FaceClock
from nagomi_tui.view.common import theme
from nagomi_tui.view.common.plain_filter import PlainFilter
from nagomi_tui.view.common.timers import AppTimers
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.copy_mode.mode import CopyMode
from nagomi_tui.view.desktop.outside import Outside
from nagomi_tui.view.driver.keyboard import Keyboard
from nagomi_tui.view.driver.typed_ahead import TypedAhead
from nagomi_tui.view.judge.pane import JudgePane
from nagomi_tui.view.judge.parts import ViewAndPane
from nagomi_tui.view.keymap.menu import LeaderMenu
from nagomi_tui.view.notices.call_toast import CallToast
from nagomi_tui.view.notices.calls import Calls
from nagomi_tui.view.notices.status_messages import StatusMessages
from nagomi_tui.view.screens.bars import BottomBar, TopBar
from nagomi_tui.view.screens.main_screen import MainScreen
from nagomi_tui.view.screens.stage import Stage
from nagomi_tui.view.screens.state import AppState
from nagomi_tui.view.settings.preferences import Preferences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.driver import Driver
    from textual.filter import LineFilter

    from nagomi_tui.view.character.library import Library
    from nagomi_tui.view.common.chip import ActionAsked
    from nagomi_tui.view.connection.link import Link
    from nagomi_tui.view.judge.handlers import ConfirmationAsked, Reported, SessionStarted
    from nagomi_tui.view.keymap.bindings import Keymap
    from nagomi_tui.view.pane.pane import TerminalPane
    from nagomi_tui.view.screens.chat_view import ChatView
    from nagomi_tui.view.screens.prompt import Prompt
    from nagomi_tui.view.screens.run_view import RunView


class NagomiApp(App[str], inherit_bindings=False):
    """The whole front end. It ends with `detach`, `quit` or `reload`."""

    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    CSS = """
    Screen { layers: base over; background: $background; color: $foreground; }
    ModalScreen { background: transparent; }
    Screen.-zoomed TopBar, Screen.-zoomed BottomBar { display: none; }
    Toast { background: $surface; color: $foreground; border-left: outer $primary; }
    Toast.-error { border-left: outer $accent; }
    ToastRack { margin-bottom: 1; }
    """

    def __init__(
        self,
        link: Link,
        *,
        keys: Keymap,
        library: Library,
        env: Mapping[str, str],
        folder: str = "/",
        problems: tuple[str, ...] = (),
        driver_class: type[Driver] | None = None,
        newcomer: bool = False,
    ) -> None:
        super().__init__(driver_class=driver_class, ansi_color=True)
        self.link = link
        self.state = AppState(library)
        self.state.far = "SSH_CONNECTION" in env
        self.timers = AppTimers(self)
        self.keyboard = Keyboard()
        self._plain = PlainFilter()
        for known in theme.THEMES:
            self.register_theme(known)
        self.theme = theme.DARK
        self._make_screen(keys, env)
        self._make_actions(folder)
        self._make_listener(problems, newcomer=newcomer)

    # --- its parts

    def _make_screen(self, keys: Keymap, env: Mapping[str, str]) -> None:
        """Make what shows things, and what hears the user's terminal."""
        link, state, keyboard = self.link, self.state, self.keyboard
        self.calls = Calls(
            link.send,
            state,
            env,
            to_terminal=keyboard.to_terminal,
            farewell=keyboard.farewell,
            toast=CallToast(self),
            go_to=self._go_to,
        )
        self.main = MainScreen(self, state, keyboard, show_title=self.calls.show)
        self.messages = StatusMessages(self, self.main, state, self.timers)
        self.outside = Outside(
            link.post, env, to_terminal=keyboard.to_terminal, tell=self.messages.tell
        )
        self.preferences = Preferences(
            self,
            self.main,
            lambda: state.settings,
            keyboard,
            keys=keys,
            env=env,
            background=lambda: link.background,
            tell=self.messages.tell,
        )

    def _make_actions(self, folder: str) -> None:
        """Make what carries out what the user asks for."""
        link, main, state, tell = self.link, self.main, self.state, self.messages.tell
        self.typed_ahead = TypedAhead(
            self, self.timers, self.keyboard, textual_has_keys=main.textual_has_keys
        )
        self.expected = ExpectedSession(
            lambda session_id: session_id in state.sessions,
            hold=self.typed_ahead.hold,
            go_to=self._go_to,
        )
        self.asking = Asking(link, main, self.typed_ahead, tell=tell)
        self.moving = MovingHandlers(link.send, main, state, go_to_caller=self.calls.go, tell=tell)
        self.sessions = SessionHandlers(
            link, main, state, self.asking, folder=folder, expect=self.expected.expect, tell=tell
        )
        self._application = ApplicationHandlers(
            link,
            main,
            state,
            self.asking,
            self.preferences,
            perform=self._perform,
            leave=self.exit,
            tell=tell,
        )
        self.agent = AgentHandlers(
            main,
            state,
            self.asking,
            folder=folder,
            expect=self.expected.expect,
            go_to=self._go_to,
            after=self.timers.after,
            tell=tell,
        )
        self.actions = ActionHandlers(self.moving, self.sessions, self._application, self.agent)
        self.leader_commands = LeaderCommands(
            main,
            state,
            self.keyboard,
            self.timers,
            keys=lambda: self.preferences.keys,
            perform=self.perform,
            done=self.typed_ahead.go_on,
            tell=tell,
        )

    def _make_listener(self, problems: tuple[str, ...], *, newcomer: bool) -> None:
        """Make what hears the orchestrator."""
        self.first_paint = FirstPaint(self, self.timers, show=self.main.show)
        self._arrival = Arrival(
            self,
            self.main,
            self.timers,
            first_paint=self.first_paint,
            preferences=self.preferences,
            library=self.state.library,
            problems=problems,
            tell=self.messages.tell,
            ask_newcomer=self._application.welcome if newcomer else None,
        )
        self.redraw = Redraw(self.timers, self.main.show)
        self._face_clock = FaceClock(self.timers, self.state.faces, self.main.show_faces)
        self.listener = Listener(
            self.state.apply,
            self._message_handlers(),
            changed=self._sessions_changed,
            heard=self._face_clock.plan,
        )

    def _message_handlers(self) -> dict[type, Callable[[Any], object]]:
        """Return who acts on which message of the orchestrator."""
        return {
            Welcome: self._arrival.welcomed,
            SettingsChanged: lambda _: self.preferences.adopt(),
            Notice: self._notice,
            Event: self._session_event,
            Speaking: self._speaking,
            Called: self.calls.called,
            Proposed: lambda proposed: self.main.judge_pane.propose(proposed),
            Advice: lambda advice: self.main.judge_pane.advise(advice),
            GoTo: lambda order: self._go_to(order.session),
            Agent: self.agent.heard,
            Goodbye: lambda goodbye: self.exit(goodbye.reason),
        }

    def _perform(self, action: str) -> None:
        self.actions.perform(action)

    def _go_to(self, session_id: str) -> None:
        self.moving.go_to(session_id)

    # --- what is shown

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what every line goes through on its way to the terminal."""
        return [*super().get_line_filters(), self._plain]

    def compose(self) -> ComposeResult:
        """The two bars, the view between them, and what may lie over it."""
        yield TopBar(self.state)
        with ViewAndPane():
            yield Stage(self.link, self.state)
            yield JudgePane(self.link)
        yield BottomBar(self.state)
        yield LeaderMenu()
        yield CopyMode()

    def on_mount(self) -> None:
        """Listen from now on."""
        self.first_paint.hold()
        self.main.menu.keys = self.preferences.keys
        self.keyboard.attach(
            self,
            self.leader_commands.command,
            self.leader_commands.pending,
            self.typed_ahead.key_given,
        )
        self.keyboard.listen(self.calls.told)
        self.keyboard.watch_motion(not self.state.far)
        self.app_resume_signal.subscribe(self, lambda _app: self.calls.start_over())
        self.listener.start(self.link, connected=self.connected, keys_dropped=self._keys_dropped)
        self.timers.every(1.0, self._tick)

    def _tick(self) -> None:
        self.main.tick()
        if self.state.welcomed:
            self.preferences.follow_keymap()

    # --- what the orchestrator says

    def connected(self, connected: bool) -> None:
        """The connection came or went; it comes back by itself."""
        if connected:
            self.calls.start_over()
        self.main.bottom_bar.connected = connected
        self.main.bottom_bar.show()

    def _keys_dropped(self, count: int) -> None:
        """Say that what was typed meanwhile did not arrive."""
        sentence = tr("{count} keys typed meanwhile were not sent.", count=count)
        self.messages.tell(sentence, error=True)

    def _sessions_changed(self) -> None:
        if self.state.welcomed:
            self.expected.look()
            self.redraw.soon()

    def _notice(self, notice: Notice) -> None:
        self.messages.tell(notice.text, error=notice.kind == "error")

    def _session_event(self, event: Event) -> None:
        if event.kind == "clipboard":
            # A program that nobody looks at must not change what the user has copied.
            if event.session == self.state.focused:
                self.outside.copy(event.text)
        elif event.kind == "bell":
            self.bell()

    def _speaking(self, speaking: Speaking) -> None:
        until = time.monotonic() + speaking.seconds if speaking.on else 0.0
        self.state.faces.speak(speaking.session, until)
        self.main.show_faces()

    # --- what is asked

    def perform(self, action: str) -> None:
        """Carry out an action by its name. An open dialog is closed first."""
        self.main.close_dialogs()
        self.actions.perform(action)

    def on_click(self, event: events.Click) -> None:
        """Something that takes no clicks itself was clicked: perhaps a toast."""
        if self.calls.is_toast(event.widget):
            self.perform("called")

    def on_action_asked(self, event: ActionAsked) -> None:
        """A word was clicked."""
        self.perform(event.action)

    def on_run_view_chosen(self, event: RunView.Chosen) -> None:
        """A tile was clicked."""
        self.main.judge_pane.release()
        self._go_to(event.session_id)

    def on_run_view_enlarge(self, event: RunView.Enlarge) -> None:
        """The focused tile is enlarged, or all have one size (N-39, N-40)."""
        if self.state.enlarged != event.enlarged:
            self.state.enlarged = event.enlarged
            self.main.show()

    def on_run_view_hidden_waiting(self, event: RunView.HiddenWaiting) -> None:
        """Count those who wait out of sight."""
        self.main.bottom_bar.hidden_waiting = (event.above, event.below)
        self.main.bottom_bar.show()

    def on_chat_view_chosen(self, event: ChatView.Chosen) -> None:
        """A lane was clicked."""
        self.main.judge_pane.release()
        self._go_to(event.session_id)

    def on_chat_view_ready(self, event: ChatView.Ready) -> None:
        """The prompt can take keys."""
        self.main.route_keys()

    def on_prompt_sent(self, event: Prompt.Sent) -> None:
        """The prompt was sent."""
        self.sessions.send(event.text, hidden=event.hidden)

    def on_copy_mode_left(self, event: CopyMode.Left) -> None:
        """The user is back at the tail."""
        self.main.route_keys()

    def on_copy_mode_copied(self, event: CopyMode.Copied) -> None:
        """Text was copied with the keys."""
        self.outside.copy(event.text)

    def on_terminal_pane_clicked(self, event: TerminalPane.Clicked) -> None:
        """The zoomed session was clicked."""
        if self.main.judge_pane.has_keys:
            self.main.judge_pane.release()
            self.main.show()

    def on_terminal_pane_selected(self, event: TerminalPane.Selected) -> None:
        """Text was selected with the mouse."""
        self.outside.copy(event.text)

    def on_terminal_pane_link_pointed(self, event: TerminalPane.LinkPointed) -> None:
        """The mouse is on a link, or no longer."""
        self.messages.point(event.target)

    def on_terminal_pane_link_chosen(self, event: TerminalPane.LinkChosen) -> None:
        """A link was chosen."""
        self.outside.open(event.target)

    def on_judge_pane_left(self, event: JudgePane.Left) -> None:
        """The keys are the session's again."""
        self.main.show()

    def on_judge_pane_entered(self, event: JudgePane.Entered) -> None:
        """The pane was clicked."""
        self.main.show()

    def on_reported(self, event: Reported) -> None:
        """The pane has a sentence for the user."""
        self.messages.tell(event.text, error=event.fault)

    def on_session_started(self, event: SessionStarted) -> None:
        """A next step runs in a session of its own."""
        self.expected.expect(event.session_id)

    def on_confirmation_asked(self, event: ConfirmationAsked) -> None:
        """A next step is done only if the user says so once more."""
        self.asking.confirm(event.title, event.question, event.yes, event.go_on)
