"""Asks a model by OpenAI-compatible chat completions."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Annotated, Any, Final

import msgspec

from nagomi_tui.agent.providers.interface import (
    Answered,
    Block,
    Message,
    ModelEvent,
    ModelFault,
    ModelRequest,
    TextPiece,
    ToolCall,
    Usage,
    alternating,
    text_of,
)
from nagomi_tui.agent.providers.keys import Key
from nagomi_tui.agent.providers.models import Model
from nagomi_tui.agent.providers.stream import (
    NO_INPUT,
    TEXT_LIMIT,
    TOO_MUCH,
    WHOLE,
    Adapter,
    Streaming,
    WholeAnswer,
    decoded,
    stop_of,
    tool_input,
)


def chat_body(request: ModelRequest) -> dict[str, Any]:
    """Return the body of a chat completion for a request, without the limit of the answer."""
    messages = [told for message in alternating(request.messages) for told in _messages(message)]
    if request.system:
        messages.insert(0, {"role": "system", "content": request.system})
    body: dict[str, Any] = {"messages": messages}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
    if request.temperature is not None:
        body["temperature"] = request.temperature
    return body


def _messages(message: Message) -> Iterator[dict[str, Any]]:
    if message["role"] == "assistant":
        yield _assistant(message["content"])
        return
    results = [block for block in message["content"] if block.get("type") == "tool_result"]
    for block in results:
        yield {
            "role": "tool",
            "tool_call_id": block["tool_use_id"],
            "content": _result(block),
        }
    if text := text_of(message["content"]):
        yield {"role": "user", "content": text}


def _assistant(blocks: list[Block]) -> dict[str, Any]:
    told: dict[str, Any] = {"role": "assistant", "content": text_of(blocks) or None}
    calls = [_call_message(block) for block in blocks if block.get("type") == "tool_use"]
    if calls:
        told["tool_calls"] = calls
    elif told["content"] is None:
        # The message has only thinking blocks, for which this API has no field.
        told["content"] = ""
    return told


def _call_message(block: Block) -> dict[str, Any]:
    arguments = json.dumps(block["input"], ensure_ascii=False)
    function = {"name": block["name"], "arguments": arguments}
    return {"id": block["id"], "type": "function", "function": function}


def _result(block: Block) -> str:
    text = text_of(block.get("content", ""))
    return f"Error: {text}" if block.get("is_error") else text


PUBLIC_URL: Final = "https://api.openai.com/v1"
_LIMITS: Final = ("max_tokens", "max_completion_tokens")
"""Names of the field with the answer's limit: OpenAI's newer models refuse the first, others the second."""
_REFUSES: Final = re.compile(
    r"unsupported|not supported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed"
    r"|not recogni[sz]ed|does ?n.t support|does not support|instead|deprecated|invalid (?:param|arg|field)"
    r"|additional propert|extra (?:inputs?|fields?)",
    re.IGNORECASE,
)
"""How servers say that they do not know a field, or not with this model."""


class ChatApi(Adapter):
    """A model behind chat completions.

    What its server takes beside the messages is learned from its refusals: a gateway's address does
    not tell which model stands behind it.
    """

    def __init__(self, model: str, key: Key, *, url: str, known: Model) -> None:
        super().__init__(model, key, url=url or PUBLIC_URL, known=known)
        public = self._url.startswith("https://api.openai.com/")
        self._refused: set[str] = {_LIMITS[0]} if public else set()
        """Fields of requests that the server does not take."""

    async def ask(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream an answer; the last event is `Answered`.

        Raises:
            ModelFault: there is none, or it broke off.
        """
        while True:
            sent = self._body(request) | self._taken({"stream_options": {"include_usage": True}})
            begun = False
            try:
                async with aclosing(self._streamed(sent)) as events:
                    async for event in events:
                        begun = True
                        yield event
                return
            except ModelFault as fault:
                if begun or not self._learns(fault, sent):
                    raise

    async def _streamed(self, body: dict[str, Any]) -> AsyncGenerator[ModelEvent]:
        key = await self._key.get()
        streaming = Streaming(self._key, key)
        answer = _Answer()
        opening = (await self._api(key)).chat.completions.create(
            model=self._model, stream=True, **body
        )
        async with aclosing(streaming.events(opening)) as chunks:
            async for chunk in chunks:
                for told in streaming.read(answer.take, chunk):
                    yield told
        for told in answer.end(self._known):
            yield told

    async def count(self, request: ModelRequest) -> int | None:
        """Return None: this API cannot count tokens."""
        return None

    async def ask_whole(self, request: ModelRequest, *, seconds: float) -> WholeAnswer:
        """Return an answer without streaming.

        Raises:
            ModelFault: there is no answer, or none within `seconds`.
        """
        while True:
            sent = self._body(request)
            try:
                return await super().ask_whole(request, seconds=seconds)
            except ModelFault as fault:
                if not self._learns(fault, sent):
                    raise

    async def _whole(self, key: str, request: ModelRequest) -> Any:
        return (await self._api(key)).chat.completions.with_streaming_response.create(
            model=self._model, **self._body(request)
        )

    def _read_whole(self, body: bytes) -> WholeAnswer:
        choice = decoded(body, _Completion).choices[0]
        return WholeAnswer(choice.message.content or "", stop_of(choice.finish_reason or ""))

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        """Return a request's body, with what this server takes."""
        limit = next((name for name in _LIMITS if name not in self._refused), None)
        body = self._taken(chat_body(request))
        return body | ({limit: request.max_tokens} if limit else {})

    def _taken(self, body: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in body.items() if name not in self._refused}

    def _learns(self, fault: ModelFault, sent: dict[str, Any]) -> bool:
        """Note the field that a refusal names; False if it names none that can be left out."""
        may_go = [name for name in (*_LIMITS, "stream_options", "temperature") if name in sent]
        said = str(fault)
        if fault.cause != "refused" or not _REFUSES.search(said):
            return False
        found = {name for name in may_go if re.search(rf"(?<![\w]){name}(?![\w])", said)}
        self._refused |= found
        return bool(found)

    @property
    def _models(self) -> str:
        return "/models"

    async def _api(self, key: str) -> Any:
        import openai

        return await self._connect(openai, openai.AsyncOpenAI, key)


class _Said(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Said
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    """The fields that are read from an answer that is not streamed."""

    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]


class _Use(msgspec.Struct):
    """A tool call, while it is being streamed."""

    id: str = ""
    name: str = ""
    arguments: str = ""


class _Answer:
    """Assembles an answer from the chunks of its stream."""

    def __init__(self) -> None:
        self._text = ""
        self._characters = 0
        self._uses: dict[Any, _Use] = {}
        self._finish = ""
        self._usage = Usage()

    def take(self, chunk: Any) -> list[ModelEvent]:
        """Take the next chunk, and return the events in it."""
        if (usage := getattr(chunk, "usage", None)) is not None:
            self._usage = _usage(usage)
        if not chunk.choices:
            return []
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        return self._delta(choice.delta) if choice.delta is not None else []

    def _delta(self, delta: Any) -> list[ModelEvent]:
        for use in delta.tool_calls or ():
            self._use(use)
        if not (piece := delta.content or ""):
            return []
        self._grow(piece)
        self._text += piece
        return [TextPiece(piece)]

    def end(self, known: Model) -> list[ModelEvent]:
        """Return the tool calls, then the answer.

        Raises:
            ModelFault: the stream ended before the answer did, or a call's input is not JSON.
        """
        if not self._finish:
            raise ModelFault("broken")
        stop = stop_of(self._finish)
        content: list[Block] = [{"type": "text", "text": self._text}] if self._text else []
        calls = [call for use in self._uses.values() if (call := _call(use, stop)) is not None]
        content += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}
            for call in calls
        ]
        # Some servers end with "stop" although the model calls a tool.
        stop = "tool_use" if calls and stop == "end_turn" else stop
        return [*calls, Answered(content, stop, known.priced(self._usage))]

    def _use(self, told: Any) -> None:
        # Some servers leave out the index, and then send each call whole, with its id.
        at = told.index if told.index is not None else told.id
        use = self._uses.setdefault(at, _Use())
        use.id = use.id or told.id or ""
        if (function := told.function) is not None:
            use.name = use.name or function.name or ""
            use.arguments += function.arguments or ""
            self._grow(function.arguments or "")

    def _grow(self, text: str) -> None:
        self._characters += len(text)
        if self._characters > TEXT_LIMIT:
            raise ModelFault("garbled", TOO_MUCH)


def _call(use: _Use, stop: str) -> ToolCall | None:
    found = tool_input(use.arguments) if use.arguments or stop in WHOLE else None
    if found is not None:
        return ToolCall(use.id or f"call_{uuid.uuid4().hex}", use.name, found)
    if stop not in WHOLE:
        return None
    raise ModelFault("garbled", NO_INPUT)


def _usage(told: Any) -> Usage:
    """Return the tokens as the Messages API counts them: `input` is without the cached tokens."""
    details = getattr(told, "prompt_tokens_details", None)
    cached = int(getattr(details, "cached_tokens", None) or 0)
    prompt = int(told.prompt_tokens or 0)
    return Usage(
        input=max(0, prompt - cached), output=int(told.completion_tokens or 0), cache_read=cached
    )
