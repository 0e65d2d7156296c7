"""Tools: which may run, what becomes of todos, and how sessions begin."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import msgspec
import pytest

from nagomi_tui.guard.decide.afterwards import (
    after_tool,
    after_turn,
    changes_folder,
    session_began,
    subagent_began,
    subagent_ended,
)
from nagomi_tui.guard.decide.documents import (
    BlockedActions,
    Config,
    Flags,
    Metadata,
    Mode,
    Own,
    OwnSettings,
    Protocol,
    State,
    Status,
    Task,
    Todo,
    Todos,
    Windows,
)
from nagomi_tui.guard.decide.events import Decision, Target, ToolUse
from nagomi_tui.guard.decide.tools import before_tool

BLOCKED = (
    "[DAIC: Tool Blocked] You're in discussion mode. The {} tool is not allowed. "
    "You need to seek alignment first."
)


class _Judged(NamedTuple):
    verdict: Literal["read", "write"]
    reason: str = "it says so"


def _classify(command: str) -> _Judged:
    """A stand-in for the shell's words: it is given to these functions, and tested by itself."""
    return _Judged("read" if command.startswith(("ls", "cat", "cd")) else "write")


def _go(*contents: str, status: Status = "pending", **fields: Any) -> State:
    todos = Todos(active=tuple(Todo(content=one, status=status) for one in contents))
    return State(mode=Mode.IMPLEMENTATION, todos=todos, **fields)


def _use(tool: str, agent_id: str = "", response: Any = None, **given: Any) -> ToolUse:
    return ToolUse(tool=tool, input=given, agent_id=agent_id, response=response)


def _bash(command: str) -> ToolUse:
    return _use("Bash", command=command)


def _before(
    use: ToolUse, state: State | None = None, config: Config | None = None, **options: Any
) -> Decision:
    return before_tool(use, state or State(), config or Config(), _classify, **options)


def _todos(*contents: str, status: str = "pending", agent_id: str = "") -> ToolUse:
    listed = [{"content": one, "status": status, "activeForm": one} for one in contents]
    return _use("TodoWrite", agent_id=agent_id, todos=listed)


@pytest.mark.parametrize("tool", ["Edit", "Write", "MultiEdit", "NotebookEdit"])
@pytest.mark.requirement("D-4", "D-18", "D-44", "H-26")
def test_tools_that_edit_are_blocked(tool: str) -> None:
    assert _before(_use(tool)).denied == BLOCKED.format(tool)


@pytest.mark.parametrize(
    "tool",
    [
        "PowerShell",
        "Monitor",
        "Workflow",
        "Skill",
        "Artifact",
        "EnterWorktree",
        "ExitWorktree",
        "CronCreate",
        "CronDelete",
        "ScheduleWakeup",
        "RemoteTrigger",
        "SendMessage",
        "mcp__filesystem__write_file",
        "apply_patch",
        "Nonsense",
        "write",
        "edit",
    ],
)
@pytest.mark.requirement("DB-3", "H-27")
def test_a_tool_that_is_not_known_is_blocked(tool: str) -> None:
    assert _before(_use(tool)).denied == BLOCKED.format(tool)


@pytest.mark.parametrize(
    "tool", ["Read", "Grep", "Glob", "WebFetch", "AskUserQuestion", "Agent", "Task"]
)
@pytest.mark.requirement("D-5", "H-25")
def test_readers_pass(tool: str) -> None:
    assert _before(_use(tool)) == Decision(state=State())


@pytest.mark.requirement("H-27")
def test_the_user_names_more_readers() -> None:
    config = Config(nagomi=OwnSettings(read_tools=("mcp__docs__find",)))
    assert not _before(_use("mcp__docs__find"), config=config).denied
    blocked = BlockedActions(implementation_only_tools=("Read",))
    assert _before(_use("Read"), config=Config(blocked_actions=blocked)).denied


@pytest.mark.requirement("DC-23")
def test_a_shell_command_that_writes_is_explained() -> None:
    denied = _before(_bash("rm -rf dir")).denied
    assert denied.startswith(
        "[DAIC] Blocked write-like Bash command in Discussion mode. Only the user can activate "
        "implementation mode. Explain what you want to do and seek alignment and approval first."
    )
    for words in ("nagomi guard config read list", "read add", "read remove", "it says so"):
        assert words in denied


@pytest.mark.requirement("DB-2")
def test_no_word_in_a_command_allows_all_of_it() -> None:
    for command in ("rm -rf sessions dir", "echo 'sessions ' > f", "nagomi guard; rm x"):
        assert _before(_bash(command)).denied
    assert not _before(_bash("ls")).denied


@pytest.mark.requirement("DB-30")
def test_paths_that_are_open_in_discussion() -> None:
    config = Config(blocked_actions=BlockedActions(discussion_allowed_paths=("docs/", "a.md")))

    def _writes(*targets: Target) -> str:
        return _before(ToolUse(tool="Write", targets=targets), config=config).denied

    assert not _writes(Target("a.md", "inside", "a.md"))
    assert not _writes(Target("x", "inside", "docs/x"), Target("a.md", "inside", "a.md"))
    assert _writes(Target("x", "inside", "docs/x"), Target("y", "inside", "src/y"))
    assert _writes(Target("x", "inside", "docs-x")) and _writes(Target("docs/x", "outside"))
    assert _writes()


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.requirement("DC-21", "DB-5")
def test_the_state_cannot_be_edited_in_any_mode(mode: Mode) -> None:
    state = msgspec.structs.replace(_go("a"), mode=mode)
    target = Target("x", "protected", "sessions/sessions-state.json")
    use = ToolUse(tool="Write", targets=(target,))
    for decided in (_before(use, state), _before(use, state, bypassed=True)):
        assert decided.denied == (
            "[Security] Direct modification of sessions-state.json is not allowed. This file should "
            "only be modified through the TodoWrite tool and approved commands."
        )
        assert decided.state == state


@pytest.mark.parametrize(
    "command",
    [
        "echo {} > sessions/sessions-state.json",
        "echo > 'sessions'/sess\"\"ions-state.json",
        "cp x sessions//./sessions-config.json",
        "tee .CLAUDE/settings.json",
        "rm .claude/settings.local.json",
        "sed -i s/a/b/ .codex/hooks.json",
        "echo x >> .git/hooks/pre-commit",
    ],
)
@pytest.mark.requirement("DB-16", "DB-5")
def test_the_state_is_safe_from_shell_commands_too(command: str) -> None:
    assert _before(_bash(command), _go("a")).denied.startswith("[Security]")
    assert not _before(_bash("cat sessions/sessions-state.json"), _go("a")).denied


@pytest.mark.parametrize(
    "command",
    [
        "cat $(echo .claude/settings.json)",
        "cat .claude/set*",
        "ls | xargs cat .git/hooks/pre-commit",
        "cat <<< x | sort .codex/hooks.json $y",
        "cat ~/.local/state/nagomi/guard/x.seal | rg --pre=x x",
        "ls $x/sessions/sessions-state.json",
        "cd .claude; ls `pwd`/settings.json",
        "ls; for f in sessions/sessions-config.json; do cat $f; done",
        "cat sessions/sessions-state.json 'x",
        "cat .claude/settings.json; tree",
    ],
)
@pytest.mark.parametrize("state", [State(), _go("a")])
@pytest.mark.requirement("DB-16", "DB-5")
def test_what_names_the_guards_files_has_to_be_a_plain_reader(command: str, state: State) -> None:
    """Even where it was told to read, as these are here: a fault there would cost most."""
    assert _classify(command).verdict == "read"
    assert _before(_bash(command), state).denied.startswith("[Security]")


@pytest.mark.parametrize(
    "command",
    [
        "cat .claude/settings.json",
        "cat '.claude/settings.json' | head -5 | wc -l",
        "ls -la .git/hooks && cat sessions/sessions-config.json 2>/dev/null",
        "cd src; find . -name '*.py' -not -path './.git/*' | xargs cat",
        "ls $(git ls-files)",
    ],
)
@pytest.mark.requirement("DB-16")
def test_plain_readers_of_the_guards_files_pass(command: str) -> None:
    assert _before(_bash(command), State()).denied == ""


@pytest.mark.requirement("DB-16", "DB-5")
def test_other_tools_that_name_the_state_are_denied_too() -> None:
    for use in (
        _use("PowerShell", command="Set-Content sessions\\sessions-state.json x"),
        _use("Monitor", command="sleep 9; rm sessions/sessions-config.json"),
        _use("mcp__files__write_file", path="/p/sessions/sessions-state.json", content=""),
        _use("mcp__files__move", pairs=[{"to": ".git/hooks/pre-commit"}]),
    ):
        assert _before(use, _go("a")).denied.startswith("[Security]")
    assert not _before(_use("Read", file_path="sessions/sessions-state.json"), _go("a")).denied


@pytest.mark.requirement("D-29")
def test_the_bypass_lets_pass() -> None:
    assert not _before(_use("Edit"), bypassed=True).denied
    assert not _before(_use("Edit"), State(flags=Flags(bypass_mode=True))).denied


@pytest.mark.requirement("D-9")
def test_approved_work_may_write() -> None:
    for use in (_use("Edit"), _bash("make"), _use("mcp__x__write")):
        assert not _before(use, _go("a")).denied


@pytest.mark.parametrize("state", [_go(), _go("a", status="completed")])
@pytest.mark.requirement("D-10", "DB-9")
def test_without_open_todos_nothing_is_written(state: State) -> None:
    for use in (_use("Edit"), _bash("make"), _use("mcp__x__write")):
        assert "approved todos" in _before(use, state).denied
    for use in (_use("Read"), _bash("ls"), _todos("a")):
        assert not _before(use, state).denied
    free = Config(nagomi=OwnSettings(todos_required=False))
    assert not _before(_use("Edit"), state, free).denied


@pytest.mark.requirement("D-25", "D-26", "D-27", "D-28", "DC-19")
def test_a_changed_list_takes_the_approval_back() -> None:
    decided = _before(_todos("a", "c"), _go("a", "b"))
    assert decided.state.mode is Mode.DISCUSSION and decided.state.todos.active == ()
    assert decided.denied == (
        "[DAIC: Todo Change Blocked]\n"
        "You attempted to modify the agreed-upon todo list without user approval.\n\n"
        "ORIGINAL TODOS (2 items):\n1. a\n2. b\n\n"
        "PROPOSED TODOS (2 items):\n1. a\n2. c\n\n"
        "The original todos have been cleared and you have been returned to discussion mode.\n\n"
        "YOUR NEXT MESSAGE MUST use this exact format:\n---\n[SHAME RITUAL]\n"
        "I made a boo boo. I just tried to change the plan.\n\n"
        "The todos you approved were:\n1. a\n2. b\n\n"
        "I tried to change them by [adding/removing/modifying] them:\n"
        "[Show the changes - use + for added items, - for removed items, -> for modifications]\n\n"
        "This [seems fine/is unimportant | was a violation of the execution boundary].\n\n"
        'If you approve of the change, you can let me cook by saying: "yert"\n'
        "Or, feel free to yell at me or redirect me like I'm a 5 year old child.\n---"
    )


@pytest.mark.parametrize("contents", [("b", "a"), ("a",), ("a", "b", "c"), (), ("a", "B")])
@pytest.mark.requirement("DC-19")
def test_order_and_number_count(contents: tuple[str, ...]) -> None:
    assert _before(_todos(*contents), _go("a", "b")).denied


@pytest.mark.requirement("DC-19")
def test_braces_and_a_list_that_cannot_be_read() -> None:
    assert "{x}" in _before(_todos("{x}"), _go("{y}")).denied
    assert _before(_use("TodoWrite", todos="a"), _go("a")).denied


@pytest.mark.requirement("DC-20")
def test_the_first_list_is_kept_and_its_states_change() -> None:
    first = after_tool(_todos("a", "b"), _go(), Config())
    assert [todo.content for todo in first.state.todos.active] == ["a", "b"]
    assert not _before(_todos("a", "b", status="in_progress"), first.state).denied
    then = after_tool(_todos("a", "b", status="in_progress"), first.state, Config())
    assert {todo.status for todo in then.state.todos.active} == {"in_progress"}


@pytest.mark.requirement("DB-19")
def test_a_subagents_list_is_its_own() -> None:
    state = _go("a")
    assert _before(_todos("z", agent_id="s1"), state) == Decision(state=state)
    assert after_tool(_todos("z", agent_id="s1"), state, Config()).state == state


@pytest.mark.requirement("DB-8")
def test_the_first_list_is_shown_beside_the_proposal() -> None:
    message = "Notes:\n- old\n\nI propose:\n1. Read it\n2. Mend it\n\nShall I?"
    state = after_turn(message, State()).state
    assert state.own.proposal == ("Read it", "Mend it")
    state = msgspec.structs.replace(state, mode=Mode.IMPLEMENTATION)
    assert _before(_todos("Read it", "Mend it"), state).notices == ()
    (notice,) = _before(_todos("Read it", "Drop the table"), state).notices
    assert "1. Read it\n2. Mend it" in notice and "2. Drop the table" in notice
    assert after_turn("1. other", state).state == state


@pytest.mark.requirement("D-11", "D-36", "D-39", "DC-33")
def test_all_done_is_discussion() -> None:
    done = after_tool(_todos("a", status="completed"), _go("a"), Config())
    assert done.state == State()
    assert done.context == (
        "[DAIC: Todos Complete] All todos completed.",
        "You have returned to discussion mode. You may now discuss next steps with the user.",
    )
    assert done.notices == done.context


@pytest.mark.requirement("D-37")
def test_the_end_of_a_task_clears_it() -> None:
    state = _go("a", active_protocol=Protocol.COMPLETE, current_task=Task(name="t", file="t.md"))
    assert after_tool(_todos("a", status="completed"), state, Config()).state == State()


def _restored() -> Decision:
    stash = Todos(active=(Todo(content="a"),), stashed=(Todo(content="old"),))
    state = State(mode=Mode.IMPLEMENTATION, todos=stash, active_protocol=Protocol.CREATE)
    return after_tool(_todos("a", status="completed"), state, Config())


@pytest.mark.requirement("D-38", "D-58", "DC-33")
def test_what_was_put_aside_comes_back() -> None:
    done = _restored()
    assert done.state.mode is Mode.IMPLEMENTATION and done.state.api.todos_clear
    assert [todo.content for todo in done.state.todos.active] == ["old"]
    assert done.context[1] == (
        "Your previous 1 todos have been restored:\n□ old\n"
        "If these todos are no longer relevant, you should clear them using: nagomi guard todos clear\n"
        "Note: You can only use this command immediately - it will be disabled after any other "
        "tool use."
    )


@pytest.mark.requirement("D-59", "DB-11")
def test_a_moments_permission_ends() -> None:
    clear = _bash("sessions todos clear")
    cleared = _before(clear, _restored().state)
    assert not cleared.denied and cleared.state.todos.active == ()
    assert not cleared.state.api.todos_clear
    later = _before(_use("Read"), _restored().state)
    assert not later.denied and not later.state.api.todos_clear
    assert _before(clear, later.state).denied
    assert _before(_bash("sessions todos clear; rm x"), State(api=Windows(todos_clear=True))).denied


@pytest.mark.requirement("H-28", "H-29", "DB-22")
def test_single_tasks_make_the_list_too() -> None:
    state = _go()
    for number, subject in enumerate(["a", "b"], 1):
        use = _use("TaskCreate", subject=subject, response={"task": {"id": str(number)}})
        assert not _before(use, state).denied
        state = after_tool(use, state, Config()).state
    assert [todo.content for todo in state.todos.active] == ["a", "b"]
    state = after_tool(_use("TaskUpdate", taskId="1", status="in_progress"), state, Config()).state
    assert _before(_use("TaskCreate", subject="c"), state).denied
    assert _before(_use("TaskUpdate", taskId="2", status="deleted"), state).denied
    assert _before(_use("TaskUpdate", taskId="2", subject="z"), state).denied
    for number in "12":
        use = _use("TaskUpdate", taskId=number, status="completed")
        assert not _before(use, state).denied
        done = after_tool(use, state, Config())
        state = done.state
    assert state == State() and done.context[0].startswith("[DAIC: Todos Complete]")


@pytest.mark.requirement("H-28")
def test_tasks_of_a_protocol_are_those_of_its_list() -> None:
    state = _go("a", "b", active_protocol=Protocol.START)
    use = _use("TaskCreate", subject="a", response={"task": {"id": "1"}})
    assert not _before(use, state).denied
    state = after_tool(use, state, Config()).state
    assert len(state.todos.active) == 2
    assert _before(_use("TaskCreate", subject="c"), state).denied


@pytest.mark.parametrize("source", ["startup", "clear", "fork", "", "of a kind to come"])
@pytest.mark.requirement("X-16", "DB-23")
def test_a_new_session_begins_in_discussion(source: str) -> None:
    state = State(
        mode=Mode.IMPLEMENTATION,
        active_protocol=Protocol.COMPACT,
        api=Windows(startup_load=True, todos_clear=True),
        flags=Flags(context_85=True, bypass_mode=True),
        todos=Todos(active=(Todo(content="a"),), stashed=(Todo(content="old"),)),
        metadata=Metadata(nagomi=Own(agents=("dead",))),
    )
    assert session_began(source, state).state == State(todos=Todos(active=(Todo(content="old"),)))


@pytest.mark.parametrize("source", ["resume", "compact"])
@pytest.mark.requirement("X-16")
def test_a_session_that_goes_on_stays_as_it_was(source: str) -> None:
    state = _go("a", active_protocol=Protocol.COMPACT)
    assert session_began(source, state) == Decision(state=state)


@pytest.mark.requirement("DB-19", "D-41")
def test_subagents_are_told_apart_by_id() -> None:
    state = subagent_began("two", subagent_began("one", State()).state).state
    assert subagent_ended("one", state).state.own.agents == ("two",)
    assert subagent_ended("never began", state).state == state


@pytest.mark.parametrize(
    ("command", "changes"),
    [
        ("cd src", True),
        ("ls && cd src", True),
        ("ls; cd", True),
        ("abcd x", False),
        ("(cd src && ls)", False),
        ("echo 'a; cd b'", False),
        ("git -C cd status", False),
    ],
)
@pytest.mark.requirement("D-40", "DC-31", "DB-27")
def test_only_a_real_cd_is_one(command: str, changes: bool) -> None:
    assert changes_folder(command) is changes
    use = ToolUse(tool="Bash", input={"command": command}, cwd="/p/src")
    told = after_tool(use, State(), Config()).context
    assert told == (("[You are in: /p/src]",) if changes else ())


@pytest.mark.requirement("DC-32")
def test_implementation_without_todos_is_reminded_of() -> None:
    state = State(mode=Mode.IMPLEMENTATION, current_task=Task(name="t"))
    (told,) = after_tool(_use("Read"), state, Config()).context
    assert told.startswith("[Reminder] You're in implementation mode without approved todos.")
    for use, other in (
        (_use("Read", agent_id="s"), state),
        (_use("Read"), State(mode=Mode.IMPLEMENTATION)),
        (_use("Read"), State(current_task=Task(name="t"))),
    ):
        assert after_tool(use, other, Config()).context == ()
