"""The guard's own commands, that agents may run in any mode, and no others."""

from __future__ import annotations

from typing import Literal, NamedTuple

import pytest

from nagomi_tui.guard.decide.documents import Config, Mode, State
from nagomi_tui.guard.decide.events import ToolUse
from nagomi_tui.guard.decide.own_commands import OWN_TOOLS, is_answered_outside, passes, words_of
from nagomi_tui.guard.decide.tools import before_tool
from nagomi_tui.shell.classifier import classify


class _Judged(NamedTuple):
    verdict: Literal["read", "write"] = "write"
    reason: str = "anything"


PASS = (
    "nagomi todos set one",
    "nagomi todos set 'Write it; rm x' \"Test it > f\"",
    "  nagomi  todos set --json one ",
    "nagomi todos set 'touch .git/hooks'",
    "nagomi todos start 1",
    "nagomi todos done 12",
    "nagomi guard mode discussion",
    "nagomi guard mode no --json",
    "nagomi guard protocol startup-load @h-fix-x.md",
    "sessions protocol startup-load sessions/tasks/h-fix-x.md",
    "sessions state mode no",
    "nagomi guard kickstart next",
)
BLOCK = (
    "nagomi todos set one; rm x",
    "nagomi todos set one\nrm x",
    "nagomi todos set $(rm x)",
    "nagomi todos set `rm x`",
    'nagomi todos set "$(rm x)"',
    'nagomi todos set "a\\"; rm x; \\""',
    "nagomi todos set one > f",
    "nagomi todos set one | sh",
    "nagomi todos set one & rm x",
    "nagomi todos set 'one",
    "nagomi todos set",
    "nagomi todos done x",
    "A=1 nagomi todos done 1",
    "./nagomi todos done 1",
    "/tmp/nagomi todos done 1",
    "env nagomi todos done 1",
    "sessions/bin/sessions state mode no",
    "nagomi guard mode go",
    "nagomi guard mode implementation",
    "nagomi guard mode bypass",
    "nagomi guard config phrases add go the",
    "nagomi guard tasks start x",
    "nagomi guard flags clear",
    "nagomi guard import",
    "sessions state mode go",
    "nagomi todos set {a,b}",
    "nagomi todos set *",
    "nagomi todos set ~",
    "nagomi todos set one # two",
)


@pytest.mark.parametrize("command", PASS)
@pytest.mark.requirement("H-30", "DB-5")
def test_what_reports_or_goes_back_passes_in_any_mode(command: str) -> None:
    assert passes(command)
    for state in (State(), State(mode=Mode.IMPLEMENTATION)):
        use = ToolUse(tool="Bash", input={"command": command})
        assert not before_tool(use, state, Config(), lambda _: _Judged()).denied


@pytest.mark.parametrize("command", BLOCK)
@pytest.mark.requirement("DB-2", "DB-5")
def test_only_the_exact_form_passes(command: str) -> None:
    assert not passes(command)
    use = ToolUse(tool="Bash", input={"command": command})
    assert before_tool(use, State(), Config(), classify).denied


@pytest.mark.requirement("H-30")
def test_words_are_those_that_the_shell_would_hand_on() -> None:
    assert words_of("a 'b c'\"d e\"f ''") == ("a", "b cd ef", "")


@pytest.mark.parametrize("verb", ["set one", "start 1", "done 1"])
@pytest.mark.requirement("DB-19")
def test_a_subagent_leaves_the_approved_todos_alone(verb: str) -> None:
    use = ToolUse(tool="Bash", input={"command": f"nagomi todos {verb}"}, agent_id="a")
    assert (
        "subagent" in before_tool(use, State(mode=Mode.IMPLEMENTATION), Config(), classify).denied
    )


@pytest.mark.requirement("H-30")
def test_tools_of_the_own_server_pass_by_their_whole_name() -> None:
    for tool in OWN_TOOLS:
        assert not before_tool(ToolUse(tool=tool), State(), Config(), classify).denied
    for tool in ("mcp__nagomi__todos_clear", "mcp__other__todos_set", "todos_set"):
        assert before_tool(ToolUse(tool=tool), State(), Config(), classify).denied


@pytest.mark.parametrize(
    "command",
    [
        "nagomi todos",
        "nagomi todos show --json",
        "nagomi guard state --json",
        "nagomi guard state show task",
        "nagomi guard mode",
        "nagomi guard tasks idx core",
        "nagomi guard config phrases list go",
        "nagomi guard config git",
        "nagomi guard version",
    ],
)
@pytest.mark.requirement("DC-37")
def test_commands_that_only_show_are_reads(command: str) -> None:
    assert classify(command).verdict == "read"


@pytest.mark.parametrize(
    "command",
    [
        "todos", "todos show --json", "todos set one", "todos done 1", "guard mode discussion",
        "guard state show todos", "guard mode --json", "guard todos clear", "guard tasks", "guard config",
        "guard config phrases list", "guard statusline",
    ],
)  # fmt: skip
def test_in_a_strict_session_commands_that_read_or_report_run_outside(command: str) -> None:
    assert is_answered_outside(command.split())


@pytest.mark.parametrize(
    "command",
    [
        "guard mode implementation", "guard mode bypass", "guard install", "guard flags clear",
        "guard config phrases add go show", "guard config features toggle strict_phrases",
        "guard tasks start list", "guard tasks clear", "guard import", "guard kickstart full", "new -- cat",
        "guard classify", "",
    ],
)  # fmt: skip
@pytest.mark.requirement("DB-5")
def test_in_a_strict_session_no_other_command_runs_outside(command: str) -> None:
    assert not is_answered_outside(command.split())
