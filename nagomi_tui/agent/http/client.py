"""A blocking client of the API's Unix socket."""

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

    def __init__(self, status: int, told: dict[str, str]) -> None:
        super().__init__(told["error"])
        self.status = status
        self.reason = told["reason"]
        self.told = told
        """The whole answer."""


def call(
    socket: Path,
    method: str,
    path: str,
    value: Any = None,
    *,
    seconds: float | None = None,
    most_bytes: int | None = None,
) -> Any:
    """Return what a request is answered.

    It waits as long as it takes, or for so many `seconds` without a byte; an answer of more than
    `most_bytes` is no answer.

    Raises:
        NotAnswered: it was refused.
        OSError, http.client.HTTPException: nobody answers.
        msgspec.DecodeError: the answer is no JSON.
    """
    connection = http.client.HTTPConnection("localhost")
    connection.sock = trust.connect(os.fspath(socket), seconds)
    try:
        connection.request(method, path, msgspec.json.encode(value or {}), {"Content-Type": JSON})
        answer = connection.getresponse()
        told = msgspec.json.decode(answer.read(most_bytes))
    finally:
        connection.close()
    if answer.status >= http.client.BAD_REQUEST:
        raise NotAnswered(answer.status, told)
    return told
