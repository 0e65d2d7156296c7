"""Calls the user when a turn is over or waits: by sound, notices, and the user's own command."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Literal

import msgspec
from anyio.abc import TaskGroup

from nagomi_tui.alerts import calls, surroundings
from nagomi_tui.alerts.own_command import Job, OwnCommand
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.calling import notifying
from nagomi_tui.orchestrator.calling.sounds import Sounding
from nagomi_tui.orchestrator.runtime.requests import Requester
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.client import Client
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.sessions.session import RESIDENT_AGENT
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import translatable

WARM_SECONDS: Final = 2.0
"""Seconds after a front end has come until helpers are started, so that they delay nothing."""


class Alerts:
    """The notice centre: rules from `nagomi_tui.alerts.calls`, carried out without ever waiting."""

    def __init__(
        self,
        tasks: TaskGroup,
        settings: Callable[[], Settings],
        audience: Audience,
        find: Callable[[str], SessionRuntime | None],
        *,
        alarms: Alarms,
        store: Store,
    ) -> None:
        self._tasks = tasks
        self._settings = settings
        self._find = find
        self._alarms = alarms
        self._presence = notifying.UserPresence(audience.front_ends)
        self.runs = False
        """Whether it can call yet."""
        self.sounding = Sounding(tasks, settings, audience, self._presence, find=find, store=store)
        self.notifying = notifying.Notifying(
            tasks,
            settings,
            self._presence,
            others=audience.others,
            find=find,
            alarms=alarms,
            hushed=lambda: self.sounding.hushed,
        )
        self._own = OwnCommand(tasks, on_fault=partial(audience.tell, "error"))

    async def run(self) -> None:
        """Run all that calls, for ever."""
        self.sounding.recall()
        self.runs = True
        await self.sounding.player.run()

    def turn_over(self, finished: FinishedTurn) -> None:
        """Call for a turn that is over or needs the user (N-48, N-52)."""
        session, done = finished.session, finished.done
        kind = calls.kind_of(done.verdict.state)
        if not session.listed or kind is None or not self.runs:
            return
        call = notifying.call(finished, kind)
        if not done.quiet:
            self._tell_own_command(call, done)
        wishes = calls.wanted(
            self._wishes(kind), quiet=done.quiet, looked_at=self._presence.looked_at(done.session)
        )
        if wishes.sound != "off":
            self.sounding.sound(call, spoken=wishes.sound == "tts")
        if wishes.notice:
            self.notifying.add(call)

    def program_says(self, session: SessionRuntime, text: str) -> None:
        """Show a notice that a session's program sends, unless the user looks at it."""
        session_id = session.session_id
        if not text or not session.listed or not self.runs or not session.info.waits:
            return
        looked_at = self._presence.looked_at(session_id)
        wishes = calls.wanted(self._wishes("attention"), quiet=False, looked_at=looked_at)
        name = calls.plain(session.info.name)
        call = calls.Call(session=session_id, name=name, kind="attention", summary=text)
        if wishes.sound != "off":
            self.sounding.sound(call, spoken=False)
        if wishes.notice:
            self.notifying.add(call)

    def agent_says(self, sentence: str) -> None:
        """Call the user with a sentence of the resident agent, unless they see its balloon."""
        if not self.runs or self._presence.here() or not self._settings().notify_attention:
            return
        name = calls.plain(self._settings().agent_name) or "nagomi"
        body = calls.body(sentence)
        self.notifying.add(
            calls.Call(session=RESIDENT_AGENT, name=name, kind="attention", summary=body)
        )

    def reminds(self, key: str, sentence: str, sentences: Mapping[str, str]) -> None:
        """Call the user as they have asked for, wherever they look; `sentences` is by language."""
        if not self.runs:
            return
        call = calls.Call(
            session=RESIDENT_AGENT,
            name=translatable("Reminder"),
            kind="attention",
            summary=calls.body(sentence),
            summaries={code: calls.body(text) for code, text in sentences.items()},
            key=f"reminder {key}",
        )
        if self.sounding.wish("attention") != "off":
            self.sounding.sound(call, spoken=False)
        self.notifying.add(call)

    def _wishes(self, kind: calls.Kind) -> calls.Wishes:
        notice = getattr(self._settings(), f"notify_{kind}")
        return calls.Wishes(sound=self.sounding.wish(kind), notice=notice)

    async def sound(
        self,
        who: Requester,
        do: Literal["status", "test", "mute"] = "status",
        *,
        kind: calls.Kind = "attention",
        seconds: float = 0.0,
        session: str = "",
    ) -> messages.SoundStanding:
        """Return the state of sound, and who shows notices.

        Before that, play the sound of `kind` for `session`, or mute sounds for `seconds`.
        """
        if do == "mute":
            self.sounding.mute(seconds)
        if do == "test":
            await self.sounding.test(who, kind, session)
        toasts = await self.notifying.shows_toasts()
        return await self.sounding.standing(who, toasts=toasts)

    # --- front ends

    def arrived(self, client: Client) -> None:
        """Note a front end that came, and start the helpers that will call there."""
        self._presence.arrived(client)
        self._alarms.after(WARM_SECONDS, self, lambda: self._tasks.start_soon(self._warm_up))

    async def _warm_up(self) -> None:
        self.sounding.warm_up()
        await self.notifying.warm_up()

    def left(self, client: Client) -> None:
        """Note a front end that has gone."""
        self._presence.left(client)

    # --- the user's own command

    def _tell_own_command(self, call: calls.Call, done: messages.TurnCompleted) -> None:
        command, session = self._settings().on_event, self._find(call.session)
        if not command or session is None:
            return
        event = notifying.facts(session.info, call, done)
        user_env = self._presence.last_env()
        env = dict(os.environ) | surroundings.carried(user_env)
        env["NAGOMI_SESSION_ID"] = call.session
        self._own.offer(Job(command=command, event=msgspec.json.encode(event), env=env))
