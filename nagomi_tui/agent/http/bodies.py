"""Bodies of requests and answers for which the front-end socket has no message.

All others come from that socket's messages: a request's body or query is the message without `id`
and `session`, and the answer's body is the message's result.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nagomi_tui.agent.modes.mode import MODES
from nagomi_tui.api.messages import Request, Result


class Fault(Result, frozen=True, kw_only=True):
    """Why a request was not carried out."""

    error: str
    code: str
    """A fixed word for programs, such as `not_found`, `bad_request` or `unauthorized`."""
    reason: str = ""
    """A sentence with details, in the user's language; may be empty."""


class Question(Result, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to the agent."""

    question: Annotated[str, Meta(extra_json_schema={"pattern": r"\S"})]


class Answered(Result, frozen=True, kw_only=True, rename="camel"):
    """The agent's answer."""

    ok: bool
    answer: str
    context_age: float
    """The age of the session states that the answer is based on, in seconds."""


class ChangeMode(Result, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The mode that the agent is to be in."""

    mode: Annotated[str, Meta(extra_json_schema={"enum": list(MODES)})]


class ApiStatus(Result, frozen=True, kw_only=True):
    """Where the API is served."""

    version: str
    base: str = ""
    """The base URL on loopback, such as `http://127.0.0.1:8123`; empty if not served there."""
    fault: str = ""
    """Why the API is not served on loopback although it is switched on; else empty."""


@cache
def given_of(
    message: type[Request[Any]],
    suffix: str,
    *left_out: str,
    names: tuple[tuple[str, str], ...] = (),
) -> type[msgspec.Struct] | None:
    """Return the type of a client's input for a message; None if the message takes no input.

    `names` lists fields with another name in the URL. Equal arguments return the same type object,
    since two types of one name would be two entries in the schema.
    """
    fields = [
        _field(one, dict(names).get(one.name))
        for one in msgspec.structs.fields(message)
        if one.name not in {"id", *left_out}
    ]
    if not fields:
        return None
    return msgspec.defstruct(
        message.__name__ + suffix,
        fields,
        namespace={"__doc__": message.__doc__},
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
    )


def _field(one: msgspec.structs.FieldInfo, name: str | None) -> tuple[str, Any, Any]:
    make: Any = msgspec.field
    default = make(default=one.default, default_factory=one.default_factory, name=name)
    return (one.name, one.type, default)
