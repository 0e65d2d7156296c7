"""The parent's side of a helper process: requests with a deadline; its death is an exception."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import anyio
from anyio.abc import Process, TaskStatus
from anyio.streams.buffered import BufferedByteReceiveStream

from nagomi_tui.system.children import NOWHERE, OWN_GROUP, end_group

_log = logging.getLogger(__name__)
DEADLINE_SECONDS: Final = 4.0
"""Seconds that one order may take; a helper that needs longer counts as hung."""
_LINE_LIMIT: Final = 64 * 1024


class HelperFault(Exception):
    """A helper cannot do its work; the message says why."""


class Hung(HelperFault):
    """The helper did not answer in time, and was killed."""


class Died(HelperFault):
    """The helper ended by itself."""


class Unavailable(HelperFault):
    """The helper reported that it cannot work here."""


class Helper:
    """One `python -m nagomi_tui.alerts` process; `on_event` is called with each of its messages."""

    def __init__(
        self, backend: str, env: Mapping[str, str], on_event: Callable[[dict[str, Any]], object]
    ) -> None:
        self.backend = backend
        self.alive = False
        self.ended_busy = False
        """It ended while it had an order; whoever gave it hears so."""
        self._env = dict(env)
        self._on_event = on_event
        self._process: Process | None = None
        self._awaited: dict[int, anyio.Event] = {}
        self._answers: dict[int, dict[str, Any]] = {}

    @property
    def pid(self) -> int:
        """The process id; 0 while it does not run."""
        return self._process.pid if self._process else 0

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Start it, and listen until it ends; `started` when it is ready.

        Raises:
            HelperFault: it did not get ready.
        """
        command = [sys.executable, "-P", "-m", "nagomi_tui.alerts", self.backend]
        try:
            self._process = process = await anyio.open_process(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # Sound libraries write their complaints there.
                stderr=subprocess.DEVNULL,
                env=self._env,
                cwd=NOWHERE,
                **OWN_GROUP,
            )
        except OSError as exc:
            raise Died(f"it cannot be started: {exc.strerror}") from exc
        try:
            await self._serve(process, task_status)
        finally:
            self.alive, self.ended_busy = False, bool(self._awaited)
            self.kill()
            with anyio.CancelScope(shield=True):
                with anyio.move_on_after(1.0):
                    await process.wait()
                await process.aclose()
            for event in self._awaited.values():
                event.set()

    async def _serve(self, process: Process, task_status: TaskStatus[None]) -> None:
        assert process.stdout is not None
        lines = BufferedByteReceiveStream(process.stdout)
        try:
            with anyio.fail_after(DEADLINE_SECONDS):
                said = json.loads(await lines.receive_until(b"\n", _LINE_LIMIT))
        except TimeoutError as exc:
            raise Hung("it does not get ready") from exc
        except (anyio.EndOfStream, anyio.IncompleteRead, ValueError) as exc:
            raise Died("it ended while it was started") from exc
        if "ready" not in said:
            raise Unavailable(str(said.get("unavailable", "")))
        self.alive = True
        task_status.started()
        with suppress(
            anyio.EndOfStream, anyio.IncompleteRead, anyio.DelimiterNotFound,
            anyio.BrokenResourceError, ValueError,
        ):  # fmt: skip
            while True:
                self._heard(json.loads(await lines.receive_until(b"\n", _LINE_LIMIT)))

    def _heard(self, message: dict[str, Any]) -> None:
        self._on_event(message)
        if (awaited := self._awaited.pop(message.get("id", 0), None)) is not None:
            self._answers[message["id"]] = message
            awaited.set()

    async def ask(self, number: int, **order: Any) -> dict[str, Any]:
        """Give an order under a number of its own, above 0, and return the answer to it.

        Raises:
            Hung: no answer came within the deadline; the helper is killed.
            Died: it ended before it answered.
        """
        process = self._process
        if not self.alive or process is None or process.stdin is None:
            raise Died("it has ended")
        self._awaited[number] = answered = anyio.Event()
        try:
            with anyio.fail_after(DEADLINE_SECONDS):
                await process.stdin.send(json.dumps({"id": number, **order}).encode() + b"\n")
                await answered.wait()
        except TimeoutError as exc:
            self.kill()
            raise Hung("it does not answer") from exc
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as exc:
            raise Died("it has ended") from exc
        finally:
            self._awaited.pop(number, None)
        answer = self._answers.pop(number, None)
        if answer is None:
            raise Died("it ended before it answered")
        return answer

    def kill(self) -> None:
        """End it with whatever it started."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        _log.info("helper %s: process %d is ended", self.backend, process.pid)
        end_group(process)
