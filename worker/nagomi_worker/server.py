"""The worker itself: its connection to the orchestrator (the peer), its sessions, its end."""

from __future__ import annotations

import logging
import os
import signal
from functools import partial
from typing import TYPE_CHECKING, Final

from nagomi_worker.inside.inside import Inside
from nagomi_worker.message_handler import MessageHandler
from nagomi_worker.runtime.limits import WorkerFault
from nagomi_worker.sessions.delivery import Delivery
from nagomi_worker.sessions.reader import Reader
from nagomi_worker.sessions.session import Stop
from nagomi_worker.wire import protocol
from nagomi_worker.wire.peer import Peer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_worker.pty.interface import Ended, Host
    from nagomi_worker.runtime.limits import Limits
    from nagomi_worker.runtime.loop import Loop, Timer
    from nagomi_worker.sessions.session import Session
    from nagomi_worker.wire.framing import LineTooLong, StreamCut
    from nagomi_worker.wire.peer import Stream

_log = logging.getLogger(__name__)
_TERMINATED: Final = 128 + signal.SIGTERM


class Server:
    """Holds sessions and serves one peer at a time; sessions run on while there is none."""

    def __init__(
        self, loop: Loop, host: Host, limits: Limits, *, resident: bool, path: Path | None = None
    ) -> None:
        """Make it; `path` is its own socket, beside which it makes one for programs of sessions."""
        self.loop = loop
        self.host = host
        self.limits = limits
        self.sessions: dict[str, Session] = {}
        self.delivery = Delivery(limits)
        self.reader = Reader(loop, self.delivery, limits)
        self.inside = Inside(loop, self.delivery, self.sessions, path)
        self._resident = resident
        self._messages = MessageHandler(self)
        self._idle: Timer | None = None
        self.ending = False
        self._patient_until = float("inf")
        loop.watch(host.fileno(), read=self._on_wake, write=None)
        self._reset_idle_timer()

    def run(self) -> None:
        """Serve until the worker is told to end, or has been idle for long enough."""
        while not self._is_over():
            self.loop.turn(block=not self.reader.busy)
            with self.delivery.together():
                for session in self.reader.next_sessions():
                    self.guarded(session.session_id, partial(self.reader.serve, session))
        self.host.end_all()
        for session in self.sessions.values():
            if session.confined is not None:
                session.confined.close()
        self._drop_peer()
        self.inside.close()

    # --- the peer

    def connect(self, stream: Stream, hello: protocol.Hello | None = None) -> None:
        """Take a new peer in place of the last one, whose received messages are handled first.

        `hello` is the message that it has sent already, if any.
        """
        if self.delivery.peer is not None:
            self.delivery.peer.read_rest()
        self._drop_peer()
        self.delivery.peer = peer = Peer(self.loop, stream, self)
        if hello is not None:
            peer.take_hello(hello)
        self.delivery.send(
            protocol.Hello(
                version=protocol.VERSION, capabilities=protocol.CAPABILITIES, pid=os.getpid()
            )
        )
        self._reset_idle_timer()

    def on_line(self, peer: Peer, line: bytes | LineTooLong) -> None:
        """Carry out one message of the peer; those of a former one are ignored."""
        if peer is self.delivery.peer:
            self._messages.take(peer, line)

    def on_drained(self) -> None:
        """Send on: the peer has taken what waited for it."""
        with self.delivery.together():
            self.delivery.share(self.sessions.values(), self.loop.now())
            for session in list(self.sessions.values()):
                self.reader.attend(session)

    def on_end(self, peer: Peer, cut: StreamCut | None) -> None:
        """The peer has gone: a resident worker keeps its sessions, any other ends with them."""
        if peer is not self.delivery.peer:
            return
        if cut is not None:
            _log.warning("the orchestrator's stream: %s", cut)
            self.send_error("", WorkerFault(str(cut)))
        if self._resident:
            self._drop_peer()
        else:
            self.end()

    def send_error(self, session_id: str, fault: WorkerFault, *, recoverable: bool = True) -> None:
        """Send the peer an `error`; `session_id` is empty where no session is concerned."""
        self.delivery.send(
            protocol.Error(
                session_id=session_id,
                message=str(fault),
                recoverable=recoverable,
                sentence=fault.sentence,
                values=fault.values or None,
            )
        )

    def guarded(self, session_id: str, action: Callable[[], None]) -> None:
        """Call `action`; an exception in it becomes an `error` and ends no other session."""
        try:
            action()
        except Exception as exc:
            _log.exception("session %s", session_id)
            self.send_error(
                session_id,
                WorkerFault("The worker had a fault in this session: {fault}.", fault=repr(exc)),
                recoverable=session_id in self.sessions,
            )

    def _drop_peer(self) -> None:
        if (peer := self.delivery.peer) is None:
            return
        peer.close()
        self.delivery.peer = None
        self.delivery.lost_at = self.loop.now()
        self.inside.desk.alone()
        for session in self.sessions.values():
            session.cursor = None
            session.drop_parts()
            if not peer.acks:
                session.acked = session.ring.end_offset
            elif session.unheard is None:
                session.unheard = session.acked
        self._attend_all()
        self.loop.call_later(self.limits.away_seconds, self._attend_all)
        self._reset_idle_timer()

    def _attend_all(self) -> None:
        for session in list(self.sessions.values()):
            self.reader.attend(session)

    # --- sessions

    def add(self, session: Session) -> None:
        """Begin to serve a session."""
        self.sessions[session.session_id] = session
        self.delivery.follow(session)
        self.reader.add(session)
        self._reset_idle_timer()

    def remove(self, session: Session) -> None:
        """Forget a session that has ended."""
        if session.confined is not None:
            session.confined.close()
        self.reader.remove(session)
        self.inside.desk.forget(session)
        del self.sessions[session.session_id]
        self._reset_idle_timer()

    def stop(self, session: Session) -> None:
        """Begin to end all processes of a session; `exit` is sent when none is left."""
        if session.stop is None:
            session.stopped = session.exit is None
            session.stop = Stop(
                self.loop, session.tree, self.limits.grace, partial(self._on_stopped, session)
            )

    def end(self) -> None:
        """Stop every session, then end the worker."""
        self.ending = True
        for session in self.sessions.values():
            if session.exit is None or session.exit.left:
                self.stop(session)
        self._wait_for_last_messages()

    def _on_stopped(self, session: Session) -> None:
        session.stop = None
        session.exit = None
        if session.tree.any_left():
            self.send_error(
                session.session_id,
                WorkerFault(
                    "Some processes could not be ended: "
                    "they hang in the system or are another user's."
                ),
            )
        # The session's first process may be seen to be gone before it was reaped.
        self._on_wake()
        self.reader.attend(session)
        self._wait_for_last_messages()

    def _wait_for_last_messages(self) -> None:
        """Once all sessions have ended, give the peer a moment to take the last messages."""
        if self.ending and not any(one.stop for one in self.sessions.values()):
            self._patient_until = self.loop.now() + self.limits.linger_seconds
            self.loop.call_later(self.limits.linger_seconds, lambda: None)

    def _on_wake(self) -> None:
        wake = self.host.wake()
        by_pid = {session.pid: session for session in self.sessions.values()}
        for ended in wake.ended:
            if (session := by_pid.get(ended.pid)) and session.ended is None:
                self._note_end(session, ended)
        if wake.ended:
            for session in self.sessions.values():
                if session.stop:
                    session.stop.check()
        if wake.terminate:
            self.end()

    def _note_end(self, session: Session, ended: Ended) -> None:
        """Handle the end of a command, after a moment if it may be a shutdown's."""
        handle = partial(self._on_ended, session, ended)
        if ended.code == _TERMINATED and session.stop is None and not self.ending:
            self.loop.call_later(self.limits.terminated_seconds, handle)
        else:
            handle()

    def _on_ended(self, session: Session, ended: Ended) -> None:
        session.ended = ended
        if session.confined is not None:
            session.confined.hold(writable=False)
        self.reader.attend(session)

    # --- the end

    def _is_over(self) -> bool:
        """Tell whether all sessions have ended and the last messages were sent or given up."""
        if not self.ending or any(one.stop for one in self.sessions.values()):
            return False
        peer = self.delivery.peer
        if peer is None or self.loop.now() >= self._patient_until:
            return True
        told = all(one.exit and not one.exit_due for one in self.sessions.values())
        return told and not peer.unsent

    def _reset_idle_timer(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if self._resident and not self.sessions and self.delivery.peer is None:
            self._idle = self.loop.call_later(self.limits.idle_seconds, self.end)
