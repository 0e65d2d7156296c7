"""The prompt's keys: those for the program, those that empty it, search and complete."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from textual.widgets._toast import Toast

from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.agents.slash_commands import slash_of
from nagomi_tui.api.messages import Answer, Press, Send
from nagomi_tui.judge.questions import Question
from nagomi_tui.sessions.session import Condition
from nagomi_tui.system import paths
from nagomi_tui.view.screens import prompt as prompts
from nagomi_tui.view.screens.open_question import typed_answers
from nagomi_tui.view.screens.prompt import HistorySearch, Prompt, complete
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

if TYPE_CHECKING:
    from pathlib import Path

ONE = session(1, "one")
ASKS = session(1, "one", phase=Condition.ATTENTION, waits=True, phase_since=time.time())
QUESTION = {
    "question_id": "q1",
    "text": "Proceed?",
    "choices": [{"key": "1", "label": "Yes"}, {"key": "2", "label": "No"}],
}
OPEN = {
    "verdict": {"state": "attention", "confidence": 0.9, "summary": ""},
    "rule": "", "question": None, "draft": "",
}  # fmt: skip
MENU = {"question_id": "q2", "text": "Which?", "options": ["red", "blue"]}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "SETTLE_SECONDS", 0.0)


async def chat(here: Visit) -> Prompt:
    await here.leader("v")
    await here.until(lambda: here.app.query(Prompt) and here.app.query_one(Prompt).has_focus)
    return here.app.query_one(Prompt)


def pressed(server: FakeOrchestrator) -> list[tuple[str, int]]:
    return [(press.key, press.mods) for press in server.told(Press)]


async def test_an_empty_prompt_hands_three_keys_to_the_program_unless_it_is_set_otherwise() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.press("escape", "ctrl+c", "shift+tab")
            await here.until(lambda: len(server.told(Press)) == 3)
            assert pressed(server) == [("escape", 0), ("c", 4), ("tab", 1)]
            assert prompt.has_focus and here.app.is_running
    with FakeOrchestrator(ONE, prompt_passes=False) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.press("escape", "ctrl+c", "shift+tab", "a")
            assert prompt.text == "a"
            assert pressed(server) == []


@pytest.mark.parametrize("keys", [("escape", "escape"), ("ctrl+c",)], ids=str)
async def test_text_is_emptied_by_two_escapes_or_ctrl_c_and_undo_brings_it_back(
    keys: tuple[str, ...],
) -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("a long thought")
            await here.press(*keys)
            assert prompt.text == ""
            await here.press("ctrl+z")
            assert prompt.text == "a long thought"
            await here.press("escape", "x", "escape")
            assert prompt.text == "a long thoughtx"
            assert pressed(server) == []


async def test_a_key_of_a_question_answers_with_enter_and_a_text_is_not_taken_for_one() -> None:
    with FakeOrchestrator(ASKS) as server:
        server.asked[ASKS.session_id] = OPEN | {"question": QUESTION}
        async with visit(server) as here:
            prompt = await chat(here)
            await here.sees("one asks: 1, 2 and Enter answers")
            await here.type("1 more thing")
            assert prompt.text == "1 more thing"
            await here.press("ctrl+c", "2")
            assert prompt.text == "2"
            await here.press("enter")
            await here.until(lambda: server.told(Answer))
            (told,) = server.told(Answer)
            assert (told.choice, told.question) == ("2", "q1")
            assert prompt.text == ""
            server.change(ASKS.session_id, phase=Condition.RUNNING)
            await here.misses("answers")
            await here.type("1")
            await here.press("enter")
            await here.until(lambda: server.told(Send))
            assert len(server.told(Answer)) == 1


async def test_a_question_that_appears_while_one_types_is_not_answered_by_what_is_typed() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await chat(here)
            await here.type("1")
            server.asked[ONE.session_id] = OPEN | {"question": QUESTION}
            asks = {"phase": Condition.ATTENTION, "waits": True, "phase_since": time.time()}
            server.change(ONE.session_id, **asks)
            await here.until(lambda: "q1" in str(here.app.query_one(Prompt)._keys))
            await here.press("enter")
            await here.sees("Nothing was sent", "│ 1 ")
            assert not server.told(Send) and not server.told(Answer)


@pytest.mark.parametrize(
    "keys", [("1", "enter"), ("enter",), ("down", "enter"), ("space",)], ids=str
)
@pytest.mark.parametrize("question", [QUESTION, MENU], ids=["choices", "menu"])
async def test_no_key_right_after_a_question_came_up_approves_it(
    question: dict[str, Any], keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompts, "SETTLE_SECONDS", 1000.0)

    with FakeOrchestrator(ASKS) as server:
        server.asked[ASKS.session_id] = OPEN | {"question": question}
        async with visit(server) as here:
            await chat(here)
            await here.sees("one asks:")
            await here.press(*keys)
            await here.press("x")
            assert not server.told(Answer)
            assert not {key for key, _ in pressed(server)} & {"enter", "space", "1"}


@pytest.mark.slow
async def test_where_it_is_set_a_key_answers_alone_after_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prompts, "PAUSE_SECONDS", 2.0)

    with FakeOrchestrator(ASKS, prompt_answers="pause") as server:
        server.asked[ASKS.session_id] = OPEN | {"question": QUESTION}
        async with visit(server) as here:
            prompt = await chat(here)
            await here.sees("one asks:")
            await here.press("1", "s", "t")
            await here.pilot.pause(2.5)
            assert prompt.text == "1st" and not server.told(Answer)
            await here.press("ctrl+c", "2")
            await here.until(lambda: server.told(Answer))
            assert server.told(Answer)[0].choice == "2" and prompt.text == ""


async def test_a_menu_for_the_arrow_keys_gets_them() -> None:
    with FakeOrchestrator(ASKS) as server:
        server.asked[ASKS.session_id] = OPEN | {"question": MENU}
        async with visit(server) as here:
            await chat(here)
            await here.sees("↑ ↓ Enter")
            await here.press("down", "enter")
            await here.until(lambda: len(server.told(Press)) == 2)
            assert pressed(server) == [("down", 0), ("enter", 0)]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"question": QUESTION}, "Ctrl+] y, then one of 1, 2 answers."),
        ({"question": MENU}, "Ctrl+] i gives the program the keys"),
        ({"draft": "half a thought"}, "“half a thought”. Nothing was sent; Ctrl+] i gives"),
    ],
    ids=["choice", "menu", "draft"],
)
async def test_a_refused_text_names_the_key_that_helps(found: dict[str, Any], said: str) -> None:
    with FakeOrchestrator(ONE) as server:
        server.refusals[Send] = "one asks: `nagomi answer` answers it."
        server.asked[ONE.session_id] = OPEN | found
        async with visit(server, (200, 30)) as here:
            prompt = await chat(here)
            await here.type("hello")
            await here.press("enter")
            await here.sees(said)
            assert prompt.text == "hello"


async def test_why_a_text_was_refused_is_told_until_the_question_is_answered() -> None:
    with FakeOrchestrator(ASKS) as server:
        server.refusals[Send] = "one asks: `nagomi answer` answers it."
        server.asked[ASKS.session_id] = OPEN | {
            "question": QUESTION | {"text": "Proceed with all?"}
        }
        async with visit(server, (80, 30)) as here:
            await chat(here)
            await here.type("hello")
            await here.press("enter")
            # In the bar it is cut, and so told by a toast, too.
            await here.until(lambda: bool(here.app.screen.query(Toast)))
            await here.sees("Nothing was sent")
            await here.press("ctrl+c", "1", "enter")
            await here.until(lambda: server.told(Answer))
            await here.misses("Nothing was sent")
            await here.until(lambda: not here.app.screen.query(Toast))


async def test_ctrl_r_searches_what_was_sent() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            here.app.parts.state.history[ONE.session_id] = ["make test", "make lint", "ls"]
            prompt = await chat(here)
            await here.type("draft")
            await here.press("ctrl+r")
            await here.type("make")
            await here.sees("search: make")
            assert prompt.text == "make lint"
            await here.press("ctrl+r")
            assert prompt.text == "make test"
            await here.press("escape")
            assert prompt.text == "draft"
            await here.press("ctrl+r", "l", "s", "enter")
            assert prompt.text == "ls"
            assert not server.told(Send)


def test_a_search_goes_back_and_says_when_nothing_fits() -> None:
    search = HistorySearch(["Make test", "ls", "make test", "make test", "make lint"], "draft")
    assert search.found is None
    search.type("m")
    assert search.found == "make lint"
    search.type("t")
    assert (search.found, search.fails) == ("make lint", True)
    search.erase()
    search.older()
    assert (search.found, search.fails) == ("make test", False)
    search.older()
    assert search.found == "Make test"
    search.older()
    assert search.found == "Make test"


async def test_tab_completes_a_file_and_goes_through_several(tmp_path: Path) -> None:
    for name in ("report.md", "report.txt", "notes"):
        (tmp_path / name).touch()

    with FakeOrchestrator(session(1, "one", cwd=str(tmp_path))) as server:
        async with visit(server) as here:
            prompt = await chat(here)
            await here.type("read no")
            await here.press("tab")
            assert prompt.text == "read notes "
            await here.type("and re")
            await here.press("tab")
            assert prompt.text == "read notes and report."
            await here.sees("report.md  report.txt")
            await here.press("tab", "tab")
            assert prompt.text == "read notes and report.txt"
            await here.press("tab")
            assert prompt.text == "read notes and report.md"


@pytest.mark.parametrize("named", [{"agent": "claude"}, {"judge_profile": "claude"}], ids=str)
def test_completion_knows_files_behind_an_at_folders_and_the_agents_commands(
    named: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (work / "a file").touch()
    (work / ".hidden").touch()
    (work / ".claude" / "commands").mkdir(parents=True)
    (work / ".claude" / "commands" / "comb.md").touch()
    claude = session(1, "c", cwd=str(work), **named)
    assert complete("look at @sr", claude).offers == ("@src/",)
    assert complete("@", claude).offers == ("@a\\ file", "@src/")
    assert complete("see a\\ f", claude).offers == ("a\\ file",)
    (work / ".claude" / "commands" / "comma").mkdir()
    assert complete("/com", claude).offers == ("/comb", "/compact")
    assert complete("/com", claude).common == "/com"
    far = session(1, "far", cwd=str(work), worker_id="there", **named)
    assert complete("/com", far).offers == ("/compact",)
    assert complete("/com", session(1, "sh", cwd=str(work))).offers == ()
    assert complete(f"{work}/s", claude).offers == (f"{work}/src/",)
    assert complete("word ", claude).offers == ()
    assert complete("x", session(1, "gone", cwd=str(tmp_path / "gone"))).offers == ()
    elsewhere = session(1, "c", cwd=str(tmp_path), folder=str(work), **named)
    assert complete("see a", elsewhere).offers == ("a\\ file",)
    assert complete("/com", elsewhere).offers == ("/comb", "/compact")


def test_completion_knows_skills_and_commands_where_each_agent_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder in (
        "home/.agents/skills/mine",
        "work/.kimi-code/skills/ours",
        "work/.gemini/commands",
    ):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "work" / ".gemini" / "commands" / "mix.toml").touch()
    (tmp_path / "work" / ".gemini" / "commands" / "mid.txt").touch()
    gemini, kimi = (
        session(1, "s", cwd=str(tmp_path / "work"), agent=agent) for agent in ("gemini", "kimi")
    )
    assert complete("/mi", gemini).offers == ("/mine", "/mix")
    assert complete("/skill:", kimi).offers == ("/skill:mine", "/skill:ours")
    without = {agent for agent in AGENTS if not slash_of(agent).commands}
    assert without == {"amp", "crush", "vibe", "cursor-agent", "auggie"}


@pytest.mark.parametrize(
    ("adds", "offered"), [("true", ("/com", "/compact")), ("false", ("/com",))]
)
def test_a_file_of_the_users_lists_commands_beside_the_shipped_ones_or_alone(
    adds: str, offered: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = paths.config_folder() / "agents" / "claude.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'name = "claude"\nkind = "agent"\nadds = {adds}\n[slash]\ncommands = "com"\n')
    claude = session(1, "c", cwd=str(tmp_path), agent="claude")
    assert complete("/com", claude).offers == offered
    file.write_text("[slash]\ncommands = 1\n")
    assert complete("/comp", claude).offers == ("/compact",)


def test_enter_is_named_once_where_it_is_a_choice_too() -> None:
    choices = [{"key": key, "label": ""} for key in ("y", "n", "enter")]
    question = msgspec.convert({"question_id": "a", "text": "Go on?", "choices": choices}, Question)
    assert typed_answers(question) == "y, n and Enter"
    alone = msgspec.structs.replace(question, choices=question.choices[2:])
    assert typed_answers(alone) == "Enter"
