"""Checks that folders and programs of a session answer, before a worker accesses them.

A folder on a dead server blocks whoever reads it; a worker would block with all its sessions.
"""

from __future__ import annotations

from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

from nagomi_tui import deadline_thread
from nagomi_tui.orchestrator.lifecycle.checks import check_folder
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.orchestrator.workers.faults import told_fault
from nagomi_tui.words import translatable
from nagomi_worker.pty.command import StartError, launch

if TYPE_CHECKING:
    from nagomi_worker.wire.protocol import StartSession

_SECONDS: Final = 5.0
_MOST: Final = 16


class Probing:
    """Makes checks in threads, which are abandoned after a deadline."""

    def __init__(self) -> None:
        self._slots = BoundedSemaphore(_MOST)

    async def folder(self, cwd: str) -> None:
        """Refuse a folder in which nothing can be started.

        Raises:
            Refusal: it does not exist, is no folder, may not be entered, or does not answer.
        """
        try:
            await deadline_thread.run(
                partial(check_folder, cwd), seconds=_SECONDS, slots=self._slots
            )
        except TimeoutError as exc:
            sentence = translatable(
                "The folder {cwd} does not answer; is the disk or server there?"
            )
            raise Refusal("refused", sentence, cwd=cwd) from exc

    async def program(self, order: StartSession) -> None:
        """Look for the program as the worker will, so that the worker is not blocked by it.

        Raises:
            Refusal: it is not there, or a folder in which it is looked for does not answer.
        """
        try:
            await deadline_thread.run(partial(launch, order), seconds=_SECONDS, slots=self._slots)
        except StartError as exc:
            fault = told_fault(str(exc), exc.sentence, exc.values)
            raise Refusal("bad_request", "{fault}", fault=fault) from exc
        except TimeoutError as exc:
            sentence = translatable(
                "Looking for the program takes too long; does a folder of PATH not answer?"
            )
            raise Refusal("refused", sentence) from exc
