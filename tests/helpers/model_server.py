"""A scripted model behind a real HTTP server that speaks both APIs, streaming or not.

`/v1/messages`, `/v1/messages/count_tokens` and `/v1/chat/completions`:

    with model_server() as server:
        server.script(says("Let me look.") + calls("read_file", {"path": "a"}), says("Done."))
        …                       # the client's base URL is `server.url`, or `server.chat_url`
        server.asked[0].body    # every request is kept, in order
"""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from tests.helpers.model_script import (
    Answer,
    Call,
    Closed,
    Failure,
    Raw,
    Silence,
    Step,
    breaks_off,
    calls,
    closes,
    fails,
    fails_within,
    hangs,
    says,
    sends,
    stops,
    thinks,
)
from tests.helpers.model_wire import Chat, Messages, Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "Asked", "ModelServer", "breaks_off", "calls", "closes", "fails", "fails_within", "hangs",
    "model_server", "says", "sends", "stops", "thinks",
]  # fmt: skip

_WIRES: Final[dict[str, Wire]] = {"/v1/messages": Messages(), "/v1/chat/completions": Chat()}
_COUNT: Final = "/v1/messages/count_tokens"
_PATIENCE: Final = 120.0


@dataclass(frozen=True)
class Asked:
    """One request; names of headers are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Its messages."""
        return list(self.body["messages"])


class ModelServer(ThreadingHTTPServer):
    """Takes its script step by step, and then does `otherwise` for ever."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[Asked] = []
        """Every request for an answer, in order."""
        self.counted: list[Asked] = []
        """Every request to count tokens, in order."""
        self.otherwise: Step | Callable[[Asked], Step] = says("ok")
        self.tokens: int | Callable[[dict[str, Any]], int] | None = 10
        """What counting a body yields; None where the server cannot count."""
        self.window: int | None = None
        """Requests of more tokens than these are refused as too long, and take no step."""
        self.places: dict[str, Any] = {}
        """What GET yields at a path, as JSON; nothing else is found."""
        self.broke: list[Asked] = []
        """Requests whose client went away before the answer was whole."""
        self._steps: list[Step | Callable[[Asked], Step]] = []
        self._calls = 0
        self._lock = threading.Lock()
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        """Base URL for an Anthropic client."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def chat_url(self) -> str:
        """Base URL for an OpenAI client."""
        return f"{self.url}/v1"

    def script(self, *steps: Step | Callable[[Asked], Step]) -> None:
        """Do this with the next requests, in place of what is left of the script before."""
        with self._lock:
            self._steps = list(steps)

    @property
    def left(self) -> int:
        """How many steps of the script have not been taken."""
        return len(self._steps)

    def wait_asked(self, count: int, seconds: float = 20.0) -> None:
        """Block until so many requests have come."""
        deadline = time.monotonic() + seconds
        while len(self.asked) < count:
            assert time.monotonic() < deadline, f"request {count} did not happen in time"
            time.sleep(0.01)

    def step(self, asked: Asked) -> Step:
        """Take the next step for a request."""
        with self._lock:
            self.asked.append(asked)
            if self.window is not None and (count := self.count(asked.body)) > self.window:
                return _too_long(count, self.window)
            taken = self._steps.pop(0) if self._steps else self.otherwise
        step = taken(asked) if callable(taken) else taken
        return self._with_ids(step) if isinstance(step, Answer) else step

    def count(self, body: dict[str, Any]) -> int:
        """Return how many tokens a body has."""
        assert self.tokens is not None, "a server with a window can count"
        return self.tokens(body) if callable(self.tokens) else self.tokens

    def _with_ids(self, answer: Answer) -> Answer:
        return replace(answer, blocks=tuple(self._with_id(block) for block in answer.blocks))

    def _with_id(self, block: Any) -> Any:
        if not isinstance(block, Call) or block.id:
            return block
        with self._lock:
            self._calls += 1
            return replace(block, id=f"toolu_{self._calls}")


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Serve on a port of the loopback until the block ends."""
    server = ModelServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        found = self.server.places.get(self.path.partition("?")[0])
        if found is None:
            self._json(404, Messages().error(_NOT_FOUND))
        else:
            self._json(200, found)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.path.partition("?")[0], headers, json.loads(body))
        try:
            self._answer(asked)
        except (BrokenPipeError, ConnectionResetError):
            self.server.broke.append(asked)
            self.close_connection = True

    def _answer(self, asked: Asked) -> None:
        if asked.path == _COUNT:
            self._count(asked)
        elif (wire := _WIRES.get(asked.path)) is not None:
            self._step(wire, asked, self.server.step(asked))
        else:
            self._json(404, Messages().error(_NOT_FOUND))

    def _count(self, asked: Asked) -> None:
        self.server.counted.append(asked)
        if self.server.tokens is None:
            self._json(404, Messages().error(_NOT_FOUND))
        else:
            self._json(200, {"input_tokens": self.server.count(asked.body)})

    def _step(self, wire: Wire, asked: Asked, step: Step) -> None:
        match step:
            case Answer():
                self._say(wire, asked, step)
            case Failure():
                wait = {} if step.retry_after is None else {"retry-after": str(step.retry_after)}
                self._json(step.status, wire.error(step), wait)
            case Raw():
                self._whole(step.status, step.body, step.headers)
            case Silence():
                self.server.ended.wait(_PATIENCE)
                self.close_connection = True
            case Closed():
                self.close_connection = True

    def _say(self, wire: Wire, asked: Asked, answer: Answer) -> None:
        if not asked.body.get("stream"):
            self._json(200, wire.whole(answer, asked.body))
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in wire.begin(answer, asked.body):
            self._chunk(event)
            if answer.pause and self.server.ended.wait(answer.pause):
                break
        self._end(wire, asked, answer)

    def _end(self, wire: Wire, asked: Asked, answer: Answer) -> None:
        self.close_connection = answer.ending != "whole"
        match answer.ending:
            case "breaks":
                return
            case "hangs":
                self.server.ended.wait(_PATIENCE)
                return
            case "error":
                self._chunk(wire.broken(answer))
            case "whole":
                for event in wire.finish(answer, asked.body):
                    self._chunk(event)
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _json(self, status: int, told: Any, headers: dict[str, str] | None = None) -> None:
        self._whole(status, json.dumps(told).encode(), headers or {})

    def _whole(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


_NOT_FOUND: Final = Failure(404, "not_found_error", "Not found")


def _too_long(count: int, window: int) -> Failure:
    message = f"prompt is too long: {count} tokens > {window} maximum"
    return Failure(400, "invalid_request_error", message, code="context_length_exceeded")
