"""Knows which views are open, and decides when each gets its next frame."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Final

import anyio
from anyio.lowlevel import checkpoint

from nagomi_tui.orchestrator.sessions.audience import Client
from nagomi_tui.orchestrator.sessions.session import UNSEEN_SECONDS, SessionRuntime
from nagomi_tui.orchestrator.views.view import SessionView

_log = logging.getLogger(__name__)
_TOGETHER_SECONDS: Final = 0.006
"""Seconds within which frames are collected and sent together, but for the echo of a key."""


class FrameScheduler:
    """Sends frames of changed sessions to their views; sessions without a view are not read."""

    def __init__(self) -> None:
        self._views: dict[SessionRuntime, list[SessionView]] = {}
        self._dirty: set[SessionView] = set()
        self._held: set[SessionView] = set()
        """Views whose program is in the middle of a frame (mode 2026)."""
        self._holding: dict[Client, float] = {}
        """Clients with frames that are held, and since when."""
        self._wanted = anyio.Event()

    # --- the views that are open

    def views_of(self, session: SessionRuntime) -> Sequence[SessionView]:
        return self._views.get(session, ())

    def is_shown(self, session: SessionRuntime) -> bool:
        """Return whether a front end shows the session."""
        return session in self._views

    def is_scrolled(self, session: SessionRuntime) -> bool:
        """Return whether a view of the session shows lines that output may drop."""
        return any(view.line is not None for view in self.views_of(session))

    def open(self, view: SessionView) -> None:
        self._views[view.session] = [*self.views_of(view.session), view]

    def close(self, view: SessionView) -> None:
        self._drop(view)
        left = [other for other in self.views_of(view.session) if other is not view]
        if left:
            self._views[view.session] = left
        else:
            self._views.pop(view.session, None)
        self.pace(view.session)

    def pace(self, session: SessionRuntime) -> None:
        """Have the session read as often as its views are drawn at most."""
        fps = max((view.spec.fps for view in self.views_of(session)), default=0)
        session.pace(min(1 / fps, UNSEEN_SECONDS) if fps > 0 else UNSEEN_SECONDS)

    # --- frames

    def touch(self, session: SessionRuntime) -> None:
        """Note that the session's screen has changed, or which part of it matters."""
        for view in self.views_of(session):
            if not view.dirty:
                self.want(view)

    def start_over(self, session: SessionRuntime) -> None:
        """Send all rows again, since the session has another screen now."""
        for view in self.views_of(session):
            view.start_over()
        self.touch(session)

    def rush(self, session: SessionRuntime) -> None:
        """Send frames at once for a session that was just typed into."""
        now = time.monotonic()
        for view in self.views_of(session):
            if view.dirty and not view.blocked and view.due() <= now:
                self._paint(view, now)

    def want(self, view: SessionView) -> None:
        """Send a frame to the view when it is due."""
        view.dirty = True
        self._dirty.add(view)
        self._wanted.set()

    def free(self, view: SessionView) -> None:
        """Allow frames for a view that was blocked."""
        if view.dirty:
            self._wanted.set()

    async def run(self) -> None:
        """Send frames for ever."""
        while True:
            self._wanted = anyio.Event()
            pause = self.step(time.monotonic())
            if pause is None:
                await checkpoint()
                continue
            with anyio.move_on_after(pause):
                await self._wanted.wait()

    def step(self, now: float) -> float | None:
        """Make the frame that is due first.

        Return None if there was one, else the seconds until the next may be due.
        """
        self._let_go(now)
        ready = [view for view in self._dirty if not view.blocked]
        view = min(ready, key=_urgency, default=None)
        if view is not None and view.due() <= now:
            self._paint(view, now)
            self._flush(now - _TOGETHER_SECONDS)
            return None
        self._flush(now)
        moments = [view.due() for view in ready] + [view.hold_ends() for view in self._held]
        return max(0.0, min(moments, default=float("inf")) - now)

    def _let_go(self, now: float) -> None:
        """Send frames of programs that keep theirs open for too long."""
        for view in [view for view in self._held if view.hold_ends() <= now]:
            self._held.discard(view)
            self.want(view)

    def _paint(self, view: SessionView, now: float) -> None:
        self._drop(view)
        screen = view.session.run.screen
        if screen is None or view.session.run.replay is not None or view.session.run.packing:
            return
        if view.held_back(screen, now):
            self._held.add(view)
            return
        try:
            frame = view.frame(screen)
            if frame is not None:
                view.client.show(frame, at_once=view.session.run.hot)
                self._holding.setdefault(view.client, now)
        except Exception:
            _log.exception("view %s of %s", view.spec.view, view.session.session_id)
        view.frame_made(now, time.monotonic())

    def _drop(self, view: SessionView) -> None:
        view.dirty = False
        self._dirty.discard(view)
        self._held.discard(view)

    def _flush(self, before: float) -> None:
        """Send the frames that were held before this moment."""
        for client in [client for client, since in self._holding.items() if since <= before]:
            del self._holding[client]
            client.flush()


def _urgency(view: SessionView) -> tuple[bool, float]:
    return (not view.session.run.hot, view.due())
