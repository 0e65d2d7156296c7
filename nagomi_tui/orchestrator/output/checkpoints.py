"""Snapshots of terminals for their workers to keep, and the packing of quiet sessions' histories."""

from __future__ import annotations

import base64
import logging
import time
from typing import Final

import anyio
import anyio.to_thread
from msgspec import structs

from nagomi_tui.orchestrator.output.feeder import Feeder
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.run import WHOLE_AFTER
from nagomi_tui.orchestrator.sessions.screens import Screen, ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.views.scheduler import FrameScheduler
from nagomi_tui.orchestrator.workers.link import WorkerLink
from nagomi_tui.terminal.engine import EngineError
from nagomi_worker.runtime.process import give_back
from nagomi_worker.wire.protocol import Checkpoint

COMPACT_SECONDS: Final = 6.0
"""Seconds without output after which a session's history is packed."""
UNREAD_SECONDS: Final = 1.5
"""Seconds after which history that was read is packed again."""
LOOK_SECONDS: Final = 1.0
"""Seconds between two looks for such history, while there is some or transcripts may be about to
read it, as they are after a flood."""
RARE_LOOK_SECONDS: Final = 30.0
"""Seconds between two looks for such history while there is none."""
_AT_HAND_SECONDS: Final = 900.0
"""Seconds after the last key within which the next one is to be shown without delay."""
_TRIM_SECONDS: Final = 1.0
"""Seconds after terminals were packed until freed memory is returned to the system."""


class Compaction:
    """Has the terminals of sessions that print nothing take little memory."""

    def __init__(self, alarms: Alarms) -> None:
        self._alarms = alarms
        self._packed: dict[str, SessionRuntime] = {}
        self._looks_soon = False

    def watch(self, session: SessionRuntime) -> None:
        """Pack a session's history once it has been quiet for long enough."""
        left = COMPACT_SECONDS - max(0.0, time.time() - session.run.output_at)
        self._alarms.after(max(0.0, left), (session, "compact"), lambda: self._compact(session))

    def _compact(self, session: SessionRuntime) -> None:
        run = session.run
        if not _is_quiet(session) or run.screen is None or run.replay is not None:
            return
        run.screen.compact(at_hand=time.time() - (run.typed_at or 0.0) < _AT_HAND_SECONDS)
        self._alarms.after(_TRIM_SECONDS, "trim", give_back)
        self._packed[session.session_id] = session
        self._look_again(soon=True)

    def _look(self) -> None:
        """Pack again what was read: transcripts, searches and users leave it unpacked."""
        sessions, self._packed = self._packed, {}
        self._looks_soon = unpacked = False
        for session_id, session in sessions.items():
            screen = session.run.screen
            if screen is None or not _is_quiet(session):
                continue
            self._packed[session_id] = session
            if (at := screen.unpacked_at) is None:
                continue
            unpacked = True
            if time.monotonic() - at >= UNREAD_SECONDS:
                self._compact(session)
        if self._packed:
            self._look_again(soon=unpacked)

    def _look_again(self, *, soon: bool) -> None:
        if not self._looks_soon:
            self._looks_soon = soon
            pause = LOOK_SECONDS if soon else RARE_LOOK_SECONDS
            self._alarms.after(pause, "unpacked", self._look)


def _is_quiet(session: SessionRuntime) -> bool:
    return time.time() - session.run.output_at >= COMPACT_SECONDS - 0.5


_log = logging.getLogger(__name__)
AFTER_BYTES: Final = 1024 * 1024
AT_LEAST_BYTES: Final = 6 * 1024 * 1024
QUIET_SECONDS: Final = 5.0
_SHARE: Final = 0.08
FLOOD_SECONDS: Final = 0.25
"""Seconds in which a flood prints so much that a snapshot with history would be out of date before
it is compressed: it waits for the flood's end."""
_PART: Final = 512 * 1024
_SHORT_HISTORY: Final = 400
"""Lines of history that cost little to include, and make earlier output unneeded."""


class Checkpoints:
    """Takes light snapshots often, and whole ones in a thread where those do not suffice."""

    def __init__(self, alarms: Alarms, screens: ScreenMaker, scheduler: FrameScheduler) -> None:
        self._alarms = alarms
        self._screens = screens
        self._scheduler = scheduler
        self._compaction = Compaction(alarms)
        self._debt = 0.0
        self._looked_at = time.monotonic()
        self._wanting: dict[str, SessionRuntime] = {}
        self._wanted = anyio.Event()

    def after_output(self, session: SessionRuntime, size: int) -> None:
        """Note `size` bytes of output, which the ledger has counted."""
        run = session.run
        run.unsaved += size
        since = run.ledger.since_last
        is_due = since >= AFTER_BYTES and not run.is_read_ahead and self._affordable()
        if is_due or since >= AT_LEAST_BYTES:
            self.take(session)
        elif run.ledger.worth_a_look():
            self._move_base(session)
        if not self._alarms.pending((session, "quiet")):
            self._watch_quiet(session, QUIET_SECONDS)

    def take(self, session: SessionRuntime) -> bool:
        """Take a snapshot now; return whether all output can be restored from the worker."""
        run = session.run
        link, screen = run.link, run.screen
        if link is None or screen is None or run.replay is not None or run.packing:
            return False
        if not run.unsaved:
            return True
        began = time.monotonic()
        light = "light" in link.capabilities and (
            run.is_read_ahead or screen.history > _SHORT_HISTORY
        )
        try:
            data = screen.snapshot(history=not light)
        except EngineError as exc:
            _log.info("session %s: no snapshot now: %s", session.session_id, exc)
            run.ledger.skip()
            return False
        if light:
            self._keep_light(session, link, screen, data)
        else:
            run.ledger.whole(run.ledger.charge)
            _send(link, _message(session, screen, run.offset), _text(data))
        run.unsaved = 0
        self._debt += time.monotonic() - began
        return True

    def found(self, session: SessionRuntime) -> None:
        """Note, in a replay, that the worker has a light checkpoint at this point."""
        run = session.run
        if (screen := run.screen) is not None:
            run.ledger.light(run.offset, line=screen.bounds[1], layout=screen.layout)

    def want_whole(self, session: SessionRuntime) -> None:
        """Take a snapshot with history as soon as there is time for it."""
        self._wanting[session.session_id] = session
        self._wanted.set()

    async def run(self, feeder: Feeder) -> None:
        """Take the wanted snapshots with history one by one, for a bounded share of the time."""
        while True:
            await self._wanted.wait()
            session = self._wanting.pop(next(iter(self._wanting)))
            if not self._wanting:
                self._wanted = anyio.Event()
            if not self._is_needed(session):
                continue
            charge = session.run.ledger.charge
            await anyio.sleep(FLOOD_SECONDS)
            if session.run.ledger.charge - charge >= WHOLE_AFTER:
                self.want_whole(session)
            elif self._is_needed(session):
                began = time.monotonic()
                await self._take_aside(feeder, session)
                await anyio.sleep((time.monotonic() - began) * (1 / _SHARE - 1))

    def _keep_light(
        self, session: SessionRuntime, link: WorkerLink, screen: Screen, data: bytes
    ) -> None:
        run = session.run
        ledger, layout = run.ledger, screen.layout
        line, reach = screen.bounds[1], self._reach(screen)
        keep_from = ledger.rest(line=line, layout=layout, reach=reach)
        ledger.light(run.offset, line=line, layout=layout)
        message = _message(session, screen, run.offset, light=True, keep_from=keep_from)
        text = _text(data)
        run.light = structs.replace(message, data=text) if len(text) <= _PART else None
        _send(link, message, text)
        if ledger.wants_whole(line=line, reach=reach):
            self.want_whole(session)

    def _move_base(self, session: SessionRuntime) -> None:
        """Let the worker drop output that is older than a light checkpoint needs."""
        run = session.run
        link, screen, light = run.link, run.screen, run.light
        if link is None or screen is None or light is None:
            return
        keep_from = run.ledger.rest(
            line=screen.bounds[1], layout=screen.layout, reach=self._reach(screen)
        )
        if keep_from is not None:
            link.send(structs.replace(light, keep_from=keep_from))

    def _is_needed(self, session: SessionRuntime) -> bool:
        run = session.run
        screen = run.screen
        if screen is None or run.link is None or run.replay is not None:
            return False
        return run.ledger.wants_whole(line=screen.bounds[1], reach=self._reach(screen))

    def _reach(self, screen: Screen) -> int:
        """Return the lines that must have scrolled by since a light checkpoint that becomes the base."""
        return self._screens.history + screen.size[1]

    async def _take_aside(self, feeder: Feeder, session: SessionRuntime) -> None:
        """Copy the state while the session waits, and compress it while it goes on."""
        screen, link, ledger = session.run.screen, session.run.link, session.run.ledger
        assert screen is not None and link is not None
        try:
            session.run.packing = True
            with feeder.paused(session):
                offset, charge = session.run.offset, ledger.charge
                message = _message(session, screen, offset)
                finish = await anyio.to_thread.run_sync(screen.capture)
        except EngineError as exc:
            _log.info("session %s: no whole snapshot now: %s", session.session_id, exc)
            return
        finally:
            session.run.packing = False
            self._scheduler.touch(session)
        text = await anyio.to_thread.run_sync(lambda: _text(finish()))
        if (
            session.run.screen is screen
            and session.run.link is link
            and session.run.ledger is ledger
        ):
            ledger.whole(charge)
            _send(link, message, text)

    def _affordable(self) -> bool:
        """Return whether the time spent on snapshots lately leaves room for another."""
        now = time.monotonic()
        self._debt = max(0.0, self._debt - (now - self._looked_at) * _SHARE)
        self._looked_at = now
        return self._debt <= 0.02

    def _watch_quiet(self, session: SessionRuntime, delay: float) -> None:
        self._alarms.after(delay, (session, "quiet"), lambda: self._maybe_quiet(session))

    def _maybe_quiet(self, session: SessionRuntime) -> None:
        left = QUIET_SECONDS - max(0.0, time.time() - session.run.output_at)
        if left > 0.01:
            self._watch_quiet(session, left)
            return
        self.take(session)
        self._compaction.watch(session)


def _message(
    session: SessionRuntime,
    screen: Screen,
    offset: int,
    *,
    light: bool = False,
    keep_from: int | None = None,
) -> Checkpoint:
    """Return a checkpoint at an offset, without its data."""
    cols, rows = screen.size
    return Checkpoint(
        session_id=session.session_id, offset=offset, cols=cols, rows=rows,
        engine_version=screen.version, data="", light=light, keep_from=keep_from,
    )  # fmt: skip


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _send(link: WorkerLink, message: Checkpoint, text: str) -> None:
    parts = [text[at : at + _PART] for at in range(0, len(text), _PART)] or [""]
    for number, part in enumerate(parts, 1):
        link.send(structs.replace(message, data=part, more=number < len(parts)))
