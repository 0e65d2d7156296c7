"""What concerns the whole application: its sound, its version, and leaving it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nagomi_tui.api.messages import Quit, Reload
from nagomi_tui.core.session.session import has_ended
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.keymap import hint
from nagomi_tui.view.notices import hearing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.connection.roles import RequestLink


class SessionList(Protocol):
    """The sessions that there are."""

    @property
    def ordered(self) -> Iterable[Session]:
        """Sessions by their place."""


class ApplicationHandlers:
    """Actions that need neither a session nor a dialog, but for the one that asks before quitting."""

    def __init__(
        self,
        link: RequestLink,
        state: SessionList,
        asking: Asking,
        *,
        leave: Callable[[str], object],
        tell: Callable[..., object],
    ) -> None:
        self._link = link
        self._state = state
        self._asking = asking
        self._leave = leave
        """Ends this front end, for a reason."""
        self._tell = tell
        """Shows the user a sentence."""

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {
            "mute": self.mute,
            "sound_test": self.sound_test,
            "reload": self.reload,
            "detach": self.detach,
            "quit": self.quit,
        }

    def mute(self) -> None:
        """Have no sound for an hour, or hear sounds again."""
        hearing.mute(self._link, self._tell)

    def sound_test(self) -> None:
        """Hear the sound that calls (N-57)."""
        self.try_sound(self._tell)

    def try_sound(self, then: Callable[[str], object]) -> None:
        """Play the sound that calls; `then` hears what played it, or what is wrong."""
        hearing.try_sound(self._link, then)

    def reload(self) -> None:
        """Load the installed version."""
        self._asking.ask(Reload(id=0))

    def detach(self) -> None:
        """Leave; everything goes on running."""
        self._leave("detach")

    def quit(self) -> None:
        """Stop everything, after asking."""
        running = sum(not has_ended(session) for session in self._state.ordered)
        stops = tr_count(
            "This stops {count} running session.",
            "This stops all {count} running sessions.",
            running,
        )
        leave = tr("To only leave, press {key}.", key=hint.hint("detach"))
        self._asking.confirm(
            tr("Quit nagomi?"), f"{stops}\n{leave}", tr("Stop everything"),
            lambda: self._asking.ask(Quit(id=0)),
        )  # fmt: skip
