"""The main screen under all dialogs, and the view in its middle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Center, Container, Middle
from textual.screen import ModalScreen, Screen
from textual.widget import AwaitMount
from textual.widgets import Static

from nagomi_tui.sessions.session import Condition, has_ended
from nagomi_tui.text.layout import tile
from nagomi_tui.view.character.character import Character, Size
from nagomi_tui.view.character.sprite import Sprite
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.common.widgets import Chip, is_whole
from nagomi_tui.view.driver.keyboard import Keyboard
from nagomi_tui.view.keymap.bindings import hint
from nagomi_tui.view.keymap.menu import LeaderMenu
from nagomi_tui.view.pane.copy_mode import CopyMode
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens.bars import BottomBar, TopBar
from nagomi_tui.view.screens.chat_view import ChatView
from nagomi_tui.view.screens.judge_pane import JudgePane, ViewAndPane
from nagomi_tui.view.screens.list_view import ListView, room_beside_list
from nagomi_tui.view.screens.prompt import Prompt
from nagomi_tui.view.screens.run_view import RunView, Tile
from nagomi_tui.view.screens.state import AppState, ViewName
from nagomi_tui.view.screens.zoom_view import ZoomView

if TYPE_CHECKING:
    View: TypeAlias = RunView | ListView | ChatView | ZoomView

_LOW: Final = 22
"""Rows up to which the small picture is shown."""


class EmptyView(Middle):
    """The view without any session."""

    DEFAULT_CSS = """
    EmptyView { width: 1fr; height: 1fr; background: $background; align: center middle; }
    EmptyView > Center { height: auto; }
    EmptyView Static { width: 1fr; text-align: center; color: $muted; }
    EmptyView .welcome { color: $foreground; margin: 1 0; }
    EmptyView Chip { color: $accent; text-style: bold; }
    """

    def __init__(self, character: Character | None) -> None:
        super().__init__()
        self._character = character

    def compose(self) -> ComposeResult:
        """A character, a word of welcome, and the first key."""
        yield Center(Sprite(self._character))
        yield Static(tr("The room is warm. Come in."), classes="welcome")
        chip = Chip("new")
        chip.update(tr("{key}  start a session", key=hint("new")))
        yield chip
        help_chip = Chip("help")
        help_chip.update(tr("{key}  all keys", key=hint("help")))
        yield help_chip

    def on_mount(self) -> None:
        size = Size.LARGE if self.app.size.height > _LOW else Size.SMALL
        # A session that starts at this moment may have taken all of it away already.
        for sprite in self.query(Sprite):
            sprite.still = True
            sprite.follow(self._character, Condition.LISTENING, size)


_VIEWS = (RunView, ListView, ChatView, ZoomView)


class Stage(Container):
    """Shows the overview, the chat, one zoomed session, or a welcome while there is none."""

    DEFAULT_CSS = """
    Stage { width: 1fr; height: 1fr; }
    """

    def __init__(self, link: Link, state: AppState) -> None:
        super().__init__()
        self._link = link
        self._state = state

    def show(self) -> None:
        """Bring the view up to date; another view is made only when it is wanted."""
        wanted = self._wanted()
        shown = self.children[-1] if self.children else None
        if type(shown) is wanted:
            if isinstance(shown, _VIEWS) and is_whole(shown):
                shown.show()
            return
        self.remove_children()
        self.mount(self._make(wanted))

    def on_resize(self, event: events.Resize) -> None:
        """Another size may want another view."""
        if self.children and type(self.children[-1]) is not self._wanted():
            self.show()

    @property
    def lists(self) -> bool:
        """Whether the overview is shown as a list, with the focused session below it."""
        return self._wanted() is ListView

    def rebuild(self) -> AwaitMount:
        """Make the view anew, such as for another language."""
        self.remove_children()
        return self.mount(self._make(self._wanted()))

    def _wanted(self) -> type[View | EmptyView]:
        if not self._state.sessions:
            return EmptyView
        if self._state.zoomed:
            return ZoomView
        if self._state.view is ViewName.CHAT:
            return ChatView
        # The judge's pane may stand beside the stage for a moment, and changes nothing of it.
        size = self.parent.size if isinstance(self.parent, ViewAndPane) else self.size
        state = self._state
        listed = state.overview.fits(len(state.sessions), size.width, size.height, state.settings)
        return ListView if listed else RunView

    def _make(self, wanted: type[View | EmptyView]) -> View | EmptyView:
        if wanted is EmptyView:
            return EmptyView(self._state.library.one(self._state.settings.character))
        return next(view for view in _VIEWS if view is wanted)(self._link, self._state)

    def tick(self) -> None:
        for shown in self.children:
            if isinstance(shown, _VIEWS) and is_whole(shown):
                shown.tick()

    def show_faces(self) -> None:
        for shown in self.children:
            if isinstance(shown, (RunView, ListView, ChatView)) and is_whole(shown):
                shown.show_faces()

    def neighbour(self, direction: str) -> str:
        """Return the id of the session in a direction from the focused one, or "" without tiles."""
        for shown in self.children:
            if isinstance(shown, (RunView, ListView)):
                return shown.neighbour(direction)
        return ""

    def pane_in_front(self) -> TerminalPane | None:
        """Return the pane of the focused session, or None if it is not shown."""
        for shown in self.children:
            if isinstance(shown, ZoomView):
                return shown.pane
        for shown in self.children:
            if isinstance(shown, ChatView):
                lane = shown.lane_in_front()
                return lane.pane if lane else None
        parts = (part for shown in self.children for part in shown.children)
        for part in parts:
            if isinstance(part, Tile) and part.session.session_id == self._state.focused:
                return part.pane
        return None


@dataclass(eq=False)
class MainScreen:
    """Finds the widgets of the application's first screen, and keeps them up to date."""

    app: App[Any]
    state: AppState
    keyboard: Keyboard
    _: KW_ONLY
    show_title: Callable[[], object]
    """Brings the title of the user's own terminal up to date."""
    place_notices: Callable[[], object]
    """Has notices appear where they hide nothing that is needed."""

    # --- its parts

    @property
    def screen(self) -> Screen[Any]:
        return self.app.screen_stack[0]

    @property
    def stage(self) -> Stage:
        """Where the sessions are shown."""
        return self.screen.query_one(Stage)

    @property
    def copy_mode(self) -> CopyMode:
        """The line of copy mode, open or not."""
        return self.screen.query_one(CopyMode)

    @property
    def judge_pane(self) -> JudgePane:
        """The judge's pane, open or not."""
        return self.screen.query_one(JudgePane)

    @property
    def menu(self) -> LeaderMenu:
        """The menu of the keys after the leader, open or not."""
        return self.screen.query_one(LeaderMenu)

    @property
    def bottom_bar(self) -> BottomBar:
        return self.screen.query_one(BottomBar)

    @property
    def has_dialog(self) -> bool:
        return len(self.app.screen_stack) > 1

    # --- showing

    def show(self) -> None:
        """Bring the whole screen up to date, and route the keys."""
        if not self.app.is_running or not self.state.welcomed:
            return
        self.show_title()
        screen = self.screen
        screen.set_class(self.state.zoomed, "-zoomed")
        self.stage.show()
        screen.query_one(TopBar).show()
        self.judge_pane.follow(self.state.current)
        bar = self.bottom_bar
        bar.dialog = self.has_dialog
        bar.judging = self.judge_pane.has_keys
        bar.show()
        self.app.call_after_refresh(self.route_keys)
        self.app.call_after_refresh(self.place_notices)
        self.route_keys()
        # Sessions keep their sizes while the user reads the judge's pane, which takes some room.
        held = self.judge_pane.has_keys
        for pane in self.panes():
            pane.hold_size(held)

    def tick(self) -> None:
        if self.state.welcomed:
            self.stage.tick()
            if (pane := self.screen.query_one_optional(JudgePane)) is not None:
                pane.tick()

    def show_faces(self) -> None:
        if self.state.welcomed:
            self.stage.show_faces()

    def open(self, dialog: ModalScreen[Any], then: Callable[[Any], None] | None = None) -> None:
        """Open a dialog; this screen has the keys again when it closes."""

        def closed(result: Any) -> None:
            self.app.call_after_refresh(self.show)
            if then is not None:
                then(result)

        self.app.push_screen(dialog, closed)
        self.place_notices()
        self.show()

    def close_dialogs(self) -> None:
        while self.has_dialog:
            self.app.pop_screen()
        self.place_notices()

    # --- keys

    def try_leader(self) -> bool:
        """Tell a dialog that waits for the leader that it was pressed; false if none waits."""
        seen: Callable[[], object] | None = getattr(self.app.screen, "leader_seen", None)
        if seen is not None:
            seen()
        return seen is not None

    def route_keys(self) -> None:
        """Give the keys to the focused session's program, or to the prompt or dialog in front."""
        current = self.state.current
        copy_mode = self.copy_mode
        if copy_mode.open_now and copy_mode.pane is not self.pane_in_front():
            copy_mode.close(quiet=True)
        if self.has_dialog:
            self.keyboard.give(None)
        elif copy_mode.open_now:
            self.keyboard.give(None)
            copy_mode.focus()
        elif self.judge_pane.has_keys:
            self.keyboard.give(None)
            self.judge_pane.focus()
        elif self._prompt_has_keys():
            self.keyboard.give(None)
            for view in self.screen.query(ChatView):
                view.focus_prompt()
        else:
            self.screen.set_focus(None)
            ended = current is None or has_ended(current)
            self.keyboard.give(None if ended else self.state.focused)

    def textual_has_keys(self) -> bool:
        """Return whether a prompt or dialog is to have the keys, even if it is not mounted yet."""
        return self.has_dialog or self._prompt_has_keys()

    def _prompt_has_keys(self) -> bool:
        state = self.state
        in_chat = state.view is ViewName.CHAT and not state.zoomed
        return in_chat and not state.keys_to_program and bool(state.sessions)

    # --- what actions need

    def toggle_judge(self) -> None:
        """Open the judge's pane with the keys in it; from within, close it."""
        pane, session = self.judge_pane, self.state.current
        if pane.has_keys:
            pane.leave()
        elif session is not None:
            shown = self.pane_in_front()
            over_list = self.stage.lists and shown is not None and shown.buffer.ends_low
            self.screen.query_one(ViewAndPane).set_class(over_list, "-over-list")
            pane.enter(session)
            self.show()

    def look_back(self, *, search: bool = False) -> None:
        """Open copy mode in the focused session's pane, with a search if `search`."""
        if (pane := self.pane_in_front()) is not None:
            self.copy_mode.open(pane, search=search)
            self.route_keys()

    def follow_tail(self) -> None:
        """Have the focused session shown from its end, as new lines come (N-35)."""
        if (pane := self.pane_in_front()) is not None:
            pane.follow()

    def panes(self) -> list[TerminalPane]:
        """Return the panes of the sessions that are shown; none once the screen is closed."""
        return self.app.screen_stack[0].walk_children(TerminalPane) if self.app.is_running else []

    def pane_in_front(self) -> TerminalPane | None:
        """Return the pane of the focused session, or None if it is not shown."""
        return self.stage.pane_in_front()

    def give_back(self, session_id: str, text: str) -> None:
        """Put a text that could not be sent back where it was written."""
        self.state.drafts[session_id] = text
        for prompt in self.screen.query(Prompt):
            if self.state.focused == session_id:
                prompt.take_back(text)

    def session_size(self) -> tuple[int, int]:
        """Return the columns and rows of a new session: those of the place where it will be shown."""
        state, size = self.state, self.stage.size
        count = len(state.sessions) + 1
        overview = state.view is ViewName.RUN and not state.zoomed and bool(state.sessions)
        cols, rows = size
        if overview:
            listed = state.overview.would_list(count, cols, rows, state.settings)
            if listed:
                cols, rows = room_beside_list(cols, rows, count)
            else:
                least = state.settings.tile_columns
                cols, rows = tile(count, cols, rows, min_columns=least).places[-1].size
        return max(20, min(1000, cols - 2)), max(5, min(500, rows - 2))
