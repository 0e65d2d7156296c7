"""A table of real errors: which of them say that a request is too long (S-20, SB-8)."""

from __future__ import annotations

import pytest

from nagomi_tui.agent.context.sizes import is_overflow
from nagomi_tui.agent.providers.faults import cause_of
from nagomi_tui.agent.providers.interface import ModelFault

INVALID = "invalid_request_error"

OVERFLOWS = {
    "anthropic": (400, INVALID, "prompt is too long: 208310 tokens > 200000 maximum"),
    "anthropic with its answer": (
        400, INVALID,
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input "
        "length or `max_tokens` and try again",
    ),
    "anthropic by bytes": (413, "request_too_large", "Request exceeds the maximum size"),
    "anthropic on bedrock": (400, "ValidationException", "Input is too long for requested model."),
    "anthropic within a stream": (200, "model_context_window_exceeded", ""),
    "openai": (
        400, "context_length_exceeded",
        "This model's maximum context length is 128000 tokens. However, your messages resulted in "
        "130000 tokens. Please reduce the length of the messages.",
    ),
    "openai, newer": (
        400, INVALID,
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 428548 "
        "tokens. Please reduce the length of the messages.",
    ),
    "vllm": (
        400, "BadRequestError",
        "This model's maximum context length is 131072 tokens. However, you requested 156632 tokens "
        "(152536 in the messages, 4096 in the completion). Please reduce the length of the messages "
        "or completion.",
    ),
    "vllm, newer": (
        400, "BadRequestError",
        "This model's maximum context length is 32768 tokens. However, your request has 40000 input "
        "tokens. Please reduce the length of the input messages.",
    ),
    "vllm with images": (
        400, "BadRequestError",
        "The prompt (total length 25938) is too long to fit into the model (context length 4096). "
        "Make sure that `max_model_len` is no smaller than the number of text tokens.",
    ),
    "llama.cpp": (
        400, "exceed_context_size_error",
        "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it",
    ),
    "llama.cpp, older": (
        500, "server_error",
        "the request exceeds the available context size. try increasing the context size or enable "
        "context shift",
    ),
    "llama-cpp-python": (400, INVALID, "Requested tokens (2285) exceed context window of 2048"),
    "ollama": (400, INVALID, "prompt too long; exceeded max context length by 4021 tokens"),
    "lm studio": (
        400, "",
        "The number of tokens to keep from the initial prompt is greater than the context length.",
    ),
}  # fmt: skip

OTHERS = {
    "a wrong key": (401, "authentication_error", "authentication token invalid"),
    "a limit of tokens": (
        429, "rate_limit_error",
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
    ),
    "a limit that names a length": (
        429, "rate_limit_error", "prompt is too long for your limit of tokens per minute",
    ),
    "a deadline": (504, "timeout_error", "context deadline exceeded"),
    "too long an answer": (
        400, INVALID,
        "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
    ),
    "garbled JSON": (400, INVALID, "Unexpected token < in JSON at position 0"),
    "roles": (400, INVALID, "messages: roles must alternate in the context of a conversation"),
    "ids": (400, INVALID, "messages.1.content.0: `tool_use` ids must be unique"),
    "overloaded": (529, "overloaded_error", "Overloaded"),
    "a quota": (429, "insufficient_quota", "You exceeded your current quota of tokens"),
    "no model": (404, "not_found_error", "model 'context-token' not found"),
    "loading": (503, "unavailable_error", "Loading model"),
}  # fmt: skip


@pytest.mark.parametrize("name", OVERFLOWS)
@pytest.mark.requirement("SB-8", "S-20")
def test_a_real_overflow_is_one(name: str) -> None:
    assert is_overflow(ModelFault(cause_of(*OVERFLOWS[name])))


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.requirement("SB-8", "S-20")
def test_other_errors_with_those_words_are_none(name: str) -> None:
    assert not is_overflow(ModelFault(cause_of(*OTHERS[name])))
