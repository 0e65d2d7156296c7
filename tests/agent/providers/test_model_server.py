"""The scripted server speaks both APIs so that the real clients understand it (F-20)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers.model_server import (
    ModelServer,
    breaks_off,
    calls,
    fails,
    fails_within,
    model_server,
    says,
    stops,
    thinks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    # They take seconds to load, and every test process imports this module.
    import anthropic
    import openai

USER = [{"role": "user", "content": "hello"}]
_OWN = ("id", "citations", "parsed_output")
BOTH = says("I look.") + calls("look", {"at": "日本語"}) + calls("look", {"at": "b"})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as serving:
        yield serving


@pytest.fixture
def messages(server: ModelServer) -> Iterator[anthropic.Anthropic]:
    import anthropic

    with anthropic.Anthropic(api_key="k", base_url=server.url, max_retries=0) as client:
        yield client


@pytest.fixture
def chat(server: ModelServer) -> Iterator[openai.OpenAI]:
    import openai

    with openai.OpenAI(api_key="k", base_url=server.chat_url, max_retries=0) as client:
        yield client


def _without_id(block: object) -> dict[str, object]:
    return {name: value for name, value in vars(block).items() if name not in _OWN}


def ask(client: anthropic.Anthropic) -> anthropic.types.Message:
    with client.messages.stream(model="m", max_tokens=9, messages=USER) as stream:  # type: ignore[arg-type]
        return stream.get_final_message()


@pytest.mark.requirement("F-20")
def test_messages_are_the_same_streamed_and_whole(
    server: ModelServer, messages: anthropic.Anthropic
) -> None:
    server.script(thinks("Hm.") + BOTH, thinks("Hm.") + BOTH)
    streamed = ask(messages)
    whole = messages.messages.create(model="m", max_tokens=9, messages=USER)  # type: ignore[arg-type]
    assert [block.type for block in whole.content] == ["thinking", "text", "tool_use", "tool_use"]
    for one, other in zip(whole.content, streamed.content, strict=True):
        assert _without_id(one) == _without_id(other)
    assert (streamed.stop_reason, streamed.usage.output_tokens) == ("tool_use", 5)
    assert messages.messages.count_tokens(model="m", messages=USER).input_tokens == 10  # type: ignore[arg-type]
    assert (len(server.asked), len(server.counted)) == (2, 1)
    assert server.asked[0].messages == USER and "k" in str(server.asked[0].headers)


@pytest.mark.requirement("F-20")
def test_chat_completions_are_the_same_streamed_and_whole(
    server: ModelServer, chat: openai.OpenAI
) -> None:
    server.script(BOTH, BOTH)
    whole = chat.chat.completions.create(model="m", messages=USER)  # type: ignore[arg-type]
    with chat.chat.completions.stream(
        model="m",
        messages=USER,  # type: ignore[arg-type]
        stream_options={"include_usage": True},
    ) as stream:
        streamed = stream.get_final_completion()
    for one in (whole, streamed):
        message = one.choices[0].message
        assert message.content == "I look." and one.choices[0].finish_reason == "tool_calls"
        assert [call.function.arguments for call in message.tool_calls or []] == [  # type: ignore[union-attr]
            '{"at": "日本語"}',
            '{"at": "b"}',
        ]
        assert one.usage is not None and one.usage.total_tokens == 15


@pytest.mark.requirement("F-20")
def test_errors_carry_status_type_message_and_wait(
    server: ModelServer, messages: anthropic.Anthropic, chat: openai.OpenAI
) -> None:
    import anthropic
    import openai

    server.script(fails(429, "rate_limit_error", "slow down", retry_after=7))
    with pytest.raises(anthropic.RateLimitError, match="slow down") as caught:
        ask(messages)
    assert caught.value.response.headers["retry-after"] == "7"
    server.script(fails(400, "invalid_request_error", "too long", code="context_length_exceeded"))
    with pytest.raises(openai.BadRequestError, match="too long") as told:
        chat.chat.completions.create(model="m", messages=USER)  # type: ignore[arg-type]
    assert told.value.code == "context_length_exceeded"


@pytest.mark.requirement("F-20")
def test_streams_break_stop_and_tell_errors(
    server: ModelServer, messages: anthropic.Anthropic
) -> None:
    import anthropic

    server.script(breaks_off("half an"), fails_within("half"), stops("half of"))
    with pytest.raises(Exception, match="incomplete chunked read"):
        ask(messages)
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
        ask(messages)
    assert ask(messages).stop_reason is None


@pytest.mark.requirement("F-20")
def test_a_window_refuses_what_is_too_long(
    server: ModelServer, messages: anthropic.Anthropic
) -> None:
    import anthropic

    server.tokens, server.window = lambda body: len(str(body["messages"])), 20
    with pytest.raises(anthropic.BadRequestError, match="tokens > 20 maximum"):
        ask(messages)
