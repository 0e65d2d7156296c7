"""A server that speaks as much of the Messages API as the LLM judge uses, well or badly."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Handler(BaseHTTPRequestHandler):
    """Hands each request to what the test set."""

    server: LlmServer

    def do_POST(self) -> None:
        """Keep what was asked, and answer in the way that is set."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, dict(self.headers.items()), json.loads(body)))
        try:
            self.server.way(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


class LlmServer(ThreadingHTTPServer):
    """`way` answers; `asked` keeps path, headers and JSON of every request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.way: Callable[[Handler], None] = says("{}")
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.server_address[1]}"


def says(text: str, *, stop_reason: str = "end_turn") -> Callable[[Handler], None]:
    """Answer as the model that says this text."""
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "test",
        "content": [{"type": "text", "text": text}], "stop_reason": stop_reason,
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    return lambda handler: handler.reply(200, json.dumps(message).encode())


def fails(status: int) -> Callable[[Handler], None]:
    """Answer with an error of the API."""
    body = {"type": "error", "error": {"type": "api_error", "message": "no"}}
    return lambda handler: handler.reply(status, json.dumps(body).encode())


def sends(body: bytes, status: int = 200, **headers: str) -> Callable[[Handler], None]:
    """Answer with these bytes."""
    return lambda handler: handler.reply(status, body, **headers)


def waits(server: LlmServer) -> Callable[[Handler], None]:
    """Do not answer before the end of the test."""
    return lambda handler: bool(server.ended.wait(60)) and None


@contextmanager
def llm_server() -> Iterator[LlmServer]:
    """Serve on a port of the loopback until the block ends."""
    server = LlmServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
