"""A Docker daemon for tests, at a Unix socket: the real `docker` speaks with it.

There is one container, `web`, whose processes are processes of this machine, and another one,
`asleep`, that is stopped. Requests and answers are those of the Engine API, version 1.44.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingUnixStreamServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_VERSION = "1.44"


class _Daemon(ThreadingUnixStreamServer):
    daemon_threads = False  # each is waited for at the end

    def __init__(self, path: str, env: Mapping[str, str]) -> None:
        super().__init__(path, _Request)
        self.env = env
        self.orders: dict[str, dict[str, Any]] = {}


class _Request(BaseHTTPRequestHandler):
    server: _Daemon
    protocol_version = "HTTP/1.1"

    def address_string(self) -> str:
        return "a Unix socket"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._tell(200, None)

    def do_GET(self) -> None:
        path = self._path()
        if path == "/_ping":
            self._tell(200, None)
        elif found := re.fullmatch(r"/containers/(\w+)/json", path):
            if found[1] in ("web", "asleep"):
                state = {"Running": found[1] == "web", "Status": "running"}
                self._tell(200, {"Id": found[1], "State": state, "Config": {}, "HostConfig": {}})
            else:
                self._tell(404, {"message": f"No such container: {found[1]}"})
        elif found := re.fullmatch(r"/exec/(\w+)/json", path):
            code = self.server.orders[found[1]].get("code")
            told = {"ID": found[1], "Running": code is None, "ExitCode": code or 0, "Pid": 1}
            self._tell(200, told)
        else:
            self._tell(404, {"message": "page not found"})

    def do_POST(self) -> None:
        path = self._path()
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if found := re.fullmatch(r"/containers/(\w+)/exec", path):
            if found[1] == "asleep":
                self._tell(409, {"message": "container asleep is not running"})
                return
            name = f"e{len(self.server.orders)}"
            self.server.orders[name] = body
            self._tell(201, {"Id": name})
        elif found := re.fullmatch(r"/exec/(\w+)/start", path):
            self._run(self.server.orders[found[1]])
        else:
            self._tell(404, {"message": "page not found"})

    def _path(self) -> str:
        return re.sub(r"^/v[\d.]+", "", self.path).partition("?")[0]

    def _tell(self, code: int, body: dict[str, Any] | None) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Api-Version", _VERSION)
        self.send_header("OSType", "linux")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _run(self, order: dict[str, Any]) -> None:
        """Carry the process's streams: stdin as it is, stdout and stderr in frames."""
        self.wfile.write(
            b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
            b"Content-Type: application/vnd.docker.multiplexed-stream\r\n\r\n"
        )
        self.wfile.flush()
        self.close_connection = True
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            order["Cmd"], stdin=pipe, stdout=pipe, stderr=pipe, env=self.server.env, bufsize=0
        )
        carriers = [
            threading.Thread(target=self._carry_out, args=(number, stream), daemon=True)
            for number, stream in ((1, process.stdout), (2, process.stderr))
        ]
        threading.Thread(target=self._carry_in, args=(process.stdin,), daemon=True).start()
        for one in carriers:
            one.start()
        for one in carriers:
            one.join()
        order["code"] = process.wait()
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _carry_in(self, stdin: Any) -> None:
        with suppress(OSError, ValueError):
            while data := self.rfile.read1(65536):  # type: ignore[attr-defined]
                stdin.write(data)
        with suppress(OSError):
            stdin.close()

    def _carry_out(self, number: int, stream: Any) -> None:
        with stream, suppress(OSError):
            while data := os.read(stream.fileno(), 65536):
                self.wfile.write(bytes((number, 0, 0, 0)) + len(data).to_bytes(4, "big") + data)
                self.wfile.flush()


@contextmanager
def docker_daemon(path: Path, env: Mapping[str, str]) -> Iterator[str]:
    """Serve at `path`; yield what DOCKER_HOST is to be. Processes get `env`."""
    with _Daemon(os.fspath(path), env) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"unix://{path}"
        finally:
            server.shutdown()
