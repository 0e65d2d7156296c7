"""What requests and answers hold that the front-end socket has no message for, and where they go.

The rest are the messages of that socket: a request's body or query is its message without `id` and
`session`, and the answer's body is the message's result.
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
    """Short and fixed, for programs: `not_found`, `bad_request`, `unauthorized` …"""
    reason: str = ""
    """A sentence that says more, in the user's language."""


class Question(Result, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question to the agent."""

    question: Annotated[str, Meta(extra_json_schema={"pattern": r"\S"})]


class Answered(Result, frozen=True, kw_only=True, rename="camel"):
    """The agent's answer."""

    ok: bool
    answer: str
    context_age: float
    """Seconds since what the answer knows of the sessions was read."""


class ChangeMode(Result, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The mode that the agent is to be in."""

    mode: Annotated[str, Meta(extra_json_schema={"enum": list(MODES)})]


class ApiStatus(Result, frozen=True, kw_only=True):
    """Where the API is served."""

    version: str
    base: str = ""
    """The base of its addresses on loopback, such as `http://127.0.0.1:8123`; empty while off."""
    fault: str = ""
    """Why it is not served on loopback although it is switched on."""


@cache
def given_of(
    message: type[Request[Any]],
    suffix: str,
    *left_out: str,
    names: tuple[tuple[str, str], ...] = (),
) -> type[msgspec.Struct] | None:
    """Return the type of what a client gives for a message, None where that is nothing.

    `names` tells fields that are called otherwise in the address. The same is given for the same,
    since two types of one name would be two in a schema.
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
