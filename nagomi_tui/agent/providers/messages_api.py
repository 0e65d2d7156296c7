"""Asks a model by Anthropic's Messages API, which other servers offer, too."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

import anyio
import msgspec

from nagomi_tui.agent.providers import interface as llm
from nagomi_tui.agent.providers import stream
from nagomi_tui.agent.providers.faults import fault_of
from nagomi_tui.agent.providers.keys import Key
from nagomi_tui.agent.providers.models import Model

PUBLIC_URL: Final = "https://api.anthropic.com"
_CACHED: Final = {"type": "ephemeral"}
_CACHEABLE: Final = frozenset({"text", "tool_use", "tool_result", "image", "document"})
_COUNT_SECONDS: Final = 10.0


class MessagesApi(stream.Adapter):
    """A model behind the Messages API."""

    def __init__(self, model: str, key: Key, *, url: str, known: Model) -> None:
        super().__init__(model, key, url=url or PUBLIC_URL, known=known)
        self._counts = True

    async def ask(self, request: llm.ModelRequest) -> AsyncGenerator[llm.ModelEvent]:
        """Stream an answer; the last event is `Answered`.

        Raises:
            ModelFault: there is none, or it broke off.
        """
        key = await self._key.get()
        streaming = stream.Streaming(self._key, key)
        body = messages_body(request) | {"max_tokens": request.max_tokens}
        answer = _Answer()
        opening = (await self._api(key)).messages.create(model=self._model, stream=True, **body)
        async with aclosing(streaming.events(opening)) as events:
            async for event in events:
                for told in streaming.read(answer.take, event):
                    yield told
        yield answer.end(self._known)

    async def count(self, request: llm.ModelRequest) -> int | None:
        """Return how many tokens a request has; None if the server cannot tell."""
        if not self._counts:
            return None
        key = await self._key.get()
        try:
            with anyio.fail_after(_COUNT_SECONDS):
                api = await self._api(key)
                counted = await api.messages.count_tokens(
                    model=self._model, **messages_body(request)
                )
            return int(counted.input_tokens)
        except Exception as exc:
            # A server without this call is not asked for it again.
            self._counts = fault_of(exc, key).status not in (404, 405, 501)
            return None

    async def _whole(self, key: str, request: llm.ModelRequest) -> Any:
        return (await self._api(key)).messages.with_streaming_response.create(
            model=self._model,
            system=request.system,
            messages=request.messages,
            max_tokens=request.max_tokens,
        )

    def _read_whole(self, body: bytes) -> stream.WholeAnswer:
        message = stream.decoded(body, _Message)
        text = "".join(block.text for block in message.content if block.type == "text")
        return stream.WholeAnswer(text, stream.stop_of(message.stop_reason or ""))

    @property
    def _models(self) -> str:
        return "/v1/models?limit=1000"

    async def _api(self, key: str) -> Any:
        import anthropic

        return await self._connect(anthropic, anthropic.AsyncAnthropic, key)


class _Block(msgspec.Struct):
    type: str
    text: str = ""


class _Message(msgspec.Struct):
    """The fields that are read from an answer that is not streamed."""

    content: list[_Block]
    stop_reason: str | None = None


class _Answer(stream.Growing):
    """Assembles an answer from the events of its stream."""

    def __init__(self) -> None:
        self._blocks: dict[int, llm.Block] = {}
        self._inputs: dict[int, list[str]] = {}
        self._usage: dict[str, int] = {}
        self._stop = ""
        self._whole = False

    def take(self, event: Any) -> list[llm.ModelEvent]:
        """Take the next event of the stream, and return the model events in it."""
        match event.type:
            case "message_start":
                self._count(event.message.usage)
            case "content_block_start":
                self._blocks[event.index] = event.content_block.to_dict()
            case "content_block_delta":
                return self._delta(event.index, event.delta)
            case "content_block_stop":
                return self._stopped(event.index)
            case "message_delta":
                self._stop = event.delta.stop_reason or self._stop
                self._count(event.usage)
            case "message_stop":
                self._whole = True
        return []

    def end(self, known: Model) -> llm.Answered:
        """Return the answer.

        Raises:
            ModelFault: the stream ended before the answer did, or a tool's input is not JSON.
        """
        if not self._whole:
            raise llm.ModelFault("broken")
        tokens = llm.Usage(
            input=self._usage.get("input_tokens", 0),
            output=self._usage.get("output_tokens", 0),
            cache_read=self._usage.get("cache_read_input_tokens", 0),
            cache_write=self._usage.get("cache_creation_input_tokens", 0),
        )
        content = [self._finished(index) for index in sorted(self._blocks)]
        kept = [block for block in content if block is not None]
        return llm.Answered(kept, stream.stop_of(self._stop), known.priced(tokens))

    def _delta(self, index: int, delta: Any) -> list[llm.ModelEvent]:
        block = self._blocks[index]
        match delta.type:
            case "text_delta":
                self._grow(delta.text)
                block["text"] += delta.text
                return [llm.TextPiece(delta.text)] if delta.text else []
            case "input_json_delta":
                self._grow(delta.partial_json)
                self._inputs.setdefault(index, []).append(delta.partial_json)
            case "thinking_delta":
                self._grow(delta.thinking)
                block["thinking"] += delta.thinking
            case "signature_delta":
                block["signature"] = delta.signature
        return []

    def _stopped(self, index: int) -> list[llm.ModelEvent]:
        block = self._blocks[index]
        if block["type"] != "tool_use":
            return []
        if pieces := self._inputs.pop(index, []):
            found = stream.tool_input("".join(pieces))
            if found is None:
                # Only the answer's stop reason tells whether this is a fault: `_finished`.
                block["input"] = None
                return []
            block["input"] = found
        return [llm.ToolCall(block["id"], block["name"], block["input"])]

    def _finished(self, index: int) -> llm.Block | None:
        block = self._blocks[index]
        if block["type"] == "text":
            return {"type": "text", "text": block["text"]} if block["text"] else None
        if block["type"] == "tool_use" and not block["input"]:
            if stream.stop_of(self._stop) not in stream.WHOLE:
                return None  # cut off within its input, or before it
            if block["input"] is not None:
                return block
            raise llm.ModelFault("garbled", stream.NO_INPUT)
        return block

    def _count(self, usage: Any) -> None:
        for name in (
            "input_tokens", "output_tokens", "cache_read_input_tokens",
            "cache_creation_input_tokens",
        ):  # fmt: skip
            if (tokens := getattr(usage, name, None)) is not None:
                self._usage[name] = int(tokens)


def messages_body(request: llm.ModelRequest) -> dict[str, Any]:
    """Return the fields that asking and counting share, with up to four cache breakpoints.

    They follow what will be the same in the next request: the tools, the system prompt, and the
    messages up to each of the two newest user messages.
    """
    body: dict[str, Any] = {"messages": _marked(llm.alternating(request.messages))}
    if request.system:
        body["system"] = [{"type": "text", "text": request.system, "cache_control": _CACHED}]
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        body["tools"][-1]["cache_control"] = _CACHED
    return body


def _marked(messages: list[llm.Message]) -> list[llm.Message]:
    marked = list(messages)
    users = [at for at, message in enumerate(messages) if message["role"] == "user"]
    for at in users[-2:]:
        *before, last = messages[at]["content"]
        if last.get("type") in _CACHEABLE:
            last = {**last, "cache_control": _CACHED}
        marked[at] = messages[at] | {"content": [*before, last]}
    return marked
