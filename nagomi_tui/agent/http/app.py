"""The ASGI application: reads a request's input, carries it out, and answers in JSON."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, Final

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from nagomi_tui.agent.http.bodies import JSON, STATUS_OF, ApiServices, Refused
from nagomi_tui.agent.http.endpoints import ENDPOINTS, Endpoint, document
from nagomi_tui.api.client import OTHER_VERSION, RequestFailed
from nagomi_tui.api.messages import BadMessage
from nagomi_tui.system.decoding import from_builtins, from_json

_log = logging.getLogger(__name__)
BODY_LIMIT: Final = 1024 * 1024
"""The largest request body, in bytes."""
MOST_STREAMS: Final = 16
_STREAM: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def application(services: ApiServices) -> ASGIApp:
    """Return the application. It checks no caller itself: a `Gate` does, before it."""
    routes = _routes(services)
    app = Starlette(
        routes=[Route(path, answers, methods=list(methods)) for path, methods, answers in routes],
        exception_handlers={HTTPException: _no_such_address},
    )
    app.router.redirect_slashes = False
    return app


def _routes(services: ApiServices) -> list[tuple[str, tuple[str, ...], Any]]:
    by_path: dict[str, dict[str, Endpoint]] = {}
    for endpoint in ENDPOINTS:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    found: list[tuple[str, tuple[str, ...], Any]] = [
        (path, tuple(methods), _answering(services, methods)) for path, methods in by_path.items()
    ]
    streams = _Streams(services)
    found.append(("/api/events", ("GET",), _guarded(streams.open)))
    found.append(("/api/openapi.json", ("GET",), _guarded(_document)))
    return found


def _answering(
    services: ApiServices, methods: dict[str, Endpoint]
) -> Callable[..., Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        # HEAD is handled as GET; the server leaves out the body.
        endpoint = methods[request.method if request.method in methods else "GET"]
        given = await _given(request, endpoint)
        session = request.path_params.get("session", "")
        result = await _carried(endpoint, services, session, given)
        return Response(msgspec.json.encode(result), endpoint.status, media_type=JSON)

    return _guarded(answer)


async def _carried(endpoint: Endpoint, services: ApiServices, session: str, given: Any) -> Any:
    try:
        return await endpoint.carry(services, session, given)
    except RequestFailed as exc:
        status = STATUS_OF.get(exc.code, HTTPStatus.CONFLICT)
        raise Refused(status, exc.message, exc.code) from exc
    except BadMessage as exc:
        raise Refused(HTTPStatus.BAD_GATEWAY, OTHER_VERSION, "other_version") from exc
    except TimeoutError as exc:
        sentence = "nagomi's orchestrator did not answer in time."
        raise Refused(HTTPStatus.GATEWAY_TIMEOUT, sentence, "late") from exc
    except ConnectionError as exc:
        sentence = "nagomi's orchestrator is not there; try again in a moment."
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, sentence, "gone") from exc


async def _given(request: Request, endpoint: Endpoint) -> Any:
    if endpoint.method == "GET":
        return _query(request, endpoint)
    _check_body(request)
    body = await _body(request)
    if endpoint.given is None:
        _converted(body or b"{}", _Nothing, "")
        return None
    return _converted(body or b"{}", endpoint.given, endpoint.bad_body)


class _Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request that takes no input."""


def _query(request: Request, endpoint: Endpoint) -> Any:
    pairs = request.query_params.multi_items()
    given = dict(pairs)
    if len(given) < len(pairs):
        raise _bad_body("a parameter is given twice")
    try:
        return from_builtins(given, endpoint.given or _Nothing, strict=False)
    except msgspec.ValidationError as exc:
        raise _bad_body(str(exc)) from exc


def _check_body(request: Request) -> None:
    """Check the headers on the body; only JSON is taken, as browser pages can post other types.

    Raises:
        Refused: the body is not JSON, or too long.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        sentence = f"This needs a body of JSON, and the header `Content-Type: {JSON}`."
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, sentence, "no_json")
    if int(request.headers.get("content-length") or 0) > BODY_LIMIT:
        raise _too_long()


async def _body(request: Request) -> bytes:
    read = bytearray()
    async for piece in request.stream():
        read += piece
        if len(read) > BODY_LIMIT:
            raise _too_long()
    return bytes(read)


def _too_long() -> Refused:
    """Return the refusal of a body over the limit.

    The connection stays open for `REQUEST_SECONDS`, as a client reads nothing while it still sends.
    """
    sentence = f"The body is longer than {BODY_LIMIT // 1024} KiB."
    return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence, "too_long")


def _converted(body: bytes, kind: type[msgspec.Struct], bad_body: str) -> Any:
    try:
        return from_builtins(_with_integers(from_json(body, Any)), kind)
    except msgspec.ValidationError as exc:
        raise _bad_body(str(exc), bad_body) from exc
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise _bad_body("it is no JSON", "") from exc


def _with_integers(value: Any) -> Any:
    """Return JSON in which 1.0 is 1: a number without a fraction is an integer to JSON Schema."""
    match value:
        case dict():
            return {name: _with_integers(one) for name, one in value.items()}
        case list():
            return [_with_integers(one) for one in value]
        case float() if value.is_integer():
            return int(value)
    return value


def _bad_body(why: str, fixed: str = "") -> Refused:
    sentence = fixed or f"This request does not fit: {why}."
    return Refused(HTTPStatus.BAD_REQUEST, sentence, "bad_request", reason=why if fixed else "")


class _Streams:
    """Event streams, of which only a few may be open at a time."""

    def __init__(self, services: ApiServices) -> None:
        self._services = services
        self._open = 0

    async def open(self, request: Request) -> Response:
        """Answer with a stream of the events after the last one that the client has seen."""
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        if self._open >= MOST_STREAMS:
            sentence = f"{MOST_STREAMS} streams of events are open already."
            raise Refused(
                HTTPStatus.TOO_MANY_REQUESTS, sentence, "busy", headers={"Retry-After": "1"}
            )
        last = request.headers.get("last-event-id", "")
        return StreamingResponse(
            self._counted(last), media_type="text/event-stream", headers=_STREAM
        )

    async def _counted(self, last: str) -> Any:
        self._open += 1
        try:
            async for lines in self._services.events.stream(last):
                yield lines
        finally:
            self._open -= 1


async def _document(request: Request) -> Response:
    return Response(msgspec.json.encode(document()), media_type=JSON)


def _guarded(
    answer: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that also turns refusals and internal errors into answers."""

    async def guarded(request: Request) -> Response:
        try:
            return await answer(request)
        except Refused as exc:
            return answered(exc)
        except ClientDisconnect:
            return Response(status_code=HTTPStatus.BAD_REQUEST)
        except Exception:
            _log.exception("a request failed: %s %s", request.method, request.url.path)
            sentence = "nagomi had a fault of its own; its log says more."
            return answered(Refused(HTTPStatus.INTERNAL_SERVER_ERROR, sentence, "internal"))

    return guarded


def answered(refused: Refused) -> Response:
    """Return the response for a refusal."""
    return Response(refused.body, refused.status, headers=refused.headers, media_type=JSON)


async def _no_such_address(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    if exc.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = (exc.headers or {}).get("Allow", "")
        sentence = f"This address takes {allowed}, not {request.method}."
    else:
        sentence = "There is no such address; /api/openapi.json tells which there are."
    code = HTTPStatus(exc.status_code).phrase.lower().replace(" ", "_")
    return answered(Refused(exc.status_code, sentence, code, headers=exc.headers))
