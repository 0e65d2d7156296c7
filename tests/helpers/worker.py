"""A real worker process, and the orchestrator's side of its stream."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

import nagomi_worker
from nagomi_tui.orchestrator.workers.link import OutputBatch, WorkerReader
from nagomi_worker.wire import protocol
from tests.helpers.homes import new_home
from tests.helpers.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T", bound=protocol.Message)

_ASKED: dict[str, str] = {}
"""The name that a test gave each session, by the id that `own_id` made of it."""


def own_id(name: str) -> str:
    """Return the id under which this test process starts the session that a test calls `name`.

    A worker ends all processes that carry the id of a session which it stops, so that two test
    processes must not use the same one.
    """
    if not name or name in _ASKED:
        return name
    made = f"{name}-{os.getpid()}"
    _ASKED[made] = name
    return made


def _rename(message: Any, name: Callable[[str], str]) -> Any:
    """Return a message with other session ids."""
    if isinstance(message, protocol.Sessions):
        sessions = tuple(_rename(one, name) for one in message.sessions)
        return msgspec.structs.replace(message, sessions=sessions)
    if session_id := getattr(message, "session_id", ""):
        return msgspec.structs.replace(message, session_id=name(session_id))
    return message


def _asked(session_id: str) -> str:
    return _ASKED.get(session_id, session_id)


class Link:
    """Speaks the protocol with a worker; keeps everything that came, in order.

    Output is kept chunk by chunk as `output`, however it came. Without `raw` it says that it
    does not know it, and takes none. Sessions are called as the test calls them; the worker knows
    them by their `own_id`.
    """

    def __init__(self, connection: socket.socket, *, acks: bool = True, raw: bool = True) -> None:
        self._socket = connection
        self._reader = WorkerReader("w-test", raw=raw)
        self._raw = raw
        self.acks = acks
        self.heard: list[protocol.FromWorker] = []
        self.largest = 0
        """Most chunks that came in one message."""
        self.ended = False

    def hello(self) -> None:
        """Present ourselves, with or without the credit limit."""
        known = protocol.CAPABILITIES if self.acks else ()
        unable = ("packed",) if self._raw else ("packed", "raw")
        capabilities = tuple(name for name in known if name not in unable)
        self.send(
            protocol.Hello(version=protocol.VERSION, capabilities=capabilities, pid=os.getpid())
        )

    def send(self, *messages: protocol.Message) -> None:
        """Send messages."""
        self.send_bytes(b"".join(protocol.encode(_rename(message, own_id)) for message in messages))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._socket.settimeout(PATIENCE)
        self._socket.sendall(data)

    def pump(self, seconds: float = 0.1) -> None:
        """Take in what comes within `seconds`, and acknowledge it."""
        self._socket.settimeout(seconds)
        try:
            data = self._socket.recv(65536)
        except TimeoutError:
            return
        except ConnectionError:
            data = b""
        if not data:
            self.ended = True
        for message in self._reader.feed(data):
            if isinstance(message, OutputBatch):
                self.largest = max(self.largest, len(message.sizes))
                self._take(*map(_output, message.pieces(1)))
            else:
                self._take(message)

    def wait(self, kind: type[_T], session_id: str | None = None, *, after: int = 0) -> _T:
        """Wait for a message of a kind, of one session; `after` skips so many messages."""
        return until(lambda: self._find(kind, session_id, after), f"a {kind.__name__}")

    def wait_until(self, condition: Callable[[], Any], what: str) -> Any:
        """Take messages in until something is true."""

        def step() -> Any:
            return condition() or self.pump(0.05) or condition()

        return until(step, what)

    def text(self, session_id: str) -> str:
        """Everything that a session printed on this link."""
        return "".join(one.chunk for one in self.outputs(session_id))

    def outputs(self, session_id: str) -> list[protocol.Output]:
        """The chunks of a session."""
        return [
            one
            for one in self.heard
            if isinstance(one, protocol.Output) and one.session_id == session_id
        ]

    def wait_text(self, session_id: str, words: str) -> None:
        """Wait until a session has printed these words."""
        self.wait_until(lambda: words in self.text(session_id), f"{words!r}")

    def start(self, session_id: str, cmd: str, **fields: Any) -> protocol.Started:
        """Start a session and wait until it runs."""
        self.send(start_order(session_id, cmd, **fields))
        return self.wait(protocol.Started, session_id, after=len(self.heard))

    def run(self, session_id: str, cmd: str, **fields: Any) -> protocol.Exit:
        """Start a session and wait for its end."""
        self.start(session_id, cmd, **fields)
        return self.wait(protocol.Exit, session_id)

    def type(self, session_id: str, text: str) -> None:
        """Type into a session."""
        self.send(protocol.SendInput(session_id=session_id, text=text))

    def close(self) -> None:
        """Go away."""
        self._socket.close()

    def _take(self, *messages: protocol.FromWorker) -> None:
        self.heard += [_rename(message, _asked) for message in messages]
        last = messages[-1]
        if self.acks and isinstance(last, protocol.Output) and last.offset is not None:
            with contextlib.suppress(OSError):
                self.send(protocol.Ack(session_id=last.session_id, offset=last.offset))

    def _find(self, kind: type[_T], session_id: str | None, after: int) -> _T | None:
        for message in self.heard[after:]:
            if isinstance(message, kind) and session_id in (
                None,
                getattr(message, "session_id", None),
            ):
                return message
        self.pump(0.05)
        return None


def _output(chunk: OutputBatch) -> protocol.Output:
    return protocol.Output(
        session_id=chunk.session_id,
        stream="stdout",
        chunk=chunk.data.decode(),
        offset=chunk.offset,
    )


def start_order(session_id: str, cmd: str, **fields: Any) -> protocol.StartSession:
    """A `start_session` with a plain environment."""
    given = {"cwd": None, "cols": 80, "rows": 24, "env": plain_env(), **fields}
    return protocol.StartSession(session_id=session_id, cmd=cmd, **given)


def plain_env() -> dict[str, str]:
    """An environment in which commands print the same everywhere."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": "/",
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "SHELL": "/bin/sh",
        "PS1": "$ ",
    }


def worker_env(*first: Path) -> dict[str, str]:
    """The environment of a resident worker, whose modules are looked for in `first` first."""
    env = {name: value for name, value in os.environ.items() if name != "NAGOMI_SESSION_ID"}
    source = str(Path(nagomi_worker.__file__).parents[1])
    return {**env, "NAGOMI_DAEMON": "1", "PYTHONPATH": os.pathsep.join([*map(str, first), source])}


class Worker:
    """A resident worker on a socket of its own."""

    def __init__(self, path: Path, *arguments: str, first: Path | None = None) -> None:
        """Start it; its modules are looked for in the folder `first` before any other."""
        self.path = path
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nagomi_worker", "--socket", str(path), *arguments],
            env=worker_env(*([first] if first else [])),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.links: list[Link] = []

    def link(self, *, acks: bool = True, greet: bool = True, raw: bool = True) -> Link:
        """Connect, as the orchestrator does."""
        link = Link(until(self._connect, "the worker's socket"), acks=acks, raw=raw)
        self.links.append(link)
        if greet:
            link.hello()
            link.wait(protocol.Hello)
        return link

    def end(self) -> None:
        """Stop everything, and let nothing be left."""
        for link in self.links:
            link.close()
        self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        self.process.kill()
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def _connect(self) -> socket.socket | None:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(self.path))
        except OSError:
            connection.close()
            return None
        return connection


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path leaves room for a socket's name."""
    folder = str(new_home())
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
