"""Whether the kernel would hold a project here, as it was tried a moment ago."""

from __future__ import annotations

import logging
import subprocess
import time
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui import deadline_thread
from nagomi_tui.orchestrator.guard.probing import SECONDS, probed

if TYPE_CHECKING:
    from nagomi_tui.words import Said

_log = logging.getLogger(__name__)
_FRESH_SECONDS: Final = 60.0
"""An answer is good for so long: the user may have changed what stood in the way."""
_slots: Final = BoundedSemaphore(1)


class _Answer(NamedTuple):
    at: float
    refusal: Said | None


_answers: list[_Answer] = []
"""The latest one."""


async def strict_refusal() -> Said | None:
    """Return why there can be no strict mode; None if there can, or it is not known."""
    now = time.monotonic()
    if not _answers or now - _answers[0].at > _FRESH_SECONDS:
        try:
            told = await deadline_thread.run(probed, seconds=SECONDS, slots=_slots)
        except (OSError, subprocess.SubprocessError, TimeoutError):
            _log.exception("it could not be tried whether the kernel would hold a project")
            return None
        _answers[:] = [_Answer(now, told)]
    return _answers[0].refusal
