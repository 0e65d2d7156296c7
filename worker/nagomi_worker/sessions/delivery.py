"""Sends the sessions' output to the peer, and says how far a PTY may be read ahead of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Final

from nagomi_worker.pty.interface import READ_BYTES
from nagomi_worker.runtime.limits import HOT_SECONDS, Limits
from nagomi_worker.sessions.ring import Chunk, Entry
from nagomi_worker.sessions.session import SLICE_READS, Session
from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import is_text, text
from nagomi_worker.wire.peer import Peer

_SLICE: Final = SLICE_READS * READ_BYTES
_TOGETHER: Final = 20
"""Most entries of a ring that are sent in one piece: as many as one turn reads, and a few more,
since chunks are cut between characters."""
_SHARES: Final = ((0.02, 8), (0.2, 4), (float("inf"), 1))
"""Chunks in a turn, by the pause that the orchestrator has asked for: none for a pane that is
watched closely, a short one for a tile, a long one for what nobody sees."""
_GAP: Final = "\x1b\\\x1b[0m\r\n[nagomi: {} bytes were left out here]\r\n"
"""Shown in place of dropped output; it first ends any open escape sequence."""


class Delivery:
    """Sends entries of the rings to the one peer; `Session.cursor` says which is next."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.peer: Peer | None = None
        self.lost_at = float("-inf")
        """When the last peer went, on the loop's clock; see `Limits.away_window`."""
        self._last_read = ""
        """Id of the session that was read last; `_alone_since`: since when no other was read."""
        self._alone_since = float("-inf")
        self._out_of_credit: set[Session] = set()
        """Sessions that may not be read until the peer acknowledges: they are silent for that."""
        self._last_served = ""
        """Id of the session that was sent last when a slow line had room again."""

    def send(self, message: protocol.Message) -> None:
        """Send a message to the peer; without a peer it is dropped."""
        if self.peer is not None:
            self.peer.send(message)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Collect the messages of a `with` block and send them at once, to wake the peer once."""
        peer = self.peer
        if peer is not None:
            peer.hold()
        try:
            yield
        finally:
            if peer is not None:
                peer.release()

    def credit(self, session: Session, now: float) -> int:
        """Return how many bytes of this session may be read now; less than 1 means none."""
        return self._credit(session, now, alone=self._is_alone(session, now))

    def turn(self, session: Session, now: float) -> tuple[int, bool]:
        """Return the credit of this session, and whether it prints alone."""
        alone = self._is_alone(session, now)
        return self._credit(session, now, alone=alone), alone

    def was_read(self, session: Session, now: float) -> None:
        """Note that output of a session was read."""
        if session.session_id != self._last_read:
            self._last_read, self._alone_since = session.session_id, now

    def forget(self, session: Session) -> None:
        """Note that a session is read no more."""
        self._out_of_credit.discard(session)

    def _credit(self, session: Session, now: float, *, alone: bool) -> int:
        self._out_of_credit.discard(session)
        unacknowledged = session.ring.end_offset - session.acked
        if session.cursor is None or self.peer is None:
            if now - self.lost_at >= self._limits.away_seconds:
                return _SLICE
            return self._limits.away_window - unacknowledged
        if not session.caught_up or not self.peer.takes(first=_is_hot(session, now)):
            return 0
        if not self.peer.acks:
            return _SLICE
        window = self._limits.alone_window if alone else self._limits.window
        if window - unacknowledged < READ_BYTES:
            self._out_of_credit.add(session)
        return window - unacknowledged

    def _is_alone(self, session: Session, now: float) -> bool:
        if self._out_of_credit - {session} or session.session_id != self._last_read:
            return False
        return now - self._alone_since >= self._limits.alone_seconds

    def follow(self, session: Session) -> None:
        """Send the output of a new session, which this peer has started, from now on."""
        if self.peer is not None:
            session.cursor = session.ring.end

    def replay(self, session: Session, now: float, offset: int | None = None) -> None:
        """Send `attached`, the session's checkpoint, and all output after that.

        Where the ring has all output after `offset`, only that is sent.
        """
        ring = session.ring
        number = None if offset is None else ring.number_after(offset)
        self.send(
            protocol.Attached(
                session_id=session.session_id,
                first_offset=ring.first_offset if number is None else offset or 0,
                next_offset=ring.end_offset,
                reply_offset=session.reply_offset,
                fresh_offset=ring.settled_before(now - self._limits.fresh_seconds),
                cols=session.cols,
                rows=session.rows,
                lights=ring.lights,
                unheard_offset=self._unheard(session),
                resumed=number is not None,
            )
        )
        if number is None:
            self._send_base(session)
        session.cursor = ring.start if number is None else number
        # Only the connection limits a replay; credit is counted from the replay's end on.
        session.acked = max(session.acked, ring.end_offset)
        session.exit_due = session.exit is not None
        self.flush(session, now)

    def _send_base(self, session: Session) -> None:
        """Send what the output in the ring begins with."""
        ring = session.ring
        for part in ring.checkpoint:
            self.send(part)
        if ring.left_out:
            self._send_gap(session)
        if ring.left_out or not ring.checkpoint:
            cols, rows = ring.first_size
            self.send(_resized(session, ring.first_offset, cols, rows))

    def _unheard(self, session: Session) -> int | None:
        """Return the offset after which output may have been seen by nobody; None if all was.

        What was printed long before the last orchestrator went counts as seen.
        """
        if session.unheard is None:
            return None
        old = session.ring.settled_before(self.lost_at - self._limits.unheard_seconds)
        return max(session.unheard, old)

    def share(self, sessions: Collection[Session], now: float) -> None:
        """Send what has not been sent yet of all sessions, until the connection is full.

        On a slow line they take turns, and those that are looked at have more of it.
        """
        waiting = [one for one in sessions if one.cursor is not None and not one.settled]
        if self.peer is None or not self.peer.paced:
            for session in waiting:
                self.flush(session, now)
            return
        waiting.sort(key=lambda one: one.session_id <= self._last_served)
        while waiting and self.peer.takes(first=False):
            session = waiting.pop(0)
            self._last_served = session.session_id
            self.flush(session, now, most=_turns_of(session))
            if not session.settled:
                waiting.append(session)

    def flush(self, session: Session, now: float, most: int | None = None) -> None:
        """Send what the peer has not been sent yet, until the connection is full.

        At most so many entries of the ring are sent.
        """
        ring = session.ring
        if self.peer is None or session.cursor is None:
            return
        together = 1 if self.peer.paced else _TOGETHER
        first = _is_hot(session, now)
        session.cursor = max(session.cursor, ring.start)
        end = ring.end if most is None else min(ring.end, session.cursor + most)
        while session.cursor < end and self.peer.takes(first=first):
            numbers = range(session.cursor, min(end, session.cursor + together))
            self._send_entries(self.peer, session, [ring.entry(number) for number in numbers])
            session.cursor = numbers.stop
        if session.caught_up and session.exit_due and session.exit is not None:
            session.exit_due = False
            self.peer.send(session.exit)

    def _send_entries(self, peer: Peer, session: Session, entries: Sequence[Entry]) -> None:
        """Send entries in order: UTF-8 chunks as raw bytes if the peer takes these, else JSON."""
        for raw, run in groupby(entries, lambda entry: peer.raw and _is_text(entry)):
            if raw:
                chunks = [entry for entry in run if isinstance(entry, Chunk)]
                peer.send_raw(_raw(session, chunks), [chunk.data for chunk in chunks])
            else:
                peer.send(*[_message_of(session, entry) for entry in run])

    def _send_gap(self, session: Session) -> None:
        ring = session.ring
        self.send(_output(session, _GAP.format(ring.left_out), ring.first_offset))


def _is_hot(session: Session, now: float) -> bool:
    return now - session.typed_at < HOT_SECONDS


def _turns_of(session: Session) -> int:
    """Return how many chunks of a session pass a slow line in its turn."""
    return next(turns for seconds, turns in _SHARES if session.rest_seconds <= seconds)


def _is_text(entry: Entry) -> bool:
    return isinstance(entry, Chunk) and is_text(entry.data)


def _raw(session: Session, chunks: Sequence[Chunk]) -> protocol.Raw:
    sizes = tuple(len(chunk.data) for chunk in chunks)
    return protocol.Raw(session_id=session.session_id, offset=chunks[-1].end, sizes=sizes)


def _message_of(session: Session, entry: Entry) -> protocol.Output | protocol.Resized:
    if isinstance(entry, Chunk):
        return _output(session, text(entry.data), entry.end)
    return _resized(session, entry.offset, entry.cols, entry.rows)


def _output(session: Session, chunk: str, offset: int) -> protocol.Output:
    return protocol.Output(
        session_id=session.session_id, stream="stdout", chunk=chunk, offset=offset
    )


def _resized(session: Session, offset: int, cols: int, rows: int) -> protocol.Resized:
    return protocol.Resized(session_id=session.session_id, offset=offset, cols=cols, rows=rows)
