"""A blocking client of the API's Unix socket."""

from __future__ import annotations

import http.client
import os
from pathlib import Path
from typing import Any

import msgspec

from nagomi_worker.wire import transport

JSON = "application/json"


class NotAnswered(Exception):
    """The API refused. The message is the API's sentence; `reason` has details, or is empty."""

    def __init__(self, status: int, told: dict[str, str]) -> None:
        super().__init__(told["error"])
        self.status = status
        self.reason = told["reason"]
        self.told = told
        """The whole answer, as decoded JSON."""


def call(
    socket: Path,
    method: str,
    path: str,
    value: Any = None,
    *,
    seconds: float | None = None,
    most_bytes: int | None = None,
) -> Any:
    """Send a request and return the answer's JSON.

    `seconds` is the longest wait for each read, None for no limit; a longer answer than
    `most_bytes` counts as broken.

    Raises:
        NotAnswered: the API refused the request.
        OSError, http.client.HTTPException: there is no answer, or a broken one.
        msgspec.DecodeError: the answer is not JSON.
    """
    connection = http.client.HTTPConnection("localhost")
    connection.sock = transport.connect_to(os.fspath(socket), seconds)
    try:
        connection.request(method, path, msgspec.json.encode(value or {}), {"Content-Type": JSON})
        answer = connection.getresponse()
        told = msgspec.json.decode(answer.read(most_bytes))
    finally:
        connection.close()
    if answer.status >= http.client.BAD_REQUEST:
        raise NotAnswered(answer.status, told)
    return told
