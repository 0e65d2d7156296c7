"""Bodies of the HTTP API's requests and answers, refusals, and what the API needs of the agent.

What is not declared here comes from the messages of the front-end socket: a request's body or query
is the message without `id` and `session`, and the answer's body is the message's result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from nagomi_tui.agent.http.events import EventLog
from nagomi_tui.agent.modes.mode import MODES
from nagomi_tui.agent.modes.modes import ModeReport
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
    notes: tuple[str, ...] = ()
    """Sentences on what of question, context or answer was cut, in the user's language."""


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


JSON: Final = "application/json"
STATUS_OF: Final[Mapping[str, int]] = {
    "bad_request": HTTPStatus.UNPROCESSABLE_ENTITY,
    "not_found": HTTPStatus.NOT_FOUND,
    "ambiguous": HTTPStatus.CONFLICT,
    "refused": HTTPStatus.CONFLICT,
    "login": HTTPStatus.CONFLICT,
    "risky": HTTPStatus.CONFLICT,
    "busy": HTTPStatus.CONFLICT,
    "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The HTTP status for each code of the front-end socket; 422 as the JSON itself was valid."""


class Refused(Exception):
    """A request is not carried out; the message is a sentence."""

    def __init__(
        self,
        status: int,
        sentence: str,
        code: str,
        *,
        reason: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = int(status)
        self.fault = Fault(error=sentence, code=code, reason=reason)
        self.headers = dict(headers or {})

    @property
    def body(self) -> bytes:
        """The answer's body."""
        return msgspec.json.encode(self.fault)


class AskFailed(Exception):
    """The agent has no answer; the message says why, in the user's language."""


@dataclass(kw_only=True)
class ApiServices:
    """What the endpoints need of the agent."""

    request: Callable[[Request[Any]], Awaitable[Any]]
    """Asks the orchestrator; raises `RequestFailed`, `BadMessage`, `TimeoutError`, `ConnectionError`."""
    mode: Callable[[], ModeReport]
    change_mode: Callable[[str], Awaitable[ModeReport]]
    """Returns the result of each step; raises `InvalidMode`."""
    ask: Callable[[str], Awaitable[Answered]]
    """Answers a question in any mode; raises `AskFailed`."""
    events: EventLog
    status: Callable[[], ApiStatus] = field(init=False)
    """Set by what serves it."""
