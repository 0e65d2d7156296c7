"""Checks command, size and folder before a session starts, in threads with a deadline.

A folder on a dead server blocks whoever reads it; a worker would block with all its sessions.
"""

from __future__ import annotations

import os
from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

from nagomi_tui.masking import REDACTED
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.terminals.screens import COLS_LIMIT, ROWS_LIMIT
from nagomi_tui.orchestrator.workers.link import told_fault
from nagomi_tui.system import deadlines
from nagomi_tui.text.words import nearest_name, translatable
from nagomi_worker.pty.command import StartError, launch

if TYPE_CHECKING:
    from collections.abc import Collection

    from nagomi_tui.sessions.session import Session
    from nagomi_worker.wire.protocol import StartSession


def check_command(info: Session, given: str) -> None:
    """Refuse to run a command that is not known whole; a masked one is never run.

    Raises:
        Refusal: it must be given, or given whole.
    """
    if REDACTED in given:
        sentence = translatable(
            "The command still holds {mark}; put what belongs there in its place."
        )
        raise Refusal("bad_request", sentence, mark=REDACTED)
    if given:
        return
    if info.cmd_masked:
        sentence = translatable(
            "The command of {name} held a secret, which nagomi does not store. Give the command "
            "again: `nagomi restart {number} -- COMMAND`, or start it anew with `nagomi new`."
        )
        raise Refusal("refused", sentence, name=info.name, number=info.number)
    if not info.cmd:
        sentence = translatable("What {name} ran is not known; make a new session.")
        raise Refusal("refused", sentence, name=info.name)


def check_profile(name: str, known: Collection[str]) -> None:
    """Refuse the name of a profile that no file of rules has; `known` are those there are.

    Raises:
        Refusal: there is no such profile.
    """
    if name in known:
        return
    if near := nearest_name(name, known):
        sentence = translatable("There are no rules for an agent `{agent}`; did you mean `{near}`?")
        raise Refusal("bad_request", sentence, agent=name, near=near)
    sentence = translatable("There are no rules for an agent `{agent}`, only for {known}.")
    raise Refusal("bad_request", sentence, agent=name, known=", ".join(sorted(known)))


def check_size(cols: int, rows: int) -> None:
    """Refuse a size that no terminal has.

    Raises:
        Refusal: it is out of bounds.
    """
    if not (1 <= cols <= COLS_LIMIT and 1 <= rows <= ROWS_LIMIT):
        raise Refusal(
            "bad_request",
            translatable(
                "A session of {cols}×{rows} cells cannot be made; at most {most_cols}×{most_rows}."
            ),
            cols=cols,
            rows=rows,
            most_cols=COLS_LIMIT,
            most_rows=ROWS_LIMIT,
        )


def check_folder(cwd: str) -> None:
    """Refuse a folder in which nothing can be started.

    Raises:
        Refusal: it does not exist, is no folder, or may not be entered.
    """
    if "\0" in cwd or not os.path.isabs(cwd):
        raise Refusal(
            "bad_request",
            translatable("The folder {cwd} is not an absolute path."),
            cwd=cwd.replace("\0", "?"),
        )
    if not os.path.exists(cwd):
        raise Refusal("bad_request", translatable("The folder {cwd} does not exist."), cwd=cwd)
    if not os.path.isdir(cwd):
        raise Refusal("bad_request", translatable("{cwd} is not a folder."), cwd=cwd)
    if not os.access(cwd, os.X_OK):
        raise Refusal("bad_request", translatable("The folder {cwd} may not be entered."), cwd=cwd)


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
            await deadlines.run(partial(check_folder, cwd), seconds=_SECONDS, slots=self._slots)
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
            await deadlines.run(partial(launch, order), seconds=_SECONDS, slots=self._slots)
        except StartError as exc:
            fault = told_fault(str(exc), exc.sentence, exc.values)
            raise Refusal("bad_request", "{fault}", fault=fault) from exc
        except TimeoutError as exc:
            sentence = translatable(
                "Looking for the program takes too long; does a folder of PATH not answer?"
            )
            raise Refusal("refused", sentence) from exc
