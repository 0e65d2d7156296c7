"""Every endpoint of the API, its input and its answer; routes and the document are made of them.

Those that forward to the front-end socket follow from the table of verbs (`nagomi_tui/api/verbs.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, Final, Literal, TypeAlias

import msgspec

from nagomi_tui.agent.http import bodies
from nagomi_tui.agent.modes.mode import InvalidMode
from nagomi_tui.agent.modes.modes import ModeReport
from nagomi_tui.api.messages import result_type
from nagomi_tui.api.verbs import VERBS, Route, Verb, request_type

_FORWARDED: Final = (404, 409, 422, 504)

_NO_QUESTION: Final = "question is required"
_NO_MODE: Final = str(InvalidMode())

Carry: TypeAlias = Callable[[bodies.ApiServices, str, Any], Awaitable[Any]]
"""Carries out a request, given the services, the session in the URL or "", and the input."""


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One method at one path."""

    method: Literal["GET", "POST"]
    path: str
    summary: str
    result: Any
    carry: Carry
    given: type[msgspec.Struct] | None = None
    """The type of a POST's body or a GET's query; None if there is no input."""
    status: int = HTTPStatus.OK
    bad_body: str = ""
    """A fixed sentence for a body that does not fit; empty to use the decoder's."""
    refusals: tuple[int, ...] = ()
    """Statuses of refusals besides those that every endpoint has."""


def _forwarded(verb: Verb, route: Route) -> Endpoint:
    """Return an endpoint that forwards a verb's request to the front-end socket."""
    message = request_type(verb)
    fixed = dict(route.fixed)
    named = {"session"} if "{session}" in route.path else set()

    async def carry(
        services: bodies.ApiServices, session: str, given: msgspec.Struct | None
    ) -> Any:
        fields: dict[str, Any] = fixed | {name: session for name in named}
        if given is not None:
            fields |= msgspec.structs.asdict(given)
        return await services.request(message(id=0, **fields))

    suffix = "Body" if route.method == "POST" else "Query"
    return Endpoint(
        method=route.method,
        path=route.path,
        summary=(message.__doc__ or "").partition("\n")[0],
        result=result_type(message),
        carry=carry,
        given=bodies.given_of(message, suffix, *named, *fixed, names=route.names),
        status=route.status,
        refusals=_FORWARDED,
    )


async def _status(services: bodies.ApiServices, session: str, given: None) -> bodies.ApiStatus:
    return services.status()


async def _ask(
    services: bodies.ApiServices, session: str, given: bodies.Question
) -> bodies.Answered:
    if not given.question.strip():
        raise bodies.Refused(HTTPStatus.BAD_REQUEST, _NO_QUESTION, "bad_request")
    try:
        answered: bodies.Answered = await services.ask(given.question)
        return answered
    except bodies.AskFailed as exc:
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        raise bodies.Refused(status, "Ask failed", "ask_failed", reason=str(exc)) from exc


async def _mode(services: bodies.ApiServices, session: str, given: None) -> ModeReport:
    return services.mode()


async def _change_mode(
    services: bodies.ApiServices, session: str, given: bodies.ChangeMode
) -> ModeReport:
    try:
        report: ModeReport = await services.change_mode(given.mode)
        return report
    except InvalidMode as exc:
        raise bodies.Refused(HTTPStatus.BAD_REQUEST, str(exc), "bad_request") from exc


ENDPOINTS: Final = (
    Endpoint(
        method="GET",
        path="/api",
        summary="Tell where the API is served.",
        result=bodies.ApiStatus,
        carry=_status,
    ),
    Endpoint(
        method="POST",
        path="/api/ask",
        summary="Ask the agent; it answers in every mode.",
        result=bodies.Answered,
        given=bodies.Question,
        carry=_ask,
        bad_body=_NO_QUESTION,
        refusals=(500,),
    ),
    Endpoint(
        method="GET",
        path="/api/mode",
        summary="Tell the agent's mode.",
        result=ModeReport,
        carry=_mode,
    ),
    Endpoint(
        method="POST",
        path="/api/mode",
        summary="Change the agent's mode; each step that belongs to the change is told.",
        result=ModeReport,
        given=bodies.ChangeMode,
        carry=_change_mode,
        bad_body=_NO_MODE,
    ),
    *(_forwarded(verb, route) for verb in VERBS for route in verb.routes),
)
"""All endpoints but the event stream and the document itself."""
