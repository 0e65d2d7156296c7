"""Carries out the messages of the orchestrator, one method for each kind."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, assert_never

import msgspec

from nagomi_worker.looks import FolderLooks, host_state
from nagomi_worker.pty.command import StartError, check_size, launch
from nagomi_worker.runtime.limits import WorkerFault
from nagomi_worker.sessions.session import Session
from nagomi_worker.wire import protocol
from nagomi_worker.wire.framing import LineTooLong
from nagomi_worker.wire.messages import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_worker.confine.interface import Confinement, Report
    from nagomi_worker.inside.inside import Inside
    from nagomi_worker.pty.command import Launch
    from nagomi_worker.pty.interface import Host, Pty
    from nagomi_worker.runtime.limits import Limits
    from nagomi_worker.runtime.loop import Loop
    from nagomi_worker.sessions.delivery import Delivery
    from nagomi_worker.sessions.reader import Reader
    from nagomi_worker.wire.peer import Peer

_COMMAND_ENDED: Final = b"\x1b]133;D"
"""The mark by which a shell tells that a command has ended."""


class Holder(Protocol):
    """What `MessageHandler` needs of the worker: its sessions, and the parts that serve them."""

    loop: Loop
    host: Host
    limits: Limits
    sessions: dict[str, Session]
    delivery: Delivery
    reader: Reader
    inside: Inside
    ending: bool
    """The worker is ending: it starts no more sessions."""

    def add(self, session: Session) -> None:
        """Begin to serve a session."""

    def remove(self, session: Session) -> None:
        """Forget a session that has ended."""

    def stop(self, session: Session) -> None:
        """Begin to end all processes of a session."""

    def end(self) -> None:
        """Stop every session, then end the worker."""

    def on_drained(self) -> None:
        """Send on: the peer has taken what waited for it."""

    def send_error(self, session_id: str, fault: WorkerFault, *, recoverable: bool = True) -> None:
        """Send the peer an `error`; `session_id` is empty where no session is concerned."""

    def guarded(self, session_id: str, action: Callable[[], None]) -> None:
        """Call `action`; an exception in it becomes an `error` and ends no other session."""


class _Named(msgspec.Struct):
    session_id: str = ""


class MessageHandler:
    """Decodes lines and carries them out; a fault becomes an `error` and the stream goes on."""

    def __init__(self, server: Holder) -> None:
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

    def _carry_out_in_session(
        self,
        message: protocol.SendInput | protocol.Resize | protocol.StopSession | protocol.Checkpoint
        | protocol.Attach | protocol.Ack | protocol.Signal | protocol.Hold
        | protocol.Rest | protocol.Note | protocol.Locate | protocol.Answered | protocol.Forget,
    ) -> None:  # fmt: skip
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

    def _act(
        self,
        session: Session,
        message: protocol.SendInput | protocol.Resize | protocol.StopSession | protocol.Checkpoint
        | protocol.Attach | protocol.Ack | protocol.Signal | protocol.Hold
        | protocol.Rest | protocol.Note | protocol.Locate | protocol.Answered | protocol.Forget,
    ) -> None:  # fmt: skip
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
                server.reader.deliver(session)
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
                server.inside.desk.answered(message)
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
            if session.ring.has_after(message.reply_offset, _COMMAND_ENDED):
                return  # who asked is gone: the shell would take it for typed text
        if message.number is not None and not self._is_new(session, message.number):
            return
        # Input for a command that has just ended is dropped without an error.
        if session.ended is None:
            self._server.reader.about_to_type(session)
            session.type(message.text.encode("utf-8", "surrogatepass"), self._server.loop.now())
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
