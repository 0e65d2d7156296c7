"""Hooks are offered where they are missed: in the bar, in the welcome, and before a restart."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from nagomi_tui.agents.hooks import files, offers
from nagomi_tui.agents.hooks.plan import AGENTS
from nagomi_tui.api.messages import Restart
from nagomi_tui.sessions.session import Condition, State
from nagomi_tui.system import paths
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

if TYPE_CHECKING:
    from tests.helpers.app_pilot import Visit

QUESTION = "Let Claude Code tell its state?"
WEB = session(1, "web", cmd="claude", agent="claude", turn=3)
SHELL = session(2, "shell")


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own settings of agents, and answers."""
    for name in ("HOME", "NAGOMI_HOME"):
        (tmp_path / name).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(tmp_path / name))


def settings() -> Path:
    """Where Claude Code's hooks are."""
    return Path.home() / ".claude/settings.json"


def answers() -> dict[str, float | None]:
    path = paths.state_folder() / "hook-answers.json"
    return msgspec.json.decode(path.read_bytes()) if path.exists() else {}


def install(name: str) -> None:
    for part in AGENTS[name].parts:
        files.carry_out(files.install(part, project=False))


async def rests(here: Visit) -> None:
    """Wait until the agent in front was looked at."""
    handlers = here.app.parts.hooks
    await here.until(lambda: handlers._known and handlers._looking is None)


@pytest.mark.parametrize("size", [(80, 24), (60, 40), (120, 35), (200, 50)])
async def test_the_first_session_of_an_agent_asks_in_the_bar(size: tuple[int, int]) -> None:
    with FakeOrchestrator(WEB, SHELL) as server:
        async with visit(server, size) as here:
            await here.sees(f"{QUESTION} Ctrl+] H · later · never")
            here.app.parts.go_to(SHELL.session_id)
            await here.misses(QUESTION)
            await here.sees("Ctrl+] menu")


async def test_the_key_shows_what_would_be_written_and_enter_writes_nothing() -> None:
    with FakeOrchestrator(WEB) as server:
        async with visit(server, (80, 24)) as here:
            await here.sees(QUESTION)
            await here.leader("H")
            await here.sees("~/.claude/settings.json", "a new file of", "takes it out again")
            assert "UserPromptSubmit" not in here.text()
            await here.press("w")
            await here.sees('+  "hooks": {', "SessionStart")
            await here.press("pagedown", "pagedown")
            await here.sees("PostCompact")
            await here.press("enter")
            await here.misses(QUESTION)
            assert not settings().exists()
            until = answers()["claude"]
            assert until is not None and time.time() < until <= time.time() + offers.LATER


async def test_where_the_question_has_no_room_its_key_and_answers_stay() -> None:
    with FakeOrchestrator(session(1, "web", cmd="claude", agent="claude", turn=3)) as server:
        async with visit(server, (50, 24)) as here:
            await here.sees("Ctrl+] H tell state · later · never")


@pytest.mark.parametrize(("name", "title"), [("claude", "Claude Code"), ("codex", "Codex")])
async def test_h_writes_the_hooks_and_nobody_asks_again(name: str, title: str) -> None:
    one = session(1, "web", cmd=name, agent=name, turn=3)
    with FakeOrchestrator(one) as server:
        async with visit(server) as here:
            await here.sees(f"Let {title} tell its state?")
            await here.leader("H")
            await here.sees("Write it (h)")
            await here.press("h")
            await here.sees(f"{title}: the hooks are written.")
            assert files.status(AGENTS[name], project=False) == "installed"
            await rests(here)
            assert f"Let {title}" not in here.text() and not answers()
            await here.leader("H")
            await here.sees(f"{title} can tell nagomi its state already.")


@pytest.mark.parametrize("word", ["later", "never"])
async def test_a_word_in_the_bar_puts_it_off(word: str) -> None:
    with FakeOrchestrator(WEB) as server:
        async with visit(server) as here:
            await here.sees(QUESTION)
            line = here.lines()[-1]
            await here.pilot.click(offset=(line.index(word) + 1, len(here.lines()) - 1))
            await here.misses(QUESTION)
            assert (answers()["claude"] is None) is (word == "never")
        async with visit(server) as here:
            await rests(here)
            assert QUESTION not in here.text()


async def test_a_day_later_it_is_asked_again() -> None:
    offers.put_off(["claude"], for_ever=False)
    assert not offers.to_offer(["claude"])
    path = paths.state_folder() / "hook-answers.json"
    path.write_bytes(msgspec.json.encode({"claude": time.time() - 1}))
    assert offers.to_offer(["claude"]) == ("claude",)
    path.write_text("no JSON")
    assert offers.to_offer(["claude", "bash"]) == ("claude",)


@pytest.mark.parametrize(
    "values",
    [
        {"agent": "amp", "cmd": "amp"},
        {"worker_id": "big"},
        {"state": State.EXITED, "exit_code": 0},
    ],
    ids=["without hooks", "on a hand", "ended"],
)
async def test_nothing_is_offered_where_it_would_not_help(values: dict[str, object]) -> None:
    one = session(1, "web", **{"cmd": "claude", "agent": "claude", **values})
    with FakeOrchestrator(one, session(2, "two", cmd="claude", agent="claude")) as server:
        async with visit(server) as here:
            here.app.parts.go_to(session(2, "two").session_id)
            await here.sees(QUESTION)
            here.app.parts.go_to(one.session_id)
            await here.misses("tell its state?")


async def test_hooks_of_the_project_count(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    change = files.install(AGENTS["claude"], project=False)
    (tmp_path / AGENTS["claude"].hooks.project_file).write_text(change.after or "")
    assert offers.to_offer(["claude"], str(tmp_path)) == ()
    assert offers.to_offer(["claude"], str(tmp_path.parent)) == ("claude",)


async def test_a_file_that_cannot_be_written_is_told_and_left(tmp_path: Path) -> None:
    with FakeOrchestrator(WEB) as server:
        async with visit(server) as here:
            await here.sees(QUESTION)
            settings().parent.mkdir()
            settings().write_text("{ broken")
            await here.leader("H")
            await here.sees("settings.json is broken")
            assert settings().read_text() == "{ broken"


@pytest.mark.parametrize(
    ("language", "answers"),
    [
        ("en", ("Hooks (h)", "Not now (n)", "Start again (y)")),
        ("ja", ("フック (h)", "やめておく (n)", "もう一度始める (y)")),
    ],
)
async def test_no_answer_of_a_dialog_is_cut(language: str, answers: tuple[str, ...]) -> None:
    with FakeOrchestrator(WEB) as server:
        server.settings["language"] = language
        async with visit(server, (80, 24)) as here:
            await here.leader("r")
            await here.sees(*answers)


async def test_a_restart_says_that_the_conversation_is_lost_and_offers_the_hooks() -> None:
    with FakeOrchestrator(WEB) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("r")
            await here.sees("Its conversation would be lost", "Hooks (h)", "Not now (n)")
            await here.press("h")
            await here.sees("Write it (h)")
            await here.press("h")
            await here.sees("the hooks are written")
            assert settings().exists() and not server.told(Restart)
            await here.leader("r")
            await here.sees("Start again?")
            assert "lost" not in here.text() and "(h)" not in here.text()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"cmd": "bash", "agent": "", "judge_profile": "claude"}, "started in it by hand"),
        ({"turn": 0, "phase": Condition.IDLE}, ""),
        ({"cmd": "bash", "agent": "", "judge_profile": "shell"}, ""),
    ],
    ids=["typed into a shell", "nothing asked yet", "a shell"],
)
async def test_a_restart_says_what_else_is_lost(values: dict[str, object], said: str) -> None:
    one = session(1, "web", **{"cmd": "claude", "agent": "claude", "turn": 3, **values})
    with FakeOrchestrator(one) as server:
        async with visit(server) as here:
            await here.leader("r")
            await here.sees("Start again?", said)
            assert "lost" not in here.text() and "Hooks (h)" not in here.text()


@pytest.mark.parametrize("size", [(80, 24), (60, 40)])
async def test_the_welcome_offers_the_hooks_of_the_agents_that_are_there(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("claude", "codex"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    with FakeOrchestrator(SHELL) as server:
        async with visit(server, size, welcome=True) as here:
            await here.sees("Welcome.", "Let your agents tell their state? (h)", "Begin")
            await here.press("h")
            await here.sees("~/.claude/settings.json", "~/.codex/hooks.json", "Codex asks at")
            await here.press("h")
            await here.misses("tell their state?")
            await here.sees("Begin")
            assert {files.status(AGENTS[name], project=False) for name in ("claude", "codex")} == {
                "installed"
            }
