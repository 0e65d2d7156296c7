"""The Textual application: composes the screen, and hands events on to its parts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen

from nagomi_tui.api.messages import hello
from nagomi_tui.system import paths
from nagomi_tui.system.environment import env_of_text
from nagomi_tui.text.words import language_from
from nagomi_tui.view.app.memory import Keeper, terminal_of
from nagomi_tui.view.app.parts import Parts
from nagomi_tui.view.common import textual_private, theme
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.translate import use_language
from nagomi_tui.view.common.widgets import ActionAsked, LaidOut, SessionChosen
from nagomi_tui.view.driver.keyboard import DRIVER
from nagomi_tui.view.keymap.menu import LeaderMenu
from nagomi_tui.view.pane.copy_mode import CopyMode
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens.bars import BottomBar, TopBar
from nagomi_tui.view.screens.chat_view import ChatView
from nagomi_tui.view.screens.judge_pane import JudgePane, ViewAndPane
from nagomi_tui.view.screens.main_screen import Stage
from nagomi_tui.view.screens.prompt import Prompt
from nagomi_tui.view.screens.run_view import RunView


class FirstScreen(Screen[None]):
    """The screen below all dialogs."""

    _was_shown = False

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Spare what was styled as it was mounted from being styled once more at the start."""
        event.refresh_styles &= self._was_shown
        self._was_shown = True


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
    ToastRack.-top { dock: top; align: right top; }
    ToastRack.-left { align: left bottom; }
    ToastRack.-top.-left { align: left top; }
    ToastRack.-left ToastHolder { align-horizontal: left; }
    """

    def __init__(
        self,
        link: Link,
        *,
        env: Mapping[str, str],
        driver_class: type[Driver] | None = None,
        welcome: bool = False,
    ) -> None:
        """`welcome` is for a user who was not here before."""
        textual_private.draw_as_nagomi()
        textual_private.draw_nothing_within_a_batch()
        textual_private.share_parsed_css()
        super().__init__(driver_class=driver_class, ansi_color=True)
        for known in theme.THEMES:
            self.register_theme(known)
        self.theme = theme.DARK
        self.link = link
        self._plain = textual_private.PlainFilter()
        self.parts = Parts(self, link, env=env, newcomer=welcome)

    # --- what is shown

    def get_default_screen(self) -> FirstScreen:
        return FirstScreen(id="_default")

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters that every line drawn by Textual passes."""
        return [*super().get_line_filters(), self._plain]

    def compose(self) -> ComposeResult:
        yield TopBar(self.parts.state)
        with ViewAndPane():
            yield Stage(self.link, self.parts.state)
            yield JudgePane(self.link, lambda: self.parts.state.settings)
        yield BottomBar(self.parts.state)
        yield LeaderMenu()
        yield CopyMode()

    def on_mount(self) -> None:
        self.parts.start()

    # --- what widgets tell

    async def on_key(self, event: events.Key) -> None:
        """Drop what is typed right behind a character that nobody has a use for: words, no commands."""
        event.prevent_default()
        if not await textual_private.run_binding(self, event.key) and event.is_printable:
            self.parts.typed_ahead.refuse()

    def on_click(self, event: events.Click) -> None:
        """Go to the session of a call if its toast was clicked."""
        if self.parts.calls.is_toast(event.widget):
            self.parts.perform("called")

    def on_action_asked(self, event: ActionAsked) -> None:
        """Carry out the action of a clicked word."""
        self.parts.perform(event.action)

    def on_session_chosen(self, event: SessionChosen) -> None:
        self.parts.main.judge_pane.release()
        self.parts.go_to(event.session_id)

    def on_run_view_enlarge(self, event: RunView.Enlarge) -> None:
        """Enlarge the focused tile, or give all tiles one size (N-39, N-40)."""
        if self.parts.state.enlarged != event.session_id:
            self.parts.state.enlarged = event.session_id
            self.parts.main.show()

    def on_run_view_hidden_waiting(self, event: RunView.HiddenWaiting) -> None:
        """Show how many sessions wait out of sight."""
        self.parts.main.bottom_bar.hidden_waiting = (event.above, event.below)
        self.parts.main.bottom_bar.show()

    def on_chat_view_ready(self, event: ChatView.Ready) -> None:
        """Route the keys: the prompt can take them now."""
        self.parts.main.route_keys()

    def on_prompt_sent(self, event: Prompt.Sent) -> None:
        self.parts.prompting.send(event.text, hidden=event.hidden, early=event.early)

    def on_prompt_passed(self, event: Prompt.Passed) -> None:
        """Hand a key of the empty prompt to the program."""
        self.parts.prompting.press(event.key)

    def on_prompt_chosen(self, event: Prompt.Chosen) -> None:
        """Answer the open question with a key of the empty prompt."""
        self.parts.prompting.answer(event.choice, event.question)

    def on_copy_mode_left(self, event: CopyMode.Left) -> None:
        """Route the keys: copy mode was left."""
        self.parts.main.route_keys()

    def on_copy_mode_copied(self, event: CopyMode.Copied) -> None:
        self.parts.outside.copy(event.text)

    def on_terminal_pane_clicked(self, event: TerminalPane.Clicked) -> None:
        """Give the keys back to the zoomed session that was clicked."""
        if self.parts.main.judge_pane.has_keys:
            self.parts.main.judge_pane.release()
            self.parts.main.show()

    def on_terminal_pane_selected(self, event: TerminalPane.Selected) -> None:
        """Copy the text that was selected with the mouse."""
        self.parts.outside.copy(event.text)

    def on_terminal_pane_link_pointed(self, event: TerminalPane.LinkPointed) -> None:
        """Show where the link under the mouse leads."""
        self.parts.messages.point(event.target)

    def on_terminal_pane_link_chosen(self, event: TerminalPane.LinkChosen) -> None:
        self.parts.outside.open(event.target)

    def on_judge_pane_keys_moved(self, event: JudgePane.KeysMoved) -> None:
        """Route the keys: the judge's pane was entered or left."""
        self.parts.main.show()

    def on_laid_out(self, event: LaidOut) -> None:
        """Keep notices off what was laid out anew."""
        self.parts.toasts.place()

    def on_judge_pane_asked(self, event: JudgePane.Asked) -> None:
        """Carry out what is asked for in the judge's pane."""
        self.parts.judging.carry_out(event.pane, event.request)


def run_app(*, welcome: bool, session: str) -> str:
    """Run the application with a session in front; return why it ended: `detach`, `quit` or `reload`."""
    use_language(language_from(os.environ))
    link = Link(hello(env_of_text(os.environ), front_end=True))
    app = NagomiApp(link, env=os.environ, driver_class=DRIVER, welcome=welcome)
    app.parts.state.focused = session
    app.parts.memory.keeper = Keeper(paths.front_ends_folder(), terminal_of(os.environ))
    app.parts.memory.asked = session
    try:
        return app.run() or "detach"
    finally:
        app.parts.memory.leave()
        link.stop()
