"""Ends a session's whole process tree by HUP, TERM and KILL, without blocking (N-22)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_worker.pty.interface import Tree
    from nagomi_worker.runtime.limits import Grace
    from nagomi_worker.runtime.loop import Loop, Timer

_POLL: Final = 0.05
"""Seconds between checks for remaining processes: only children report their end by SIGCHLD."""


class Stop:
    """One stop in progress; `done` is called once, from the loop, when it is over."""

    def __init__(self, loop: Loop, tree: Tree, grace: Grace, done: Callable[[], None]) -> None:
        self._loop = loop
        self._tree = tree
        self._done = done
        self._steps = [("HUP", grace.hup), ("TERM", grace.term)]
        self._kill = ("KILL", grace.kill)
        self._give_up_at = loop.now() + grace.hup + grace.term + grace.give_up
        self._next_step_at = 0.0
        self._timer: Timer | None = None
        self._next_step()

    def check(self) -> None:
        """Finish if no process is left, else send the next signal if it is due.

        Called when a child has ended, and by a timer.
        """
        if self._timer is None:
            return
        self._timer.cancel()
        if not self._tree.any_left() and not self._tree.look():
            self._finish()
        elif self._loop.now() >= self._next_step_at:
            self._next_step()
        else:
            self._wait()

    def _next_step(self) -> None:
        if not self._tree.look() or self._loop.now() > self._give_up_at:
            self._finish()
            return
        step, grace = self._steps.pop(0) if self._steps else self._kill
        self._tree.send(step)
        self._next_step_at = self._loop.now() + grace
        self._wait()

    def _wait(self) -> None:
        left = max(0.0, self._next_step_at - self._loop.now())
        self._timer = self._loop.call_later(min(_POLL, left), self.check)

    def _finish(self) -> None:
        self._timer = None
        self._loop.call_later(0, self._done)
