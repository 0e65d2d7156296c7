"""What programs may type into a guarded session: never what would let its agent write (DB-5).

The client cannot tell who typed into its terminal. So whoever is not proved to be the user may only
send whole prompts in which the guard hears nothing, and press no keys; commands of the client's own
would pass the guard by.
"""

from __future__ import annotations

from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

from nagomi_tui import deadline_thread
from nagomi_tui.guard.decide.phrases import meaning
from nagomi_tui.guard.files.config import read_config
from nagomi_tui.guard.files.documents import Broken
from nagomi_tui.guard.shell import ANYWHERE, classify
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.config import Config
    from nagomi_tui.guard.files.project import Project
    from nagomi_tui.orchestrator.guard.callers import Callers
    from nagomi_tui.orchestrator.guard.watch import Guardable, GuardWatch
    from nagomi_tui.orchestrator.runtime.requester import Caller
    from nagomi_tui.orchestrator.sessions.roles import Named

_SECONDS: Final = 1.0
_AT_ONCE: Final = 8
_OWN_COMMANDS: Final = ("!", "/", "#")
"""How a prompt begins that a client takes for itself, and hands to no hook."""


class InputGate:
    """Refuses what only the user may type into a guarded session."""

    def __init__(self, callers: Callers, watch: GuardWatch) -> None:
        self._callers = callers
        self._watch = watch
        self._slots = BoundedSemaphore(_AT_ONCE)

    async def check_text(
        self, caller: Caller, session: Guardable, text: str, *, whole: bool
    ) -> None:
        """Return if a text may be sent; `whole` says that it is all that the prompt will hold.

        Raises:
            Refusal: it is for the user to type.
        """
        if session.info.guard is None or await self._callers.proves(caller):
            return
        plain = all(char.isprintable() or char == "\n" for char in text)
        if not (whole and plain) or text.lstrip().startswith(_OWN_COMMANDS):
            raise refused(session)
        if await self._would_elevate(session, text):
            raise refused(session)

    async def check_keys(self, caller: Caller, session: Named) -> None:
        """Return if keys may be pressed.

        Raises:
            Refusal: it is for the user to press them.
        """
        if session.info.guard is not None and not await self._callers.proves(caller):
            raise refused(session)

    def takes_keys(self, caller: Caller, session: Named) -> bool:
        """Tell whether a front end's keys may go to a session."""
        return session.info.guard is None or self._callers.is_known(caller)

    async def check_command(self, caller: Caller, session: Named, command: str) -> None:
        """Return if a next step may run beside a guarded session (X-19).

        Raises:
            Refusal: it writes while its agent may not, and nobody proved that they are the user.
        """
        guard = session.info.guard
        if guard is None or guard.bypassed or guard.mode == "implementation":
            return
        if classify(command, ANYWHERE).verdict == "write" and not await self._callers.proves(
            caller
        ):
            sentence = translatable(
                "{name} is in discussion, and only you run there what does more than read."
            )
            raise Refusal("refused", sentence, name=session.info.name)

    async def _would_elevate(self, session: Guardable, text: str) -> bool:
        """Tell whether the guard would hear more than a stop.

        It counts as heard where the project or its settings cannot be read.
        """
        project = await self._watch.project(session)
        if project is None:
            return True
        try:
            config = await deadline_thread.run(
                partial(_config, project), seconds=_SECONDS, slots=self._slots
            )
        except (OSError, TimeoutError, Broken):
            return True
        return meaning(text, config) not in (None, "stop")


def _config(project: Project) -> Config:
    return read_config(project)


def refused(session: Named) -> Refusal:
    """Return why somebody's typing is refused who is not proved to be the user."""
    sentence = translatable(
        "{name} is guarded: only you type there what could let its agent write. "
        "Do it in nagomi itself, or in a terminal of its own."
    )
    return Refusal("refused", sentence, name=session.info.name)
