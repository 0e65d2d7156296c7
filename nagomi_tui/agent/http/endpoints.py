"""Every endpoint of the API, its input and its answer, and the OpenAPI document of them all.

Those that forward to the front-end socket follow from the table of verbs (`nagomi_tui/api/verbs.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from http import HTTPStatus
from typing import Any, Final, Literal, TypeAlias

import msgspec

from nagomi_tui import __version__
from nagomi_tui.agent.http import bodies
from nagomi_tui.agent.modes.mode import InvalidMode
from nagomi_tui.agent.modes.modes import ModeReport
from nagomi_tui.api.messages import result_type
from nagomi_tui.api.schema import short_name, tidy
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


# --- the document

_TYPES: Final = "#/components/schemas/"
_ANY: Final = (401, 403, 421, 429, 500, 503)
_WITH_QUERY: Final = (400,)
_WITH_BODY: Final = (400, 408, 413, 415)
_EVENTS: Final = "What happens: `turn_completed`, `session`, `removed`, `called`, or `gap`."
_LAST: Final = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "The id of the event that was seen last; those after it are told first.",
    "schema": {"type": "string"},
}


@cache
def document() -> dict[str, Any]:
    """Return the API as an OpenAPI document, which is shared: do not change it."""
    kinds: list[Any] = [bodies.Fault, *(one.result for one in ENDPOINTS)]
    kinds += [one.given for one in ENDPOINTS if one.given is not None]
    schemas, types = msgspec.json.schema_components(kinds, ref_template=_TYPES + "{name}")
    known = dict(zip(map(id, kinds), schemas, strict=True))
    queries = {one.given.__name__ for one in ENDPOINTS if one.given and one.method == "GET"}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(
            endpoint, known, types
        )
    paths["/api/events"] = {"get": _events(known[id(bodies.Fault)])}
    paths["/api/openapi.json"] = {"get": _itself(known[id(bodies.Fault)])}
    whole: dict[str, Any] = tidy(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "nagomi",
                "version": __version__,
                "description": "Sessions, and the agent that knows them. Served on this machine only.",
            },
            "paths": paths,
            "components": {
                "schemas": {short_name(name): types[name] for name in types if name not in queries},
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
            "security": [{"token": []}],
        },
        _TYPES,
    )
    return whole


def _operation(endpoint: Endpoint, known: dict[int, Any], types: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": _operation_id(endpoint),
        "summary": endpoint.summary,
        "parameters": [*_session(endpoint.path)],
    }
    statuses = {*_ANY, *endpoint.refusals}
    if endpoint.method == "POST":
        statuses |= {*_WITH_BODY}
        told["requestBody"] = _body(endpoint, known)
    else:
        statuses |= {*_WITH_QUERY}
        told["parameters"] += _parameters(endpoint, types)
    told["responses"] = {
        str(int(endpoint.status)): _answer("Done.", bodies.JSON, known[id(endpoint.result)]),
        **_refusals(statuses, known[id(bodies.Fault)]),
    }
    return told


def _operation_id(endpoint: Endpoint) -> str:
    words = endpoint.path.replace("{session}", "one").strip("/").split("/")
    return "_".join([endpoint.method.lower(), *words])


def _session(path: str) -> list[dict[str, Any]]:
    if "{session}" not in path:
        return []
    text = "Number, name or id of a session, or the unique beginning of one of them."
    return [
        {
            "name": "session",
            "in": "path",
            "required": True,
            "description": text,
            "schema": {"type": "string", "minLength": 1},
        }
    ]


def _body(endpoint: Endpoint, known: dict[int, Any]) -> dict[str, Any]:
    if endpoint.given is None:
        schema: Any = {"type": "object", "maxProperties": 0}
    else:
        schema = known[id(endpoint.given)]
    # Required even if empty: its JSON content type proves that no HTML form sent it.
    return {"required": True, "content": {bodies.JSON: {"schema": schema}}}


def _parameters(endpoint: Endpoint, types: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a parameter for each field of a query; the query's type is not in the document."""
    if endpoint.given is None:
        return []
    schema = types.get(endpoint.given.__name__) or {}
    return [
        {"name": name, "in": "query", "schema": one, "required": name in schema["required"]}
        for name, one in schema["properties"].items()
    ]


def _refusals(statuses: set[int], fault: Any) -> dict[str, Any]:
    return {
        str(status): _answer(f"{HTTPStatus(status).phrase}.", bodies.JSON, fault)
        for status in sorted(statuses)
    }


def _answer(description: str, kind: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {kind: {"schema": schema}}}


def _events(fault: Any) -> dict[str, Any]:
    stream = _answer(_EVENTS, "text/event-stream", {"type": "string"})
    return {
        "operationId": "get_api_events",
        "summary": "Listen to what happens, from an event on.",
        "parameters": [_LAST],
        "responses": {"200": stream, **_refusals({*_ANY}, fault)},
    }


def _itself(fault: Any) -> dict[str, Any]:
    return {
        "operationId": "get_api_openapi",
        "summary": "Return this document.",
        "responses": {
            "200": _answer("The document.", bodies.JSON, {"type": "object"}),
            **_refusals({*_ANY}, fault),
        },
    }
