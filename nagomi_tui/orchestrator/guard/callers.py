"""Who asks for what only the user may do: proved by the processes above a client, or refused (DB-5)."""

from __future__ import annotations

import os
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from nagomi_tui import deadline_thread, lineage
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nagomi_tui.lineage import Process, Standing
    from nagomi_tui.orchestrator.runtime.requester import Caller

_SECONDS: Final = 2.0
_AT_ONCE: Final = 8
_ZYGOTE: Final = "nagomi_tui.zygote"
_WHY: Final[dict[Standing, str]] = {
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


class Callers:
    """Looks whether a client stands outside of every session, and is none of our own programs."""

    def __init__(self, supervisor: Callable[[], int]) -> None:
        """`supervisor` tells the process that keeps the residents, zygote and agent among them."""
        self._supervisor = supervisor
        self._slots = BoundedSemaphore(_AT_ONCE)
        self._known: WeakKeyDictionary[Caller, bool] = WeakKeyDictionary()

    async def check(self, caller: Caller) -> None:
        """Return if a client is proved to be the user's own.

        Raises:
            Refusal: it is not.
        """
        try:
            found = await deadline_thread.run(
                lambda: self._standing(caller), seconds=_SECONDS, slots=self._slots
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
        """Tell the same of a front end, whose every key is asked about: it is looked at once."""
        if (known := self._known.get(caller)) is None:
            known = self._known[caller] = self._standing(caller) == "outside"
        return known

    def _standing(self, caller: Caller) -> Standing:
        pid = caller.pid
        line = lineage.line_of(pid)
        # Another process may have got the number while we looked.
        if not line or caller.pid != pid or line[0].began > caller.began + 1:
            return "unknown"
        return standing_of(line, self._supervisor(), os.getpid())


def standing_of(line: Sequence[Process], supervisor: int, orchestrator: int) -> Standing:
    """Return where a client runs; of our own residents only a front end of the zygote is the user's.

    The zygote forks one only for a client that stands outside itself.
    """
    if _is_lent(line, supervisor):
        return "outside"
    found = lineage.standing(line)
    ours = {supervisor, orchestrator} - {0}
    is_ours = any(each.pid in ours for each in line)
    return "unknown" if found == "outside" and is_ours else found


def _is_lent(line: Sequence[Process], supervisor: int) -> bool:
    return len(line) > 2 and _ZYGOTE in line[1].words[:5] and line[2].pid == supervisor != 0
