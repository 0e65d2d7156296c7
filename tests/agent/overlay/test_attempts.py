"""The directive in every attempt of a request: sent, too long, shortened, summed up, sent again."""

from __future__ import annotations

import json
from contextlib import aclosing
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.agent.context.sizes import tokens_in
from nagomi_tui.agent.context.summary import SYSTEM
from nagomi_tui.agent.context.window import ContextGuard
from nagomi_tui.agent.conversations.replay import begins_turn
from nagomi_tui.agent.overlay import directive, overlaid
from nagomi_tui.agent.providers.choose import provider_of
from nagomi_tui.agent.providers.interface import ModelRequest
from nagomi_tui.settings.model import Settings
from tests.helpers.model_server import ModelServer, model_server, says

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.helpers.model_server import Asked

WORDS = "words of a turn " * 60
NOW = "and now?"


def _measured(body: dict[str, Any]) -> int:
    return tokens_in(json.dumps(body["messages"], ensure_ascii=False))


def _is_summary(asked: Asked) -> bool:
    return SYSTEM in str(asked.body.get("system"))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as serving:
        serving.tokens = _measured
        serving.otherwise = lambda asked: says("in short" if _is_summary(asked) else "the answer")
        yield serving


def _turn_with_tools(turns: int, rounds: int) -> list[dict[str, Any]]:
    """Return a history, and a turn that is in the middle of using tools."""
    said: list[dict[str, Any]] = []
    for _ in range(turns):
        said.append({"role": "user", "content": WORDS})
        said.append({"role": "assistant", "content": [{"type": "text", "text": WORDS}]})
    said.append({"role": "user", "content": NOW})
    for at in range(rounds):
        use = {"type": "tool_use", "id": f"t{at}", "name": "look", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{at}", "content": WORDS}
        said.append({"role": "assistant", "content": [use]})
        said.append({"role": "user", "content": [result]})
    return said


def _ask(server: ModelServer, messages: list[dict[str, Any]]) -> list[int]:
    """Ask through the guard, and return of how many messages each summary is."""
    cuts: list[int] = []

    async def story() -> None:
        provider = provider_of(Settings(agent_url=server.url, agent_model="m"), {})
        guard = ContextGuard(
            provider,
            limit=180_000,
            save=lambda _, cut: cuts.append(cut),
            finish=lambda request: overlaid(request, directive()),
        )
        request = ModelRequest(system="s", messages=list(messages))
        async with aclosing(guard.ask(request)) as events:
            assert [event async for event in events]
        await provider.close()

    anyio.run(story)
    return cuts


@pytest.mark.parametrize(("turns", "rounds"), [(2, 2), (2, 4), (5, 0), (5, 3), (3, 6), (8, 1)])
@pytest.mark.requirement("W-20", "WB-2", "WB-4", "X-5")
def test_each_attempt_has_it_before_what_the_user_says_and_no_summary_has(
    server: ModelServer, turns: int, rounds: int
) -> None:
    messages = _turn_with_tools(turns, rounds)
    server.window = int(_measured({"messages": messages}) * 0.9)
    cuts = _ask(server, messages)
    attempts = [asked for asked in server.asked if not _is_summary(asked)]
    assert len(attempts) >= 2 and cuts
    for asked in attempts:
        roles = [message["role"] for message in asked.messages]
        assert all(one != other for one, other in pairwise(roles))
        (said,) = [one for one in asked.messages if NOW in json.dumps(one)]
        texts = [block["text"] for block in said["content"] if block["type"] == "text"]
        assert texts == [directive(), NOW]
    for asked in server.asked:
        if _is_summary(asked):
            assert "仕事モード" not in json.dumps(asked.body, ensure_ascii=False)
    assert all(begins_turn(messages[cut]) for cut in cuts)
