"""What both model APIs share: deadlines of a stream, errors as faults, answers in one piece."""

from __future__ import annotations

import contextlib
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import anyio
import msgspec

from nagomi_tui.agent.providers.faults import fault_of
from nagomi_tui.agent.providers.interface import ModelEvent, ModelFault, ModelRequest
from nagomi_tui.agent.providers.keys import Key
from nagomi_tui.agent.providers.models import Model
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import translatable

BODY_LIMIT: Final = 1024 * 1024
"""The largest body of an answer that is not streamed, in bytes."""
TOO_MUCH: Final = translatable("the answer is too long")
NO_INPUT: Final = translatable("the input of a tool is no JSON object")
_NO_EVENT: Final = translatable("the answer is empty")
TOO_LONG: Final = "too_long"
"""The `kind` of the fault for a body over the limit."""

_Body = TypeVar("_Body")


class WholeAnswer(msgspec.Struct, frozen=True):
    """The text of an answer, and why it ended, as a `stop_reason` of the Messages API."""

    text: str
    stop_reason: str


async def body_of(pieces: AsyncIterable[bytes]) -> bytes:
    """Return a response's body in one piece.

    Raises:
        ModelFault: the body is too long.
    """
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) > BODY_LIMIT:
            raise ModelFault("garbled", TOO_MUCH, kind=TOO_LONG)
    return body


def decoded(body: bytes, kind: type[_Body]) -> Any:
    """Return a JSON body as a value of this type.

    Raises:
        ModelFault: the body does not fit the type.
    """
    try:
        return from_json(body, kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
        raise ModelFault("garbled") from exc


CONNECT_SECONDS: Final = 15.0
SILENT_SECONDS: Final = 120.0
"""The longest silence of a server, before its answer and during it."""
WHOLE_SECONDS: Final = 900.0
"""The longest time for a whole answer."""
TEXT_LIMIT: Final = 4 * 1024 * 1024
"""The longest answer, in characters."""

_Told = TypeVar("_Told")


class Adapter(ABC):
    """A model behind an SDK, whose client is created on first use."""

    def __init__(self, model: str, key: Key, *, url: str, known: Model) -> None:
        self._model = model
        self._key = key
        self._url = url
        self._known = known
        self._client: Any = None

    @property
    def model(self) -> str:
        """The model's name."""
        return self._model

    @abstractmethod
    def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer; the last event is `Answered`.

        Raises:
            ModelFault: there is no answer, or it broke off.
        """

    @abstractmethod
    async def count(self, request: ModelRequest) -> int | None:
        """Return how many tokens a request has; None if the server cannot tell."""

    async def window(self) -> int | None:
        """Return the most tokens of a request by the server's own account; None without one."""
        try:
            api = await self._api(await self._key.get())  # the first time, the SDK is imported
            with anyio.move_on_after(WINDOW_SECONDS):
                for place in self._windows():
                    with contextlib.suppress(Exception):
                        found = window_in(await api.get(place, cast_to=object), self._model)
                        if found is not None:
                            return found
        except Exception:
            return None
        return None

    @abstractmethod
    async def _api(self, key: str) -> Any:
        """Return the SDK's client."""

    @property
    @abstractmethod
    def _models(self) -> str:
        """The path of the list of models."""

    def _windows(self) -> tuple[str, ...]:
        """Return where servers tell how much they take; each server knows one or two of these."""
        parts = urlsplit(self._url)
        own = _SERVERS if parts.scheme == "http" else ()
        return (self._models, *(f"http://{parts.netloc}{path}" for path in own))

    async def ask_whole(self, request: ModelRequest, *, seconds: float) -> WholeAnswer:
        """Return an answer without streaming; messages go unchanged, without cache breakpoints.

        Raises:
            ModelFault: there is no answer, or none within `seconds`.
        """
        key = await self._key.get()
        try:
            with anyio.fail_after(seconds):
                async with await self._whole(key, request) as response:
                    return self._read_whole(await body_of(response.iter_bytes()))
        except TimeoutError as exc:
            raise ModelFault("late") from exc
        except Exception as exc:
            raise fault_of(exc, key) from exc

    @abstractmethod
    async def _whole(self, key: str, request: ModelRequest) -> Any:
        """Return the context manager of the response to a request that is not streamed."""

    @abstractmethod
    def _read_whole(self, body: bytes) -> WholeAnswer:
        """Return the answer in a response body."""

    async def close(self) -> None:
        """Close the connections to the server."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _connect(self, sdk: Any, kind: Callable[..., Any], key: str) -> Any:
        """Return the SDK's client for a key: the existing one, unless the key has changed."""
        if self._client is None or self._client.api_key != key:
            await self.close()
            timeout = sdk.Timeout(SILENT_SECONDS, connect=CONNECT_SECONDS)
            # Following a redirect could send the key to another host.
            transport = sdk.DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout)
            self._client = kind(
                api_key=key, base_url=self._url, max_retries=0, http_client=transport,
                timeout=timeout,
            )  # fmt: skip
        return self._client


_STOPS: Final = {
    "end_turn": ("stop", "end_turn", "eos", "eos_token", "end", "complete", "completed", "finished",
                 "end_of_turn", "end_of_text", "im_end", "eot", "finish_reason_stop"),
    "stop_sequence": ("stop_sequence", "stop_string", "stop_str"),
    "tool_use": ("tool_use", "tool_calls", "tool_call", "function_call", "function_calls"),
    "max_tokens": ("length", "max_tokens", "max_output_tokens", "max_completion_tokens",
                   "finish_reason_length"),
    "model_context_window_exceeded": ("model_length", "context_length", "context_window",
                                      "context_limit"),
    "refusal": ("content_filter", "content_filtered", "refusal", "safety", "sensitive", "blocklist",
                "prohibited_content", "spii", "recitation", "guardrail_intervened"),
}  # fmt: skip
_MEANT: Final = {said: meant for meant, known in _STOPS.items() for said in known}
WHOLE: Final = frozenset({"end_turn", "stop_sequence", "tool_use"})
"""Why an answer ended that is whole; every other reason cut it off."""


def stop_of(said: str) -> str:
    """Return why an answer ended in the words of the Messages API; an unknown reason as it is said."""
    plain = said.strip().lower()
    if (meant := _MEANT.get(plain)) is not None:
        return meant
    if "context" in plain and ("exceed" in plain or "window" in plain):
        return "model_context_window_exceeded"
    return plain


WINDOW_SECONDS: Final = 4.0
_SERVERS: Final = ("/props", "/api/v0/models", "/info", "/api/ps")
"""Where llama.cpp, LM Studio, TGI and Ollama tell of what they have loaded, on one's own machines."""
_WINDOWS: Final = (
    "loaded_context_length", "n_ctx", "max_model_len", "max_input_tokens", "max_prompt_tokens",
    "context_window", "context_length", "max_context_length", "max_context_window_tokens",
    "inputTokenLimit", "input_token_limit", "max_total_tokens",
)  # fmt: skip
"""Fields with the most tokens of a request: what is loaded goes before what is possible."""
_LEAST_WINDOW: Final = 256
_DEEPEST: Final = 6


def window_in(found: Any, model: str) -> int | None:
    """Return the limit that a server's account of its models gives for this one; None without one.

    Of several models the one with this name counts; of a single one the name does not matter.
    """
    models = found.get("data", found.get("models")) if isinstance(found, dict) else None
    if isinstance(models, list):
        named = [one for one in models if isinstance(one, dict) and model in _names(one)]
        found = next(iter(named or (models if len(models) == 1 else [])), None)
    for name in _WINDOWS:
        if (limit := _field(found, name, 0)) is not None:
            return limit
    return None


def _names(model: dict[str, Any]) -> list[str]:
    said = [str(model[name]) for name in ("id", "name", "model", "root") if name in model]
    return [*said, *(name.removesuffix(":latest") for name in said)]


def _field(found: Any, name: str, depth: int) -> int | None:
    if not isinstance(found, dict) or depth > _DEEPEST:
        return None
    limit = found.get(name)
    if isinstance(limit, int) and limit >= _LEAST_WINDOW:
        return limit
    return next(
        (one for part in found.values() if (one := _field(part, name, depth + 1)) is not None), None
    )


class Growing:
    """An answer that is put together from a stream, up to `TEXT_LIMIT` characters."""

    _characters = 0

    def _grow(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > TEXT_LIMIT:
            raise ModelFault("garbled", TOO_MUCH)


class Streaming:
    """Reads one stream, and raises every error as a `ModelFault`."""

    def __init__(self, key: Key, secret: str) -> None:
        self._key = key
        self._secret = secret

    async def events(self, opening: Awaitable[Any]) -> AsyncGenerator[Any]:
        """Open a stream, yield its events, and close it.

        Raises:
            ModelFault: the stream does not open, breaks off, or takes too long.
        """
        deadline = anyio.current_time() + WHOLE_SECONDS
        stream = await self._within(deadline, opening)
        count = 0
        try:
            events = stream.__aiter__()
            while (event := await self._within(deadline, anext(events, None))) is not None:
                count += 1
                yield event
        finally:
            with anyio.CancelScope(shield=True), anyio.move_on_after(1):
                await stream.close()
        if not count:
            raise ModelFault("garbled", _NO_EVENT)

    def read(self, take: Callable[[Any], list[_Told]], event: Any) -> list[_Told]:
        """Return what `take` returns for an event.

        Raises:
            ModelFault: the event does not have the form that the API describes.
        """
        try:
            return take(event)
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as exc:
            raise fault_of(exc, self._secret) from exc

    async def _within(self, deadline: float, work: Awaitable[_Told]) -> _Told:
        try:
            with anyio.fail_after(deadline - anyio.current_time()):
                return await work
        except TimeoutError as exc:
            raise ModelFault("late") from exc
        except Exception as exc:
            fault = fault_of(exc, self._secret)
            if fault.cause == "key":
                self._key.forget()
            raise fault from exc


def tool_input(text: str) -> dict[str, Any] | None:
    """Return a tool's input from its streamed text; None if that is not a JSON object."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
