"""Plays sounds by a helper process: tries backend after backend, and reports once if none works.

Whether one plays now is decided in `nagomi_tui/orchestrator/calling/sounds.py`.
"""

from __future__ import annotations

import itertools
import logging
import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from threading import BoundedSemaphore
from typing import Any, Final, TypeVar

import anyio
import msgspec
from anyio.abc import TaskGroup

from nagomi_tui.alerts import surroundings
from nagomi_tui.alerts.child import Died, Helper, HelperFault, Hung, Unavailable
from nagomi_tui.system import deadlines
from nagomi_tui.text.words import translatable

_Found = TypeVar("_Found")
_log = logging.getLogger(__name__)
_WAITING: Final = 8
"""Most sounds that wait: a late sound is of no use."""
_RESTARTS: Final = 1
_LOOK_SECONDS: Final = 10.0

NO_DEVICE: Final = translatable(
    "There is no sound device here, so the terminal's bell rings instead."
)
NO_PLAYER: Final = translatable(
    "Nothing here can play sounds, so the terminal's bell rings instead."
)
SERVER_HANGS: Final = translatable(
    "The sound server does not answer. The terminal's bell rings instead."
)
PLAYER_ENDS: Final = translatable(
    "What plays sounds keeps ending. The terminal's bell rings instead."
)


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """A sound to play; `text`, if there is one, is spoken instead if that is possible."""

    session: str
    path: str
    rather: tuple[str, ...] = ()
    """Files of which the first that exists is played instead."""
    volume: float
    text: str = ""
    language: str = "en"
    voice: str = ""


@dataclass(eq=False)
class SoundPlayer:
    """Owns the sound helper.

    `on_speaking` is called with (session, True, seconds) when speech begins and (session, False, 0)
    when it ends; `on_silent` with an order that could not be played; `on_off` with the reason when
    no backend is left.
    """

    tasks: TaskGroup
    _: KW_ONLY
    on_speaking: Callable[[str, bool, float], object]
    on_silent: Callable[[Order], object]
    on_off: Callable[[str], object]

    def __post_init__(self) -> None:
        self.why = ""
        """Why there is no sound: an English sentence, to be translated; or nothing."""
        self._messages: deque[tuple[Order | None, anyio.Event]] = deque()
        """Without an order the helper is only made ready."""
        self._ordered = anyio.Event()
        self._env: dict[str, str] = {}
        self._setting = "auto"
        self._left: list[str] | None = None
        """What is still to be tried, best first; None before one has looked."""
        self._helper: Helper | None = None
        self._deaths = 0
        self._sounding: dict[int, str] = {}
        self._numbers = itertools.count(1)
        self._slots = BoundedSemaphore(4)

    async def way(self) -> str:
        """Return the backend that plays, or would be tried first; empty if sound is off."""
        if self._helper is not None and self._helper.alive:
            return self._helper.backend
        return "" if self.why else next(iter(await self._candidates()), "")

    @property
    def pid(self) -> int:
        """The helper's process id; 0 while none runs."""
        return self._helper.pid if self._helper is not None and self._helper.alive else 0

    def prepare(self, env: Mapping[str, str], setting: str) -> None:
        """Play in this environment from now on; in a new one all backends are tried anew."""
        env = dict(env)
        if (env, setting) != (self._env, self._setting):
            self._env, self._setting = env, setting
            self.try_again()

    def try_again(self) -> None:
        """Try all backends anew."""
        self._left, self.why, self._deaths = None, "", 0
        if self._helper is not None:
            self._helper.kill()
            self._helper = None

    def warm_up(self) -> None:
        """Start the helper before the first sound, if there is a backend."""
        if not self._messages:
            self._order(None)

    def play(self, order: Order) -> anyio.Event:
        """Queue a sound; the returned event is set when it has begun or cannot be played."""
        return self._order(order)

    def _order(self, order: Order | None) -> anyio.Event:
        tried = anyio.Event()
        if len(self._messages) < _WAITING:
            self._messages.append((order, tried))
            self._ordered.set()
        else:
            _log.info("a sound is left out: too many wait")
            tried.set()
        return tried

    async def run(self) -> None:
        """Play what is queued, until cancelled."""
        while True:
            await self._ordered.wait()
            self._ordered = anyio.Event()
            while self._messages:
                order, tried = self._messages.popleft()
                try:
                    await (self._get_ready() if order is None else self._play(order))
                except Exception:
                    _log.exception("a sound failed")
                tried.set()

    async def _play(self, order: Order) -> None:
        path = await self._file(order)
        while (helper := await self._ready()) is not None:
            number = next(self._numbers)
            self._sounding[number] = order.session
            try:
                answer = await helper.ask(
                    number,
                    play=path,
                    volume=order.volume,
                    say=order.text,
                    language=order.language,
                    voice=order.voice,
                )
            except HelperFault as exc:
                self._leave(helper, exc)
                continue
            if "began" in answer:
                return
            self._leave(helper, Unavailable(str(answer.get("failed"))))
        self.on_silent(order)

    async def _file(self, order: Order) -> str:
        return await self._look(partial(_first_file, order.rather), seconds=1.0) or order.path

    async def _look(
        self, look: Callable[[], _Found], *, seconds: float = _LOOK_SECONDS
    ) -> _Found | None:
        """Return what is found on disks that others chose; None where they do not answer."""
        try:
            return await deadlines.run(look, seconds=seconds, slots=self._slots)
        except TimeoutError:
            return None

    async def _get_ready(self) -> None:
        if await self._candidates():
            await self._ready()

    async def _ready(self) -> Helper | None:
        """Return a helper that is ready, or None when nothing is left to try."""
        if self._helper is not None:
            if self._helper.alive:
                return self._helper
            self._note_end(self._helper)
        while not self.why:
            candidates = await self._candidates()
            if not candidates:
                device = await self._look(partial(surroundings.sound_device, self._env))
                self._go_off(NO_PLAYER if device else NO_DEVICE)
                break
            helper = Helper(candidates[0], self._env, self._event)
            self._helper = helper
            try:
                await self.tasks.start(self._attend, helper)
            except HelperFault as exc:
                self._leave(helper, exc)
                continue
            if helper is self._helper:
                _log.info("sounds are played by %s", helper.backend)
                return helper
            helper.kill()  # other ears were chosen meanwhile
        return None

    async def _attend(self, helper: Helper, *, task_status: Any) -> None:
        await helper.run(task_status=task_status)
        self._hush()
        self._note_end(helper)

    def _note_end(self, helper: Helper) -> None:
        """A helper has ended although nobody asked it to do anything."""
        if helper is self._helper and not helper.ended_busy:
            self._helper = None
            self._deaths += 1
            _log.warning("the sound helper %s has ended", helper.backend)
            if self._deaths > _RESTARTS:
                self._go_off(PLAYER_ENDS)

    async def _candidates(self) -> list[str]:
        """Return what is left to try; looking for programs may take long where disks are far."""
        while self._left is None:
            env, setting = self._env, self._setting
            found = await self._look(partial(surroundings.backends, env, setting)) or []
            if (env, setting) == (self._env, self._setting):
                self._left = found
        return self._left

    def _leave(self, helper: Helper, fault: HelperFault) -> None:
        """Give a backend up; one whose server hangs takes all others with it."""
        helper.kill()
        if helper is not self._helper:
            return  # the environment has changed: the fault says nothing about the new one
        _log.warning("sound by %s: %s", helper.backend, fault)
        self._helper = None
        self._hush()
        if isinstance(fault, Hung):
            self._go_off(SERVER_HANGS)
            return
        left = self._left or []
        if helper.backend in left:
            left.remove(helper.backend)
        if not left:
            self._go_off(PLAYER_ENDS if isinstance(fault, Died) else NO_PLAYER)

    def _go_off(self, why: str) -> None:
        if not self.why:
            self.why = why
            self.on_off(why)

    def _event(self, message: dict[str, Any]) -> None:
        session = self._sounding.get(message.get("id", 0), "")
        if session and "began" in message:
            self.on_speaking(session, True, float(message["began"]))
        elif session:
            del self._sounding[message["id"]]
            if "ended" in message:
                self.on_speaking(session, False, 0.0)

    def _hush(self) -> None:
        sounding, self._sounding = self._sounding, {}
        for session in sounding.values():
            self.on_speaking(session, False, 0.0)


def _first_file(paths: Sequence[str]) -> str:
    return next((path for path in paths if os.path.isfile(path)), "")
