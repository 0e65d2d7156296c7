"""The user's own command for each turn that ends: JSON on its stdin, and ten seconds of time."""

from __future__ import annotations

import logging
import subprocess
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import anyio
import msgspec
from anyio.abc import TaskGroup

from nagomi_tui.system.children import NOWHERE, OWN_GROUP, end_group
from nagomi_tui.text.words import translatable

_log = logging.getLogger(__name__)
DEADLINE_SECONDS: Final = 10.0
_AT_ONCE: Final = 4
_WAITING: Final = 64


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the command."""

    command: str
    event: bytes
    env: dict[str, str]


class OwnCommand:
    """Runs the command, a few at a time; `on_fault` gets a sentence once for each failure."""

    def __init__(self, tasks: TaskGroup, *, on_fault: Callable[..., object]) -> None:
        self._tasks = tasks
        self._on_fault = on_fault
        self._told: set[str] = set()
        self._jobs: deque[Job] = deque()
        self._working = 0

    def offer(self, job: Job) -> None:
        """Queue a run, without waiting."""
        if len(self._jobs) >= _WAITING:
            _log.warning("on_event: too many events wait; one is left out")
            return
        self._jobs.append(job)
        if self._working < _AT_ONCE:
            self._working += 1
            self._tasks.start_soon(self._work)

    async def _work(self) -> None:
        while self._jobs:
            try:
                await self._run(self._jobs.popleft())
            except Exception as exc:
                _log.exception("on_event failed")
                self._tell(
                    translatable("The on_event command cannot be run: {reason}."), reason=exc
                )
        self._working -= 1

    async def _run(self, job: Job) -> None:
        # A shell reads it, as it reads a line that the user types.
        process = await anyio.open_process(
            job.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=job.env,
            cwd=NOWHERE,
            **OWN_GROUP,
        )
        try:
            with anyio.move_on_after(DEADLINE_SECONDS) as patience:
                if process.stdin is not None:
                    with suppress(anyio.BrokenResourceError):
                        await process.stdin.send(job.event)
                    await process.stdin.aclose()
                await process.wait()
        finally:
            with anyio.CancelScope(shield=True):
                if process.returncode is None:
                    end_group(process)
                await process.aclose()
        if patience.cancelled_caught:
            self._tell(
                translatable("The on_event command took longer than {seconds} s and was ended."),
                seconds=round(DEADLINE_SECONDS),
            )
        elif process.returncode:
            self._tell(
                translatable("The on_event command ended with {status}."), status=process.returncode
            )

    def _tell(self, sentence: str, **values: object) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            self._on_fault(sentence, **values)
