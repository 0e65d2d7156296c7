"""Puts the parts of the front end together; no other module knows all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from textual.app import App
from textual.widget import AwaitMount

from nagomi_tui.api import messages
from nagomi_tui.system import folders
from nagomi_tui.view.actions.agents import AgentHandlers, GuardHandlers, HookHandlers
from nagomi_tui.view.actions.application import ApplicationHandlers
from nagomi_tui.view.actions.asking import Asking, Handlers
from nagomi_tui.view.actions.moving import MovingHandlers
from nagomi_tui.view.actions.prompting import JudgeHandlers, PromptHandlers
from nagomi_tui.view.actions.sessions import SessionHandlers
from nagomi_tui.view.actions.worktrees import ReviewHandlers, WorktreeHandlers
from nagomi_tui.view.app.leader import LeaderCommands
from nagomi_tui.view.app.memory import Memory
from nagomi_tui.view.app.messages import Arrival, ExpectedSession, OrchestratorMessages, Redraw
from nagomi_tui.view.character.faces import FaceClock
from nagomi_tui.view.character.library import library
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.timers import Timers, after_key
from nagomi_tui.view.desktop import Outside
from nagomi_tui.view.driver.keyboard import Keyboard, TypedAhead
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.keymap.bindings import Keymap
from nagomi_tui.view.notices import Calls, StatusMessages, Toasts
from nagomi_tui.view.preferences import Preferences
from nagomi_tui.view.screens.main_screen import MainScreen
from nagomi_tui.view.screens.state import AppState


class Parts:
    """Every part, made with what it needs; attributes are what the application hands events to."""

    def __init__(
        self, app: App[str], link: Link, *, env: Mapping[str, str], newcomer: bool
    ) -> None:
        """Read the user's keys and characters; what is broken is told later. A `newcomer` is welcomed."""
        self._app = app
        self._link = link
        keys = bindings.load(bindings.keymap_file())
        self.state = AppState(library())
        self.state.far = "SSH_CONNECTION" in env
        self.timers = Timers(app)
        self.keyboard = Keyboard()
        self._make_screen(keys, env)
        self._make_actions(folders.here())
        self.memory = Memory(self.state, lambda: self.main.panes())
        self._make_listener(keys.problems, newcomer=newcomer)

    def start(self) -> None:
        """Listen to the user's terminal and to the orchestrator from now on."""
        self._arrival.hold()
        self.main.menu.keys = self.preferences.keys
        self.keyboard.attach(
            self._app,
            self._led,
            self.leader_commands.pending,
            self.typed_ahead.key_given,
            self._typed_behind,
            self._may_predict,
        )
        self._arrival.arrived = self.typed_ahead.hold()
        self.keyboard.listen(self._told_by_terminal)
        self.keyboard.watch_motion(not self.state.far)
        self._app.app_resume_signal.subscribe(self._app, lambda _app: self.calls.start_over())
        self._link.on_message = self.heard
        self._link.on_connected = self.orchestrator_messages.connected
        self._link.on_keys_dropped = self.orchestrator_messages.keys_dropped
        self._link.start(asyncio.get_running_loop())
        self.timers.every(1.0, self._tick)

    def _led(self, key: str) -> None:
        """Carry out the command of a key after the leader once all text typed before it has arrived."""
        carry_out = partial(self.leader_commands.command, key)
        self._app.call_later(after_key, self._app, carry_out)

    def perform(self, action: str) -> None:
        """Carry out an action by its name. An open dialog is closed first."""
        self.main.close_dialogs()
        self.actions.perform(action)

    def go_to(self, session_id: str) -> None:
        self.moving.go_to(session_id)

    def _jump_to(self, session_id: str) -> None:
        """Give a session that calls the focus."""
        self.moving.jump_to(session_id)

    def _typed_behind(self) -> None:
        """The session in front was typed into while its pane did not show its end."""
        if self.state.settings.typing_follows:
            self.main.follow_tail()

    def _may_predict(self, session_id: str) -> bool:
        """Tell whether a session's echo may be predicted: it is elsewhere, and reads no secret."""
        session = self.state.sessions.get(session_id)
        wanted = self.state.settings.predicted_echo == "auto"
        return wanted and session is not None and session.echo_is_predictable

    def _tick(self) -> None:
        self.main.tick()
        if self.state.welcomed:
            self.preferences.follow_file()
            self.hooks.look()
            if self.state.settle_sent():
                self.main.show()
            self.memory.keep()

    def _make_screen(self, keys: Keymap, env: Mapping[str, str]) -> None:
        """Make what shows things, and what hears the user's terminal."""
        app, link, state, keyboard = self._app, self._link, self.state, self.keyboard
        self.toasts = Toasts(app, state, lambda: self.main)
        self.calls = Calls(
            link.send,
            state,
            env,
            to_terminal=keyboard.to_terminal,
            farewell=keyboard.farewell,
            toasts=self.toasts,
            go_to=self._jump_to,
            show_in_bar=lambda text: self.messages.show_in_bar(text),
        )
        self.main = MainScreen(
            app, state, keyboard, show_title=self.calls.show, place_notices=self.toasts.place
        )
        self.messages = StatusMessages(app, self.main, state, self.timers, self.toasts)
        tell = self.messages.tell
        self.outside = Outside(link.post, env, to_terminal=keyboard.to_terminal, tell=tell)
        self.preferences = Preferences(
            app,
            self.main,
            keyboard,
            keys,
            settings=lambda: state.settings,
            env=env,
            told_background=lambda: link.background,
            recolor=lambda text, ground: link.send(
                messages.Colors(foreground=text, background=ground)
            ),
            tell=tell,
        )

    def _told_by_terminal(self, kind: str, text: str) -> None:
        if kind == "colors":
            self.preferences.choose_theme(self.state.settings)
        else:
            self.calls.told(kind, text)

    def _make_actions(self, folder: str) -> None:
        """Make what carries out what the user asks for; `folder` is where sessions are proposed to start."""
        link, main, state, tell = self._link, self.main, self.state, self.messages.tell
        self.typed_ahead = TypedAhead(
            self._app,
            self.timers,
            self.keyboard,
            textual_has_keys=main.textual_has_keys,
            route_keys=main.route_keys,
        )
        self.expected = ExpectedSession(state, self.typed_ahead, go_to=self.go_to)
        asking = self.asking = Asking(
            link,
            main,
            state,
            self.typed_ahead,
            folder=folder,
            expect=self.expected.expect,
            tell=tell,
        )
        self.moving = MovingHandlers(asking, go_to_caller=self.calls.go)
        self.hooks = HookHandlers(asking)
        self.sessions = SessionHandlers(asking, self.hooks)
        self.judging = JudgeHandlers(asking)
        self.prompting = PromptHandlers(
            asking, self.judging, take_back=self.messages.take_back, typed=self._typed_behind
        )
        self._application = ApplicationHandlers(
            asking,
            hooks=self.hooks,
            preferences=self.preferences,
            perform=lambda action: self.actions.perform(action),
            leave=self._app.exit,
        )
        review = ReviewHandlers(asking)
        self._guard = GuardHandlers(asking, review=review.open)
        self._agent = AgentHandlers(asking)
        self.actions = ActionHandlers(
            self.moving,
            self.sessions,
            self._application,
            self._agent,
            self._guard,
            self.hooks,
            review,
            WorktreeHandlers(asking, review),
        )
        self.leader_commands = LeaderCommands(
            state,
            main,
            self.keyboard,
            self.timers,
            keys=lambda: self.preferences.keys,
            perform=self.perform,
            done=self.typed_ahead.go_on,
            tell=tell,
            refuse=asking.refuse,
            used=lambda: link.send(messages.Used()),
        )

    def _make_listener(self, problems: tuple[str, ...], *, newcomer: bool) -> None:
        app, main, tell = self._app, self.main, self.messages.tell
        self._arrival = Arrival(
            app,
            main,
            self.timers,
            self.toasts,
            self.state.library,
            memory=self.memory,
            adopt=self._adopt,
            problems=problems,
            tell=tell,
            ask_newcomer=self._application.welcome if newcomer else None,
        )
        self.orchestrator_messages = OrchestratorMessages(
            main,
            self.state,
            self.calls,
            copy=lambda text: self.outside.copy(text),
            bell=app.bell,
            tell=tell,
        )
        self.redraw = Redraw(self.timers, main.show)
        self._face_clock = FaceClock(self.timers, self.state.faces, main.show_faces)
        self._handlers = self._message_handlers()

    def heard(self, message: messages.ToClient) -> None:
        """Handle one message of the orchestrator."""
        before = self.state.focused
        changed = self.state.apply(message)
        if before not in ("", self.state.focused):
            self.typed_ahead.refuse()  # what is typed is for the session that has gone
        if (handle := self._handlers.get(type(message))) is not None:
            handle(message)
        if changed:
            self._sessions_changed()
        self._face_clock.plan()

    def _message_handlers(self) -> dict[type, Callable[[Any], object]]:
        """Return who acts on which message of the orchestrator."""
        acts = self.orchestrator_messages
        return {
            messages.Welcome: self._arrival.welcomed,
            messages.SettingsChanged: lambda _: self._adopt(),
            messages.Notice: lambda one: self.messages.tell(one.text, error=one.kind == "error"),
            messages.Event: acts.session_event,
            messages.Speaking: acts.speaking,
            messages.Called: self.calls.called,
            messages.Proposed: lambda steps: self.main.judge_pane.propose(steps),
            messages.Advice: lambda advice: self.main.judge_pane.advise(advice),
            messages.GoTo: lambda order: self._jump_to(order.session),
            messages.Agent: self._agent_heard,
            messages.SessionChanged: self._guard.heard,
            messages.Goodbye: lambda goodbye: self._app.exit(goodbye.reason),
        }

    def _agent_heard(self, stands: messages.Agent) -> None:
        self.messages.agent_heard(stands)
        self._agent.heard(stands)

    def _adopt(self) -> AwaitMount:
        return self.preferences.adopt(self.state.settings)

    def _sessions_changed(self) -> None:
        self.keyboard.do(lambda typed: typed.echo.look_again())
        if self.state.welcomed:
            self.expected.look()
            self.sessions.look()
            self.hooks.look()
            self.redraw.soon()


_ACTION: Final = "action_"
_TO_SESSION: Final = "session:"
_TO_NUMBER: Final = "go_"


class ActionHandlers:
    """Carries out an action of the registry by its name."""

    def __init__(self, moving: MovingHandlers, *others: Handlers) -> None:
        self._moving = moving
        self.table: dict[str, Callable[[], None]] = {
            name.removeprefix(_ACTION): getattr(handlers, name)
            for handlers in (moving, *others)
            for name in dir(handlers)
            if name.startswith(_ACTION)
        }
        """What carries out each action, by its name, but for those that name a session."""

    def perform(self, action: str) -> None:
        """Carry out an action, or go to a session: `session:ID`, or `go_12` for a number.

        Raises:
            ValueError: there is no such action.
        """
        if action.startswith(_TO_SESSION):
            self._moving.go_to(action.removeprefix(_TO_SESSION))
        elif action.startswith(_TO_NUMBER):
            self._moving.go_to_number(int(action.removeprefix(_TO_NUMBER)))
        elif (handler := self.table.get(action)) is not None:
            handler()
        else:
            raise ValueError(f"nobody carries out the action {action}")
