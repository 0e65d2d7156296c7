"""Whether the kernel would hold a project here; a process of its own tries, as for `nagomi doctor`."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from threading import BoundedSemaphore
from typing import Final, NamedTuple

from nagomi_tui import deadline_thread

_log = logging.getLogger(__name__)
_SECONDS: Final = 3.0
_FRESH_SECONDS: Final = 60.0
"""An answer is good for so long: the user may have changed what stood in the way."""
_slots: Final = BoundedSemaphore(1)


class _Answer(NamedTuple):
    at: float
    refusal: str


_answers: list[_Answer] = []
"""The latest one."""


async def strict_refusal() -> str:
    """Return why there can be no strict mode, in English; empty if there can, or it is not known."""
    now = time.monotonic()
    if not _answers or now - _answers[0].at > _FRESH_SECONDS:
        try:
            told = await deadline_thread.run(probed, seconds=_SECONDS, slots=_slots)
        except (OSError, subprocess.SubprocessError, TimeoutError):
            _log.exception("it could not be tried whether the kernel would hold a project")
            return ""
        _answers[:] = [_Answer(now, told)]
    return _answers[0].refusal


def probed(seconds: float = _SECONDS) -> str:
    """Try it now, for so long at most.

    Raises:
        OSError: no process can be started.
        subprocess.SubprocessError: it takes too long.
    """
    done = subprocess.run(
        [sys.executable, "-P", "-m", "nagomi_worker.confine.probe"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False,
    )  # fmt: skip
    return (done.stdout or done.stderr).strip()
