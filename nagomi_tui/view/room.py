"""The application: it composes the room, hears the orchestrator, and hands on what is asked."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.app import App

from nagomi_tui import __version__
from nagomi_tui.api.messages import (
    Advice,
    Called,
    Event,
    Goodbye,
    GoTo,
    Notice,
    SettingsChanged,
    Speaking,
    Welcome,
)
from nagomi_tui.view import hint, keymap_file, theme
from nagomi_tui.view.bars import BottomBar, TopBar
from nagomi_tui.view.calls import Calls
from nagomi_tui.view.copy_mode import CopyMode
from nagomi_tui.view.digest import digest_line
from nagomi_tui.view.face_clock import FaceClock
from nagomi_tui.view.judge_pane import JudgePane
from nagomi_tui.view.judge_parts import Floor
from nagomi_tui.view.keyboard import Keyboard
from nagomi_tui.view.keymap_watch import KeymapWatch
from nagomi_tui.view.menu import SHOW_AFTER, LeaderMenu
from nagomi_tui.view.outside import Outside
from nagomi_tui.view.prompt import Prompt
from nagomi_tui.view.say import say, speak
from nagomi_tui.view.stage import Stage
from nagomi_tui.view.state import RoomState, ViewName, has_ended
from nagomi_tui.view.verbs import Verbs
from nagomi_tui.view.zoom_view import ZoomView
from nagomi_tui.words import language_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.driver import Driver
    from textual.screen import ModalScreen
    from textual.timer import Timer

    from nagomi_tui.api.messages import ToClient
    from nagomi_tui.view.chat_view import ChatView
    from nagomi_tui.view.chip import ActionAsked
    from nagomi_tui.view.glass import TerminalGlass
    from nagomi_tui.view.judge_deeds import Confirm, Made, Said
    from nagomi_tui.view.keymap import Keymap
    from nagomi_tui.view.library import Library
    from nagomi_tui.view.link import Link
    from nagomi_tui.view.run_view import RunView
    from nagomi_tui.view.settings_view import SettingsView
    from nagomi_tui.view.welcome import WelcomeView


NEWS_SECONDS: Final = 10.0
"""How long a sentence stays in the bar."""
_PACKS_AFTER: Final = 1.0
_READY_PAUSE: Final = 0.01
_READY_TRIES: Final = 100
"""How often a prompt or dialog is looked for that what was typed is meant for."""


class Room(App[str], inherit_bindings=False):
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
        self.keys = keys
        self.folder = folder
        self.state = RoomState(library)
        self.state.far = "SSH_CONNECTION" in env
        self.settings_view: SettingsView | WelcomeView | None = None
        """What changes settings, while it is open."""
        self._keymap_watch = KeymapWatch()
        self._face_clock = FaceClock(self, self.state.faces, self._show_faces)
        self.verbs = Verbs(self)
        self.keyboard = Keyboard()
        self._env = env
        self._problems = problems
        self.outside = Outside(link, env, to_terminal=self.keyboard.to_terminal, tell=self.tell)
        self.calls = Calls(
            link,
            self.state,
            env,
            to_terminal=self.keyboard.to_terminal,
            farewell=self.keyboard.farewell,
            toast=self.notify,
            go_to=self.verbs.moving.go_to,
        )
        self._menu_timer: Timer | None = None
        self._news_timer: Timer | None = None
        self._expected = ""
        self._welcomed = False
        self._newcomer = newcomer
        for known in theme.THEMES:
            self.register_theme(known)
        self.theme = theme.DARK

    def compose(self) -> ComposeResult:
        """The two bars, the view between them, and what may lie over it."""
        yield TopBar(self.state)
        with Floor():
            yield Stage(self.link, self.state)
            yield JudgePane(self.link)
        yield BottomBar(self.state)
        yield LeaderMenu()
        yield CopyMode()

    # --- the orchestrator

    def on_mount(self) -> None:
        """Listen from now on."""
        self.query_one(LeaderMenu).keys = self.keys
        self.keyboard.attach(self, self.on_leader, self.on_leader_pending)
        self.keyboard.listen(self.calls.told)
        self.app_resume_signal.subscribe(self, lambda _app: self.calls.start_over())
        self.link.on_message = self.heard
        self.link.on_connected = self.connected
        self.link.on_keys_dropped = self.keys_dropped
        self.link.start(asyncio.get_running_loop())
        self.set_interval(1.0, self._tick)

    def heard(self, message: ToClient) -> None:
        """Take in what the orchestrator said."""
        changed = self.state.apply(message)
        match message:
            case Welcome():
                self._welcome(message)
            case SettingsChanged():
                self._adopt_settings()
            case Notice(kind=kind, text=text):
                self.tell(text, error=kind == "error")
            case Event(session=session, kind=kind, text=text):
                self._child_event(session, kind, text)
            case Speaking(session=session, on=on, seconds=seconds):
                self.state.faces.speak(session, time.monotonic() + seconds if on else 0.0)
                self._show_faces()
            case Called():
                self.calls.called(message)
            case Advice():
                self.judge_pane.advise(message)
            case GoTo(session=session):
                self.verbs.moving.go_to(session)
            case Goodbye(reason=reason):
                self.exit(reason)
            case _:
                pass
        if changed and self._welcomed:
            self._come_to_expected()
            self.show()
        self._face_clock.plan()

    def _show_faces(self) -> None:
        if self._welcomed and self.is_running and self.screen_stack:
            self.room_screen.query_one(Stage).show_faces()

    def _welcome(self, message: Welcome) -> None:
        first, self._welcomed = not self._welcomed, True
        self.screen_bar.skewed = message.version != __version__
        self._adopt_settings()
        if first:
            for problem in self._problems:
                self.tell(problem, error=True)
            if line := digest_line(message.digest):
                self.tell(line)
            self.set_timer(_PACKS_AFTER, self._name_broken_packs)
            if self._newcomer:
                self.verbs.room.welcome()

    def _name_broken_packs(self) -> None:
        """Read all characters now that the room stands, and name those that are broken."""
        for problem in self.state.library.problems():
            self.tell(problem, error=True)

    def connected(self, connected: bool) -> None:
        """The connection came or went; it comes back by itself."""
        if connected:
            self.calls.start_over()
        self.screen_bar.connected = connected
        self.screen_bar.show()

    def keys_dropped(self, count: int) -> None:
        """Say that what was typed meanwhile did not arrive."""
        self.tell(say("{count} keys typed while away were not sent.", count=count), error=True)

    def _child_event(self, session: str, kind: str, text: str) -> None:
        if kind == "clipboard":
            # A program that nobody looks at must not change what the user has copied.
            if session == self.state.focused:
                self.outside.copy(text)
        elif kind == "bell":
            self.bell()

    def _adopt_settings(self) -> None:
        """Follow language, theme and leader as they are set now."""
        settings = self.state.settings
        speak(language_from(self._env, str(settings.get("language", "auto"))))
        self.theme = theme.choose(
            str(settings.get("theme", "auto")),
            self.link.background,
            high_contrast=bool(settings.get("high_contrast")),
            colorblind=bool(settings.get("colorblind")),
        )
        leader = str(settings.get("leader", hint.DEFAULT_LEADER))
        hint.use(self.keys, leader)
        fault = self.keyboard.choose(
            leaders=[key for key in (leader, str(settings.get("second_leader", "f12"))) if key],
            painter=str(settings.get("painter", "direct")),
        )
        if fault:
            self.tell(fault, error=True)
        self.room_screen.query_one(Stage).rebuild()
        if self.settings_view is not None and self.settings_view.is_attached:
            self.call_later(self.settings_view.take, dict(settings))
        self.show()

    def use_keys(self, keys: Keymap) -> None:
        """Keys after the leader are these from now on."""
        self.keys = self.room_screen.query_one(LeaderMenu).keys = keys
        hint.use(keys, str(self.state.settings.get("leader", hint.DEFAULT_LEADER)))
        for problem in keys.problems:
            self.tell(problem, error=True)
        if (take := getattr(self.screen, "take_keys", None)) is not None:
            take(keys)
        self.show()

    def remap(self, action: str, keys: tuple[str, ...] | None) -> str:
        """Give an action other keys, or the shipped ones; return what is wrong."""
        try:
            keymap_file.save(action, keys)
        except OSError as exc:
            return say("keymap.toml cannot be written: {reason}", reason=exc.strerror or exc)
        self._follow_keymap()
        return ""

    def _follow_keymap(self) -> None:
        if (keys := self._keymap_watch.changed()) is not None:
            self.use_keys(keys)

    def expect(self, session_id: str) -> None:
        """Go to a session as soon as the orchestrator tells of it."""
        self._expected = session_id
        self._come_to_expected()

    def _come_to_expected(self) -> None:
        if self._expected in self.state.sessions:
            expected, self._expected = self._expected, ""
            self.verbs.moving.go_to(expected)

    # --- what is shown

    @property
    def room_screen(self) -> Any:
        """The screen under all dialogs."""
        return self.screen_stack[0]

    @property
    def copy_mode(self) -> CopyMode:
        """The line of copy mode, open or not."""
        found: CopyMode = self.room_screen.query_one(CopyMode)
        return found

    @property
    def judge_pane(self) -> JudgePane:
        """The judge's pane, open or not."""
        found: JudgePane = self.room_screen.query_one(JudgePane)
        return found

    @property
    def screen_bar(self) -> BottomBar:
        """The bar at the bottom."""
        bar: BottomBar = self.room_screen.query_one(BottomBar)
        return bar

    def show(self) -> None:
        """Show everything as it is now, and give the keys to whom they belong."""
        if not self.is_running or not self._welcomed:
            return
        self.calls.show()
        screen = self.room_screen
        screen.set_class(self.state.zoomed, "-zoomed")
        screen.query_one(Stage).show()
        screen.query_one(TopBar).show()
        self.judge_pane.follow(self.state.current)
        self.screen_bar.dialog = len(self.screen_stack) > 1
        self.screen_bar.judging = self.judge_pane.has_keys
        self.screen_bar.show()
        self.call_after_refresh(self.route_keys)
        self.route_keys()

    def route_keys(self) -> None:
        """Give the keys to the program in front, or to prompt and dialogs."""
        current = self.state.current
        if self.copy_mode.open_now and self.copy_mode.glass is not self.glass_in_front():
            self.copy_mode.close(quiet=True)
        if len(self.screen_stack) > 1:
            self.keyboard.give(None)
        elif self.copy_mode.open_now:
            self.keyboard.give(None)
            self.copy_mode.focus()
        elif self.judge_pane.has_keys:
            self.keyboard.give(None)
            self.judge_pane.focus()
        elif self._prompt_has_keys():
            self.keyboard.give(None)
            for prompt in self.room_screen.query(Prompt):
                prompt.focus()
        else:
            self.room_screen.set_focus(None)
            ended = current is None or has_ended(current)
            self.keyboard.give(None if ended else self.state.focused)

    def _prompt_has_keys(self) -> bool:
        in_chat = self.state.view is ViewName.CHAT and not self.state.zoomed
        return in_chat and not self.state.to_program and bool(self.state.sessions)

    def tell(self, text: str, *, error: bool = False) -> None:
        """Say a sentence for a while: in a bar, or over the screen where both are hidden."""
        self.state.news, self.state.news_is_fault = text, error
        if self._news_timer is not None:
            self._news_timer.stop()
        self._news_timer = self.set_timer(NEWS_SECONDS, self._forget_news)
        if self.state.zoomed and self.state.bare:
            self.notify(text, severity="error" if error else "information", markup=False)
        self._show_news()

    def _forget_news(self) -> None:
        self.state.news = ""
        self._show_news()

    def _show_news(self) -> None:
        self.screen_bar.show()
        for zoom in self.room_screen.query(ZoomView):
            zoom.show()

    def _tick(self) -> None:
        if self._welcomed:
            self.room_screen.query_one(Stage).tick()
            self._follow_keymap()
            for pane in self.room_screen.query(JudgePane):
                pane.tick()

    # --- what is asked

    def on_leader(self, key: str) -> None:
        """Do what the key after the leader says, then go on with what was typed after it."""
        if self._leader_is_tried():
            self.call_after_refresh(self._resume, _READY_TRIES)
            return
        action = self.keys.action_for(key)
        if action is None:
            self.tell(say("{key} has no meaning here.", key=f"{hint.leader()} {key}"))
        else:
            self.perform(action)
        self.call_after_refresh(self._resume, _READY_TRIES)

    def _resume(self, tries: int) -> None:
        """Go on with what was typed once the prompt or dialog that it is for can take it."""
        if tries and self._prompt_or_dialog_is_wanted() and self.screen.focused is None:
            self.set_timer(_READY_PAUSE, lambda: self._resume(tries - 1))
        else:
            self.keyboard.resume()

    def _prompt_or_dialog_is_wanted(self) -> bool:
        return len(self.screen_stack) > 1 or self._prompt_has_keys()

    def _leader_is_tried(self) -> bool:
        """Tell whether the leader was pressed only to see that it arrives."""
        seen = getattr(self.screen, "leader_seen", None)
        if seen is not None:
            seen()
        return seen is not None

    def on_leader_pending(self, pending: bool) -> None:
        """Show the menu to those who wait for it."""
        if self._menu_timer is not None:
            self._menu_timer.stop()
            self._menu_timer = None
        menu = self.room_screen.query_one(LeaderMenu)
        if pending and self._leader_is_tried():
            return
        if pending:
            self._menu_timer = self.set_timer(SHOW_AFTER, menu.open)
        else:
            menu.close()

    def perform(self, action: str) -> None:
        """Carry out an action by its name. An open dialog is closed first."""
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self.verbs.perform(action)

    def on_action_asked(self, event: ActionAsked) -> None:
        """A word was clicked."""
        self.perform(event.action)

    def on_run_view_chosen(self, event: RunView.Chosen) -> None:
        """A tile was clicked."""
        self.judge_pane.release()
        self.verbs.moving.go_to(event.session_id)

    def on_run_view_enlarge(self, event: RunView.Enlarge) -> None:
        """The focused tile is enlarged, or all have one size (N-39, N-40)."""
        if self.state.enlarged != event.enlarged:
            self.state.enlarged = event.enlarged
            self.show()

    def on_run_view_hidden_waiting(self, event: RunView.HiddenWaiting) -> None:
        """Count those who wait out of sight."""
        self.screen_bar.hidden_waiting = (event.above, event.below)
        self.screen_bar.show()

    def on_chat_view_chosen(self, event: ChatView.Chosen) -> None:
        """A lane was clicked."""
        self.judge_pane.release()
        self.verbs.moving.go_to(event.session_id)

    def on_chat_view_ready(self, event: ChatView.Ready) -> None:
        """The prompt can take keys."""
        self.route_keys()

    def on_prompt_sent(self, event: Prompt.Sent) -> None:
        """The prompt was sent."""
        self.verbs.sessions.send(event.text)

    def on_copy_mode_left(self, event: CopyMode.Left) -> None:
        """The user is back at the tail."""
        self.route_keys()

    def on_copy_mode_copied(self, event: CopyMode.Copied) -> None:
        """Text was copied with the keys."""
        self.outside.copy(event.text)

    def on_terminal_glass_clicked(self, event: TerminalGlass.Clicked) -> None:
        """The zoomed session was clicked."""
        if self.judge_pane.has_keys:
            self.judge_pane.release()
            self.show()

    def on_terminal_glass_selected(self, event: TerminalGlass.Selected) -> None:
        """Text was selected with the mouse."""
        self.outside.copy(event.text)

    def on_terminal_glass_link_chosen(self, event: TerminalGlass.LinkChosen) -> None:
        """A link was chosen."""
        self.outside.open(event.target)

    def on_judge_pane_left(self, event: JudgePane.Left) -> None:
        """The keys are the session's again."""
        self.show()

    def on_judge_pane_entered(self, event: JudgePane.Entered) -> None:
        """The pane was clicked."""
        self.show()

    def on_said(self, event: Said) -> None:
        """The pane has a sentence for the user."""
        self.tell(event.text, error=event.fault)

    def on_made(self, event: Made) -> None:
        """A next step runs in a session of its own."""
        self.expect(event.session_id)

    def on_confirm(self, event: Confirm) -> None:
        """A next step is done only if the user says so once more."""
        self.verbs.asking.confirm(event.title, event.question, event.yes, event.go_on)

    # --- what actions need

    def judge(self) -> None:
        """Open the judge's pane with the keys in it; from within, close it."""
        pane, session = self.judge_pane, self.state.current
        if pane.has_keys:
            pane.leave()
        elif session is not None:
            pane.enter(session)
            self.show()

    def open(self, dialog: ModalScreen[Any], then: Callable[[Any], None] | None = None) -> None:
        """Open a dialog; the room has the keys again when it closes."""

        def closed(result: Any) -> None:
            self.call_after_refresh(self.show)
            if then is not None:
                then(result)

        self.push_screen(dialog, closed)
        self.show()

    def look_back(self, *, search: bool = False) -> None:
        """Look back through the focused session's history, or search it."""
        if (glass := self.glass_in_front()) is not None:
            self.copy_mode.open(glass, search=search)
            self.route_keys()

    def neighbour(self, direction: str) -> str:
        """Return the session whose tile lies in a direction."""
        found: str = self.room_screen.query_one(Stage).neighbour(direction)
        return found

    def glass_in_front(self) -> TerminalGlass | None:
        """Return the glass of the focused session."""
        found: TerminalGlass | None = self.room_screen.query_one(Stage).glass_in_front()
        return found

    def give_back(self, session_id: str, text: str) -> None:
        """Put a text that could not be sent back where it was written."""
        self.state.drafts[session_id] = text
        for prompt in self.room_screen.query(Prompt):
            if self.state.focused == session_id and not prompt.text:
                prompt.text = text

    def session_size(self) -> tuple[int, int]:
        """Return the size of a new session: it fits the whole screen."""
        size = self.room_screen.query_one(Stage).size
        return max(20, min(1000, size.width - 2)), max(5, min(500, size.height - 2))
