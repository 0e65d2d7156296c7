"""A blocking client of the API's Unix socket, for commands."""

from __future__ import annotations

import http.client
import os
from typing import TYPE_CHECKING, Any

import msgspec

from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from pathlib import Path

JSON = "application/json"


class NotAnswered(Exception):
    """The API refused; the message is its sentence, and `reason` says more where there is more."""

    def __init__(self, status: int, sentence: str, reason: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.reason = reason


def call(socket: Path, method: str, path: str, value: Any = None) -> Any:
    """Return what a request is answered.

    Raises:
        NotAnswered: it was refused.
        OSError, http.client.HTTPException: nobody answers.
    """
    connection = http.client.HTTPConnection("localhost")
    connection.sock = trust.connect(os.fspath(socket))
    try:
        connection.request(method, path, msgspec.json.encode(value or {}), {"Content-Type": JSON})
        answer = connection.getresponse()
        told = msgspec.json.decode(answer.read())
    finally:
        connection.close()
    if answer.status >= http.client.BAD_REQUEST:
        raise NotAnswered(answer.status, told["error"], told["reason"])
    return told
