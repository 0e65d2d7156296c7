"""The API as an OpenAPI document, made of the same endpoints and types that serve it."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import Any, Final

import msgspec

from nagomi_tui import __version__
from nagomi_tui.agent.http.bodies import JSON, Fault
from nagomi_tui.agent.http.endpoints import ENDPOINTS, Endpoint
from nagomi_tui.api.schema import short_name, tidy

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
    """Return the document, which is shared: do not change it."""
    kinds: list[Any] = [Fault, *(one.result for one in ENDPOINTS)]
    kinds += [one.given for one in ENDPOINTS if one.given is not None]
    schemas, types = msgspec.json.schema_components(kinds, ref_template=_TYPES + "{name}")
    known = dict(zip(map(id, kinds), schemas, strict=True))
    queries = {one.given.__name__ for one in ENDPOINTS if one.given and one.method == "GET"}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(
            endpoint, known, types
        )
    paths["/api/events"] = {"get": _events(known[id(Fault)])}
    paths["/api/openapi.json"] = {"get": _itself(known[id(Fault)])}
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
        str(int(endpoint.status)): _answer("Done.", JSON, known[id(endpoint.result)]),
        **_refusals(statuses, known[id(Fault)]),
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
    return {"required": True, "content": {JSON: {"schema": schema}}}


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
        str(status): _answer(f"{HTTPStatus(status).phrase}.", JSON, fault)
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
            "200": _answer("The document.", JSON, {"type": "object"}),
            **_refusals({*_ANY}, fault),
        },
    }
