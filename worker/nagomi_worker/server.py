"""The worker itself: its connection to the orchestrator (the peer), its sessions, its end.

`MessageHandler` carries out the orchestrator's messages, one method for each kind.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias, assert_never

import msgspec

from nagomi_worker.confine.interface import Confinement, Report
from nagomi_worker.inside.inside import Inside
from nagomi_worker.looks import FolderLooks, host_state
from nagomi_worker.pty.command import Launch, StartError, check_size, launch
from nagomi_worker.pty.interface import Ended, Host, Pty
from nagomi_worker.runtime.limits import Limits, WorkerFault
from nagomi_worker.runtime.loop import Loop, Timer
from nagomi_worker.sessions.delivery import Delivery
from nagomi_worker.sessions.reader import Reader
from nagomi_worker.sessions.session import Session, Stop, TooMuch
from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import LineTooLong, StreamCut
from nagomi_worker.wire.messages import Writer
from nagomi_worker.wire.peer import Peer, Stream

_log = logging.getLogger(__name__)
_TERMINATED: Final = 128 + signal.SIGTERM
_COMMAND_ENDED: Final = b"\x1b]133;D"
"""The mark by which a shell tells that a command has ended."""
_READ_SECONDS: Final = 0.001
"""What stands in the terminal by now is read within this."""
_REPLY_PAUSE: Final = 0.01
_LONGEST_PAUSE: Final = 0.1
_SHELL_SECONDS: Final = 0.05
"""So long after it begins to read characters, a shell has said that its command has ended."""
_REPLY_SECONDS: Final = 1.0
"""The longest time for which a reply waits until its reader takes single characters."""


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
        self.delivery.peer = peer = Peer(
            self.loop,
            stream,
            on_line=self._on_line,
            on_drained=self.on_drained,
            on_end=self._on_end,
        )
        if hello is not None:
            peer.take_hello(hello)
        self.delivery.send(
            protocol.Hello(
                version=protocol.VERSION, capabilities=protocol.CAPABILITIES, pid=os.getpid()
            )
        )
        self._reset_idle_timer()

    def _on_line(self, peer: Peer, line: bytes | LineTooLong) -> None:
        """Carry out one message of the peer; those of a former one are ignored."""
        if peer is self.delivery.peer:
            self._messages.take(peer, line)

    def on_drained(self) -> None:
        """Send on: the peer has taken what waited for it."""
        with self.delivery.together():
            self.delivery.share(self.sessions.values(), self.loop.now())
            for session in list(self.sessions.values()):
                self.reader.attend(session)

    def _on_end(self, peer: Peer, cut: StreamCut | None) -> None:
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
        self.inside.programs.alone()
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
        self.inside.programs.forget(session)
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
                self.delivery.send(protocol.Phase(session_id=session.session_id, phase="ending"))
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


_InSession: TypeAlias = (
    protocol.SendInput | protocol.Resize | protocol.StopSession | protocol.Checkpoint
    | protocol.Attach | protocol.Ack | protocol.Signal | protocol.Hold
    | protocol.Rest | protocol.Note | protocol.Locate | protocol.Answered | protocol.Forget
)  # fmt: skip
"""Messages about one session."""


class _Named(msgspec.Struct):
    session_id: str = ""


class MessageHandler:
    """Decodes lines and carries them out; a fault becomes an `error` and the stream goes on."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._folders = FolderLooks(server.loop, self._tell_folders)

    def take(self, peer: Peer, line: bytes | LineTooLong) -> None:
        """Carry out one line; a message of an unknown type does nothing (N-99)."""
        if isinstance(line, LineTooLong):
            self._server.send_error("", WorkerFault(f"{line}."))
            return
        try:
            message = protocol.decode_to_worker(line)
        except protocol.BadMessage as exc:
            fault = WorkerFault("The worker got {message}.", message=exc)
            self._server.send_error(_session_named_in(line), fault)
            return
        if message is not None:
            self._server.guarded(
                getattr(message, "session_id", ""), lambda: self._carry_out(peer, message)
            )

    def _carry_out(self, peer: Peer, message: protocol.ToWorker) -> None:
        server = self._server
        match message:
            case protocol.StartSession():
                self._start(message)
            case protocol.ListSessions():
                held = tuple(session.state() for session in server.sessions.values())
                server.delivery.send(protocol.Sessions(sessions=held))
            case protocol.Ping():
                server.delivery.send(protocol.Pong())
            case protocol.AskHost():
                server.delivery.send(host_state())
            case protocol.ListFolders():
                self._folders.find(message.path)
            case protocol.Hello():
                peer.take_hello(message)
                server.on_drained()
            case protocol.Received():
                peer.received(message.size)
            case protocol.Quit():
                server.end()
            case _:
                self._carry_out_in_session(message)

    def _carry_out_in_session(self, message: _InSession) -> None:
        server = self._server
        if (session := server.sessions.get(message.session_id)) is None:
            self._complain_unknown(message)
            return
        try:
            self._act(session, message)
        except WorkerFault as exc:
            server.send_error(session.session_id, exc)

    def _complain_unknown(self, message: protocol.Message) -> None:
        """Report an unknown session, but not for messages that may cross with its end."""
        crosses = (
            protocol.Ack | protocol.Checkpoint | protocol.Resize | protocol.Rest
            | protocol.Locate | protocol.Answered
        )  # fmt: skip
        if not isinstance(message, crosses):
            session_id: str = getattr(message, "session_id", "")
            self._server.send_error(
                session_id,
                WorkerFault(
                    "This worker holds no session {session_id}. Start it again.",
                    session_id=session_id,
                ),
                recoverable=False,
            )

    def _act(self, session: Session, message: _InSession) -> None:
        server = self._server
        match message:
            case protocol.SendInput():
                self._type(session, message)
            case protocol.Ack():
                session.acked = max(session.acked, min(message.offset, session.ring.end_offset))
                session.unheard = None
                server.reader.deliver(session)
            case protocol.Resize():
                check_size(message.cols, message.rows)
                session.resize(message.cols, message.rows, server.loop.now())
                server.reader.resized(session)
            case protocol.Checkpoint():
                session.save(message)
            case protocol.Attach():
                server.delivery.replay(session, server.loop.now(), message.offset)
                server.reader.look_soon(session)
                server.reader.attend(session)
                server.inside.attached(session)
            case protocol.StopSession():
                server.stop(session)
            case protocol.Signal():
                if session.pty is not None and session.ended is None:
                    session.pty.signal(message.signal)
            case protocol.Hold():
                if session.confined is None:
                    raise WorkerFault("The kernel holds nothing of this session. Start it anew.")
                session.confined.hold(writable=message.writable, number=message.number)
            case protocol.Rest():
                session.rest_seconds = min(message.seconds, server.limits.longest_rest)
            case protocol.Note():
                session.note = message.text
            case protocol.Locate():
                server.inside.places.look(session)
            case protocol.Answered():
                server.inside.programs.answered(message)
            case protocol.Forget():
                self._forget(session)
            case _:
                assert_never(message)

    def _start(self, order: protocol.StartSession) -> None:
        server = self._server
        try:
            old = self._free_place(order.session_id)
            ready = launch(order, server.inside.variables() if order.inherit else {})
            confined = self._confined(order, ready.env)
            held = confined.inside if confined else None
            pty = self._spawned(ready._replace(inside=held), confined)
        except WorkerFault as exc:
            running = order.session_id in server.sessions
            server.send_error(order.session_id, exc, recoverable=running)
            return
        if old is not None:
            server.remove(old)
        tree = server.host.tree(order.session_id, pty)
        session = Session(order.session_id, pty, tree, order.cols, order.rows)
        session.cmd, session.cwd, session.confined = order.cmd, ready.cwd, confined
        server.delivery.send(protocol.Started(session_id=order.session_id, pid=pty.pid))
        server.add(session)

    def _confined(self, order: protocol.StartSession, env: Mapping[str, str]) -> Confinement | None:
        """Have the kernel hold the project of a session that is to be guarded so.

        Raises:
            WorkerFault: it does not.
        """
        if order.guard is None:
            return None
        tell = partial(self._tell_held, order.session_id)
        return self._server.host.confine(self._server.loop, order.guard, env, tell)

    def _spawned(self, ready: Launch, confined: Confinement | None) -> Pty:
        try:
            return self._server.host.spawn(ready)
        except StartError:
            if confined is not None:
                confined.close()
            raise

    def _tell_held(self, session_id: str, report: Report) -> None:
        writers = tuple(Writer(*one) for one in report.writers)
        self._server.delivery.send(
            protocol.Held(
                session_id=session_id,
                writable=report.writable,
                waits=report.held_up,
                writers=writers,
                number=report.order,
                moved=report.moved,
            )
        )

    def _tell_folders(self, path: str, found: tuple[str, ...]) -> None:
        self._server.delivery.send(protocol.Folders(path=path, folders=found))

    def _free_place(self, session_id: str) -> Session | None:
        """Return the ended session that has this id; None where the id is new.

        Raises:
            StartError: the id is empty or in use, or the worker is ending.
        """
        if self._server.ending:
            raise StartError("The worker is ending. Start the session in another one.")
        if not session_id:
            raise StartError("A session needs an id. Give it one.")
        old = self._server.sessions.get(session_id)
        if old is not None and (old.exit is None or old.stop is not None):
            raise StartError(
                "The session {session_id} runs already. Stop it first.", session_id=session_id
            )
        return old

    def _type(self, session: Session, message: protocol.SendInput) -> None:
        if message.reply_offset is not None:
            if message.reply_offset <= session.reply_offset:
                return
            session.reply_offset = message.reply_offset
            if not session.replies:
                until = self._server.loop.now() + _REPLY_SECONDS
                self._server.loop.call_later(_READ_SECONDS, partial(self._reply, session, until))
            self._drop_replies(session)
            session.replies.append(message)
            return
        if message.number is not None and not self._is_new(session, message.number):
            return
        self._write(session, message)

    def _drop_replies(self, session: Session) -> None:
        """Drop the replies that wait if the command has ended that asked last."""
        asked = session.replies[-1].reply_offset if session.replies else None
        if asked is not None and session.ring.has_after(asked, _COMMAND_ENDED):
            session.replies.clear()

    def _reply(self, session: Session, until: float, pause: float = 0.0) -> None:
        """Type the replies that wait, at `until` at the latest; a shell must not read another's.

        While the terminal takes lines, whoever has asked is not there yet to read a reply, or has
        ended: then the shell says so before it reads characters itself, and they are dropped.
        """
        self._drop_replies(session)
        takes_lines = session.pty is not None and session.pty.takes_lines()
        if session.replies and (takes_lines or pause) and self._server.loop.now() < until:
            until = until if takes_lines else 0.0
            pause = (
                min(2 * pause or _REPLY_PAUSE, _LONGEST_PAUSE) if takes_lines else _SHELL_SECONDS
            )
            self._server.loop.call_later(pause, partial(self._reply, session, until, pause))
            return
        replies, session.replies = session.replies, []
        for one in replies:
            with contextlib.suppress(TooMuch):
                self._write(session, one)

    def _write(self, session: Session, message: protocol.SendInput) -> None:
        """Type into a session; into one whose command has just ended nothing, without an error."""
        if session.ended is None:
            self._server.reader.about_to_type(session)
            form = ("latin-1", "replace") if message.raw else ("utf-8", "surrogatepass")
            session.type(message.text.encode(*form), self._server.loop.now())
            if message.part:
                session.parts.append(message.part)
            self._server.reader.attend(session)
            self._server.reader.look_soon(session)

    def _is_new(self, session: Session, number: int) -> bool:
        """Tell whether this input has not come over an earlier line already, and say it was taken."""
        new = number > session.typed
        session.typed = max(session.typed, number)
        typed = protocol.Typed(session_id=session.session_id, number=session.typed)
        self._server.delivery.send(typed)
        return new

    def _forget(self, session: Session) -> None:
        if session.exit is None:
            raise WorkerFault("The session still runs. Stop it before it is forgotten.")
        self._server.remove(session)


def _session_named_in(line: bytes) -> str:
    try:
        return msgspec.json.decode(line, type=_Named).session_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
