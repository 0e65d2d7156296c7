"""Converts a request with Messages API blocks into one for chat completions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nagomi_tui.agent.providers.blocks import alternating, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.agent.common.values import Block, Message
    from nagomi_tui.agent.providers.interface import ModelRequest


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
    calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
    if calls:
        told["tool_calls"] = calls
    elif told["content"] is None:
        # The message has only thinking blocks, for which this API has no field.
        told["content"] = ""
    return told


def _call(block: Block) -> dict[str, Any]:
    arguments = json.dumps(block["input"], ensure_ascii=False)
    function = {"name": block["name"], "arguments": arguments}
    return {"id": block["id"], "type": "function", "function": function}


def _result(block: Block) -> str:
    text = text_of(block.get("content", ""))
    return f"Error: {text}" if block.get("is_error") else text
