"""The application: it composes the room, and hands on what happens in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App

from nagomi_tui.view.actions.handlers import Verbs
from nagomi_tui.view.app.first_paint import Curtain
from nagomi_tui.view.app.leader_commands import Leading
from nagomi_tui.view.app.listener import Listener
from nagomi_tui.view.app.outside import Outside
from nagomi_tui.view.common import theme
from nagomi_tui.view.common.plain_filter import PlainFilter
from nagomi_tui.view.copy_mode.mode import CopyMode
from nagomi_tui.view.driver.keyboard import Keyboard
from nagomi_tui.view.driver.typed_ahead import TypedAhead
from nagomi_tui.view.judge.pane import JudgePane
from nagomi_tui.view.judge.parts import Floor
from nagomi_tui.view.keymap.menu import LeaderMenu
from nagomi_tui.view.notices.call_toast import CallToast
from nagomi_tui.view.notices.calls import Calls
from nagomi_tui.view.notices.news import News
from nagomi_tui.view.screens.bars import BottomBar, TopBar
from nagomi_tui.view.screens.prompt import Prompt
from nagomi_tui.view.screens.stage import Stage
from nagomi_tui.view.screens.state import RoomState, ViewName, has_ended
from nagomi_tui.view.settings.preferences import Preferences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.driver import Driver
    from textual.filter import LineFilter
    from textual.screen import ModalScreen, Screen

    from nagomi_tui.view.character.library import Library
    from nagomi_tui.view.common.chip import ActionAsked
    from nagomi_tui.view.connection.link import Link
    from nagomi_tui.view.judge.handlers import Confirm, Made, Said
    from nagomi_tui.view.keymap.bindings import Keymap
    from nagomi_tui.view.pane.pane import TerminalGlass
    from nagomi_tui.view.screens.chat_view import ChatView
    from nagomi_tui.view.screens.run_view import RunView


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
        self.preferences = Preferences(self, env)
        self.listener = Listener(self, problems=problems, newcomer=newcomer)
        self.leading = Leading(self)
        self._news = News(self)
        self.verbs = Verbs(self)
        self.keyboard = Keyboard()
        self.typed_ahead = TypedAhead(self)
        self.curtain = Curtain(self)
        self.outside = Outside(link, env, to_terminal=self.keyboard.to_terminal, tell=self.tell)
        self.calls = Calls(
            link,
            self.state,
            env,
            to_terminal=self.keyboard.to_terminal,
            farewell=self.keyboard.farewell,
            toast=CallToast(self),
            go_to=self.verbs.moving.go_to,
        )
        self._plain = PlainFilter()
        for known in theme.THEMES:
            self.register_theme(known)
        self.theme = theme.DARK

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what every line goes through on its way to the terminal."""
        return [*super().get_line_filters(), self._plain]

    def compose(self) -> ComposeResult:
        """The two bars, the view between them, and what may lie over it."""
        yield TopBar(self.state)
        with Floor():
            yield Stage(self.link, self.state)
            yield JudgePane(self.link)
        yield BottomBar(self.state)
        yield LeaderMenu()
        yield CopyMode()

    def on_mount(self) -> None:
        """Listen from now on."""
        self.curtain.draw()
        self.query_one(LeaderMenu).keys = self.keys
        self.keyboard.attach(
            self, self.leading.command, self.leading.pending, self.typed_ahead.key_given
        )
        self.keyboard.listen(self.calls.told)
        self.keyboard.watch_motion(not self.state.far)
        self.app_resume_signal.subscribe(self, lambda _app: self.calls.start_over())
        self.listener.start()
        self.set_interval(1.0, self._tick)

    # --- what is shown

    @property
    def room_screen(self) -> Screen[Any]:
        """The screen under all dialogs."""
        return self.screen_stack[0]

    @property
    def stage(self) -> Stage:
        """Where the sessions are shown."""
        return self.room_screen.query_one(Stage)

    @property
    def copy_mode(self) -> CopyMode:
        """The line of copy mode, open or not."""
        return self.room_screen.query_one(CopyMode)

    @property
    def judge_pane(self) -> JudgePane:
        """The judge's pane, open or not."""
        return self.room_screen.query_one(JudgePane)

    @property
    def screen_bar(self) -> BottomBar:
        """The bar at the bottom."""
        return self.room_screen.query_one(BottomBar)

    def show(self) -> None:
        """Show everything as it is now, and give the keys to whom they belong."""
        if not self.is_running or not self.listener.welcomed:
            return
        self.calls.show()
        screen = self.room_screen
        screen.set_class(self.state.zoomed, "-zoomed")
        self.stage.show()
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

    @property
    def textual_has_keys(self) -> bool:
        """Whether a prompt or dialog is to have the keys, mounted already or not."""
        return len(self.screen_stack) > 1 or self._prompt_has_keys()

    def _prompt_has_keys(self) -> bool:
        in_chat = self.state.view is ViewName.CHAT and not self.state.zoomed
        return in_chat and not self.state.to_program and bool(self.state.sessions)

    def tell(self, text: str, *, error: bool = False) -> None:
        """Say a sentence for a while."""
        self._news.tell(text, error=error)

    def _tick(self) -> None:
        # Timers go on for a moment while everything that is shown is taken away.
        if self.is_running and self.listener.welcomed:
            self.stage.tick()
            self.preferences.follow_keymap()
            if (pane := self.room_screen.query_one_optional(JudgePane)) is not None:
                pane.tick()

    # --- what is asked

    def perform(self, action: str) -> None:
        """Carry out an action by its name. An open dialog is closed first."""
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self.verbs.perform(action)

    def on_click(self, event: events.Click) -> None:
        """Something that takes no clicks itself was clicked: perhaps a toast."""
        if self.calls.is_toast(event.widget):
            self.perform("called")

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
        self.verbs.sessions.send(event.text, hidden=event.hidden)

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

    def on_terminal_glass_link_pointed(self, event: TerminalGlass.LinkPointed) -> None:
        """The mouse is on a link, or no longer."""
        self._news.point(event.target)

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
        self.listener.expect(event.session_id)

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
        return self.stage.neighbour(direction)

    def glass_in_front(self) -> TerminalGlass | None:
        """Return the glass of the focused session."""
        return self.stage.glass_in_front()

    def give_back(self, session_id: str, text: str) -> None:
        """Put a text that could not be sent back where it was written."""
        self.state.drafts[session_id] = text
        for prompt in self.room_screen.query(Prompt):
            if self.state.focused == session_id:
                prompt.take_back(text)

    def session_size(self) -> tuple[int, int]:
        """Return the size of a new session: it fits the whole screen."""
        size = self.stage.size
        return max(20, min(1000, size.width - 2)), max(5, min(500, size.height - 2))
