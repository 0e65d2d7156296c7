"""Bytes that only this process reads again; `marshal` takes numbers, bytes and tuples."""

from __future__ import annotations

import marshal
from typing import Any


class Encoder:
    """Makes bytes of lists of such values."""

    def encode(self, value: Any) -> bytes:
        return marshal.dumps(value)


class Decoder:
    """Makes the values again; the type is taken as given."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def decode(self, data: bytes) -> Any:
        return marshal.loads(data)
