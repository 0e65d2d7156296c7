"""The HTTP API in a thread, before a workplace that really runs; its agent answers by rote."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.from_thread

from nagomi_tui.agent.http.api import Api, ApiFiles
from nagomi_tui.agent.http.bodies import Answered, ApiServices, AskFailed
from nagomi_tui.agent.http.events import EventLog
from nagomi_tui.agent.modes.mode import allowed, described, mode_named
from nagomi_tui.agent.modes.modes import ModeReport, Step
from nagomi_tui.api.async_client import connect
from nagomi_tui.system import paths
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nagomi_tui.agent.modes.mode import AgentMode


class RoteModes:
    """Modes of which only the word changes."""

    def __init__(self) -> None:
        self.mode: AgentMode = "calm"

    def report(self, *steps: Step) -> ModeReport:
        """Tell the mode."""
        now = allowed(self.mode)
        return ModeReport(
            mode=self.mode,
            description=described(self.mode, now),
            features=now,
            loop_paused=not now.loop_runs,
            steps=steps,
        )

    async def change(self, to: str) -> ModeReport:
        """Change it."""
        before, self.mode = self.mode, mode_named(to)
        return self.report(Step("mode", True, f"It was {before}."))


class RoteAsking:
    """Answers with the question; cannot answer `why`, and thinks for ever about `hm`."""

    async def ask(self, question: str) -> Answered:
        if question == "hm":
            await anyio.sleep_forever()
        if question == "why":
            raise AskFailed("The model's key is missing.")
        return Answered(ok=True, answer=f"{question}!", context_age=0.5)


@dataclass(frozen=True)
class Answer:
    """What a request was answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's value."""
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The sentence that says why not."""
        return str(self.json["error"])


@dataclass
class Served:
    """Where it is served, and how to ask there."""

    api: Api
    files: ApiFiles
    events: EventLog
    in_loop: Callable[..., Any]
    """Calls a function in the thread that serves."""
    ended_after: list[float] = field(default_factory=list)

    @property
    def port(self) -> int:
        """The port on loopback."""
        return int(until(lambda: self.api.status().base).rpartition(":")[2])

    @property
    def token(self) -> str:
        """The token in its file."""
        return str(
            until(lambda: self.files.token.exists() and self.files.token.read_text().strip())
        )

    def unix(self) -> http.client.HTTPConnection:
        """Connect to the Unix socket."""
        connection = http.client.HTTPConnection("localhost", timeout=30)
        connection.sock = unix_socket(self.files.socket)
        return connection

    def tcp(self) -> http.client.HTTPConnection:
        """Connect to the port on loopback."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def get(self, path: str, **headers: str) -> Answer:
        """Ask on the Unix socket."""
        return asked(self.unix(), "GET", path, headers=headers)

    def post(self, path: str, value: Any = None) -> Answer:
        """Send JSON on the Unix socket."""
        body = b"" if value is None else json.dumps(value).encode()
        headers = {"Content-Type": "application/json"}
        return asked(self.unix(), "POST", path, headers=headers, body=body)

    def by_tcp(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Ask on loopback with the token, and what else there is in headers; empty ones are not."""
        usual = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        given = usual | {name.replace("_", "-"): one for name, one in headers.items()}
        kept = {name: one for name, one in given.items() if one}
        return asked(self.tcp(), method, path, headers=kept, body=body)


def asked(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    *,
    headers: dict[str, str],
    body: bytes | None = None,
) -> Answer:
    """Return what one request is answered; its connection is closed then."""
    try:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        found = {name.lower(): one for name, one in answer.getheaders()}
        return Answer(answer.status, found, answer.read())
    finally:
        connection.close()


def unix_socket(path: Path) -> socket.socket:
    """Return a connection to a Unix socket."""
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(30)
    peer.connect(os.fspath(path))
    return peer


@contextmanager
def served(*, port: int | None = 0) -> Iterator[Served]:
    """Serve the API of this workplace, which runs; on loopback, too, unless `port` is None."""
    state = paths.state_folder()
    files = ApiFiles(paths.socket_folder() / "api", state / "api.token", state / "api.port")
    found: list[Served] = []
    stop: list[Callable[[], None]] = []

    async def run() -> None:
        async with connect() as workplace, anyio.from_thread.BlockingPortal() as portal:
            scope = anyio.CancelScope()
            stop.append(partial(portal.call, scope.cancel))
            events = EventLog()
            modes = RoteModes()
            services = ApiServices(
                request=workplace.request, mode=modes.report, change_mode=modes.change,
                ask=RoteAsking().ask, events=events,
            )  # fmt: skip
            api = Api(services, files)
            api.switch(port)
            found.append(Served(api, files, events, portal.call))
            with scope:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(api.run)
                    async for message in workplace.pushed():
                        events.tell(message)

    thread = threading.Thread(target=anyio.run, args=(run,), daemon=True)
    thread.start()
    here = until(lambda: found and found[0])
    until(files.socket.exists)
    try:
        yield here
    finally:
        begun = time.monotonic()
        stop[0]()
        thread.join(10)
        here.ended_after.append(time.monotonic() - begun)
        assert not thread.is_alive()
