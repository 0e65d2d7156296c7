"""Runs calls that may never return in threads, which are abandoned after a deadline.

A system call on a dead network file system has no deadline of its own: `stat` waits as long as the
server is away. An abandoned thread ends when its call does; it delays neither caller nor exit.
Callers that give `slots` share them: beyond these no further call is begun.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from threading import BoundedSemaphore
from typing import Final, TypeVar

_Value = TypeVar("_Value")
TOTAL: Final = 64
"""Most such threads that wait in one process; beyond that no further one is started."""

_all_slots = threading.BoundedSemaphore(TOTAL)


class NoThread(TimeoutError):
    """The system starts no further thread, so that the call was not begun."""


async def run(
    work: Callable[[], _Value], *, seconds: float, slots: BoundedSemaphore | None = None
) -> _Value:
    """Return what `work` returns, or raise what it raises.

    Raises:
        TimeoutError: it takes longer than that, or too much else has not returned yet.
    """
    import asyncio  # here, since commands that only use `wait` must start quickly

    import anyio

    begun = begin(work, slots)
    with anyio.fail_after(seconds):
        return await asyncio.wrap_future(begun)


def wait(
    work: Callable[[], _Value], *, seconds: float, slots: BoundedSemaphore | None = None
) -> _Value:
    """Do the same, but block, for a caller without an event loop or that may stop it.

    Raises:
        TimeoutError: it takes longer than that, or too much else has not returned yet.
    """
    return begin(work, slots).result(seconds)


def begin(work: Callable[[], _Value], slots: BoundedSemaphore | None = None) -> Future[_Value]:
    """Begin it, and return what tells its result.

    Raises:
        TimeoutError: too much else has not returned yet.
    """
    if slots is not None and not slots.acquire(blocking=False):
        raise TimeoutError
    if not _all_slots.acquire(blocking=False):
        if slots is not None:
            slots.release()
        raise TimeoutError
    begun: Future[_Value] = Future()
    begun.set_running_or_notify_cancel()
    thread = threading.Thread(target=_do, args=(work, slots, begun), name="deadline", daemon=True)
    try:
        thread.start()
    except RuntimeError as exc:
        _release(slots)
        raise NoThread("no thread can be started") from exc
    return begun


def _do(work: Callable[[], _Value], slots: BoundedSemaphore | None, begun: Future[_Value]) -> None:
    try:
        value = work()
    except BaseException as exc:
        _release(slots)
        begun.set_exception(exc)
    else:
        _release(slots)
        begun.set_result(value)


def _release(slots: BoundedSemaphore | None) -> None:
    _all_slots.release()
    if slots is not None:
        slots.release()
