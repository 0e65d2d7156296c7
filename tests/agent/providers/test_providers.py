"""Both adapters against a real server: what they send, what they make of answers, and of faults."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.agent.providers import faults, stream
from nagomi_tui.agent.providers.choose import adapter, provider_of
from nagomi_tui.agent.providers.interface import (
    Answered,
    ModelFault,
    ModelRequest,
    Progress,
    TextPiece,
    ToolCall,
    ToolSchema,
)
from nagomi_tui.agent.providers.keys import Key
from nagomi_tui.settings.model import Settings, key_variable
from tests.helpers.model_script import Tokens
from tests.helpers.model_server import (
    Asked,
    ModelServer,
    breaks_off,
    calls,
    closes,
    fails,
    fails_within,
    hangs,
    model_server,
    says,
    sends,
    stops,
    thinks,
)
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.agent.providers.interface import Cause, ModelEvent, Provider

KINDS = ("anthropic", "openai")
LOOK = ToolSchema(name="look", description="Looks.", parameters={"type": "object"})
ASKED = ModelRequest(system="Be kind.", messages=[{"role": "user", "content": "hello"}])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as serving:
        yield serving


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def settings(server: ModelServer, kind: str, **more: Any) -> Settings:
    url = server.url if kind == "anthropic" else server.chat_url
    values = {"agent_model": "claude-sonnet-5-5"} | more
    return Settings(agent_provider=kind, agent_url=url, **values)  # type: ignore[arg-type]


def provider(server: ModelServer, kind: str, **more: Any) -> Provider:
    return provider_of(settings(server, kind, **more), {"ANTHROPIC_API_KEY": "a-key"})


async def events_of(asked: Provider, request: ModelRequest = ASKED) -> list[ModelEvent]:
    async with aclosing(asked.ask(request)) as events:
        return [event async for event in events]


def ask(asked: Provider, request: ModelRequest = ASKED) -> list[ModelEvent]:
    async def story() -> list[ModelEvent]:
        try:
            return await events_of(asked, request)
        finally:
            await asked.close()

    return anyio.run(story)


def answer(events: list[ModelEvent]) -> Answered:
    assert isinstance(events[-1], Answered)
    return events[-1]


def fault(server: ModelServer, kind: str, *steps: Any, **more: Any) -> ModelFault:
    server.script(*steps)
    with pytest.raises(ModelFault) as caught:
        ask(provider(server, kind, **more))
    return caught.value


# --- answers


@pytest.mark.requirement("F-15")
def test_an_answer_is_streamed_and_ends_with_its_blocks(server: ModelServer, kind: str) -> None:
    server.script(says("一つ、二つ、三つ。One, two, three."))
    events = ask(provider(server, kind), ASKED)
    pieces = [event.text for event in events if isinstance(event, TextPiece)]
    assert len(pieces) > 2 and "".join(pieces) == "一つ、二つ、三つ。One, two, three."
    ended = answer(events)
    assert ended.content == [{"type": "text", "text": "".join(pieces)}]
    assert ended.stop_reason == "end_turn"


@pytest.mark.requirement("F-15")
def test_tools_are_called_with_their_whole_input(server: ModelServer, kind: str) -> None:
    server.script(says("Let me.") + calls("look", {"at": "日本"}) + calls("no_such_tool", {}))
    request = ModelRequest(system="", messages=ASKED.messages, tools=(LOOK,))
    events = ask(provider(server, kind), request)
    told = [event for event in events if isinstance(event, ToolCall)]
    assert [(call.name, call.input) for call in told] == [
        ("look", {"at": "日本"}),
        ("no_such_tool", {}),
    ]
    ended = answer(events)
    assert ended.stop_reason == "tool_use"
    assert ended.content == [
        {"type": "text", "text": "Let me."},
        *({"type": "tool_use", "id": c.id, "name": c.name, "input": c.input} for c in told),
    ]


def test_thoughts_are_kept_as_blocks_and_not_shown(server: ModelServer) -> None:
    server.script(thinks("Hm, well.") + says("Yes."))
    events = ask(provider(server, "anthropic"))
    assert [event.text for event in events if isinstance(event, TextPiece)] == ["Yes."]
    thought = {"type": "thinking", "thinking": "Hm, well.", "signature": "signed"}
    assert answer(events).content[0] == thought


@pytest.mark.parametrize(("model", "cost"), [("claude-sonnet-5-5", 7.2), ("somebody's", None)])
def test_usage_is_counted_and_priced_by_the_table(
    server: ModelServer, kind: str, model: str, cost: float | None
) -> None:
    server.script(says("x", tokens=Tokens(input=1_000_000, output=500_000, cache_read=2_000_000)))
    usage = answer(ask(provider(server, kind, agent_model=model))).usage
    assert (usage.input, usage.output, usage.cache_read) == (1_000_000, 500_000, 2_000_000)
    assert usage.cost == (None if cost is None else pytest.approx(cost))


def test_an_answer_that_is_cut_off_says_so_and_has_no_half_call(
    server: ModelServer, kind: str
) -> None:
    server.script(says("Half") + calls("look", '{"at": "b', stop_reason="max_tokens"))
    events = ask(provider(server, kind))
    assert not [event for event in events if isinstance(event, ToolCall)]
    ended = answer(events)
    assert (ended.stop_reason, ended.content) == ("max_tokens", [{"type": "text", "text": "Half"}])


def test_a_refusal_is_an_answer(server: ModelServer, kind: str) -> None:
    server.script(says("I cannot.", stop_reason="refusal"))
    assert answer(ask(provider(server, kind))).stop_reason == "refusal"


# --- what is sent


@pytest.mark.requirement("X-5")
def test_messages_of_one_role_become_one_on_the_wire(server: ModelServer, kind: str) -> None:
    request = ModelRequest(
        system="s",
        messages=[
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": [{"type": "text", "text": ""}]},
            {"role": "user", "content": [{"type": "text", "text": "directive"}]},
            {"role": "user", "content": "second"},
        ],
    )
    ask(provider(server, kind), request)
    told = [m for m in server.asked[0].messages if m["role"] != "system"]
    assert [message["role"] for message in told] == ["user"]
    assert "first" in str(told) and str(told).index("directive") < str(told).index("second")


@pytest.mark.requirement("SB-1", "S-12")
def test_tools_and_their_results_reach_chat_completions(server: ModelServer) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "日"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "seen"}
    wrong = {"type": "tool_result", "tool_use_id": "t2", "content": "no", "is_error": True}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "look"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "I do."}, use, use | {"id": "t2"}],
        },
        {"role": "user", "content": [{"type": "text", "text": "and?"}, result, wrong]},
    ]
    ask(provider(server, "openai"), ModelRequest(system="s", messages=messages, tools=(LOOK,)))
    system, _, assistant, *told, last = server.asked[0].messages
    assert system == {"role": "system", "content": "s"}
    assert [call["id"] for call in assistant["tool_calls"]] == ["t1", "t2"]
    assert assistant["tool_calls"][0]["function"]["arguments"] == '{"at": "日"}'
    assert [(one["tool_call_id"], one["content"]) for one in told] == [
        ("t1", "seen"),
        ("t2", "Error: no"),
    ]
    assert last == {"role": "user", "content": "and?"}
    assert server.asked[0].body["tools"][0]["function"]["name"] == "look"


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
        ("max_tokens", "UnsupportedParamsError: azure does not support parameters: ['max_tokens'], for model=o3"),
        ("stream_options", "Unrecognized request argument supplied: stream_options"),
    ],
)  # fmt: skip
def test_a_field_that_a_gateway_refuses_is_left_out_from_then_on(
    server: ModelServer, field: str, message: str, whole: bool
) -> None:
    def refuse(asked: Asked) -> Any:
        return fails(400, "invalid_request_error", message) if field in asked.body else says("Hi.")

    async def story() -> None:
        for _ in range(2):
            await (asked.ask_whole(ASKED, seconds=10) if whole else events_of(asked, ASKED))
        await asked.close()

    server.otherwise = refuse
    asked = adapter("openai", "gpt-5", Key("a-key"), url=server.chat_url)
    anyio.run(story)
    last = server.asked[-1].body
    assert len(server.asked) == (2 if whole and field == "stream_options" else 3)
    assert (
        field not in last
        and last["max_completion_tokens" if field == "max_tokens" else "max_tokens"]
    )


def test_a_value_that_is_refused_is_told_and_not_tried_again(server: ModelServer) -> None:
    said = "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens"
    told = fault(server, "openai", fails(400, "invalid_request_error", said))
    assert told.cause == "refused" and len(server.asked) == 1


@pytest.mark.requirement("F-15")
def test_the_prefix_of_a_request_is_marked_for_the_cache(server: ModelServer) -> None:
    messages = [
        {"role": role, "content": f"{role} {at}"}
        for at in range(3)
        for role in ("user", "assistant")
    ]
    request = ModelRequest(system="s", messages=[*messages, ASKED.messages[0]], tools=(LOOK, LOOK))
    ask(provider(server, "anthropic"), request)
    body = server.asked[0].body
    marked = [block for message in body["messages"] for block in message["content"]
              if "cache_control" in block]  # fmt: skip
    assert [block["text"] for block in marked] == ["user 2", "hello"]
    assert ["cache_control" in tool for tool in body["tools"]] == [False, True]
    assert "cache_control" in body["system"][0]
    assert str(body).count("ephemeral") <= 4


@pytest.mark.requirement("S-31")
def test_the_counting_call_is_asked_and_one_that_is_missing_only_once(
    server: ModelServer,
) -> None:
    async def story() -> None:
        asked = provider(server, "anthropic")
        server.tokens = 1234
        assert await asked.count(ASKED) == 1234
        server.tokens = None
        assert [await asked.count(ASKED) for _ in range(3)] == [None] * 3
        await asked.close()

    anyio.run(story)
    assert len(server.counted) == 2 and server.counted[0].body["system"]


# --- faults


@pytest.mark.parametrize(
    ("step", "cause"),
    [
        (fails(401, "authentication_error", "invalid x-api-key"), "key"),
        (fails(403, "permission_error", "not yours"), "refused"),
        (fails(404, "not_found_error", "model: nobody"), "refused"),
        (fails(400, "invalid_request_error", "messages: roles must alternate"), "refused"),
        (fails(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"), "overflow"),
        (fails(429, "insufficient_quota", "You exceeded your current quota"), "refused"),
        (sends(b"<html>no</html>", content_type="text/html"), "garbled"),
        (sends(b"", 302, Location="http://127.0.0.1:1/"), "other"),
        (sends(b"data: {no json}\n\n", content_type="text/event-stream"), "garbled"),
        (sends(b'event: message_start\ndata: {"type": "message_start", "choices": [1]}\n\n',
               content_type="text/event-stream"), "garbled"),
        (calls("look", "{no json"), "garbled"),
        (calls("look", "[]"), "garbled"),
        (breaks_off("half an answer"), "broken"),
        (stops("half an answer"), "broken"),
        (fails_within("half", "overloaded_error"), "overloaded"),
    ],
)  # fmt: skip
def test_a_fault_is_told_at_once_with_its_cause(
    server: ModelServer, kind: str, step: Any, cause: Cause
) -> None:
    before = time.monotonic()
    caught = fault(server, kind, step)
    assert caught.cause == cause and (str(caught) or cause == "broken")
    assert len(server.asked) == 1 and time.monotonic() - before < faults.WAITS[0] + 20


@pytest.mark.parametrize(
    ("steps", "causes"),
    [
        ((fails(429, "rate_limit_error", "slow", retry_after=0.05),), ["rate"]),
        ((fails(529, "overloaded_error", "Overloaded"), fails(503)), ["overloaded"] * 2),
        ((closes(),), ["broken"]),
    ],
)
def test_a_passing_fault_is_waited_for_as_long_as_the_server_says(
    server: ModelServer, kind: str, steps: Any, causes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "WAITS", (0.01, 0.02, 0.03))
    server.script(*steps, says("at last"))
    events = ask(provider_of(settings(server, kind), {}))
    assert answer(events).content[0]["text"] == "at last"
    told = [event for event in events if isinstance(event, Progress)]
    assert [(step.kind, step.cause) for step in told] == [("retry", cause) for cause in causes]
    assert told[0].seconds == (0.05 if causes == ["rate"] else 0.01)


def test_a_long_wait_is_left_to_the_user(server: ModelServer, kind: str) -> None:
    caught = fault(server, kind, fails(429, "rate_limit_error", "tomorrow", retry_after=86_400))
    assert (caught.cause, caught.retry_after, len(server.asked)) == ("rate", 86_400, 1)


def test_tries_end(server: ModelServer, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "WAITS", (0.01, 0.01))
    server.otherwise = fails(500)
    with pytest.raises(ModelFault):
        ask(provider(server, kind))
    assert len(server.asked) == 3


def test_a_server_that_says_nothing_is_late(
    server: ModelServer, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SILENT_SECONDS", 0.5)
    assert fault(server, kind, hangs()).cause == "late"
    assert fault(server, kind, hangs("half")).cause == "late"
    monkeypatch.setattr(stream, "WHOLE_SECONDS", 0.5)
    assert fault(server, kind, says("slow " * 99, pause=0.05)).cause == "late"


def test_nobody_there_is_offline(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(faults, "WAITS", ())
    nobody = Settings(agent_provider=kind, agent_url="http://127.0.0.1:9/v1")  # type: ignore[arg-type]
    with pytest.raises(ModelFault) as caught:
        ask(provider_of(nobody, {}))
    assert caught.value.cause == "offline"


def test_cancelling_closes_the_connection(server: ModelServer, kind: str) -> None:
    async def story() -> None:
        asked = provider(server, kind)
        with anyio.move_on_after(30) as scope:
            async with aclosing(asked.ask(ASKED)) as events:
                async for _ in events:
                    scope.cancel()
        assert scope.cancelled_caught
        await asked.close()

    server.script(says("one two three " * 200, pause=0.02))
    anyio.run(story)
    until(lambda: server.broke, "the server's answer ended")


# --- keys


def test_a_key_follows_no_redirect(server: ModelServer, kind: str) -> None:
    with model_server() as other:
        step = sends(b"", 307, Location=other.url + "/v1/messages")
        assert fault(server, kind, step).cause == "other"
        assert not other.asked


def test_no_key_is_a_sentence_before_anybody_is_asked(kind: str) -> None:
    with pytest.raises(ModelFault, match="agent_key_command") as caught:
        provider_of(Settings(agent_provider=kind), {})  # type: ignore[arg-type]
    assert caught.value.cause == "key" and key_variable("", kind) in str(caught.value)
    japanese = Settings(agent_provider=kind, language="ja")  # type: ignore[arg-type]
    with pytest.raises(ModelFault, match="鍵"):
        provider_of(japanese, {})


def test_the_key_comes_from_the_named_variable(server: ModelServer, kind: str) -> None:
    asked = provider_of(settings(server, kind, agent_key_variable="MINE"), {"MINE": " my-key\n"})
    ask(asked)
    assert "my-key" in server.asked[0].headers["authorization"]


def test_a_key_command_runs_once_and_again_when_its_key_is_refused(
    server: ModelServer, kind: str, tmp_path: Path
) -> None:
    count = tmp_path / "count"
    command = f"echo x >> {count}; echo key-$(wc -l < {count}); echo more; echo no >&2"
    asked = provider(server, kind, agent_key_command=command)

    async def story() -> None:
        await events_of(asked)
        await events_of(asked)
        server.script(fails(401, "authentication_error", "no key-1 here"))
        with pytest.raises(ModelFault) as caught:
            await events_of(asked)
        assert caught.value.cause == "key" and "key-1" not in str(caught.value)
        await events_of(asked)
        await asked.close()

    anyio.run(story)
    assert [a.headers["authorization"].split("-")[1] for a in server.asked] == ["1", "1", "1", "2"]


@pytest.mark.parametrize(
    ("command", "reason"),
    [("exit 3", "3"), ("true", "nothing"), ("yes secret", "too much"), ("sleep 600 & sleep 600", "too long")],
)  # fmt: skip
def test_a_key_command_that_fails_is_a_sentence_without_its_output(
    server: ModelServer, command: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "nagomi_tui.agent.providers.keys.COMMAND_SECONDS", 1.0 if "sleep" in command else 30
    )
    asked = provider(server, "anthropic", agent_key_command=command)
    with pytest.raises(ModelFault, match=reason) as caught:
        ask(asked)
    assert caught.value.cause == "key" and "secret" not in str(caught.value)
    assert not server.asked


def test_no_sdk_is_imported_before_a_model_is_asked() -> None:
    code = (
        "import sys, nagomi_tui.agent.providers.choose;"
        "print([name for name in ('anthropic', 'openai', 'httpx2', 'httpx') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
