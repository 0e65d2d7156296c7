"""What every message on the front-end socket is: one JSON object a line, told apart by `type`."""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar, cast, get_args

import msgspec

LINE_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of the longest line on this socket."""


class Message(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=True
):
    """One line; `type` is its tag."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What `done.result` holds: each field is there, also one at its default.

    Fields are only ever added, with a default for those who talk with an older nagomi.
    """


class Nothing(Result, frozen=True, kw_only=True):
    """There is nothing to tell but that it was done."""


Answered = TypeVar("Answered")


class Request(Message, Generic[Answered], frozen=True, kw_only=True):
    """A message that is answered by `done` or `failed` with the same `id`.

    The parameter is the type of `done.result`.
    """

    id: int


def result_type(request: type[Request[Answered]]) -> type[Answered]:
    """Return the type of what a request is answered."""
    (base,) = cast("Any", request).__orig_bases__
    found: type[Answered] = get_args(base)[0]
    return found
