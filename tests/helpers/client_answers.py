"""What a model answers, as four APIs put it on the wire."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_USAGE: Final = {"input_tokens": 1200, "output_tokens": 80}


@dataclass(frozen=True)
class Step:
    """One answer of the model: words, then the tools that it asks for, `NAMESPACE/NAME` if in one.

    The answer waits for `seconds` and for `gate`, and `error` is an HTTP status that is answered
    instead.
    """

    text: str = ""
    tools: tuple[tuple[str, dict[str, Any]], ...] = ()
    gate: threading.Event | None = None
    error: int = 0
    seconds: float = 0.0


def api_of(path: str) -> str:
    """Return which API a path is of, or nothing."""
    if "streamGenerateContent" in path or "generateContent" in path:
        return "gemini"
    last = path.rpartition("/")[2]
    return last if last in ("messages", "responses", "completions") else ""


def tool_count(body: dict[str, Any]) -> int:
    """Return how many tools a request offers."""
    return sum(len(one.get("functionDeclarations", "x")) for one in body.get("tools", ()) if one)


def fault(api: str, status: int) -> dict[str, Any]:
    """Return the body of an error."""
    said = {"type": "api_error", "message": "refused by the test"}
    if api == "gemini":
        said = {"code": str(status), "message": said["message"], "status": "INTERNAL"}
    return {"type": "error", "error": said}


def whole(api: str, step: Step, model: str) -> dict[str, Any]:
    """Return the body of an answer that is not streamed."""
    if api == "gemini":
        return _chunk([*_said(step), *_calls(step)], "STOP")
    if api == "completions":
        message = {"role": "assistant", "content": step.text, "tool_calls": _tool_calls(step)}
        return {**_completion(model), "choices": [_choice("message", message, _finish(step))]}
    return {**_message(model), "content": _blocks(step), "stop_reason": _stop(step)}


def stream(api: str, step: Step, model: str) -> Iterator[str]:
    """Yield the events of an answer."""
    if api == "gemini":
        for parts, end in ((_said(step), None), (_calls(step), None), ([{"text": ""}], "STOP")):
            if parts:
                yield f"data: {json.dumps(_chunk(parts, end))}\r\n\r\n"
    elif api == "completions":
        yield from _chat_events(step, model)
    else:
        events = _messages_events if api == "messages" else _responses_events
        for event in events(step, model):
            yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


# --- Gemini's API


def _said(step: Step) -> list[dict[str, Any]]:
    return [{"text": step.text}] if step.text else []


def _calls(step: Step) -> list[dict[str, Any]]:
    return [
        {"functionCall": {"name": name, "args": given}, "thoughtSignature": "c2ln"}
        for name, given in step.tools
    ]


def _chunk(parts: list[dict[str, Any]], end: str | None) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
    if end:
        candidate["finishReason"] = end
    usage = {"promptTokenCount": 1200, "candidatesTokenCount": 80, "totalTokenCount": 1280}
    return {"candidates": [candidate], "usageMetadata": usage, "responseId": uuid.uuid4().hex}


# --- the chat completions API


def _finish(step: Step) -> str:
    return "tool_calls" if step.tools else "stop"


def _completion(model: str) -> dict[str, Any]:
    usage = {"prompt_tokens": 1200, "completion_tokens": 80, "total_tokens": 1280}
    named = f"chatcmpl-{uuid.uuid4().hex[:16]}"
    return {"id": named, "object": "chat.completion", "created": 0, "model": model, "usage": usage}


def _choice(kind: str, value: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {"index": 0, kind: value, "finish_reason": finish, "logprobs": None}


def _tool_calls(step: Step) -> list[dict[str, Any]]:
    return [
        {"index": at, "id": f"call_{uuid.uuid4().hex[:16]}", "type": "function",
         "function": {"name": name, "arguments": json.dumps(given)}}
        for at, (name, given) in enumerate(step.tools)
    ]  # fmt: skip


def _chat_events(step: Step, model: str) -> Iterator[str]:
    base = {**_completion(model), "object": "chat.completion.chunk"}
    usage = base.pop("usage")
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": ""}, None)]
    if step.text:
        deltas.append(({"content": step.text}, None))
    deltas += [({"tool_calls": [call]}, None) for call in _tool_calls(step)]
    deltas.append(({}, _finish(step)))
    for delta, finish in deltas:
        yield f"data: {json.dumps({**base, 'choices': [_choice('delta', delta, finish)]})}\n\n"
    yield f"data: {json.dumps({**base, 'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n"


# --- the Messages API


def _blocks(step: Step) -> list[dict[str, Any]]:
    said = [{"type": "text", "text": step.text}] if step.text else []
    return said + [
        {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:16]}", "name": name, "input": given}
        for name, given in step.tools
    ]


def _stop(step: Step) -> str:
    return "tool_use" if step.tools else "end_turn"


def _message(model: str) -> dict[str, Any]:
    return {
        "id": f"msg_{uuid.uuid4().hex[:16]}", "type": "message", "role": "assistant", "model": model,
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": _USAGE,
    }  # fmt: skip


def _messages_events(step: Step, model: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": _message(model)}]
    for at, block in enumerate(_blocks(step)):
        if block["type"] == "text":
            start, delta = (
                {"type": "text", "text": ""},
                {"type": "text_delta", "text": block["text"]},
            )
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": at, "content_block": start},
            {"type": "content_block_delta", "index": at, "delta": delta},
            {"type": "content_block_stop", "index": at},
        ]
    ended = {"stop_reason": _stop(step), "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 80}})
    return [*events, {"type": "message_stop"}]


# --- the Responses API


def _items(step: Step) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if step.text:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        items.append({
            "type": "message", "id": f"msg_{uuid.uuid4().hex[:12]}", "role": "assistant",
            "status": "completed", "content": content,
        })  # fmt: skip
    for called, given in step.tools:
        namespace, _, name = called.rpartition("/")
        items.append({
            **({"namespace": namespace} if namespace else {}),
            "type": "function_call", "id": f"fc_{uuid.uuid4().hex[:12]}", "name": name,
            "call_id": f"call_{uuid.uuid4().hex[:12]}", "arguments": json.dumps(given),
            "status": "completed",
        })  # fmt: skip
    return items


def _responses_events(step: Step, model: str) -> list[dict[str, Any]]:
    items = _items(step)
    base = {
        "id": f"resp_{uuid.uuid4().hex[:16]}", "object": "response", "created_at": 0, "model": model,
        "output": [], "usage": None, "status": "in_progress",
    }  # fmt: skip
    usage = {
        **_USAGE, "total_tokens": sum(_USAGE.values()),
        "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    events: list[dict[str, Any]] = [{"type": "response.created", "response": base}]
    for at, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": at, "item": item})
        if item["type"] == "message":
            events.append({
                "type": "response.output_text.delta", "item_id": item["id"], "output_index": at,
                "content_index": 0, "delta": step.text,
            })  # fmt: skip
        events.append({"type": "response.output_item.done", "output_index": at, "item": item})
    done = {**base, "status": "completed", "output": items, "usage": usage}
    return [*events, {"type": "response.completed", "response": done}]
