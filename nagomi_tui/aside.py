"""Runs calls that may never return in threads, which are abandoned after a deadline.

A system call on a dead network file system has no deadline of its own: `stat` waits as long as the
server is away.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Value = TypeVar("_Value")
TOTAL: Final = 64
"""Most such threads that wait in one process; beyond that no further one is started."""

_slots = threading.BoundedSemaphore(TOTAL)


class Aside:
    """Runs calls in threads, at most `most` at a time; one that takes too long is abandoned.

    An abandoned thread ends when its call does; it delays neither caller nor exit.
    """

    def __init__(self, *, most: int = 1) -> None:
        self._own = threading.BoundedSemaphore(most)

    async def run(self, work: Callable[[], _Value], *, seconds: float) -> _Value:
        """Return what `work` returns, or raise what it raises.

        Raises:
            TimeoutError: it takes longer than that, or too much else has not returned yet.
        """
        import asyncio  # here, since commands that only use `wait` must start quickly

        import anyio

        begun = self._begin(work)
        with anyio.fail_after(seconds):
            return await asyncio.wrap_future(begun)

    def wait(self, work: Callable[[], _Value], *, seconds: float) -> _Value:
        """Do the same, but block, for a caller without an event loop or that may stop it.

        Raises:
            TimeoutError: it takes longer than that, or too much else has not returned yet.
        """
        return self._begin(work).result(seconds)

    def _begin(self, work: Callable[[], _Value]) -> Future[_Value]:
        if not self._own.acquire(blocking=False):
            raise TimeoutError
        if not _slots.acquire(blocking=False):
            self._own.release()
            raise TimeoutError
        begun: Future[_Value] = Future()
        begun.set_running_or_notify_cancel()
        thread = threading.Thread(target=self._do, args=(work, begun), name="aside", daemon=True)
        try:
            thread.start()
        except RuntimeError as exc:
            self._done()
            raise TimeoutError("no thread can be started") from exc
        return begun

    def _do(self, work: Callable[[], _Value], begun: Future[_Value]) -> None:
        try:
            value = work()
        except BaseException as exc:
            self._done()
            begun.set_exception(exc)
        else:
            self._done()
            begun.set_result(value)

    def _done(self) -> None:
        _slots.release()
        self._own.release()
