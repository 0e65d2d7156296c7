"""Refuses input that only the user may type into a guarded session.

The client cannot tell who typed into its terminal. So whoever is not proved to be the user may only
send whole prompts in which the guard hears nothing, and press no keys; commands of the client's own
would pass the guard by.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from threading import BoundedSemaphore
from typing import Final
from weakref import WeakKeyDictionary

from nagomi_tui.agents import process_tree
from nagomi_tui.guard.caller import doubt
from nagomi_tui.guard.decide.prompt import meaning
from nagomi_tui.guard.files.folder import Here
from nagomi_tui.guard.files.state import Broken, read_config
from nagomi_tui.orchestrator.guard.watch import GuardWatch
from nagomi_tui.orchestrator.runtime.requests import Caller, Lifetime, Refusal
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions.session import LOCAL
from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import ANYWHERE, Patterns
from nagomi_tui.system import deadlines
from nagomi_tui.text.words import translatable

_SECONDS: Final = 1.0
_AT_ONCE: Final = 8
_OWN_COMMANDS: Final = ("!", "/", "#")
"""How a prompt begins that a client takes for itself, and hands to no hook."""


_LOOK_SECONDS: Final = 2.0
_ZYGOTE: Final = "nagomi_tui.commands.start.zygote"
_WHY: Final[dict[process_tree.Standing, str]] = {
    "session": translatable(
        "Only you can let an agent write, and this came from inside of a session. "
        "Do it in nagomi itself, or in a terminal of its own."
    ),
    "agent": translatable(
        "Only you can let an agent write, and an agent has started this. "
        "Do it in nagomi itself, or in a terminal of its own."
    ),
    "unknown": translatable(
        "Only you can let an agent write, and who has started this cannot be told. "
        "Do it in nagomi itself, or in a terminal of its own."
    ),
}


class InputGate:
    """Tells whether a client is the user's own, and refuses what only the user may type.

    That is one outside of every session which is none of our own programs.
    """

    def __init__(self, lifetime: Lifetime, watch: GuardWatch) -> None:
        self._lifetime = lifetime
        self._watch = watch
        self._slots = BoundedSemaphore(_AT_ONCE)
        self._known: WeakKeyDictionary[Caller, bool] = WeakKeyDictionary()

    async def check(self, caller: Caller) -> None:
        """Return if a client is proved to be the user's own.

        Raises:
            Refusal: it is not.
        """
        try:
            found = await deadlines.run(
                lambda: self._of_user(caller), seconds=_LOOK_SECONDS, slots=self._slots
            )
        except (TimeoutError, OSError):
            found = "unknown"
        if found != "outside":
            raise Refusal("refused", _WHY[found])

    async def proves(self, caller: Caller | None) -> bool:
        """Tell whether a client is proved to be the user's own."""
        if caller is None:
            return False
        try:
            await self.check(caller)
        except Refusal:
            return False
        return True

    def is_known(self, caller: Caller) -> bool:
        """Tell whether a front end is the user's own; it is looked at once, as each of its keys asks."""
        if (known := self._known.get(caller)) is None:
            known = self._known[caller] = self._standing(caller) == "outside"
        return known

    def _of_user(self, caller: Caller) -> process_tree.Standing:
        """Return where a client runs, "unknown" if an agent may have made its terminal or types there."""
        found, line = self._standing(caller), process_tree.line_of(caller.pid)
        if found != "outside" or is_lent(line, self._lifetime.supervisor_pid):
            return found
        # A front end goes by where it stands, as its keys do: nobody tells of the keys of a terminal
        # that was opened for it alone, of most multiplexers, or of one that a script looks after.
        return found if caller.is_front_end or doubt(caller.pid) is None else "unknown"

    def _standing(self, caller: Caller) -> process_tree.Standing:
        pid = caller.pid
        line = process_tree.line_of(pid)
        # Another process may have got the number while we looked.
        if not line or caller.pid != pid or line[0].began > caller.began + 1:
            return "unknown"
        return standing_of(line, self._lifetime.supervisor_pid, os.getpid())

    # --- what may be typed

    async def check_text(
        self, caller: Caller, session: SessionRuntime, text: str, *, whole: bool
    ) -> None:
        """Return if a text may be sent; `whole` says that it is all that the prompt will hold.

        Raises:
            Refusal: it is for the user to type.
        """
        if session.info.guard is None or await self.proves(caller):
            return
        plain = all(char.isprintable() or char == "\n" for char in text)
        if not (whole and plain) or text.lstrip().startswith(_OWN_COMMANDS):
            raise refused(session)
        if await self._would_elevate(session, text):
            raise refused(session)

    async def check_keys(self, caller: Caller, session: SessionRuntime) -> None:
        """Return if keys may be pressed.

        Raises:
            Refusal: it is for the user to press them.
        """
        if session.info.guard is not None and not await self.proves(caller):
            raise refused(session)

    def takes_keys(self, caller: Caller, session: SessionRuntime) -> bool:
        """Tell whether a front end's keys may go to a session."""
        return session.info.guard is None or self.is_known(caller)

    async def check_command(self, caller: Caller, session: SessionRuntime, command: str) -> None:
        """Return if a next step may run beside a guarded session (X-19).

        Raises:
            Refusal: it writes while its agent may not, and nobody proved that they are the user.
        """
        guard = session.info.guard
        if guard is None or guard.bypassed or guard.mode == "implementation":
            return
        if not await only_reads(session, command) and not await self.proves(caller):
            sentence = translatable(
                "{name} is in discussion, and only you run there what does more than read."
            )
            raise Refusal("refused", sentence, name=session.info.name)

    async def _would_elevate(self, session: SessionRuntime, text: str) -> bool:
        """Tell whether the guard would hear more than a stop.

        It counts as heard where the project or its settings cannot be read.
        """
        project = await self._watch.project(session)
        if project is None:
            return True
        try:
            config = await deadlines.run(
                partial(read_config, project), seconds=_SECONDS, slots=self._slots
            )
        except (OSError, TimeoutError, Broken):
            return True
        return meaning(text, config) not in (None, "stop")


async def only_reads(session: SessionRuntime, command: str) -> bool:
    """Tell whether a command only reads in a session's folder; of one elsewhere nothing there is known."""
    info = session.info
    patterns = Patterns(folder=Here(info.here)) if info.worker_id == LOCAL else ANYWHERE
    try:
        found = await deadlines.run(
            partial(classify, command, patterns), seconds=_SECONDS, slots=_looking
        )
    except TimeoutError:
        return False
    return found.verdict == "read"


_looking: Final = BoundedSemaphore(_AT_ONCE)


def refused(session: SessionRuntime) -> Refusal:
    """Return why somebody's typing is refused who is not proved to be the user."""
    sentence = translatable(
        "{name} is guarded: only you type there what could let its agent write. "
        "Do it in nagomi itself, or in a terminal of its own."
    )
    return Refusal("refused", sentence, name=session.info.name)


def standing_of(
    line: Sequence[process_tree.Process], supervisor: int, orchestrator: int
) -> process_tree.Standing:
    """Return where a client runs; of our own residents only a front end of the zygote is the user's.

    The zygote forks one only for a client that stands outside itself.
    """
    if is_lent(line, supervisor):
        return "outside"
    found = process_tree.standing(line)
    ours = {supervisor, orchestrator} - {0}
    is_ours = any(each.pid in ours for each in line)
    return "unknown" if found == "outside" and is_ours else found


def is_lent(line: Sequence[process_tree.Process], supervisor: int) -> bool:
    """Tell whether a client is a front end that the zygote has made for the user's terminal."""
    return len(line) > 2 and _ZYGOTE in line[1].words[:5] and line[2].pid == supervisor != 0
