"""Asks a model by OpenAI-compatible chat completions."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Annotated, Any, Final

import msgspec

from nagomi_tui.agent.providers import interface as llm
from nagomi_tui.agent.providers import stream
from nagomi_tui.agent.providers.keys import Key
from nagomi_tui.agent.providers.models import Model


def chat_body(request: llm.ModelRequest) -> dict[str, Any]:
    """Return the body of a chat completion for a request, without the limit of the answer."""
    messages = [
        told for message in llm.alternating(request.messages) for told in _messages(message)
    ]
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
    return body


def _messages(message: llm.Message) -> Iterator[dict[str, Any]]:
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
    if text := llm.text_of(message["content"]):
        yield {"role": "user", "content": text}


def _assistant(blocks: list[llm.Block]) -> dict[str, Any]:
    told: dict[str, Any] = {"role": "assistant", "content": llm.text_of(blocks) or None}
    calls = [_call_message(block) for block in blocks if block.get("type") == "tool_use"]
    if calls:
        told["tool_calls"] = calls
    elif told["content"] is None:
        # The message has only thinking blocks, for which this API has no field.
        told["content"] = ""
    return told


def _call_message(block: llm.Block) -> dict[str, Any]:
    arguments = json.dumps(block["input"], ensure_ascii=False)
    function = {"name": block["name"], "arguments": arguments}
    return {"id": block["id"], "type": "function", "function": function}


def _result(block: llm.Block) -> str:
    text = llm.text_of(block.get("content", ""))
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


class ChatApi(stream.Adapter):
    """A model behind chat completions.

    What its server takes beside the messages is learned from its refusals: a gateway's address does
    not tell which model stands behind it.
    """

    def __init__(self, model: str, key: Key, *, url: str, known: Model) -> None:
        super().__init__(model, key, url=url or PUBLIC_URL, known=known)
        public = self._url.startswith("https://api.openai.com/")
        self._refused: set[str] = {_LIMITS[0]} if public else set()
        """Fields of requests that the server does not take."""

    async def ask(self, request: llm.ModelRequest) -> AsyncGenerator[llm.ModelEvent]:
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
            except llm.ModelFault as fault:
                if begun or not self._learns(fault, sent):
                    raise

    async def _streamed(self, body: dict[str, Any]) -> AsyncGenerator[llm.ModelEvent]:
        key = await self._key.get()
        streaming = stream.Streaming(self._key, key)
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

    async def count(self, request: llm.ModelRequest) -> int | None:
        """Return None: this API cannot count tokens."""
        return None

    async def ask_whole(self, request: llm.ModelRequest, *, seconds: float) -> stream.WholeAnswer:
        """Return an answer without streaming.

        Raises:
            ModelFault: there is no answer, or none within `seconds`.
        """
        while True:
            sent = self._body(request)
            try:
                return await super().ask_whole(request, seconds=seconds)
            except llm.ModelFault as fault:
                if not self._learns(fault, sent):
                    raise

    async def _whole(self, key: str, request: llm.ModelRequest) -> Any:
        return (await self._api(key)).chat.completions.with_streaming_response.create(
            model=self._model, **self._body(request)
        )

    def _read_whole(self, body: bytes) -> stream.WholeAnswer:
        choice = stream.decoded(body, _Completion).choices[0]
        return stream.WholeAnswer(
            choice.message.content or "", stream.stop_of(choice.finish_reason or "")
        )

    def _body(self, request: llm.ModelRequest) -> dict[str, Any]:
        """Return a request's body, with what this server takes."""
        limit = next((name for name in _LIMITS if name not in self._refused), None)
        body = self._taken(chat_body(request))
        return body | ({limit: request.max_tokens} if limit else {})

    def _taken(self, body: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in body.items() if name not in self._refused}

    def _learns(self, fault: llm.ModelFault, sent: dict[str, Any]) -> bool:
        """Note the field that a refusal names; False if it names none that can be left out."""
        may_go = [name for name in (*_LIMITS, "stream_options") if name in sent]
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


class _Answer(stream.Growing):
    """Assembles an answer from the chunks of its stream."""

    def __init__(self) -> None:
        self._text = ""
        self._uses: dict[Any, _Use] = {}
        self._finish = ""
        self._usage = llm.Usage()

    def take(self, chunk: Any) -> list[llm.ModelEvent]:
        """Take the next chunk, and return the events in it."""
        if (usage := getattr(chunk, "usage", None)) is not None:
            self._usage = _usage(usage)
        if not chunk.choices:
            return []
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        return self._delta(choice.delta) if choice.delta is not None else []

    def _delta(self, delta: Any) -> list[llm.ModelEvent]:
        for use in delta.tool_calls or ():
            self._use(use)
        if not (piece := delta.content or ""):
            return []
        self._grow(piece)
        self._text += piece
        return [llm.TextPiece(piece)]

    def end(self, known: Model) -> list[llm.ModelEvent]:
        """Return the tool calls, then the answer.

        Raises:
            ModelFault: the stream ended before the answer did, or a call's input is not JSON.
        """
        if not self._finish:
            raise llm.ModelFault("broken")
        stop = stream.stop_of(self._finish)
        content: list[llm.Block] = [{"type": "text", "text": self._text}] if self._text else []
        calls = [call for use in self._uses.values() if (call := _call(use, stop)) is not None]
        content += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}
            for call in calls
        ]
        # Some servers end with "stop" although the model calls a tool.
        stop = "tool_use" if calls and stop == "end_turn" else stop
        return [*calls, llm.Answered(content, stop, known.priced(self._usage))]

    def _use(self, told: Any) -> None:
        # Some servers leave out the index, and then send each call whole, with its id.
        at = told.index if told.index is not None else told.id
        use = self._uses.setdefault(at, _Use())
        use.id = use.id or told.id or ""
        if (function := told.function) is not None:
            use.name = use.name or function.name or ""
            use.arguments += function.arguments or ""
            self._grow(function.arguments or "")


def _call(use: _Use, stop: str) -> llm.ToolCall | None:
    found = stream.tool_input(use.arguments) if use.arguments or stop in stream.WHOLE else None
    if found is not None:
        return llm.ToolCall(use.id or f"call_{uuid.uuid4().hex}", use.name, found)
    if stop not in stream.WHOLE:
        return None
    raise llm.ModelFault("garbled", stream.NO_INPUT)


def _usage(told: Any) -> llm.Usage:
    """Return the tokens as the Messages API counts them: `input` is without the cached tokens."""
    details = getattr(told, "prompt_tokens_details", None)
    cached = int(getattr(details, "cached_tokens", None) or 0)
    prompt = int(told.prompt_tokens or 0)
    return llm.Usage(
        input=max(0, prompt - cached), output=int(told.completion_tokens or 0), cache_read=cached
    )
