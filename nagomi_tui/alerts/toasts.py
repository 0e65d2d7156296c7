"""Shows toasts on the user's desktop by a helper process, if a service there does so."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Mapping
from functools import partial
from threading import BoundedSemaphore
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup

from nagomi_tui.alerts.child import Helper, HelperFault, Unavailable
from nagomi_tui.alerts.surroundings import toaster
from nagomi_tui.system import deadlines

_log = logging.getLogger(__name__)
_RESTARTS: Final = 1
_LOOK_SECONDS: Final = 10.0
_BACKENDS: Final = {"desktop": "desktop", "powershell": "powershell-toast"}


class Toasts:
    """Owns the toast helper; `on_clicked` gets the session of a toast that was clicked."""

    def __init__(self, tasks: TaskGroup, *, on_clicked: Callable[[str], object]) -> None:
        self._tasks = tasks
        self._on_clicked = on_clicked
        self._env: dict[str, str] = {}
        self._backend: str | None = ""
        """None before one has looked what there is."""
        self._faults = 0
        self._off = False
        self._helper: Helper | None = None
        self._numbers = itertools.count(1)
        self._lock = anyio.Lock()
        self._slots = BoundedSemaphore(4)

    async def likely(self) -> bool:
        """Tell whether the next toast will probably be shown."""
        while self._backend is None:
            env = self._env
            found = _BACKENDS.get(await self._toaster(env), "")
            if env is self._env:
                self._backend = found
        return bool(self._backend) and not self._off

    async def _toaster(self, env: Mapping[str, str]) -> str:
        """Look for what shows toasts; a program on a disk that does not answer shows none."""
        try:
            return await deadlines.run(
                partial(toaster, env), seconds=_LOOK_SECONDS, slots=self._slots
            )
        except TimeoutError:
            return ""

    @property
    def pid(self) -> int:
        """The helper's process id; 0 while none runs."""
        return self._helper.pid if self._helper is not None and self._helper.alive else 0

    def prepare(self, env: Mapping[str, str]) -> None:
        """Show toasts on the desktop of this environment from now on."""
        env = dict(env)
        if env == self._env:
            return
        self._env, self._backend = env, None
        self._faults, self._off = 0, False
        self.close()

    def close(self) -> None:
        """End the helper."""
        if self._helper is not None:
            self._helper.kill()
            self._helper = None

    async def warm_up(self) -> None:
        """Start the helper before the first toast."""
        await self._ready()

    async def show(self, title: str, body: str, session: str, *, instead: bool = False) -> bool:
        """Show a toast, with `instead` in place of the last one; tell whether it was accepted.

        A click on it names the session.
        """
        helper = await self._ready()
        if helper is None:
            return False
        try:
            answer = await helper.ask(
                next(self._numbers), show=title, body=body, key=session, instead=instead
            )
        except HelperFault as exc:
            self._leave(helper, exc)
            return False
        if "shown" not in answer:
            self._leave(helper, Unavailable(str(answer.get("failed"))))
        return "shown" in answer

    async def _ready(self) -> Helper | None:
        async with self._lock:
            if self._helper is not None and self._helper.alive:
                return self._helper
            if not await self.likely():
                return None
            helper = self._helper = Helper(self._backend or "", self._env, self._event)
            try:
                await self._tasks.start(self._attend, helper)
            except HelperFault as exc:
                self._leave(helper, exc)
                return None
            if helper is not self._helper:
                helper.kill()
                return None
            return helper

    async def _attend(self, helper: Helper, *, task_status: Any) -> None:
        await helper.run(task_status=task_status)
        if helper is self._helper and not helper.ended_busy:
            self._helper = None
            self._count_fault()

    def _leave(self, helper: Helper, fault: HelperFault) -> None:
        _log.info("toasts by %s: %s", helper.backend, fault)
        helper.kill()
        if helper is self._helper:
            self._helper = None
            self._off = self._off or isinstance(fault, Unavailable)
            self._count_fault()

    def _count_fault(self) -> None:
        self._faults += 1
        self._off = self._off or self._faults > _RESTARTS

    def _event(self, message: dict[str, Any]) -> None:
        if session := message.get("clicked"):
            self._on_clicked(str(session))
