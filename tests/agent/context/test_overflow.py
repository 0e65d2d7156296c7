"""Errors of many servers: which of them say that a request is too long (S-20, SB-8).

A line is a status, the error's type or code, and its message, with bars between.
"""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any

import anyio
import pytest

from nagomi_tui.agent.providers.choose import provider_of
from nagomi_tui.agent.providers.faults import cause_of
from nagomi_tui.agent.providers.interface import ModelFault, ModelRequest
from nagomi_tui.settings.model import Settings
from tests.helpers.model_server import model_server, sends

OVERFLOWS = """\
400|invalid_request_error|prompt is too long: 208310 tokens > 200000 maximum
400|invalid_request_error|input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again
413|request_too_large|Request exceeds the maximum size
400|ValidationException|Input is too long for requested model.
200|model_context_window_exceeded|
400|context_length_exceeded|x
400|invalid_request_error|Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 428548 tokens. Please reduce the length of the messages.
400|BadRequestError|This model's maximum context length is 131072 tokens. However, you requested 156632 tokens (152536 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.
400|BadRequestError|This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens. Please reduce the length of the input messages.
400|BadRequestError|The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens.
400|exceed_context_size_error|request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it
500|server_error|the request exceeds the available context size. try increasing the context size or enable context shift
400|x|Requested tokens (2285) exceed context window of 2048
400|x|prompt too long; exceeded max context length by 4021 tokens
400||The number of tokens to keep from the initial prompt is greater than the context length.
400|invalid_request_error|Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length
400|INVALID_ARGUMENT|The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).
400|INVALID_ARGUMENT|The input token count exceeds the maximum number of tokens allowed 1048576.
400||Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.
400||too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4500. Try using a shorter prompt, or enabling prompt truncating.
400||too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs. The limit for this model is 128000 tokens.
422|validation|Input validation error: `inputs` must have less than 4096 tokens. Given: 5000
422|validation|Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens and 2000 `max_new_tokens`
400||litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - too long
400|invalid_request_body|prompt token count of 140000 exceeds the limit of 128000
400|model_max_prompt_tokens_exceeded|x
400|invalid_request_error|Please reduce the length of the messages or completion.
400|context_length_exceeded|Please reduce the length of the messages or completion. Current length is 140000 while limit is 131072
400||This endpoint's maximum context length is 163840 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 of tool input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.
400|invalid_request_error|Your input exceeds the context window of this model. Please adjust your input and try again.
400||This model's maximum prompt length is 131072 but the request contains 537812 tokens
400||invalid params, context window exceeds limit
400|invalid_request_error|Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)
413||
413|tokens_limit_reached|Request body too large for gpt-4o model. Max size: 8000 tokens.
400||The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.
400|ValidationException|Malformed input request: expected maxLength: 20000, actual: 25000, please reformat your input and try again.
400||The prompt is too long: 9000, model maximum context length: 8191
400|InvalidParameter|Range of input length should be [1, 30720]
400|invalid_parameter_error|<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]
400|336103|Prompt tokens too long
400||the max input characters is 4800
400|1261|Prompt 超长
400||输入长度超过模型上下文限制
400||The input (5000 tokens) is longer than the model's context length (4096 tokens).
400||Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 30000 tokens from the input messages and 10000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.
400||Prompt length (5000) exceeds maximum input length (4096). Set log level to info and check TRTLLM logs for how to set max_input_len
400||The sum of prompt length (3000) and max_tokens (2000) should not exceed max_num_tokens (4096)
400||Input length 5000 exceeds maximum context length 4096
400||AiError: AiError: The estimated number of input and maximum output tokens (8274) exceeded this model context window limit (8192).
400||Bad request: prompt token count (10000) cannot exceed 4096
400||the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model
400|string_above_max_length|Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1540820 instead.
400||'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 100 input tokens (9000 > 8192 - 100).
400||Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input
400||max tokens of 8192 exceeded
400||The conversation is too long. Please start a new one.
400||Too many input tokens
400||Context size has been exceeded.
400||context length exceeded
400||exceeded context window
400||Request too large: 250000 tokens, the limit is 200000
400|content_too_large|Content Too Large
413||Payload Too Large
413||<html><head><title>413 Request Entity Too Large</title></head></html>
400||message total length exceed limit
400||input exceeds max length
400||The total number of tokens (prompt + completion) is greater than the limit of 4096
400||Your prompt has 9000 tokens, but the model can handle at most 8192
400||Sequence length 9000 is larger than max_seq_len 8192
400||input_tokens (9000) > max_input_tokens (8192)
400||Token limit exceeded for this model: 9000 > 8192
400|input_too_long|too long
400|TokenLimitExceeded|x
400||The text is too long: 9000 tokens. The model allows at most 8192.
400||コンテキスト長を超えました
400||messages exceed the maximum allowed length
400||This model supports up to 8192 tokens, your request has 9000
400||Number of tokens in prompt (9000) must be less than 8192
400||You passed 9000 input tokens and requested 0 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8192 tokens. Please reduce the length of the input prompt.
400||The engine prompt length 9000 exceeds the max_model_len 8192. Please reduce prompt.
400||the request has 9000 tokens which does not fit in 8192
400||Input prompt is too long (n_ctx = 4096)
400||Out of context: the model's window is full
400||This request has too many tokens for the model (9000, limit 8192)
400||Too much text: shorten your message or start a new chat
400||maximum number of tokens exceeded
400||Token count exceeds limit.
400||This model only supports 4096 tokens
400||Ran out of context
400||The context window is exhausted
400||payload size 7000000 exceeds limit 6291456
400||Conversation too large for this model
400||n_past + n_tokens > n_ctx
400||Your prompt exceeds the context window available in your plan
400||length of the input is greater than the maximum length of 4096
400||Error: 9000 tokens > 8192
500||Prompt is longer than the model's maximum
400||模型上下文长度超限
400||Prompt超过最大长度
400||input is too large
400||Error code: 400 - prompt_tokens 9001 exceed model_max 8192
400||Input text exceeds 8192 token limit
400|392701|The semantic model you provided is too large, surpassing the LLM context window. Please reduce the size of your semantic model.
400||Requested generation length 1 is not possible! The provided prompt is 17000 tokens long, so generating 1 tokens requires a sequence length of 17001, but the maximum supported sequence length is just 16384!
400||Input length (9000 tokens) exceeds the maximum allowed length (8191 tokens). Use a shorter input or enable --allow-auto-truncate.
400|InvalidParameterValue.ContentTooLong|Input content too long
400||Cannot truncate prompt with n_keep (5386) >= n_ctx (4096)
400||prompt is over the max context
400|BAD_REQUEST|Input tokens (9000) + max_tokens 1000 > 8192
400|E1002|PromptTooLong: Prompt length exceeds maximum input length
400|ValidationException|Input is too long. CONTENT_LENGTH_EXCEEDS_THRESHOLD
400|InvalidParameter|Total tokens of image and text exceed max message tokens. Request id: 021718
400||Number of tokens in the messages exceed n_ctx
422||Tokens limit exceeded: 40000 of 32768
400|INVALID_ARGUMENT|number of input tokens must be no more than 32768, got 40000
400||max_tokens must be at least 1, got -1433.
400||Conversation has 9000 tokens while this deployment is limited to 8192
400||Unable to process: 9000 prompt tokens, capacity 8192
400||Prompt token length (40961) + output token length exceeds model window of 40960
400|invalid_request_error|Total message token length exceed model limit
400||The provided messages need 140211 tokens; only 131072 are available in the context
400||Превышен лимит токенов: 40000 > 32768
400||This deployment can only take 8192 tokens (you sent 9000)
400||La requête dépasse la longueur de contexte maximale (9000 > 8192 tokens)
400||We counted 9120 tokens in your messages. The model you chose reads 8192.
400||Se superó el límite: 9000 tokens de entrada, máximo 8192
400||The document is bigger than what fits this model's window
400||prompt_eval: batch of 9000 tokens does not fit in the KV cache (4096)
400||Your chat history is 140000 tokens and this model has 128000
422||{'max_input_tokens': 4096, 'given_tokens': 5000}
500||failed to process: prompt (9000 tokens) larger than slot (4096 tokens)
400||context budget of 32000 tokens used up by the request
400||Der Prompt hat 9000 Tokens, erlaubt sind 8192
400||this chat needs a model with a longer context
400||Token indices sequence length is longer than the specified maximum sequence length for this model (18294 > 16384).
400||Length of prompt + tokens_to_generate longer than allowed
400||Too many tokens in input: 4775 > 2048.
500||RuntimeError: Prompt tokens (2068) cannot be greater than the model's max prompt length (2000)
400||Prompt exceeds maximum context length
500||Number of tokens (757) exceeded maximum context length (512).
400||exceeds the model's maximum allowed prompt length
"""

OTHERS = """\
401|authentication_error|authentication token invalid
429|rate_limit_error|This request would exceed your organization's rate limit of 30,000 input tokens per minute
429|rate_limit_error|prompt is too long for your limit of tokens per minute
504|timeout_error|context deadline exceeded
500||context deadline exceeded (Client.Timeout exceeded while awaiting headers)
500||Post "http://x": context deadline exceeded
400|invalid_request_error|max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens
400|invalid_request_error|Unexpected token < in JSON at position 0
400|invalid_request_error|messages: roles must alternate in the context of a conversation
400|invalid_request_error|messages.1.content.0: `tool_use` ids must be unique
529|overloaded_error|Overloaded
429|insufficient_quota|You exceeded your current quota of tokens
404|not_found_error|model 'context-token' not found
503|unavailable_error|Loading model
400|ThrottlingException|Too many tokens, please wait before trying again.
400||Too many tokens per day, please wait before trying again.
413|rate_limit_exceeded|Request too large for model `llama-3` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.
400||max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.
400||`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model
400||Invalid max_tokens value, the valid range of max_tokens is [1, 8192]
400||The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.
400||Unable to submit request because it has a maxOutputTokens value of 10000 but the supported range is from 1 (inclusive) to 8193 (exclusive).
400||`max_new_tokens` must be <= 1512. Given: 2000
400||`max_tokens` must be greater than `thinking.budget_tokens`.
400|string_above_max_length|Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.
400||Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.
400||tools.0.custom.name: String should have at most 64 characters
400|array_above_max_length|Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.
400||A maximum of 4 blocks with cache_control may be provided. Found 5.
400||Your credit balance is too low to access the API.
400||messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 7000000 bytes > 5242880 bytes
400||temperature must be less than or equal to 2
400||Request timed out: the context took too long
400||Your access token has expired
400||Too many concurrent requests for this model
500||CUDA out of memory while allocating the context buffer: exceeded
500||model requires more system memory (20.0 GiB) than is available (8.0 GiB)
400||messages: at least one message is required
400||Invalid value for 'content': expected a string, got null.
400||The messages in the conversation must end with a user message
400||stop: too many stop sequences, maximum is 4
400||Number of request tokens has exceeded your per-minute rate limit
400||You have exceeded your monthly usage limit of tokens
400||JSON schema exceeds maximum nesting depth of 5
400||Header too long
400|content_filter|The response was filtered due to the prompt triggering content management policy.
400||Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.
400||Invalid token in prompt template
400||system: context parameter is not supported
500||Internal server error
400||tools: too many tools, at most 128
400||requested 5000 tokens per request exceeds limit of 1000 TPM
400||The service is over capacity: too many tokens are being processed
400|invalid_request_error|n must be at most 1
400||metadata.user_id: too long, at most 256 characters
400||The API token is too long
400||top_logprobs must be less than 20
400||Please reduce the number of requests
400||request rate is too high
400||Model not loaded: context size 8192 requires more memory than available
400||prompt: field required
400||Output tokens limit exceeded: 8192
400||Your organization has been limited: too many requests
400||unknown field "context_length"
400||The `prompt` and `messages` parameters cannot both be given
400||The prompt was blocked: safety
400||budget_tokens: Input should be greater than or equal to 1024
400||frequency_penalty must be between -2 and 2
400||messages.5: the message content must not be longer than the image limit
400||Daily token limit exceeded
400||You have exceeded your assigned token limit, contact your administrator
400||This prompt was blocked: above the safety threshold
400||prompt must not be empty
400||This request exceeds the maximum number of images
403||context limit exceeded for your plan
400||max_output_tokens exceeds 8192
400||completion length exceeds maximum
400||The user id is too long
400||Too many messages per minute
400||Upload file is larger than 20 MB
400||You must wait: too many requests
400||The field messages[0].name is too long: at most 64 characters
400||Function call arguments exceed maximum size
400||logprobs must be at most 5
400||best_of must be greater than n
400||token must be refreshed: it is older than 24 hours
400||You exceeded your token budget for this billing period: 1000000 of 1000000 tokens used
400||Token limit for your workspace reached (500k tokens). Contact sales
400||Maximum number of output tokens (8192) exceeded by max_tokens 10000
400||Image input exceeds 20 megapixel limit
400||The model is currently handling too many tokens, retry in 3s
400||max_tokens must be at least 1, got 0
400||seed must be less than 4294967296
400||Tool schema has 70000 characters, at most 65536 are allowed
400||reasoning tokens limit must be less than max_tokens
400||messages[3].tool_call_id exceeds maximum length of 40
400||Prompt cache: maximum of 4 breakpoints exceeded
400||Your key allows 20 requests; 21 > 20
400||Audio input longer than 30 minutes: 1900 s > 1800 s
400||Context caching requires at least 4096 tokens, got 900
400||The number of candidates must be no more than 8, got 9
400||Unexpected token < in JSON at position 1200 of 3400
400||logit_bias: token 128000 is not in the vocabulary of 100256 tokens
400||Rate exceeded: 9000 tokens used in the last 60 seconds, 8000 allowed
400||max_completion_tokens 20000 is above 16384
400||Prompt has 900 tokens; prefix caching needs at least 1024
400||Invalid API token: 401 for workspace 12345
400||image is 4096 tokens, this model takes images of up to 2048
400||budget of 500000 tokens for today is used up, resets in 3600 s
400||speculative decoding needs the same vocabulary: 32000 and 32768 tokens
400||model gpt-5 not found, did you mean gpt-4?
"""


def overflows(table: str) -> dict[str, bool]:
    """Return for each line whether it counts as an overflow."""
    found = {}
    for line in table.splitlines():
        status, kind, message = line.split("|", 2)
        found[line] = cause_of(int(status), kind, message) == "overflow"
    return found


@pytest.mark.requirement("SB-8", "S-20")
def test_real_overflows_are_ones() -> None:
    assert [line for line, is_one in overflows(OVERFLOWS).items() if not is_one] == []


@pytest.mark.requirement("SB-8", "S-20")
def test_other_errors_with_those_words_are_none() -> None:
    assert [line for line, is_one in overflows(OTHERS).items() if is_one] == []


TOO_LONG = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."
BODIES: dict[str, Any] = {
    "a gateway with the server's own error as text": {
        "error": {
            "message": "Provider returned error",
            "code": 400,
            "metadata": {"raw": json.dumps({"error": {"message": TOO_LONG}})},
        }
    },
    "a list of errors": [
        {"error": {"code": 400, "message": TOO_LONG, "status": "INVALID_ARGUMENT"}}
    ],
    "a detail": {"detail": TOO_LONG},
    "a list of details": {"detail": [{"loc": ["body"], "msg": TOO_LONG, "type": "value_error"}]},
    "an error that is a text": {"error": TOO_LONG, "error_type": "validation"},
    "a message within a message": {"object": "error", "message": {"detail": [{"msg": TOO_LONG}]}},
    "a message alone": {"message": TOO_LONG, "__type": "ValidationException"},
}
ECHOED = {"error": {"message": "messages: invalid", "type": "invalid_request_error"},
          "input": [{"role": "user", "content": TOO_LONG}]}  # fmt: skip


def cause_with(provider: str, body: bytes) -> str:
    """Return the cause of the fault that a server's answer makes."""
    with model_server() as server:
        server.otherwise = sends(body, 400, Content_Type="application/json")
        url = server.url if provider == "anthropic" else server.chat_url
        asked = provider_of(Settings(agent_provider=provider, agent_url=url), {})  # type: ignore[arg-type]

        async def story() -> str:
            request = ModelRequest(system="", messages=[{"role": "user", "content": "hi"}])
            try:
                async with aclosing(asked.ask(request)) as events:
                    return str([event async for event in events])
            except ModelFault as fault:
                return fault.cause
            finally:
                await asked.close()

        return anyio.run(story)


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.requirement("SB-8", "S-20")
def test_it_is_found_wherever_servers_put_it(provider: str) -> None:
    for name, body in BODIES.items():
        assert cause_with(provider, json.dumps(body).encode()) == "overflow", name
    assert cause_with(provider, TOO_LONG.encode()) == "overflow", "not even JSON"
    assert cause_with(provider, json.dumps(ECHOED).encode()) == "refused", "what was said to it"
