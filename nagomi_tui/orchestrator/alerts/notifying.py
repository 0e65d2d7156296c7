"""Shows calls, several as one: on the desktop and in every front end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nagomi_tui.api import messages
from nagomi_tui.core.alerts.notices import Call, Gathering
from nagomi_tui.core.session.session import AGENT
from nagomi_tui.cues.toasts import Toasts
from nagomi_tui.orchestrator.alerts import wording
from nagomi_tui.variables import is_far
from nagomi_tui.words import language_from

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nagomi_tui.orchestrator.alerts.user_presence import UserPresence
    from nagomi_tui.orchestrator.runtime.alarms import Alarms
    from nagomi_tui.orchestrator.sessions.audience import Listener
    from nagomi_tui.orchestrator.sessions.roles import Named
    from nagomi_tui.settings.model import Settings


class Notifying:
    """Gathers calls for a moment, and shows them; `start` starts a task for what must wait."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        presence: UserPresence,
        *,
        others: Callable[[], Sequence[Listener]],
        find: Callable[[str], Named | None],
        alarms: Alarms,
        hushed: Callable[[], bool],
        start: Callable[..., None],
    ) -> None:
        self._settings = settings
        self._find = find
        self._alarms = alarms
        self._presence = presence
        self._others = others
        self._hushed = hushed
        self._start = start
        self._gathering = Gathering()
        self.toasts = Toasts(on_clicked=self._clicked)

    async def warm_up(self) -> None:
        """Start the helper for notices on the desktop before it is needed, if there is one."""
        if await self.shows_toasts():
            await self.toasts.warm_up()

    def add(self, call: Call) -> None:
        """Show a call soon, together with those that come meanwhile."""
        pause = self._gathering.add(call, now=time.monotonic())
        if not self._alarms.pending(self):
            self._alarms.after(pause, self, self._tell)

    def seen(self, session: str) -> None:
        """Drop the session's pending calls, since a user looks at it."""
        self._gathering.drop(session)

    def _tell(self) -> None:
        """Show all pending calls as one."""
        told = self._gathering.take(now=time.monotonic())
        calls = tuple(call for call in told if self._still_calls(call))
        if calls:
            self._start(self._deliver, calls)

    def _still_calls(self, call: Call) -> bool:
        """Return whether nobody has seen the session, or answered it, since it called."""
        session = self._find(call.session)
        return call.session == AGENT or (session is not None and session.info.waits)

    async def _deliver(self, calls: tuple[Call, ...]) -> None:
        toasts = await self.shows_toasts()
        self._show(calls, notice_near=not toasts)
        if toasts:
            await self._toast(calls)

    def _show(self, calls: tuple[Call, ...], *, notice_near: bool) -> None:
        """Send the call to every client, with a notice unless the desktop shows one there already."""
        for client in self._presence.front_ends():
            notice = notice_near or is_far(client.env)
            client.send(self._called(calls, client.words.language, notice=notice))
        for client in self._others():
            client.send(self._called(calls, client.words.language, notice=False))

    async def _toast(self, calls: tuple[Call, ...]) -> None:
        user_env = self._presence.env()
        language = language_from(user_env or {}, self._settings().language)
        said = self._called(calls, language)
        several = len(calls) > 1
        if await self.toasts.show(said.title, said.body, calls[-1].session, instead=several):
            return
        for client in self._presence.front_ends():
            if not is_far(client.env):
                client.send(self._called(calls, client.words.language, inside=False))

    def _called(
        self, calls: tuple[Call, ...], language: str, *, notice: bool = True, inside: bool = True
    ) -> messages.Called:
        return wording.called(
            calls,
            language,
            template=self._settings().notify_title,
            hushed=self._hushed(),
            notice=notice,
            inside=inside,
        )

    async def shows_toasts(self) -> bool:
        """Direct toasts to the user's desktop; return whether there may be one."""
        if not self._settings().notify_desktop:
            return False
        user_env = self._presence.env()
        self.toasts.prepare(
            self._presence.helper_env(user_env) if user_env is not None else {"SSH_TTY": "-"}
        )
        return await self.toasts.likely()

    def _clicked(self, session: str) -> None:
        """Have the front end that was active last go to the session of the clicked toast."""
        front_ends = sorted(self._presence.front_ends(), key=lambda client: client.active_at)
        if front_ends and self._find(session) is not None:
            front_ends[-1].send(messages.GoTo(session=session))
