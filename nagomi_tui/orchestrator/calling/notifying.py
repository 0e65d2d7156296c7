"""Gathers calls for a moment, and shows them on front ends and the desktop in each one's language."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final

from anyio.abc import TaskGroup

from nagomi_tui.alerts import calls as notices
from nagomi_tui.alerts import surroundings
from nagomi_tui.alerts.toasts import Toasts
from nagomi_tui.api import messages
from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.runtime.requests import Requester
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.audience import Client
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
from nagomi_tui.sessions.session import RESIDENT_AGENT, Session, has_ended
from nagomi_tui.settings.model import Settings
from nagomi_tui.system.environment import is_far
from nagomi_tui.text.words import language_from, of, translatable

_SPOKEN: Final = {
    "failure": translatable("{name} has failed."),
    "attention": translatable("{name} waits for you."),
    "success": translatable("{name} is done."),
}
_SPOKEN_OF_ENDED: Final = _SPOKEN | {
    "success": translatable("{name} has ended."),
}
"""As badges tell it, so that what is heard is found on the screen."""


def call(finished: FinishedTurn, kind: notices.Kind) -> notices.Call:
    """Return the call of a turn that is over or needs the user."""
    session, done = finished.session, finished.done
    return notices.Call(
        session=done.session,
        name=notices.plain(session.info.name),
        kind=kind,
        summary=notices.body(done.verdict.summary),
        ended=has_ended(session.info),
        summaries={
            language: notices.body(said.verdict.summary) for language, said in finished.told.items()
        },
    )


def spoken(call: notices.Call, language: str) -> str:
    sentences = _SPOKEN_OF_ENDED if call.ended else _SPOKEN
    return of(language).say(sentences[call.kind], name=call.name)


def facts(info: Session, call: notices.Call, done: messages.TurnCompleted) -> dict[str, Any]:
    """Return the JSON for the user's own command; every text is masked."""
    verdict = done.verdict
    return {
        "event": "turn_completed",
        "session_id": call.session,
        "number": info.number,
        "name": call.name,
        "cwd": mask(info.cwd),
        "agent": info.agent_name,
        "turn": done.turn,
        "at": done.at,
        "state": verdict.state,
        "confidence": verdict.confidence,
        "summary": call.summary,
        "evidence": [notices.plain(line) for line in verdict.evidence],
    }


@dataclass(eq=False)
class Notifying:
    """Gathers calls for a moment, and shows them."""

    tasks: TaskGroup
    settings: Callable[[], Settings]
    presence: UserPresence
    _: KW_ONLY
    others: Callable[[], Sequence[Client]]
    find: Callable[[str], SessionRuntime | None]
    alarms: Alarms
    hushed: Callable[[], bool]

    def __post_init__(self) -> None:
        self._gathering = notices.Gathering()
        self.toasts = Toasts(self.tasks, on_clicked=self._clicked)

    async def warm_up(self) -> None:
        """Start the helper for notices on the desktop before it is needed, if there is one."""
        if await self.shows_toasts():
            await self.toasts.warm_up()

    def add(self, call: notices.Call) -> None:
        """Show a call soon, together with those that come meanwhile."""
        pause = self._gathering.add(call, now=time.monotonic())
        if not self.alarms.pending(self):
            self.alarms.after(pause, self, self._tell)

    def seen(self, session: str) -> None:
        """Drop the session's pending calls, since a user looks at it."""
        self._gathering.drop(session)

    def _tell(self) -> None:
        """Show all pending calls as one."""
        told = self._gathering.take(now=time.monotonic())
        calls = tuple(call for call in told if self._still_calls(call))
        if calls:
            self.tasks.start_soon(self._deliver, calls)

    def _still_calls(self, call: notices.Call) -> bool:
        """Return whether nobody has seen the session, or answered it, since it called."""
        session = self.find(call.session)
        return call.session == RESIDENT_AGENT or (session is not None and session.info.waits)

    async def _deliver(self, calls: tuple[notices.Call, ...]) -> None:
        toasts = await self.shows_toasts()
        self._show(calls, notice_near=not toasts)
        if toasts:
            await self._toast(calls)

    def _show(self, calls: tuple[notices.Call, ...], *, notice_near: bool) -> None:
        """Send the call to every client, with a notice unless the desktop shows one there already."""
        for client in self.presence.front_ends():
            notice = notice_near or is_far(client.env)
            client.send(self._called(calls, client.words.language, notice=notice))
        for client in self.others():
            client.send(self._called(calls, client.words.language, notice=False))

    async def _toast(self, calls: tuple[notices.Call, ...]) -> None:
        user_env = self.presence.env()
        language = language_from(user_env or {}, self.settings().language)
        said = self._called(calls, language)
        several = len(calls) > 1
        if await self.toasts.show(said.title, said.body, calls[-1].session, instead=several):
            return
        for client in self.presence.front_ends():
            if not is_far(client.env):
                client.send(self._called(calls, client.words.language, inside=False))

    def _called(
        self,
        calls: tuple[notices.Call, ...],
        language: str,
        *,
        notice: bool = True,
        inside: bool = True,
    ) -> messages.Called:
        """Return the message for all these calls."""
        words = of(language)
        if len(calls) == 1:
            template = self.settings().notify_title or words.gettext(translatable("nagomi: {name}"))
            name = calls[0].name
            title = notices.title(template, words.gettext(name) if name else name)
            text = calls[0].summaries.get(language, calls[0].summary)
        else:
            title = words.say(translatable("{count} sessions call you"), count=len(calls))
            text = notices.together(
                [(one.name, one.summaries.get(language, one.summary)) for one in calls]
            )
        return messages.Called(
            sessions=tuple(call.session for call in calls),
            kind=notices.strongest(calls),
            title=title,
            body=text,
            hushed=self.hushed(),
            notice=notice,
            inside=inside,
        )

    async def shows_toasts(self) -> bool:
        """Direct toasts to the user's desktop; return whether there may be one."""
        if not self.settings().notify_desktop:
            return False
        user_env = self.presence.env()
        self.toasts.prepare(
            self.presence.helper_env(user_env) if user_env is not None else {"SSH_TTY": "-"}
        )
        return await self.toasts.likely()

    def _clicked(self, session: str) -> None:
        """Have the front end that was active last go to the session of the clicked toast."""
        front_ends = sorted(self.presence.front_ends(), key=lambda client: client.active_at)
        if front_ends and self.find(session) is not None:
            front_ends[-1].send(messages.GoTo(session=session))


class UserPresence:
    """Follows the front ends that come and go."""

    def __init__(self, front_ends: Callable[[], Sequence[Client]]) -> None:
        self.front_ends = front_ends
        self.last_env = dict(os.environ)
        """The environment of the front end that came or left last; at first this process's own."""

    def arrived(self, client: Client) -> None:
        """Note a front end that came."""
        self.last_env = client.env

    def left(self, client: Client) -> None:
        """Note a front end that has gone; if it was the last, its user may still sit there."""
        if not self.front_ends():
            self.last_env = client.env

    def env(self, asking: Requester | None = None) -> dict[str, str] | None:
        """Return the environment where a sound is heard, or None if all users are on other machines.

        Without a front end it is that of the last one, or of a command that asks.
        """
        front_ends = self.front_ends()
        near = [client.env for client in front_ends if not is_far(client.env)]
        if near:
            return self.last_env if self.last_env in near else near[-1]
        if front_ends:
            return None
        alone = dict(asking.env) if asking is not None else self.last_env
        return None if is_far(alone) else alone

    def helper_env(self, user_env: dict[str, str]) -> dict[str, str]:
        """Return a helper's environment: ours, with the user's display and sound server."""
        ours = {
            name: value for name, value in os.environ.items() if name not in surroundings.CARRIED
        }
        for name in ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"):
            ours.pop(name, None)
        return ours | surroundings.carried(user_env)

    def looked_at(self, session: str) -> bool:
        """Return whether a user looks at the session right now."""
        return session in self._looked_at()

    def here(self) -> bool:
        """Return whether a user looks at any session right now."""
        return bool(self._looked_at())

    def _looked_at(self) -> set[str]:
        now = time.monotonic()
        return {
            client.looking
            for client in self.front_ends()
            if client.looking
            and notices.looks(told=client.looking_told, idle=now - client.active_at)
        }
