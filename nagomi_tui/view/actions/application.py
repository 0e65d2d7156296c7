"""Actions of the application: its dialogs, its sound, leaving it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import asdict

from nagomi_tui.api import messages
from nagomi_tui.sessions.session import has_ended
from nagomi_tui.system import paths
from nagomi_tui.view.actions.agents import HookHandlers
from nagomi_tui.view.actions.asking import Asking, Handlers
from nagomi_tui.view.common.translate import language, tr, tr_count
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.preferences import Preferences

_HOUR: Final = 3600.0


def _played(standing: messages.SoundStanding) -> str:
    if standing.way != "bell":
        return tr("Played by {way}.", way=standing.way)
    return standing.why or tr("The terminal's bell rings.")


def _muted(until: float | None) -> str:
    if until is None:
        return tr("Sounds may be heard again.")
    return tr("No sound until {clock}.", clock=time.strftime("%H:%M", time.localtime(until)))


class ApplicationHandlers(Handlers):
    """Actions that need no session: dialogs, the sound, leaving."""

    def __init__(
        self,
        asking: Asking,
        *,
        hooks: HookHandlers,
        preferences: Preferences,
        perform: Callable[[str], None],
        leave: Callable[[str], object],
    ) -> None:
        super().__init__(asking)
        self._hooks = hooks
        self._preferences = preferences
        self._perform = perform
        """Carries out an action by its name."""
        self._leave = leave
        """Ends this front end, for a reason."""

    def action_mute(self) -> None:
        """Have no sound for an hour, or hear sounds again."""

        def muted(answer: messages.SoundStanding | messages.Failed) -> None:
            self._tell(
                answer.message
                if isinstance(answer, messages.Failed)
                else _muted(answer.muted_until)
            )

        def stood(answer: messages.SoundStanding | messages.Failed) -> None:
            if isinstance(answer, messages.Failed):
                self._tell(answer.message)
                return
            seconds = 0.0 if answer.muted_until else _HOUR
            self._link.request(messages.Sound(id=0, do="mute", seconds=seconds), muted)

        self._link.request(messages.Sound(id=0), stood)

    def action_sound_test(self) -> None:
        """Hear the sound that calls (N-57)."""
        self.try_sound(self._tell)

    def try_sound(self, then: Callable[[str], object]) -> None:
        """Play the sound that calls; `then` hears what played it, or what is wrong."""

        def answered(answer: messages.SoundStanding | messages.Failed) -> None:
            then(answer.message if isinstance(answer, messages.Failed) else _played(answer))

        self._link.request(messages.Sound(id=0, do="test"), answered)

    def action_reload(self) -> None:
        """Load the installed version."""
        self._asking.ask(messages.Reload(id=0))

    def action_detach(self) -> None:
        """Leave; everything goes on running."""
        self._leave("detach")

    def action_quit(self) -> None:
        running = sum(not has_ended(session) for session in self._state.ordered)
        stops = tr_count(
            "This stops {count} running session.",
            "This stops all {count} running sessions.",
            running,
        )
        leave = tr("To only leave, press {key}.", key=bindings.hint("detach"))
        self._asking.confirm(
            tr("Quit nagomi?"), f"{stops}\n{leave}", tr("Stop everything"),
            lambda: self._asking.ask(messages.Quit(id=0)),
        )  # fmt: skip

    # --- dialogs

    def action_palette(self) -> None:
        """Search actions, sessions, settings and pages."""
        from nagomi_tui.view.dialogs.palette import PAGE, SETTING, Palette

        def chosen(action: str | None) -> None:
            if action and action.startswith(SETTING):
                self._open_settings(action.removeprefix(SETTING))
            elif action and action.startswith(PAGE):
                self._open_page(*action.removeprefix(PAGE).split(":"))
            elif action:
                self._perform(action)

        dialog = Palette(
            self._state.ordered,
            has_session=self._state.current is not None,
            cols=self._main.screen.size.width,
        )
        self._main.open(dialog, chosen)

    def _open_page(self, topic: str, section: str) -> None:
        """Open a page at one of its sections."""
        from nagomi_tui.system.pages import pages
        from nagomi_tui.view.dialogs.help import PageDialog

        page = next(page for page in pages(language()) if page.topic == topic)
        self._main.open(PageDialog(page, int(section)))

    def action_help(self) -> None:
        from nagomi_tui.view.dialogs.help import Help

        self._main.open(Help(self._preferences.keys))

    def action_notices(self) -> None:
        """Show what was told last, and go to the session of what is chosen there."""
        from nagomi_tui.view.dialogs.session_dialogs import Notices

        self._main.open(Notices(list(self._state.told)), self._go_to)

    def _go_to(self, session_id: str | None) -> None:
        if session_id in self._state.sessions:
            self._perform(f"session:{session_id}")

    def action_reminders(self) -> None:
        """Show the open reminders, and cancel those that the user does not want any more."""
        from nagomi_tui.view.dialogs.session_dialogs import Reminders

        def cancel(number: int, then: Callable[[str], None]) -> None:
            def answered(fault: str) -> None:
                if fault:
                    self._tell(fault, error=True)
                then(fault)

            self._asking.ask(messages.CancelReminder(id=0, number=number), answered)

        def listed(answer: messages.ReminderList | messages.Failed) -> None:
            if isinstance(answer, messages.Failed):
                self._tell(answer.message, error=True)
            else:
                self._main.open(Reminders(answer.open, cancel), self._go_to)

        self._asking.ahead(messages.ListReminders(id=0), listed)

    def action_settings(self) -> None:
        self._open_settings()

    def _open_settings(self, query: str = "") -> None:
        """Open the settings, or only those that a text fits."""
        from nagomi_tui.view.dialogs.settings import SettingsActions, SettingsView

        actions = SettingsActions(
            change=self._change, remap=self._preferences.remap, try_sound=self.try_sound
        )
        view = SettingsView(
            asdict(self._state.settings),
            self._preferences.keys,
            self._state.library,
            actions,
            query=query,
        )
        self._preferences.dialog = view
        self._main.open(view)

    def welcome(self) -> None:
        """Ask a newcomer a few questions, once."""
        from nagomi_tui.view.dialogs.welcome import WelcomeView

        def closed(wish: str | None) -> None:
            with contextlib.suppress(OSError):
                paths.make_private(paths.state_folder())
                paths.welcomed_file().touch()
            if wish == "new":
                self._perform("new")

        view = WelcomeView(
            asdict(self._state.settings),
            self._state.library,
            self._change,
            asks_theme=self._preferences.background < 0 and self._state.settings.theme == "auto",
            agents=self._hooks.newcomers(),
            ask_hooks=self._hooks.ask,
        )
        self._preferences.dialog = view
        self._main.open(view, closed)

    def _change(self, values: dict[str, Any], then: Callable[[str], None]) -> None:
        self._asking.ask(messages.Settings(id=0, values=values), then)
