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
from nagomi_tui.orchestrator.sessions.audience import Audience, Client
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.sessions.session import RESIDENT_AGENT
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import translatable

WARM_SECONDS: Final = 2.0
"""Seconds after a front end has come until helpers are started, so that they delay nothing."""


class Alerts:
    """Calls the user by the rules of `nagomi_tui.alerts.calls`; nothing here waits for a sound or notice."""

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
        self._carry_out(call, quiet=done.quiet, may_speak=True)

    def program_says(self, session: SessionRuntime, text: str) -> None:
        """Show a notice that a session's program sends, unless the user looks at it."""
        if not text or not session.listed or not self.runs or not session.info.waits:
            return
        name, called = calls.plain(session.info.name), session.session_id
        call = calls.Call(session=called, name=name, kind="attention", summary=text)
        self._carry_out(call, quiet=False, may_speak=False)

    def _carry_out(self, call: calls.Call, *, quiet: bool, may_speak: bool) -> None:
        """Call as the user wishes for its kind; `quiet` is a turn that they have ended themselves."""
        notice = getattr(self._settings(), f"notify_{call.kind}")
        wishes = calls.wanted(
            calls.Wishes(sound=self.sounding.wish(call.kind), notice=notice),
            quiet=quiet, looked_at=self._presence.looked_at(call.session),
        )  # fmt: skip
        if wishes.sound != "off":
            self.sounding.sound(call, spoken=may_speak and wishes.sound == "tts")
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
        user_env = self._presence.last_env
        env = dict(os.environ) | surroundings.carried(user_env)
        env["NAGOMI_SESSION_ID"] = call.session
        self._own.offer(Job(command=command, event=msgspec.json.encode(event), env=env))
