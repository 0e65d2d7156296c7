"""Reads the PTYs of all sessions in turn, a slice at a time."""

from __future__ import annotations

from functools import partial
from typing import Final

import msgspec

from nagomi_worker.pty.activity import Activity
from nagomi_worker.pty.interface import READ_BYTES
from nagomi_worker.runtime.limits import HOT_SECONDS, Limits
from nagomi_worker.runtime.loop import Callback, Loop, Timer
from nagomi_worker.runtime.process import give_back
from nagomi_worker.sessions.delivery import Delivery
from nagomi_worker.sessions.reading_thread import ReadingThread
from nagomi_worker.sessions.session import ALONE_READS, RESIZED_SECONDS, SLICE_READS, Session
from nagomi_worker.wire.protocol import Exit, Phase


class Turns:
    """Sessions that are ready to be read, in the order in which they became so."""

    def __init__(self) -> None:
        self._ready: dict[str, Session] = {}
        self._last_hot = False

    def __bool__(self) -> bool:
        return bool(self._ready)

    def add(self, session: Session) -> None:
        """Queue a session; one that is queued already keeps its place."""
        self._ready.setdefault(session.session_id, session)

    def drop(self, session: Session) -> None:
        """Remove a session from the queue."""
        self._ready.pop(session.session_id, None)

    def take(self, now: float) -> Session | None:
        """Remove and return the next session; None if no session waits.

        Sessions that were just typed into (hot ones) go first, but never twice in a row while
        others wait.
        """
        if not self._ready:
            return None
        hot = self._hot(now)
        cold = next((one for one in self._ready.values() if one is not hot), None)
        chosen = hot if hot and not (self._last_hot and cold) else cold
        assert chosen is not None
        self._last_hot = chosen is hot
        del self._ready[chosen.session_id]
        return chosen

    def _hot(self, now: float) -> Session | None:
        for session in self._ready.values():
            if now - session.typed_at < HOT_SECONDS:
                return session
        return None


class Packing:
    """Compresses a session's output once it has been quiet for a while."""

    def __init__(self, loop: Loop, limits: Limits) -> None:
        self._loop = loop
        self._quiet = limits.pack_seconds

    def printed(self, session: Session) -> None:
        """Note that a session has printed; compress when it falls quiet."""
        if session.packing is None:
            self._look_later(session, self._quiet)

    def forget(self, session: Session) -> None:
        """Cancel what was planned for a session."""
        if session.packing is not None:
            session.packing.cancel()

    def _look_later(self, session: Session, delay: float) -> None:
        session.packing = self._loop.call_later(delay, partial(self._look, session))

    def _look(self, session: Session) -> None:
        left = session.ring.printed_at + self._quiet - self._loop.now()
        if left > 0:
            self._look_later(session, left)
        elif session.ring.pack_next():
            self._look_later(session, 0)
        else:
            session.packing = None
            give_back()


_FLOOD_REST: Final = 0.001
"""Seconds between looks at what a thread has read, where it is little."""
_MUCH: Final = 64 * 1024
"""Bytes that a thread has read which are taken at once."""


class Reader:
    """Watches the PTYs of all sessions, and reads one slice of one of them at a time."""

    def __init__(self, loop: Loop, delivery: Delivery, limits: Limits) -> None:
        self._loop = loop
        self._delivery = delivery
        self._limits = limits
        self._turns = Turns()
        self._packing = Packing(loop, limits)
        self._activity = ActivityWatcher(loop, delivery)
        self._callbacks: dict[Session, tuple[Callback, Callback]] = {}
        self._resting: dict[float, set[Session]] = {}
        """Sessions that print little, by the seconds of their pause, after which they are read
        together."""
        self._rested: list[Session] = []
        """Sessions whose pause is over; they are read without polling them for output first."""
        self._flooding: set[Session] = set()
        """Sessions whose thread is looked at in a moment."""

    @property
    def busy(self) -> bool:
        """Tell whether a session waits for its turn."""
        return bool(self._turns or self._rested)

    def add(self, session: Session) -> None:
        """Begin to read a session."""
        self._callbacks[session] = partial(self._turns.add, session), partial(self._write, session)
        self._activity.changed(session)
        self.attend(session)

    def remove(self, session: Session) -> None:
        """Stop reading a session and close its PTY."""
        self._close(session)
        for together in self._resting.values():
            together.discard(session)
        self._rested = [one for one in self._rested if one is not session]
        self._turns.drop(session)
        self._flooding.discard(session)
        self._packing.forget(session)
        self._activity.forget(session)
        self._delivery.forget(session)
        del self._callbacks[session]

    def attend(self, session: Session) -> None:
        """Watch a session's PTY for output if there is credit, and for writing if input waits."""
        credit = self._delivery.credit(session, self._loop.now()) >= READ_BYTES
        if session.pty is not None:
            read, write = self._callbacks[session]
            self._loop.watch(
                session.pty.fileno(),
                read=read if credit and self._is_to_be_watched(session) else None,
                write=write if session.has_input else None,
            )
        if session.thread is not None:
            if credit:
                self._look_at_flood(session, session.thread)
        elif credit and session.ended and not session.exit and not session.stop:
            self._turns.add(session)

    def deliver(self, session: Session) -> None:
        """Send what was read, and read on if there is credit."""
        self._delivery.flush(session, self._loop.now())
        self.attend(session)

    def resized(self, session: Session) -> None:
        """Send what was read before the resize, and write input once the command knows of it."""
        if session.input_waits:
            self._loop.call_later(RESIZED_SECONDS, partial(self._end_wait, session))
        self.deliver(session)

    def _end_wait(self, session: Session) -> None:
        session.input_waits = False
        if session in self._callbacks:
            self._write(session)

    def look_soon(self, session: Session) -> None:
        """Have the session's processes sampled soon: it was typed into, or attached to."""
        self._activity.changed(session)

    def about_to_type(self, session: Session) -> None:
        """Report, before input is written, whether it will be echoed."""
        self._activity.before_typing(session)

    def next_sessions(self) -> list[Session]:
        """Return the sessions to read now: all whose pause is over, or else one other."""
        if self._rested:
            rested, self._rested = self._rested, []
            return rested
        session = self._turns.take(self._loop.now())
        return [session] if session else []

    def serve(self, session: Session) -> None:
        """Read one slice of a session and send it."""
        now = self._loop.now()
        credit, alone = self._delivery.turn(session, now)
        if credit >= READ_BYTES:
            size = session.read_slice(credit, now, ALONE_READS if alone else SLICE_READS)
            if size:
                self._adapt(session, session.pace.add(size, now), alone=alone)
            self._packing.printed(session)
            if size:
                self._delivery.was_read(session, now)
                self._activity.changed(session, size)
        if session.hung_up:
            self._handle_hang_up(session)
        if session.all_in and not session.stop and not session.exit:
            self._settle(session)
        self.deliver(session)

    def _adapt(self, session: Session, pace: float, *, alone: bool) -> None:
        """Let a session that prints little rest, and read one that floods alone in a thread."""
        if pace < self._limits.rest_below:
            self._rest(session)
        if session.thread is not None:
            if not alone:
                session.thread.end()
        elif alone and pace >= self._limits.flood_from:
            session.read_in_a_thread()

    def _look_at_flood(self, session: Session, thread: ReadingThread) -> None:
        """Take what the thread has read at once if it is much, else in a moment."""
        if thread.over or thread.held >= _MUCH:
            self._turns.add(session)
        elif session not in self._flooding:
            self._flooding.add(session)
            self._loop.call_later(_FLOOD_REST, partial(self._end_flood_rest, session))

    def _end_flood_rest(self, session: Session) -> None:
        self._flooding.discard(session)
        if session in self._callbacks:
            self._turns.add(session)

    def _is_to_be_watched(self, session: Session) -> bool:
        return session.thread is None and not session.hung_up and not self._rests(session)

    def _write(self, session: Session) -> None:
        session.write_input()
        self.attend(session)

    def _rest(self, session: Session) -> None:
        if self._hot(session):
            return
        seconds = self._limits.rest_seconds
        if sum(map(len, self._resting.values())) >= self._limits.crowd:
            seconds = max(seconds, session.rest_seconds)
        session.last_rest = seconds
        if seconds not in self._resting:
            self._resting[seconds] = set()
            self._loop.call_later(seconds, partial(self._end_rest, seconds))
        self._resting[seconds].add(session)

    def _rests(self, session: Session) -> bool:
        resting = any(session in together for together in self._resting.values())
        return resting and not self._hot(session) and session.ended is None

    def _hot(self, session: Session) -> bool:
        return self._loop.now() - session.typed_at < HOT_SECONDS

    def _end_rest(self, seconds: float) -> None:
        self._rested += self._resting.pop(seconds)

    def _handle_hang_up(self, session: Session) -> None:
        """Read again later: no process has the terminal open, but a running one may open it."""
        if session.ended:
            self._close(session)
        elif session.pty is not None:
            self._loop.unwatch(session.pty.fileno())
            self._loop.call_later(self._limits.reopen_seconds, partial(self._look_again, session))

    def _look_again(self, session: Session) -> None:
        session.hung_up = False
        if session in self._callbacks:
            self.attend(session)

    def _settle(self, session: Session) -> None:
        """Make the `exit` message: the command has ended and all its output was read."""
        session.give_up_character(self._loop.now())
        assert session.ended is not None
        session.exit = Exit(
            session_id=session.session_id,
            exit_code=session.ended.code,
            signal=session.ended.signal,
            left=tuple(session.tree.look()),
            stopped=session.stopped,
        )
        session.exit_due = True

    def _close(self, session: Session) -> None:
        if session.pty is not None:
            self._loop.unwatch(session.pty.fileno())
            session.close()


SOON: Final = 0.15
"""Seconds of silence after which a sample is taken, beside the pauses between reads."""
_EACH: Final = 1.0
"""Seconds between samples of a session that keeps printing a little."""
_FLOOD: Final = 64 * 1024
"""Bytes printed since the last sample that count as a flood."""
_LONGEST: Final = 2.0
"""Most seconds between two samples of a silent session whose processes work."""
_REST: Final = 1.2
"""Seconds of pause after which no more samples are taken of processes that wait for the user."""


class _Watch:
    """What is known of one session; times are on the loop's clock."""

    def __init__(self) -> None:
        self.timer: Timer | None = None
        self.changed_at = 0.0
        self.looked_at = float("-inf")
        self.changed = True
        """There was output or input since the last sample."""
        self.printed = 0
        """Bytes printed since the last sample."""
        self.pause = 0.0
        self.seen: Activity | None = None
        self.told: Activity | None = None
        self.worked = False
        """Its processes worked in the sample that was last reported."""


class ActivityWatcher:
    """Samples sessions when that may show something new."""

    def __init__(self, loop: Loop, delivery: Delivery) -> None:
        self._loop = loop
        self._delivery = delivery
        self._watches: dict[Session, _Watch] = {}

    def changed(self, session: Session, size: int = 0) -> None:
        """Note `size` bytes of output, or input; a sample follows the next silence."""
        watch = self._watches.get(session)
        if watch is None:
            watch = self._watches[session] = _Watch()
        watch.changed_at = self._loop.now()
        watch.printed += size
        if watch.changed and watch.timer is not None:
            return
        watch.changed = True
        self._look_in(session, watch, SOON)

    def before_typing(self, session: Session) -> None:
        """Report at once if input is not echoed, so that nobody stores a password."""
        watch = self._watches.get(session)
        if watch is not None and session.pty is not None and session.pty.reads_unseen():
            self._look(session, watch)

    def forget(self, session: Session) -> None:
        """Take no more samples of a session."""
        if (watch := self._watches.pop(session, None)) and watch.timer:
            watch.timer.cancel()

    def _look_in(self, session: Session, watch: _Watch, delay: float) -> None:
        if watch.timer is not None:
            watch.timer.cancel()
        watch.timer = self._loop.call_later(delay, partial(self._on_timer, session, watch))

    def _on_timer(self, session: Session, watch: _Watch) -> None:
        watch.timer = None
        if session.pty is None or session.ended or session.cursor is None:
            return
        left = self._seconds_left(session, watch)
        if left > 0:
            self._look_in(session, watch, left)
        else:
            self._look(session, watch)

    def _seconds_left(self, session: Session, watch: _Watch) -> float:
        """Return the seconds until the next sample is due; 0 or less if it is now."""
        if not watch.changed:
            return 0.0
        soon = SOON + session.last_rest
        if not session.caught_up:
            return soon
        now = self._loop.now()
        silent = now - watch.changed_at
        flooded = watch.printed >= _FLOOD
        if flooded and silent >= soon:
            return 0.0
        if not flooded and now - watch.looked_at >= _EACH:
            return 0.0
        return soon - silent

    def _look(self, session: Session, watch: _Watch) -> None:
        found = session.pty.look() if session.pty is not None else None
        if found is None:
            return
        worked = found.worked_since(watch.seen)
        if watch.changed or worked or watch.worked or not found.same(watch.told):
            detail = msgspec.json.encode(found).decode()
            self._delivery.send(
                Phase(session_id=session.session_id, phase="activity", detail=detail)
            )
            watch.told, watch.worked = found, worked
        watch.pause = SOON if watch.changed else min(watch.pause * 2, _LONGEST)
        watch.changed, watch.printed = False, 0
        watch.seen, watch.looked_at = found, self._loop.now()
        if worked or watch.pause < _REST or not found.awaits_keys:
            self._look_in(session, watch, watch.pause)
