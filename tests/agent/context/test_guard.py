"""The guard of the context window, against a server that has one (S-17…S-25, SB-3…SB-10)."""

from __future__ import annotations

import json
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.agent.context.sizes import estimate, shortened, tokens_in
from nagomi_tui.agent.context.summary import SYSTEM, pieces
from nagomi_tui.agent.context.window import ContextGuard
from nagomi_tui.agent.conversations.replay import begins_turn
from nagomi_tui.agent.providers.choose import provider_of
from nagomi_tui.agent.providers.interface import (
    Answered,
    ModelFault,
    ModelRequest,
    ToolSchema,
    Usage,
)
from nagomi_tui.settings.model import Settings
from tests.helpers.model_server import ModelServer, fails, model_server, says

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from tests.helpers.model_script import Step
    from tests.helpers.model_server import Asked

UNDERSTOOD = {
    "role": "assistant",
    "content": [{"type": "text", "text": "Understood, I have the context."}],
}
Saved = list[tuple[str, int]]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as serving:
        serving.tokens = measured
        serving.otherwise = answers
        yield serving


def measured(body: dict[str, Any]) -> int:
    """Count as a server might that is somewhat stricter than the estimate."""
    return int(tokens_in(json.dumps(body["messages"], ensure_ascii=False)) * 1.1)


def is_summary(asked: Asked) -> bool:
    return SYSTEM in str(asked.body.get("system"))


def answers(asked: Asked) -> Step:
    return says("What was said, in short." if is_summary(asked) else "the answer")


@asynccontextmanager
async def guarded(
    server: ModelServer, limit: int, save: Callable[[str, int], object]
) -> AsyncIterator[ContextGuard]:
    provider = provider_of(Settings(agent_url=server.url, agent_model="m"), {})
    try:
        yield ContextGuard(provider, limit=limit, save=save)
    finally:
        await provider.close()


def ask(
    server: ModelServer, request: ModelRequest, *, limit: int = 180_000, save: Any = None
) -> tuple[str, Saved]:
    saved: Saved = []

    async def story() -> str:
        keep = save or (lambda *told: saved.append(told))
        async with (
            guarded(server, limit, keep) as guard,
            aclosing(guard.ask(request)) as events,
        ):
            told = [event async for event in events]
        assert isinstance(told[-1], Answered)
        return str(told[-1].content[0]["text"])

    return anyio.run(story), saved


def turns(count: int, text: str = "words of a turn " * 20) -> list[dict[str, Any]]:
    spoken: list[dict[str, Any]] = []
    for at in range(count):
        spoken.append({"role": "user", "content": f"user {at}: {text}"})
        spoken.append({"role": "assistant", "content": [{"type": "text", "text": text}]})
    return spoken


def asking(messages: list[dict[str, Any]]) -> ModelRequest:
    return ModelRequest(system="s", messages=[*messages, {"role": "user", "content": "and now?"}])


def with_tool(size: int, at: int = 0) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"t{at}", "name": "look", "input": {}}
    seen = "HEAD" + "x y " * (size // 4) + "TAIL"
    result = {"type": "tool_result", "tool_use_id": f"t{at}", "content": seen}
    return [
        {"role": "user", "content": f"look {at}"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "seen"}]},
    ]


def sent(messages: list[dict[str, Any]]) -> str:
    return json.dumps(messages, ensure_ascii=False)


# --- stages


@pytest.mark.requirement("S-17", "S-18")
def test_a_request_that_fits_goes_out_as_it_is(server: ModelServer) -> None:
    request = asking(turns(3))
    before = list(request.messages)
    assert ask(server, request) == ("the answer", [])
    assert request.messages == before and len(server.asked) == 1
    assert server.asked[0].body["max_tokens"] == 8096 and "tools" not in server.asked[0].body


@pytest.mark.requirement("S-22", "SC-7", "SB-9")
def test_first_old_results_are_cut_with_head_and_end(server: ModelServer) -> None:
    request = asking([*with_tool(60_000), *with_tool(9_000, 1), *turns(1)])
    server.window = measured({"messages": request.messages}) - 1
    assert ask(server, request)[0] == "the answer"
    old, new = request.messages[2]["content"][0], request.messages[6]["content"][0]
    assert old["content"].startswith("HEAD") and old["content"].endswith("TAIL")
    assert "truncated (60008 chars total, showing first" in old["content"]
    assert len(old["content"]) < len(new["content"]) and "truncated" not in new["content"]
    assert not any(map(is_summary, server.asked)) and len(server.asked) == 2


@pytest.mark.requirement("X-8", "S-19", "S-23", "S-25", "SC-11")
def test_then_the_older_half_is_summed_up_in_place(server: ModelServer) -> None:
    request = asking(turns(20))
    before, server.window = list(request.messages), measured({"messages": request.messages}) - 1
    said, saved = ask(server, request)
    assert said == "the answer" and saved == [("What was said, in short.", 20)]
    head = {"role": "user", "content": "[Previous conversation summary]\nWhat was said, in short."}
    assert request.messages == [head, UNDERSTOOD, *before[20:]]
    assert "words of a turn" in str(next(filter(is_summary, server.asked)).messages)
    assert server.asked[-1].messages[-1]["content"][-1]["text"] == "and now?"


@pytest.mark.requirement("S-24", "SC-8")
def test_the_summary_is_asked_for_in_plain_text(server: ModelServer) -> None:
    request = asking([*with_tool(4_000), *turns(8)])
    server.window = measured({"messages": request.messages}) - 1
    ask(server, request)
    summary = next(filter(is_summary, server.asked)).body
    text = str(summary["messages"][0]["content"][0]["text"])
    assert summary["max_tokens"] == 2048 and len(summary["messages"]) == 1
    assert text.startswith("Summarize the following conversation concisely, preserving key facts")
    assert "[user]: look 0" in text and "[assistant called look]: {}" in text
    assert len(text.split("[tool_result]: ")[1].split("\n\n")[0]) == 500


@pytest.mark.requirement("S-21")
def test_other_faults_are_raised_and_nothing_is_shortened(server: ModelServer) -> None:
    request = asking([*with_tool(60_000), *turns(9)])
    before = list(request.messages)
    server.script(fails(401, "authentication_error", "authentication token invalid"))
    with pytest.raises(ModelFault) as caught:
        ask(server, request)
    assert caught.value.cause == "key" and request.messages == before and len(server.asked) == 1


@pytest.mark.requirement("S-3", "S-17", "S-21")
def test_after_three_tries_the_overflow_is_raised(server: ModelServer) -> None:
    too_long = fails(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")
    server.otherwise = lambda asked: answers(asked) if is_summary(asked) else too_long
    with pytest.raises(ModelFault) as caught:
        ask(server, asking([*with_tool(400_000), *turns(20)]), limit=900_000)
    assert caught.value.cause == "overflow"
    whole, shorter, summed = (asked for asked in server.asked if not is_summary(asked))
    assert measured(whole.body) > measured(shorter.body) > measured(summed.body)
    assert "truncated" in str(shorter.messages) and "truncated" not in str(whole.messages)
    assert "[Previous conversation summary]" in str(summed.messages)


@pytest.mark.requirement("SC-9")
def test_a_short_history_stays_as_it_is(server: ModelServer) -> None:
    request = asking(turns(1))
    before, server.window = list(request.messages), 10
    with pytest.raises(ModelFault):
        ask(server, request)
    assert request.messages == before and not any(map(is_summary, server.asked))


def test_what_summaries_use_is_counted_with_the_answer(server: ModelServer) -> None:
    request = asking(turns(20))
    server.window = measured({"messages": request.messages}) - 1

    async def story() -> Usage:
        async with guarded(server, 180_000, lambda *_: None) as guard:
            (*_, last) = [event async for event in guard.ask(request)]
            assert isinstance(last, Answered)
            return last.usage

    usage, answered = anyio.run(story), len(server.asked) - 1  # the first one was refused
    assert usage == Usage(input=10 * answered, output=5 * answered) and 1 < answered < 8
    assert Usage(cost=1.0) + Usage() == Usage(cost=1.0)
    assert (Usage(input=1, cost=1.0) + Usage(input=1)).cost is None


# --- where it is cut, and what is kept


@pytest.mark.requirement("SB-3")
def test_a_cut_never_parts_a_tool_from_its_result(server: ModelServer) -> None:
    for shift in range(5):
        history = turns(shift) + [m for at in range(9) for m in with_tool(900, at)] + turns(2)
        request = asking(history)
        server.window = measured({"messages": request.messages}) - 1
        _, saved = ask(server, request)
        assert saved and begins_turn(history[saved[0][1]])
        roles = [message["role"] for message in server.asked[-1].messages]
        assert all(one != other for one, other in zip(roles, roles[1:], strict=False))
        kept = sent(request.messages)
        assert kept.count('"tool_use"') == kept.count('"tool_result"')


@pytest.mark.requirement("SB-4")
def test_as_much_is_summed_up_as_is_needed_to_fit(server: ModelServer) -> None:
    request = asking(turns(10) + turns(6, "a much longer turn " * 400))
    server.window = 14_000
    said, saved = ask(server, request, limit=14_000)
    assert said == "the answer" and len(saved) == 1 and saved[0][1] > 16
    assert measured({"messages": request.messages}) < 14_000


@pytest.mark.requirement("SB-5")
def test_the_summary_is_kept_before_anything_is_replaced(server: ModelServer) -> None:
    request = asking(turns(20))
    before, server.window = list(request.messages), measured({"messages": request.messages}) - 1

    def full(*_: object) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        ask(server, request, save=full)
    assert request.messages == before


@pytest.mark.requirement("SB-6")
def test_a_summary_that_fails_drops_nothing(server: ModelServer) -> None:
    request = asking(turns(20))
    before, server.window = list(request.messages), measured({"messages": request.messages}) - 1
    refused = fails(400, "invalid_request_error", "no")
    for step in (refused, says(""), says("I cannot.", stop_reason="refusal")):
        server.otherwise = lambda asked, step=step: step if is_summary(asked) else answers(asked)
        saved: Saved = []
        with pytest.raises(ModelFault):
            ask(server, request, save=lambda *told, kept=saved: kept.append(told))
        assert request.messages == before and not saved


@pytest.mark.requirement("SB-7")
def test_no_summary_request_is_too_long_itself(server: ModelServer) -> None:
    request = asking(turns(30, "日本語の長い話が続きます。" * 60))
    server.window = 9_000
    said, saved = ask(server, request, limit=10_000)
    summaries = list(filter(is_summary, server.asked))
    assert said == "the answer" and saved and len(summaries) > len(saved)
    assert all(server.count(asked.body) <= server.window for asked in summaries)
    assert "[summary so far]: What was said, in short." in sent(summaries[1].messages)


@pytest.mark.requirement("SB-7")
def test_the_pieces_of_a_text_are_the_text() -> None:
    text = "\n".join(f"行 {at}: some words, そして日本語" for at in range(500)) + "x" * 9_000
    cut = list(pieces(text, 300))
    assert "".join(cut) == text and len(cut) > 10
    assert all(tokens_in(piece) <= 300 for piece in cut)


@pytest.mark.requirement("X-21")
def test_a_request_over_the_limit_is_never_sent(server: ModelServer) -> None:
    """Some servers cut silently what is too long, so that there is no error to wait for."""
    request = asking(turns(30))
    assert ask(server, request, limit=3_000)[0] == "the answer"
    told = [asked for asked in server.asked if not is_summary(asked)]
    assert len(told) == 1 and measured(told[0].body) <= 3_000
    assert told[0].body["max_tokens"] <= 750


def test_an_answer_that_began_is_not_asked_for_again(server: ModelServer) -> None:
    server.script(says("half", ending="error", error=("model_context_window_exceeded", "full")))
    with pytest.raises(ModelFault) as caught:
        ask(server, asking(turns(20)))
    assert caught.value.cause == "overflow" and len(server.asked) == 1


# --- by hand, and lightly


@pytest.mark.requirement("S-29")
def test_history_is_summed_up_by_hand(server: ModelServer) -> None:
    saved: Saved = []

    async def story() -> list[bool]:
        async with guarded(server, 180_000, lambda *told: saved.append(told)) as guard:
            return [
                await guard.compact(ModelRequest(system="", messages=turns(2))),
                await guard.compact(ModelRequest(system="", messages=turns(10))),
            ]

    assert anyio.run(story) == [False, True]
    assert saved == [("What was said, in short.", 10)]


LIGHT = "決定事項：色は青。\n未解決：期日。\n次の一手：見積もりを出す。" + "。" * 200


@pytest.mark.parametrize(
    ("count", "limit", "text", "done"),
    [
        (20, 180_000, LIGHT, False),
        (21, 180_000, LIGHT, True),
        (8, 1_200, LIGHT, True),
        (21, 180_000, "no headings", False),
    ],
)
@pytest.mark.requirement("X-8", "W-31", "W-32", "W-33")
def test_the_light_summary_keeps_four_messages(
    server: ModelServer, count: int, limit: int, text: str, done: bool
) -> None:
    server.otherwise = says(text)
    request = ModelRequest(system="s", messages=turns(count))
    before, saved = list(request.messages), Saved()

    async def story() -> bool:
        async with guarded(server, limit, lambda *told: saved.append(told)) as guard:
            return await guard.lighten(request)

    assert anyio.run(story) is done
    if not done:
        assert request.messages == before and not saved
        return
    assert saved == [(text, len(before) - 4)] and request.messages[2:] == before[-4:]
    asked = sent(server.asked[-1].messages)
    assert all(word in asked for word in ("200〜400字", "決定事項", "未解決", "次の一手"))


# --- estimates


@pytest.mark.requirement("SB-10")
def test_estimates_know_japanese_and_count_instructions_and_tools() -> None:
    assert 80 <= tokens_in("今日はとても良い天気ですね。" * 7) <= 130
    assert 11 <= tokens_in("The quick brown fox jumps over the lazy dog, and again. ") <= 20
    bare = ModelRequest(system="", messages=[{"role": "user", "content": "hi"}])
    tool = ToolSchema(name="look", description="Looks around. " * 20, parameters={"type": "object"})
    full = ModelRequest(system="Be kind. " * 50, messages=bare.messages, tools=(tool,))
    assert estimate(full) > estimate(bare) + 100


@pytest.mark.requirement("S-31")
def test_the_server_counts_where_it_matters(server: ModelServer) -> None:
    server.tokens = 10
    ask(server, asking(turns(30)), limit=3_000)
    assert server.counted and not any(map(is_summary, server.asked))
    server.tokens = None
    _, saved = ask(server, asking(turns(30)), limit=3_000)
    assert saved


@pytest.mark.requirement("SC-7")
def test_what_is_cut_out_is_told() -> None:
    text = shortened("a" * 700 + "b" * 9_000 + "c" * 300, 1_000)
    assert text.startswith("a" * 700 + "\n\n[... truncated (10000 chars total")
    assert text.endswith("]\n\n" + "c" * 300) and "bbb" not in text
    assert shortened("short", 1_000) == "short"
