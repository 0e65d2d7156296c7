"""From any thread to Textual's loop, in order."""

from __future__ import annotations

import contextlib
import contextvars
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable


class Posts:
    """Work for the loop. One wake-up does all that was posted before it."""

    def __init__(self, on_error: Callable[[Exception], object]) -> None:
        self._on_error = on_error
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context = contextvars.copy_context()
        self._works: deque[Callable[[], object]] = deque()
        self._waking = False

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Do the work on `loop` from now on, in the context of this call."""
        self._loop = loop
        self._context = contextvars.copy_context()

    def post(self, work: Callable[[], object]) -> None:
        """Do `work` on the loop, soon and in order of posting."""
        self._works.append(work)
        if not self._waking and self._loop is not None:
            self._waking = True
            with contextlib.suppress(RuntimeError):  # the loop may be closed already
                self._loop.call_soon_threadsafe(self._run, context=self._context.copy())

    def _run(self) -> None:
        self._waking = False
        while self._works:
            work = self._works.popleft()
            try:
                work()
            except Exception as exc:
                # What was posted after it must still be done.
                self._on_error(exc)
