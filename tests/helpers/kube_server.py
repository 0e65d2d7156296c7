"""A Kubernetes API server for tests: the real `kubectl` speaks with it, over its WebSockets.

There is one pod, `web`, whose processes are processes of this machine, and another one, `done`, that
has ended. Answers are those of the Kubernetes API; streams go by `v5.channel.k8s.io`: each frame
begins with a channel's number.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_STDIN, _STDOUT, _STDERR, _ERROR, _CLOSE = 0, 1, 2, 3, 255
_ACCEPT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""By RFC 6455, what a key is joined with to be answered."""


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # each is waited for at the end

    def __init__(self, env: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.env = env


class _Request(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if found := re.fullmatch(r"/api/v1/namespaces/default/pods/(\w+)(/exec)?", url.path):
            if found[1] not in ("web", "done"):
                self._refuse(found[1])
            elif found[2]:
                self._run(parse_qs(url.query)["command"])
            else:
                self._tell(200, _pod(found[1]))
        elif url.path in _DISCOVERY:
            self._tell(200, _DISCOVERY[url.path])
        else:
            self._refuse(url.path)

    def _refuse(self, name: str) -> None:
        self._tell(404, {
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": f'pods "{name}" not found', "reason": "NotFound",
            "details": {"name": name, "kind": "pods"}, "code": 404,
        })  # fmt: skip

    def _tell(self, code: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _run(self, command: list[str]) -> None:
        accept = hashlib.sha1(self.headers["Sec-WebSocket-Key"].encode() + _ACCEPT).digest()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(accept).decode())
        self.send_header("Sec-WebSocket-Protocol", "v5.channel.k8s.io")
        self.end_headers()
        self.close_connection = True
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=self.server.env, bufsize=0
        )
        sending = threading.Lock()
        carriers = [
            threading.Thread(target=self._carry_out, args=(sending, number, stream), daemon=True)
            for number, stream in ((_STDOUT, process.stdout), (_STDERR, process.stderr))
        ]
        threading.Thread(target=self._carry_in, args=(process.stdin,), daemon=True).start()
        for one in carriers:
            one.start()
        for one in carriers:
            one.join()
        code = process.wait()
        self._send(sending, _ERROR, json.dumps(_end(code)).encode())
        with suppress(OSError), sending:
            self.wfile.write(b"\x88\x02\x03\xe8")  # a close frame, code 1000
            self.wfile.flush()

    def _carry_in(self, stdin: Any) -> None:
        with suppress(OSError, ValueError):
            while (frame := self._frame()) is not None:
                if frame[:1] == bytes((_STDIN,)):
                    stdin.write(frame[1:])
                elif frame == bytes((_CLOSE, _STDIN)):
                    break
        with suppress(OSError):
            stdin.close()

    def _frame(self) -> bytes | None:
        """Return the payload of the next data frame, unmasked; None at the end."""
        while len(head := self.rfile.read(2)) == 2:
            size = head[1] & 0x7F
            if size >= 126:
                size = int.from_bytes(self.rfile.read(2 if size == 126 else 8), "big")
            mask = self.rfile.read(4)
            data = self.rfile.read(size)
            key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
            plain = (int.from_bytes(data, "big") ^ key).to_bytes(size, "big")
            if head[0] & 0x0F == 8:
                return None
            if head[0] & 0x0F < 8:
                return plain
        return None

    def _carry_out(self, sending: threading.Lock, number: int, stream: Any) -> None:
        with stream, suppress(OSError):
            while data := os.read(stream.fileno(), 16384):
                self._send(sending, number, data)

    def _send(self, sending: threading.Lock, number: int, data: bytes) -> None:
        size = len(data) + 1
        head = bytes((size,)) if size < 126 else b"\x7e" + size.to_bytes(2, "big")
        with suppress(OSError), sending:
            self.wfile.write(b"\x82" + head + bytes((number,)) + data)
            self.wfile.flush()


def _pod(name: str) -> dict[str, Any]:
    return {
        "kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [{"name": "main", "image": "x"}]},
        "status": {"phase": "Running" if name == "web" else "Succeeded"},
    }  # fmt: skip


def _end(code: int) -> dict[str, Any]:
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    causes = [{"reason": "ExitCode", "message": str(code)}]
    return {
        "metadata": {}, "status": "Failure", "reason": "NonZeroExitCode",
        "message": f"command terminated with non-zero exit code: {code}",
        "details": {"causes": causes},
    }  # fmt: skip


_DISCOVERY: dict[str, dict[str, Any]] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList", "groupVersion": "v1",
        "resources": [
            {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod",
             "verbs": ["get"], "shortNames": ["po"]},
        ],
    },
}  # fmt: skip


@contextmanager
def kube_server(env: Mapping[str, str]) -> Iterator[str]:
    """Serve on a free port; yield the words that lead kubectl there. Processes get `env`."""
    with _Server(env) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"--server=http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
