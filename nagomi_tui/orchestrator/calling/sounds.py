"""Plays the sound or sentence of a call where the user is, and none too soon after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import TaskGroup

from nagomi_tui.alerts import calls
from nagomi_tui.alerts.sound import Order, SoundPlayer
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.calling import notifying
from nagomi_tui.orchestrator.runtime.requests import Requester
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import paths
from nagomi_tui.system.environment import is_far
from nagomi_tui.text.words import language_from

_ENDINGS = (".wav", ".ogg", ".flac", ".mp3")


def sound_files(kind: str, *, own: str = "", character: str) -> list[str]:
    """Return the candidates for a kind of call, best first; only the last is sure to exist."""
    wanted = [folder / f"{kind}{end}" for folder in _folders(own, character) for end in _ENDINGS]
    return [str(path) for path in (*wanted, paths.shipped("config") / "sounds" / f"{kind}.wav")]


def _folders(own: str, character: str) -> Iterator[Path]:
    if own:
        yield Path(own).expanduser()
    if character and "/" not in character and character != "..":
        yield paths.config_folder() / "characters" / character / "sounds"
        yield paths.shipped("characters") / character / "sounds"


BELL_SECONDS: Final = 0.6
_TEST_SECONDS: Final = 9.0
"""Seconds for which a test waits for its sound to begin: two deadlines of the helper."""


@dataclass(eq=False)
class Sounding:
    """Plays sounds, one at a time and none too soon after another of its kind."""

    tasks: TaskGroup
    settings: Callable[[], Settings]
    audience: Audience
    presence: notifying.UserPresence
    _: KW_ONLY
    find: Callable[[str], SessionRuntime | None]
    store: Store

    def __post_init__(self) -> None:
        self._cooldown = calls.Cooldown()
        self._muted_until: float | None = None
        self._told_off: set[str] = set()
        self.player = SoundPlayer(
            self.tasks, on_speaking=self._speaking, on_silent=self._silent, on_off=self._went_off
        )

    def recall(self) -> None:
        """Load until when sounds are muted."""
        self._muted_until = self.store.fact("muted_until", float)

    def warm_up(self) -> None:
        """Start the player before it is needed, if sounds are switched on."""
        settings, user_env = self.settings(), self.presence.env()
        sounds = {settings.sound_failure, settings.sound_attention, settings.sound_success}
        if sounds != {"off"} and settings.sound_backend != "bell" and user_env is not None:
            self.player.prepare(self.presence.helper_env(user_env), settings.sound_backend)
            self.player.warm_up()

    @property
    def hushed(self) -> bool:
        """Whether nothing may be heard now: sound is muted, or these are quiet hours."""
        now = time.time()
        if self._muted_until is not None and now < self._muted_until:
            return True
        clock = time.localtime(now)
        return calls.in_hours(self.settings().quiet_hours, clock.tm_hour * 60 + clock.tm_min)

    def sound(self, call: calls.Call, *, spoken: bool) -> None:
        """Play the sound of a call, unless hushed; or speak it."""
        settings = self.settings()
        pause = settings.sound_cooldown / 1000
        if self.hushed or not self._cooldown.lets(call.kind, now=time.monotonic(), seconds=pause):
            return
        user_env = self.presence.env()
        if settings.sound_backend != "bell" and user_env is not None:
            self._play(call, user_env, spoken=spoken)
            self._ring(call.session, far_only=True)
        else:
            self._ring(call.session)

    def lets_ring(self) -> bool:
        """Return whether a program that the user does not look at may ring now."""
        pause = self.settings().sound_cooldown / 1000
        return not self.hushed and self._cooldown.lets("bell", now=time.monotonic(), seconds=pause)

    def _play(self, call: calls.Call, user_env: dict[str, str], *, spoken: bool) -> anyio.Event:
        settings = self.settings()
        session = self.find(call.session)
        language = language_from(user_env, settings.language)
        *rather, path = sound_files(
            call.kind,
            own=settings.sound_folder,
            character=session.info.character_id if session else "",
        )
        self.player.prepare(self.presence.helper_env(user_env), settings.sound_backend)
        return self.player.play(
            Order(
                session=call.session,
                path=path,
                rather=tuple(rather),
                volume=settings.sound_volume,
                text=notifying.spoken(call, language) if spoken else "",
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
        for client in self.audience.front_ends():
            if not far_only or is_far(client.env):
                client.send(messages.Event(session="", kind="bell"))

    def _silent(self, order: Order) -> None:
        self._ring(order.session)

    def _went_off(self, why: str) -> None:
        if why not in self._told_off:
            self._told_off.add(why)
            self.audience.tell("info", why)

    def _speaking(self, session: str, on: bool, seconds: float) -> None:
        said = messages.Speaking(session=session, on=on, seconds=seconds)
        self.audience.broadcast(said, front_ends=True)

    # --- what users ask of it

    def mute(self, seconds: float) -> None:
        """Mute sounds for `seconds`; 0 ends that."""
        seconds = min(seconds, calls.LONGEST)
        self._muted_until = time.time() + seconds if seconds > 0 else None
        self.store.keep_fact("muted_until", self._muted_until)

    def move_times(self, seconds: float) -> None:
        """Stay mute for as long as was asked, by a clock that was set by so many seconds."""
        if self._muted_until is not None:
            self.mute(self._muted_until + seconds - time.time())

    async def test(self, who: Requester, kind: calls.Kind, session: str = "") -> None:
        """Play the sound of a kind, even while muted, since a user asked for it.

        It is that of `session`'s character, if one is named.
        """
        user_env = self._env_for(who)
        if user_env is None or self.settings().sound_backend == "bell":
            self._ring(session)
            return
        if self.player.why:
            self.player.try_again()
        call = calls.Call(session=session, name="nagomi", kind=kind, summary="")
        tried = self._play(call, user_env, spoken=self.wish(kind) == "tts")
        with anyio.move_on_after(_TEST_SECONDS):
            await tried.wait()

    async def standing(self, who: Requester, *, toasts: bool) -> messages.SoundStanding:
        """Return the state of sound for the requester, and whether the desktop shows `toasts`."""
        user_env = self._env_for(who)
        why = self.player.why
        muted = self._muted_until
        way = "" if self.settings().sound_backend == "bell" else await self.player.way()
        bell = user_env is None or not way
        return messages.SoundStanding(
            way="bell" if bell else way,
            why=who.words.say(why) if why and user_env is not None else "",
            far=user_env is None,
            muted_until=muted if muted is not None and muted > time.time() else None,
            quiet=self.hushed,
            pid=self.player.pid,
            notices="desktop" if toasts else "terminal",
        )

    def _env_for(self, who: Requester) -> dict[str, str] | None:
        """Return the environment where a sound is heard now, with the helper set to it."""
        user_env = self.presence.env(who)
        if user_env is not None:
            self.player.prepare(self.presence.helper_env(user_env), self.settings().sound_backend)
        return user_env

    def wish(self, kind: calls.Kind) -> calls.Sound:
        """Return the setting of sound for calls of a kind."""
        found: calls.Sound = getattr(self.settings(), f"sound_{kind}")
        return found
