"""Prompts: what elevates, what stops, and what the agent is told."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from nagomi_tui.guard.decide.documents import (
    Config,
    Features,
    Flags,
    Git,
    Mode,
    Protocol,
    State,
    Task,
    Todo,
    Todos,
    Windows,
)
from nagomi_tui.guard.decide.events import Decision, Prompt
from nagomi_tui.guard.decide.prompt import on_prompt
from nagomi_tui.guard.hook.events import is_bypassed

QUIET = Config(features=Features(auto_ultrathink=False))
MINE = (Todo(content="mine"),)


def _say(text: str, state: State | None = None, config: Config = QUIET) -> Decision:
    return on_prompt(Prompt(text=text), state or State(), config)


def _lines(state: State) -> list[str]:
    return [todo.content for todo in state.todos.active]


@pytest.mark.requirement("D-2", "D-7", "D-8", "D-32", "DC-10")
def test_a_phrase_begins_implementation() -> None:
    done = _say("yert")
    assert done.state.mode is Mode.IMPLEMENTATION
    assert done.context == (
        "[DAIC: Implementation Mode Activated]\n"
        "CRITICAL RULES:\n"
        "- Convert your proposed todos to TodoWrite EXACTLY as written\n"
        "- Do NOT add new todos - only implement approved items\n"
        "- Do NOT remove todos - complete them or return to discussion\n"
        "- Check off each todo as you complete it\n"
        "- If you discover you need to change your approach, return to discussion mode using the "
        "API command\n"
        "- Todo list defines your execution boundary\n"
        "- When all todos are complete, you'll auto-return to discussion",
    )


@pytest.mark.requirement("D-32")
def test_in_implementation_the_phrase_says_nothing_new() -> None:
    state = State(mode=Mode.IMPLEMENTATION)
    assert _say("yert", state) == Decision(state=state)


@pytest.mark.requirement("DB-6")
def test_a_prompt_that_nobody_typed_elevates_nothing() -> None:
    prompt = Prompt(text="yert", typed=False)
    assert on_prompt(prompt, State(), Config()) == Decision(state=State())


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.requirement("D-33", "X-17", "DC-11")
def test_the_stop_works_in_any_mode(mode: Mode) -> None:
    state = State(
        mode=mode,
        active_protocol=Protocol.CREATE,
        api=Windows(todos_clear=True),
        todos=Todos(active=MINE, stashed=MINE),
    )
    done = _say("SILENCE yert", state)
    assert done.state == State(todos=Todos(stashed=MINE))
    assert done.context == (
        "[DAIC: EMERGENCY STOP] All tools locked. You are now in discussion mode. "
        "Re-align with your pair programmer.",
    )


@pytest.mark.requirement("D-48", "DC-8")
def test_longer_thinking_comes_first_but_not_before_commands() -> None:
    assert _say("hello", config=Config()).context == ("[[ ultrathink ]]\n\n",)
    (told,) = _say("yert", config=Config()).context
    assert told.startswith("[[ ultrathink ]]\n\n[DAIC: Implementation Mode Activated]\n")
    for command in ("/mode", "/state x", "/config", "/add-trigger y", "/remove-trigger"):
        assert _say(command, config=Config()).context == ()


@pytest.mark.requirement("DC-12", "DC-16", "D-34", "D-58")
def test_making_a_task() -> None:
    done = _say("mek: parser", State(todos=Todos(active=MINE)))
    assert done.state.mode is Mode.IMPLEMENTATION and done.state.active_protocol is Protocol.CREATE
    assert done.state.todos.stashed == MINE
    assert _lines(done.state) == [
        "Create task file from template with appropriate priority, type, and structure",
        "Ask user about task success and propose success criteria",
        "Run context-gathering agent to create context manifest",
        "Update appropriate service index files",
        "Commit the new task file",
    ]
    (told,) = done.context
    assert told.startswith("[Task Creation Notice]\n")
    assert (
        "Your previous todos have been stashed and will be restored after task creation is "
        "complete." in told
    )
    assert (
        "## Protocol Todos\n<!-- Use TodoWrite to add these todos exactly as written -->\n□ C"
        in told
    )


@pytest.mark.parametrize(
    ("git", "file", "commit", "push"),
    [
        ({}, "a.md", " and ask if user wants to merge to main", "Ask if user wants to push changes to remote"),
        ({"auto_merge": True, "default_branch": "{trunk}"}, None, " and merge to {trunk}", None),
        ({"auto_push": True}, "big/README.md", " (directory task - no merge until all subtasks complete)", "Push changes to remote"),
    ],
)  # fmt: skip
@pytest.mark.requirement("DC-13")
def test_completing_a_task(
    git: dict[str, Any], file: str | None, commit: str, push: str | None
) -> None:
    config = msgspec.structs.replace(QUIET, git_preferences=Git(**git))
    done = _say("finito", State(current_task=Task(file=file)), config)
    assert done.state.active_protocol is Protocol.COMPLETE
    lines = _lines(done.state)
    assert lines[:5] == [
        "Verify all success criteria are checked off",
        "Run code-review agent and address any critical issues",
        "Run logging agent to consolidate work logs",
        "Run service-documentation agent to update CLAUDE.md files and other documentation",
        "Mark task file complete and move to tasks/done/",
    ]
    assert lines[5] == f"Commit changes{commit}"
    assert push is None or lines[6] == push
    assert len(lines) == 7


@pytest.mark.requirement("DC-14")
def test_starting_a_task() -> None:
    config = msgspec.structs.replace(QUIET, git_preferences=Git(has_submodules=True))
    done = _say("start^ @x.md", config=config)
    assert done.state.api.startup_load and done.state.active_protocol is Protocol.START
    assert _lines(done.state) == [
        "Check git status and handle any uncommitted changes",
        "Create/checkout task branch and matching submodule branches",
        "Verify context manifest for the task",
        "Gather context for the task",
    ]
    assert done.context[0].startswith("[Task Startup Notice]\n")
    assert "sessions protocol startup-load <task-file>" in done.context[0]
    assert _lines(_say("start^").state)[1] == "Create/checkout task branch"


@pytest.mark.requirement("DC-15")
def test_compaction() -> None:
    done = _say("squish", State(todos=Todos(active=MINE)))
    assert _lines(done.state) == [
        "Run logging agent to update work logs",
        "Run context-refinement agent to check for discoveries",
        "Run service-documentation agent if service interfaces changed",
    ]
    assert "[Context Compaction Notice]" in done.context[0]
    assert "in the next session after the user clears context" in done.context[0]


@pytest.mark.requirement("DB-10")
def test_a_protocol_within_a_protocol_loses_no_todo() -> None:
    state = _say("start^", State(todos=Todos(active=MINE))).state
    startup = state.todos.active
    state = _say("squish", state).state
    compaction = state.todos.active
    state = _say("mek: x", state).state
    assert state.todos.stashed == compaction
    assert state.todos.below == (startup, MINE)


@pytest.mark.requirement("DC-17")
def test_one_word_makes_the_agent_go_item_by_item() -> None:
    assert "one item" in _say("iterloop through these").context[0]


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (100_000, None),
        (136_000, "[Warning] Context window is 85.0% full (136,000/160,000 tokens). The danger zone is >90%."),
        (144_000, "[90% WARNING] 144,000/160,000 tokens used (90.0%). CRITICAL: Run sessions/protocols/task-completion.md to wrap up this task cleanly!"),
    ],
)  # fmt: skip
@pytest.mark.requirement("D-49", "DC-9")
def test_each_warning_comes_once(tokens: int, words: str | None) -> None:
    prompt = Prompt(text="hello", tokens=tokens, limit=160_000)
    first = on_prompt(prompt, State(), QUIET)
    assert [text[: len(words or "")] for text in first.context] == ([words] if words else [])
    assert on_prompt(prompt, first.state, QUIET) == Decision(state=first.state)
    told = State(flags=Flags(context_85=True, context_90=True))
    assert on_prompt(prompt, told, QUIET) == Decision(state=told)


@pytest.mark.parametrize(
    "name", ["GITHUB_ACTIONS", "GITHUB_WORKFLOW", "CI", "CONTINUOUS_INTEGRATION"]
)
@pytest.mark.requirement("D-29", "D-57", "DC-24")
def test_continuous_integration_is_let_alone(name: str) -> None:
    assert is_bypassed({name: "true"})
    assert not is_bypassed({name: "true", "NAGOMI_SESSION_ID": "x"})


@pytest.mark.parametrize("value", ["", "0", "false", "False", "no", "off", " "])
@pytest.mark.requirement("DB-14")
def test_a_variable_that_says_no_bypasses_nothing(value: str) -> None:
    assert not is_bypassed({"CI": value, "GITHUB_ACTIONS": value})
