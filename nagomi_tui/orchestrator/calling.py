"""Calls the user when a turn is over or stands still: sound, notices, and their own command."""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING, Any, Final

import anyio
import msgspec

from nagomi_tui.api import messages
from nagomi_tui.core import notices, quiet
from nagomi_tui.core.notices import Call, Cooldown, Gathering, Kind, Wishes
from nagomi_tui.cues import surroundings
from nagomi_tui.cues.own_command import Job, OwnCommand
from nagomi_tui.cues.sound import Order, SoundDesk
from nagomi_tui.cues.toasts import Toasts
from nagomi_tui.orchestrator import call_words
from nagomi_tui.orchestrator.ears import Ears
from nagomi_tui.orchestrator.sound_files import sound_file
from nagomi_tui.words import language_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyio.abc import TaskGroup

    from nagomi_tui.orchestrator.clients import Client
    from nagomi_tui.orchestrator.workplace import Workplace

_log = logging.getLogger(__name__)
WARM_SECONDS: Final = 2.0
"""How long after a front end came the helpers are started, so that they delay nothing."""
BELL_SECONDS: Final = 0.6
_TEST_SECONDS: Final = 9.0
"""How long a test waits to hear whether its sound began; two deadlines of the helper."""


class Calling:
    """The notice centre: rules from `core.notices`, carried out without ever waiting."""

    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._cooldown = Cooldown()
        self._gathering = Gathering()
        self._ears = Ears(place)
        self._muted_until: float | None = None
        self._told_off: set[str] = set()
        self._tasks: TaskGroup | None = None
        self.runs = False
        """It can call."""
        self.desk = SoundDesk(
            on_speaking=self._speaking, on_silent=self._silent, on_off=self._went_off
        )
        self.toasts = Toasts(on_clicked=self._clicked)
        self._own = OwnCommand(on_fault=self._fault)

    async def run(self) -> None:
        """Own everything that calls, for ever."""
        self._muted_until = self._place.store.fact("muted_until", float)
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            for part in (self.desk, self.toasts, self._own):
                tasks.start_soon(part.run)
            self.runs = True
            await anyio.sleep_forever()

    # --- what happens

    def completed(
        self,
        done: messages.TurnCompleted,
        worded: Mapping[str, messages.TurnCompleted] | None = None,
    ) -> None:
        """A turn is over, or needs the user (N-48, N-52); `worded` is the same by language."""
        live, kind = self._place.get(done.session), notices.kind_of(done.verdict.state)
        if live is None or kind is None or self._tasks is None:
            return
        call = Call(
            session=done.session,
            name=notices.plain(live.info.name),
            kind=kind,
            summary=notices.body(done.verdict.summary),
            summaries={
                language: notices.body(said.verdict.summary)
                for language, said in (worded or {}).items()
            },
        )
        if not done.quiet:
            self._tell_own_command(call, done)
        wishes = notices.wanted(
            self._wishes(kind), quiet=done.quiet, looked_at=self._ears.looked_at(done.session)
        )
        if wishes.sound != "off":
            self._sound(call, spoken=wishes.sound == "tts")
        if wishes.notice:
            pause = self._gathering.add(call, now=time.monotonic())
            if not self._place.alarms.pending(self):
                self._place.alarms.after(pause, self, self._tell)

    def arrived(self, client: Client) -> None:
        """A front end came: make ready in time what will call there."""
        self._ears.arrived(client)

        def warm_up() -> None:
            if self._tasks is not None:
                self._tasks.start_soon(self._warm_up)

        self._place.alarms.after(WARM_SECONDS, (self, "warm"), warm_up)

    async def _warm_up(self) -> None:
        settings, ears = self._place.settings, self._ears.env()
        sounds = {settings.sound_failure, settings.sound_attention, settings.sound_success}
        if sounds != {"off"} and settings.sound_backend != "bell" and ears is not None:
            self.desk.prepare(self._ears.helper_env(ears), settings.sound_backend)
            self.desk.warm_up()
        if await self._shows_toasts():
            await self.toasts.warm_up()

    def seen(self, session: str) -> None:
        """A user looks at the session: it is not among those that call any more."""
        self._gathering.drop(session)

    def left(self, client: Client) -> None:
        """A front end has gone."""
        self._ears.left(client)

    def _wishes(self, kind: Kind) -> Wishes:
        settings = self._place.settings
        return Wishes(
            sound=getattr(settings, f"sound_{kind}"), notice=getattr(settings, f"notify_{kind}")
        )

    # --- sound

    @property
    def hushed(self) -> bool:
        """Nothing may be heard now: sound is muted, or the hours are quiet."""
        now = time.time()
        if self._muted_until is not None and now < self._muted_until:
            return True
        clock = time.localtime(now)
        return quiet.in_hours(self._place.settings.quiet_hours, clock.tm_hour * 60 + clock.tm_min)

    def _sound(self, call: Call, *, spoken: bool) -> None:
        settings = self._place.settings
        pause = settings.sound_cooldown / 1000
        if self.hushed or not self._cooldown.lets(call.kind, now=time.monotonic(), seconds=pause):
            return
        ears = self._ears.env()
        if settings.sound_backend != "bell" and ears is not None:
            self._play(call, ears, spoken=spoken)
            self._ring(call.session, far_only=True)
        else:
            self._ring(call.session)

    def _play(self, call: Call, ears: dict[str, str], *, spoken: bool) -> anyio.Event:
        settings = self._place.settings
        live = self._place.get(call.session)
        language = language_from(ears, settings.language)
        path = sound_file(
            call.kind, own=settings.sound_folder, character=live.info.character_id if live else ""
        )
        self.desk.prepare(self._ears.helper_env(ears), settings.sound_backend)
        return self.desk.play(
            Order(
                session=call.session,
                path=str(path),
                volume=settings.sound_volume,
                text=call_words.spoken(call, language) if spoken else "",
                language=language,
                voice=settings.speech_voice,
            )
        )

    def _ring(self, session: str, *, far_only: bool = False) -> None:
        """Have terminals ring: those at other machines, or all where nothing else sounds.

        A bell does not tell when it has ended, so lips move for a moment with it (N-47).
        """
        if session and not far_only:
            self._speaking(session, True, BELL_SECONDS)
        for client in self._place.front_ends:
            if not far_only or surroundings.is_far(client.env):
                client.send(messages.Event(session="", kind="bell"))

    def _silent(self, order: Order) -> None:
        self._ring(order.session)

    def _went_off(self, why: str) -> None:
        if why not in self._told_off:
            self._told_off.add(why)
            self._place.tell("info", why)

    def _speaking(self, session: str, on: bool, seconds: float) -> None:
        said = messages.Speaking(session=session, on=on, seconds=seconds)
        self._place.broadcast(said, front_ends=True)

    async def sound(self, client: Client, request: messages.Sound) -> dict[str, Any]:
        """Carry out a request about sound; return how it stands then."""
        if request.do == "mute":
            seconds = min(request.seconds, quiet.LONGEST)
            self._muted_until = time.time() + seconds if seconds > 0 else None
            self._place.store.keep_fact("muted_until", self._muted_until)
        ears = self._ears.env(client)
        if ears is not None:
            self.desk.prepare(self._ears.helper_env(ears), self._place.settings.sound_backend)
        if request.do == "test":
            await self._test(client, request.kind, ears)
        return await self._standing(client, ears)

    async def _test(self, client: Client, kind: Kind, ears: dict[str, str] | None) -> None:
        """Play the sound as it is set, even while it is muted: somebody asked for it."""
        if ears is None or self._place.settings.sound_backend == "bell":
            self._ring(client.focus.session_id if client.focus else "")
            return
        session = client.focus.session_id if client.focus else ""
        if self.desk.why:
            self.desk.try_again()
        call = Call(session=session, name="nagomi", kind=kind, summary="")
        tried = self._play(call, ears, spoken=self._wishes(kind).sound == "tts")
        with anyio.move_on_after(_TEST_SECONDS):
            await tried.wait()

    async def _standing(self, client: Client, ears: dict[str, str] | None) -> dict[str, Any]:
        why = self.desk.why
        muted = self._muted_until
        way = "" if self._place.settings.sound_backend == "bell" else await self.desk.way()
        bell = ears is None or not way
        return {
            "way": "bell" if bell else way,
            "why": client.words.say(why) if why and ears is not None else "",
            "far": ears is None,
            "muted_until": muted if muted is not None and muted > time.time() else None,
            "quiet": self.hushed,
            "pid": self.desk.pid,
            "notices": "desktop" if await self._shows_toasts() else "terminal",
        }

    # --- notices

    def _tell(self) -> None:
        """Tell all calls that wait, as one."""
        told = self._gathering.take(now=time.monotonic())
        calls = tuple(call for call in told if self._place.get(call.session) is not None)
        if calls and self._tasks is not None:
            self._tasks.start_soon(self._deliver, calls)

    async def _deliver(self, calls: tuple[Call, ...]) -> None:
        toasts = await self._shows_toasts()
        self._show(calls, notice_near=not toasts)
        if toasts:
            await self._toast(calls)

    def _show(self, calls: tuple[Call, ...], *, notice_near: bool) -> None:
        """Tell every front end; those at this machine need no notice where the desktop shows it."""
        for client in self._place.front_ends:
            notice = notice_near or surroundings.is_far(client.env)
            client.send(self._called(calls, client.words.language, notice=notice))

    async def _toast(self, calls: tuple[Call, ...]) -> None:
        ears = self._ears.env()
        language = language_from(ears or {}, self._place.settings.language)
        said = self._called(calls, language)
        several = len(calls) > 1
        if await self.toasts.show(said.title, said.body, calls[-1].session, instead=several):
            return
        for client in self._place.front_ends:
            if not surroundings.is_far(client.env):
                client.send(self._called(calls, client.words.language, inside=False))

    def _called(
        self, calls: tuple[Call, ...], language: str, *, notice: bool = True, inside: bool = True
    ) -> messages.Called:
        return call_words.called(
            calls,
            language,
            template=self._place.settings.notify_title,
            hushed=self.hushed,
            notice=notice,
            inside=inside,
        )

    async def _shows_toasts(self) -> bool:
        """Point toasts at the user's desktop; tell whether one may be there."""
        if not self._place.settings.notify_desktop:
            return False
        ears = self._ears.env()
        self.toasts.prepare(self._ears.helper_env(ears) if ears is not None else {"SSH_TTY": "-"})
        return await self.toasts.likely()

    def _clicked(self, session: str) -> None:
        """A toast was clicked: the front end that its user touched last goes there."""
        front_ends = sorted(self._place.front_ends, key=lambda client: client.active_at)
        if front_ends and self._place.get(session) is not None:
            front_ends[-1].send(messages.GoTo(session=session))

    # --- the user's own command

    def _tell_own_command(self, call: Call, done: messages.TurnCompleted) -> None:
        command, live = self._place.settings.on_event, self._place.get(call.session)
        if not command or live is None:
            return
        event = call_words.facts(live.info, call, done)
        ears = self._ears.last_env()
        env = dict(os.environ) | surroundings.carried(ears)
        env["NAGOMI_SESSION_ID"] = call.session
        self._own.offer(Job(command=command, event=msgspec.json.encode(event), env=env))

    def _fault(self, sentence: str, **values: object) -> None:
        self._place.tell("error", sentence, **values)
