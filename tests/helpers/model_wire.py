"""Answers and errors as the Messages API and the chat completions API put them on the wire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Protocol

from tests.helpers.model_script import Call, Text, Thought

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.model_script import Answer, Failure

_FINISH: Final = {
    "end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length",
    "refusal": "content_filter",
}  # fmt: skip


class Wire(Protocol):
    """One of the two APIs."""

    def error(self, failure: Failure) -> dict[str, Any]:
        """Return the body of an error."""

    def whole(self, answer: Answer, asked: dict[str, Any]) -> dict[str, Any]:
        """Return the body of an answer that is not streamed."""

    def begin(self, answer: Answer, asked: dict[str, Any]) -> Iterator[bytes]:
        """Stream what the answer holds."""

    def finish(self, answer: Answer, asked: dict[str, Any]) -> Iterator[bytes]:
        """Stream what ends the answer."""

    def broken(self, answer: Answer) -> bytes:
        """Return the event that tells an error within a stream."""


class Messages:
    """`/v1/messages`."""

    def error(self, failure: Failure) -> dict[str, Any]:
        error = {"type": failure.type, "message": failure.message}
        return {"type": "error", "error": error, "request_id": "req_1"}

    def whole(self, answer: Answer, asked: dict[str, Any]) -> dict[str, Any]:
        content = [_block(block) for block in answer.blocks]
        usage = _tokens(answer)
        return _message(asked, content, stop_reason(answer), usage)

    def begin(self, answer: Answer, asked: dict[str, Any]) -> Iterator[bytes]:
        usage = _tokens(answer) | {"output_tokens": 1}
        yield _named("message_start", message=_message(asked, [], None, usage))
        for index, block in enumerate(answer.blocks):
            yield _named("content_block_start", index=index, content_block=_empty(block))
            yield _named("ping")
            for delta in _deltas(block, answer.piece):
                yield _named("content_block_delta", index=index, delta=delta)
            if answer.ending == "whole" or index + 1 < len(answer.blocks):
                yield _named("content_block_stop", index=index)

    def finish(self, answer: Answer, asked: dict[str, Any]) -> Iterator[bytes]:
        delta = {"stop_reason": stop_reason(answer), "stop_sequence": None}
        yield _named("message_delta", delta=delta, usage={"output_tokens": answer.tokens.output})
        yield _named("message_stop")

    def broken(self, answer: Answer) -> bytes:
        type_, message = answer.error
        return _named("error", error={"type": type_, "message": message})


class Chat:
    """`/v1/chat/completions`."""

    def error(self, failure: Failure) -> dict[str, Any]:
        error = {"message": failure.message, "type": failure.type, "param": None}
        return {"error": error | {"code": failure.code}}

    def whole(self, answer: Answer, asked: dict[str, Any]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": _said(answer)}
        if uses := [block for block in answer.blocks if isinstance(block, Call)]:
            message["tool_calls"] = [_function(use, _json(use)) for use in uses]
        choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
        told = _completion(asked, "chat.completion", [choice])
        return told | {"usage": _chat_usage(answer)}

    def begin(self, answer: Answer, asked: dict[str, Any]) -> Iterator[bytes]:
        yield _chunk(asked, {"role": "assistant", "content": ""})
        use = -1
        for block in answer.blocks:
            if isinstance(block, Call):
                use += 1
                yield _chunk(asked, {"tool_calls": [{"index": use, **_function(block, "")}]})
                for piece in _pieces(_json(block), answer.piece):
                    more = {"index": use, "function": {"arguments": piece}}
                    yield _chunk(asked, {"tool_calls": [more]})
            else:
                field = "content" if isinstance(block, Text) else "reasoning_content"
                for piece in _pieces(block.text, answer.piece):
                    yield _chunk(asked, {field: piece})

    def finish(self, answer: Answer, asked: dict[str, Any]) -> Iterator[bytes]:
        yield _chunk(asked, {}, _finish(answer))
        if (asked.get("stream_options") or {}).get("include_usage"):
            told = _completion(asked, "chat.completion.chunk", [])
            yield _data(told | {"usage": _chat_usage(answer)})
        yield b"data: [DONE]\n\n"

    def broken(self, answer: Answer) -> bytes:
        type_, message = answer.error
        return _data({"error": {"message": message, "type": type_, "param": None, "code": None}})


def stop_reason(answer: Answer) -> str:
    """Return why the answer ends, in words of the Messages API."""
    uses = any(isinstance(block, Call) for block in answer.blocks)
    return answer.stop_reason or ("tool_use" if uses else "end_turn")


# --- the Messages API


def _message(
    asked: dict[str, Any], content: list[Any], stop: str | None, usage: dict[str, int]
) -> dict[str, Any]:
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": asked.get("model"),
        "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def _tokens(answer: Answer) -> dict[str, int]:
    tokens = answer.tokens
    return {
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cache_read_input_tokens": tokens.cache_read,
        "cache_creation_input_tokens": tokens.cache_write,
    }


def _block(block: Text | Thought | Call) -> dict[str, Any]:
    if isinstance(block, Call):
        return _empty(block) | {"input": block.input}
    if isinstance(block, Thought):
        return {"type": "thinking", "thinking": block.text, "signature": block.signature}
    return {"type": "text", "text": block.text}


def _empty(block: Text | Thought | Call) -> dict[str, Any]:
    if isinstance(block, Call):
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": {}}
    if isinstance(block, Thought):
        return {"type": "thinking", "thinking": "", "signature": ""}
    return {"type": "text", "text": ""}


def _deltas(block: Text | Thought | Call, size: int) -> Iterator[dict[str, Any]]:
    if isinstance(block, Call):
        for piece in ["", *_pieces(_json(block), size)]:
            yield {"type": "input_json_delta", "partial_json": piece}
    elif isinstance(block, Thought):
        for piece in _pieces(block.text, size):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block.signature}
    else:
        for piece in _pieces(block.text, size):
            yield {"type": "text_delta", "text": piece}


def _named(event: str, **told: Any) -> bytes:
    return f"event: {event}\n".encode() + _data({"type": event, **told})


# --- the chat completions API


def _completion(asked: dict[str, Any], kind: str, choices: list[Any]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1", "object": kind, "created": 1, "model": asked.get("model"),
        "choices": choices,
    }  # fmt: skip


def _chunk(asked: dict[str, Any], delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data(_completion(asked, "chat.completion.chunk", [choice]))


def _function(use: Call, arguments: str) -> dict[str, Any]:
    function = {"name": use.name, "arguments": arguments}
    return {"id": use.id, "type": "function", "function": function}


def _chat_usage(answer: Answer) -> dict[str, Any]:
    tokens = answer.tokens
    prompt = tokens.input + tokens.cache_read
    return {
        "prompt_tokens": prompt,
        "completion_tokens": tokens.output,
        "total_tokens": prompt + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read},
    }


def _said(answer: Answer) -> str | None:
    return "".join(block.text for block in answer.blocks if isinstance(block, Text)) or None


def _finish(answer: Answer) -> str:
    stop = stop_reason(answer)
    return _FINISH.get(stop, stop)


# --- both


def _json(use: Call) -> str:
    return use.input if isinstance(use.input, str) else json.dumps(use.input, ensure_ascii=False)


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _data(told: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(told, ensure_ascii=False).encode() + b"\n\n"
