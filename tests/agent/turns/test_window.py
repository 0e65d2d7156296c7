"""What is told, kept and counted while a conversation is made to fit into the model's window."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.agent.context.sizes import tokens_in
from nagomi_tui.agent.context.summary import SYSTEM
from nagomi_tui.agent.context.window import fits_form
from nagomi_tui.agent.providers import faults
from nagomi_tui.agent.providers.interface import ModelFault
from nagomi_tui.agent.providers.models import SPENT_FILE, Ledger
from nagomi_tui.agent.talk.events import Notice, Stage
from nagomi_tui.agent.turns.local import open_talk
from nagomi_tui.agent.turns.models import sentence_of
from nagomi_tui.system import paths
from nagomi_tui.text.words import of
from tests.helpers.agent_library import ended, library, said, talk
from tests.helpers.model_server import breaks_off, calls, fails, says

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.talk.events import TurnEvent
    from nagomi_tui.agent.turns.local import LocalTalk
    from tests.helpers.model_server import Asked, ModelServer

TOO_LONG = fails(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")


def measured(body: dict[str, Any]) -> int:
    return tokens_in(json.dumps(body["messages"], ensure_ascii=False))


def is_summary(asked: Asked) -> bool:
    return SYSTEM in str(asked.body.get("system"))


def chats(server: ModelServer) -> list[Asked]:
    return [asked for asked in server.asked if not is_summary(asked)]


def stages(events: list[TurnEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, Stage)]


def compactions(one: LocalTalk) -> int:
    found = list(paths.state_folder().rglob(f"{one.status.conversation}.meta.jsonl"))
    return sum(b'"compaction"' in line for path in found for line in path.read_bytes().split(b"\n"))


def agent_file(name: str, text: str) -> None:
    folder = paths.make_private(paths.state_folder()) / "agent"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / name).write_text(text)


# --- too long


@pytest.mark.requirement("SB-4", "S-21")
async def test_what_no_summary_can_help_is_refused_at_once(server: ModelServer) -> None:
    """A server with less room than the prompt and the tools take, such as a small local model."""
    async with talk(server) as one:
        for count in range(8):
            await said(one, f"line {count} " * 5)
        before = len(server.asked)
        server.otherwise = lambda asked: says("short") if is_summary(asked) else TOO_LONG
        events = await said(one, "and now?")
        assert ended(events).outcome == "failed" and "This is too long" in ended(events).text
        assert len(server.asked) - before <= 3 and compactions(one) == 0
        again = len(server.asked)
        assert ended(await said(one, "and now?")).outcome == "failed"
        assert len(server.asked) - again == 1, "the server may have been given more room meanwhile"
        assert compactions(one) == 0
        server.otherwise = says("ok")
        assert ended(await said(one, "and now?")).outcome == "done"
        assert "line 0" in str(server.asked[-1].messages), "nothing was lost"


@pytest.mark.slow
@pytest.mark.requirement("SB-5", "SB-6")
async def test_a_summary_is_kept_only_once_the_answer_begins(server: ModelServer) -> None:
    async with talk(server) as one:
        for count in range(8):
            await said(one, f"line {count} " * 900)
        server.tokens, server.window = measured, 9_000
        assert measured({"messages": server.asked[-1].messages}) > server.window
        server.otherwise = lambda asked: says("in short") if is_summary(asked) else fails(401)
        assert ended(await said(one, "and now?")).outcome == "failed"
        assert any(map(is_summary, server.asked)) and compactions(one) == 0
        server.otherwise = says("in short")
        events = await said(one, "and now?")
        assert ended(events).outcome == "done" and compactions(one) == 1
    told = stages(events)
    assert [line.split(":")[0] for line in told][:1] == ["… too long for the model"]
    assert any("summing up the first" in line for line in told) and "full to" in told[-1]


@pytest.mark.requirement("S-19")
async def test_a_cut_is_remembered_for_the_next_turn(server: ModelServer) -> None:
    agent_file("big.txt", "some words of it\n" * 9_000)
    reads = calls("read_file", {"path": "big.txt", "count": 5000})
    server.tokens, server.window = measured, 12_000
    async with talk(server) as one:
        server.script(reads)
        events = await said(one, "Read it")
        assert ended(events).outcome == "done"
        assert any("the results of tools are cut to" in line for line in stages(events))
        cut = str(server.asked[-1].messages[2])
        before = len(server.asked)
        assert not stages(await said(one, "And now?"))
        assert len(server.asked) == before + 1, "nothing was refused again"
        assert str(server.asked[-1].messages[2])[:2_000] == cut[:2_000], "a cache can hold it"


@pytest.mark.requirement("X-21")
@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("/v1/models", {"data": [{"id": "other", "max_model_len": 900}, {"id": "mame", "max_model_len": 4096}]}),
        ("/v1/models", {"data": [{"id": "mame", "top_provider": {"context_length": 4096}}]}),
        ("/props", {"default_generation_settings": {"n_ctx": 4096}}),
        ("/api/v0/models", {"data": [{"id": "mame", "max_context_length": 9000, "loaded_context_length": 4096}]}),
        ("/info", {"max_input_tokens": 4096, "max_total_tokens": 5000}),
        ("/api/ps", {"models": [{"name": "mame:latest", "context_length": 4096}]}),
    ],
)  # fmt: skip
async def test_a_server_is_asked_for_its_own_limit(
    server: ModelServer, place: str, found: dict[str, Any]
) -> None:
    server.places[place] = found
    async with talk(server) as one:
        assert one.status.limit == 180_000
        await said(one, "Hello")
        assert one.status.limit == 4096
        assert server.asked[0].body["max_tokens"] == 1024, "known before the first request"


@pytest.mark.requirement("X-21")
async def test_the_limit_in_the_settings_goes_before_the_server_s(server: ModelServer) -> None:
    server.places["/v1/models"] = {"data": [{"id": "mame", "max_model_len": 4096}]}
    async with library(server, agent_context_limit=9000) as made, open_talk(made, of("en")) as one:
        await said(one, "Hello")
        assert one.status.limit == 9000


@pytest.mark.requirement("X-21")
async def test_what_is_longer_than_the_settings_allow_is_not_sent(server: ModelServer) -> None:
    server.tokens = None
    async with (
        library(server, agent_context_limit=12_000) as made,
        open_talk(made, of("en")) as one,
    ):
        await said(one, "Hello")
        told = ended(await said(one, "word " * 30_000))
        assert told.outcome == "failed" and "`agent_context_limit`" in told.text
        assert "> 12,000" in told.text and len(server.asked) == 1
        assert ended(await said(one, "Hello again")).outcome == "done"


# --- answers that are not whole


@pytest.mark.requirement("SB-8")
@pytest.mark.parametrize(
    ("reason", "notice"),
    [
        ("model_context_window_exceeded", "window was full"),
        ("max_tokens", "cut at its longest"),
        ("refusal", "declined"),
        ("insufficient_system_resource", "stopped before the answer was whole"),
    ],
)
async def test_an_answer_that_is_not_whole_says_so(
    server: ModelServer, reason: str, notice: str
) -> None:
    server.script(says("Half of", stop_reason=reason))
    async with talk(server) as one:
        events = await said(one, "Tell me")
    assert notice in "".join(event.text for event in events if isinstance(event, Notice))


async def test_tools_of_an_answer_that_broke_off_are_not_used(server: ModelServer) -> None:
    call = calls("write_file", {"path": "a.md", "text": "hi\n"}, stop_reason="refusal")
    server.script(says("I write.") + call)
    async with talk(server) as one:
        events = await said(one, "Write it", "once")
    assert ended(events).outcome == "done" and len(server.asked) == 1
    assert not (paths.state_folder() / "agent" / "a.md").exists()


# --- nothing waits in silence


async def test_a_retry_is_told_with_its_wait(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "WAITS", (0.01, 0.02, 0.03))
    server.script(fails(529, "overloaded_error"), fails(429, "rate_limit_error", retry_after=0.02))
    async with talk(server, "en") as one:
        assert stages(await said(one, "Hello")) == [
            "… the server is overloaded or down; again in 0 s",
            "… the server takes no more requests for now; again in 0 s",
        ]
    server.script(fails(429, "rate_limit_error", "slow down", retry_after=120))
    async with talk(server, "en") as one:
        assert "no more requests for 120 s" in ended(await said(one, "Hello")).text


# --- nothing costs unseen


@pytest.mark.requirement("W-31")
async def test_a_light_summary_that_fails_is_not_made_each_turn(server: ModelServer) -> None:
    server.otherwise = lambda asked: says("nothing of use" if is_summary(asked) else "ok")
    async with talk(server) as one:
        for count in range(30):
            await said(one, f"line {count}")
            await settled(one)
        assert len(list(filter(is_summary, server.asked))) == 1
        lines = (await one.command("/cost")).lines
    tokens = 30 * 10 + 10
    assert lines[0].startswith(f"Tokens: {tokens} in")
    assert any(line.startswith("  summaries: 1 requests, 15 tokens") for line in lines)


async def settled(one: LocalTalk) -> None:
    """Wait until what follows a turn has ended."""
    with anyio.fail_after(20):
        await one._lightened.wait()


@pytest.mark.requirement("W-32")
def test_a_light_summary_may_be_in_any_language() -> None:
    for text in (
        "## Decisions\nblue\n\n## Open\ndate\n\n## Next step\nestimate",
        "**Decided**: a\n**Open**: b\n**Next**: c" + " word" * 180,
        "Entscheidungen: blau.\nOffen: Datum\nNächster Schritt: Angebot",
        "【決定】青\n【未解決】期日\n【次の一手】見積もり",
    ):
        assert fits_form(text), text
    for text in ("We talked, and it was fine.", "## One\nx\n## Two\ny", "## A\n" * 3 + "字" * 900):
        assert not fits_form(text), text[:40]


async def test_all_that_asks_the_model_is_counted(server: ModelServer) -> None:
    priced = {"agent_model": "claude-sonnet-5-5"}
    async with library(server, **priced) as made, open_talk(made, of("en")) as one:
        await said(one, "Hello")
        server.script(breaks_off("half of it"))
        await said(one, "Hello")
        await made.questions.ask("Well?", "en")
        told = "\n".join((await one.command("/cost")).lines)
    assert "conversations: 2 requests" in told and "single questions: 1 requests" in told
    today = Ledger(paths.state_folder() / SPENT_FILE).today()
    assert today.routes["chat"].tokens > 15, "an answer that broke off costs, too"
    assert today.cost > 0


async def test_the_day_s_money_is_a_limit_for_all(server: ModelServer) -> None:
    priced = {"agent_model": "claude-sonnet-5-5", "agent_cost_per_day": 0.00002}
    async with library(server, **priced) as made, open_talk(made, of("en")) as one:
        assert ended(await said(one, "Hello")).outcome == "done"
        refused = ended(await said(one, "Hello"))
        assert refused.outcome == "failed" and "agent_cost_per_day" in refused.text
    assert len(server.asked) == 1


async def test_a_model_without_prices_counts_as_the_dearest_and_that_is_said(
    server: ModelServer,
) -> None:
    async with library(server, agent_cost_per_day=0.0005) as made, open_talk(made, of("en")) as one:
        events = await said(one, "Hello")
        notices = [event.text for event in events if isinstance(event, Notice)]
        assert len(notices) == 1 and "What mame costs is not known" in notices[0]
        asked = await made.questions.ask("And you?", "en")
        assert any("What mame costs is not known" in note for note in asked.notes)
        assert made.models.ledger.today().cost == 0 < made.models.ledger.today().assumed
        assert "as with the dearest model that is: $0.0" in (await one.command("/cost")).lines[-1]
        events, sent = await said(one, "Hello " * 400), len(server.asked)
        assert not [event for event in events if isinstance(event, Notice)], "it was said once"
        refused = ended(await said(one, "Hello"))
        assert refused.outcome == "failed" and "`models.toml`" in refused.text
        with pytest.raises(ModelFault) as caught:
            await made.questions.ask("And you?", "ja")
        assert "いちばん高いモデル" in sentence_of(caught.value, of("ja"))
        assert len(server.asked) == sent
        table = paths.make_private(paths.config_folder()) / "models.toml"
        table.write_text('[[model]]\nnames = ["mame"]\ninput = 0\noutput = 0\n')
        assert made.models.unpriced_note(of("en")) == ""


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"day": 7}', b"\xff"])
def test_a_broken_count_begins_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "spent").write_bytes(content)
    assert Ledger(tmp_path / "spent").today().routes == {}
