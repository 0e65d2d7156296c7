"""What every message on the front-end socket is: one JSON object a line, told apart by `type`."""

from __future__ import annotations

from typing import Final

import msgspec

LINE_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of the longest line on this socket."""


class Message(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=True
):
    """One line; `type` is its tag."""


class Request(Message, frozen=True, kw_only=True):
    """A message that is answered by `done` or `failed` with the same `id`."""

    id: int
