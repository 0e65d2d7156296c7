"""`nagomi guard …` and `nagomi todos`: what they show and change, and for whom."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.cli import main
from nagomi_tui.commands.guard import settings
from nagomi_tui.guard import caller
from nagomi_tui.guard.decide.documents import Mode, Protocol, State, Todo, Todos
from nagomi_tui.guard.decide.protocols import begun
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state, read_config, read_state
from tests.helpers.guard_hook import install_hook

if TYPE_CHECKING:
    from collections.abc import Callable

TASK: Final = """\
---
name: h-fix-parser
branch: fix/parser
status: pending # soon
created: 2026-01-01
---
# Mend the parser

## Success Criteria
- [x] it reads
- [ ] it writes
"""

ELEVATES: Final = (
    "guard mode implementation",
    "guard mode go",
    "guard mode bypass",
    "guard flags clear",
    "guard flags clear-context",
    "guard tasks start h-fix-parser",
    "guard tasks restore h-fix-parser",
    "guard tasks clear",
    "guard config phrases add go the",
    "guard config phrases remove no SILENCE",
    "guard config git branch trunk",
    "guard config env name me",
    "guard config features set branch_enforcement false",
    "guard config features toggle todos_required",
    "guard config read add rm",
    "guard config write remove rm",
    "guard config paths add .",
    "guard config readers add mcp__x",
    "guard config tools unblock Edit",
    "guard config tools block Edit",
    "guard agents install",
    "guard agents remove",
    "guard kickstart full",
    "guard kickstart complete",
    "guard import",
    "guard sessions state mode go",
    "guard sessions mode bypass --from-slash",
    "guard sessions config tools unblock Edit",
    "guard sessions slash config phrases add go the",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    root = tmp_path / "project"
    (root / ".claude").mkdir(parents=True)
    (root / "sessions" / "tasks" / "indexes").mkdir(parents=True)
    (root / "sessions" / "tasks" / "h-fix-parser.md").write_text(TASK)
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.chdir(root)
    return Project(root)


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user at a terminal outside, whoever runs the tests."""
    monkeypatch.setattr(caller, "doubt", lambda: None)


@pytest.fixture
def run(project: Project, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def _run(line: str, *more: str, code: int = 0) -> str:
        done = main([*line.split(), *more])
        told = capfd.readouterr()
        assert done == code, told
        assert "Traceback" not in told.err
        return told.out or told.err

    return _run


def _state(project: Project) -> State:
    return read_state(project).state


def _go(project: Project, *contents: str) -> None:
    with edit_state(project) as editing:
        todos = Todos(active=tuple(Todo(content=one) for one in contents))
        editing.state = State(mode=Mode.IMPLEMENTATION, todos=todos)


@pytest.mark.requirement("DC-37", "D-64")
def test_the_state_is_shown_whole_and_in_parts(project: Project, run: Callable[..., str]) -> None:
    assert run("guard state").startswith("Not guarded")
    install_hook(project.root)
    assert run("guard state").splitlines()[:2] == ["Mode: discussion", "Task: none"]
    assert run("guard state").splitlines()[-1].endswith(": Claude Code.")
    whole = json.loads(run("guard state --json"))
    assert whole["mode"] == "discussion" and whole["todos"]["active"] == []
    assert json.loads(run("guard mode --json")) == {"mode": "discussion", "bypass": False}
    assert json.loads(run("guard state show mode --json")) == {"mode": "discussion"}
    assert "kickstart" in run("guard flags")
    assert json.loads(run("guard flags --json"))["noob"] is True
    assert run("guard protocol").strip() == "No protocol is under way."
    assert json.loads(run("guard todos --json"))["stashed"] == []
    assert not project.state_file.exists()


@pytest.mark.parametrize(
    "line", ["guard", "guard mode go on", "guard flags x", "guard tasks idx a b"]
)
@pytest.mark.requirement("DB-17")
def test_a_command_that_is_not_whole_says_what_it_needs(line: str, run: Callable[..., str]) -> None:
    assert "--help" in run(line, code=2)


@pytest.mark.parametrize(
    "line", ["guard flags", "guard todos", "guard mode", "guard tasks", "todos"]
)
@pytest.mark.requirement("DB-17")
def test_without_an_argument_a_command_shows(line: str, run: Callable[..., str]) -> None:
    assert run(line).strip()


@pytest.mark.requirement("DB-5")
def test_everybody_may_go_back_to_discussion(project: Project, run: Callable[..., str]) -> None:
    _go(project, "one")
    assert run("guard mode discussion") == "Mode: discussion\n"
    assert _state(project) == State()
    _go(project, "one")
    assert run("guard sessions state mode no") == "Mode: discussion\n"


@pytest.mark.usefixtures("user")
@pytest.mark.requirement("DC-37")
def test_the_user_changes_the_mode(project: Project, run: Callable[..., str]) -> None:
    assert run("guard mode go") == "Mode: implementation\n"
    assert _state(project).mode is Mode.IMPLEMENTATION
    assert "bypassed" in run("guard mode bypass")
    assert json.loads(run("guard mode off --json")) == {"mode": "implementation", "bypass": False}


@pytest.mark.requirement("DB-5")
def test_an_agent_elevates_by_no_subcommand(project: Project, tmp_path: Path) -> None:
    """Each is run for real, below a process of a client's name."""
    _go(project, "one")
    with edit_state(project) as editing:
        editing.state = State()
    before = project.state_file.read_bytes(), sorted(os.listdir(project.sessions))
    client, driver = tmp_path / "claude", tmp_path / "driver.py"
    client.write_text('#!/bin/sh\n"$@"; exit $?\n')
    client.chmod(0o755)
    driver.write_text(
        "import sys\nfrom nagomi_tui.cli import main\n"
        "for line in sys.argv[1:]:\n    print(main(line.split()), line, flush=True)\n"
    )
    root = Path(caller.__file__).parents[2]
    env = {name: value for name, value in os.environ.items() if name not in caller._MARKS}
    env["PYTHONPATH"] = os.pathsep.join((str(root), str(root / "worker")))
    done = subprocess.run(
        [client, sys.executable, driver, *ELEVATES],
        env=env, cwd=project.root, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.splitlines() == [f"1 {line}" for line in ELEVATES], done.stderr
    told = done.stderr.splitlines()
    assert len(told) == len(ELEVATES) and all("only the user" in line for line in told)
    assert before == (project.state_file.read_bytes(), sorted(os.listdir(project.sessions)))
    assert not project.config_file.exists()


@pytest.mark.requirement("H-30")
def test_todos_are_proposed_approved_set_and_ticked_off(
    project: Project, run: Callable[..., str]
) -> None:
    assert "[DAIC: Proposal Recorded] 2 todos" in run("todos set", "Write it", "Test it")
    assert _state(project).own.proposal == ("Write it", "Test it")
    assert "no approved todos" in run("todos done 1", code=1)
    with edit_state(project) as editing:
        import msgspec

        editing.state = msgspec.structs.replace(editing.state, mode=Mode.IMPLEMENTATION)
    assert run("todos set", "Write it", "Test it") == "1. □ Write it\n2. □ Test it\n"
    assert "1. ▶ Write it" in run("todos start 1")
    assert "1. ✓ Write it" in run("todos done 1")
    told = json.loads(run("todos done 2 --json"))
    assert told["mode"] == "discussion" and told["denied"] is None
    assert told["told"][0] == "[DAIC: Todos Complete] All todos completed."
    assert _state(project).todos == Todos()


@pytest.mark.requirement("D-25", "D-28", "DB-22")
def test_a_list_that_was_not_approved_ends_the_approval(
    project: Project, run: Callable[..., str]
) -> None:
    _go(project, "one", "two")
    told = run("todos set", "one", "two", "three", code=1)
    assert "[SHAME RITUAL]" in told and "3. three" in told
    assert _state(project).mode is Mode.DISCUSSION and _state(project).todos.active == ()


@pytest.mark.requirement("DB-8")
def test_a_list_that_differs_from_the_proposal_is_told(
    project: Project, run: Callable[..., str]
) -> None:
    run("todos set", "one")
    with edit_state(project) as editing:
        import msgspec

        editing.state = msgspec.structs.replace(editing.state, mode=Mode.IMPLEMENTATION)
    assert "differ from those that were proposed" in run("todos set", "two")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["todos", "set", ""], "needs words"),
        (["todos", "set", "a", "a"], "the same words"),
        (["todos", "set", "a" * 2000], "1,000 characters"),
        (["todos", "done", "3"], "no todo 3"),
        (["todos", "done", "0"], "no todo 0"),
    ],
)
@pytest.mark.requirement("H-30")
def test_bad_lists_change_nothing(
    words: list[str], said: str, project: Project, run: Callable[..., str]
) -> None:
    _go(project, "one")
    before = project.state_file.read_bytes()
    assert said in run("", *words, code=1)
    assert project.state_file.read_bytes() == before


@pytest.mark.requirement("D-59", "DB-11")
def test_todos_are_cleared_by_the_user_or_in_the_moment_for_it(
    project: Project, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import msgspec

    monkeypatch.setenv("CLAUDECODE", "1")
    _go(project, "one")
    assert "right after earlier ones came back" in run("guard todos clear", code=1)
    with edit_state(project) as editing:
        api = msgspec.structs.replace(editing.state.api, todos_clear=True)
        editing.state = msgspec.structs.replace(editing.state, api=api)
    assert "No todos are approved" in run("guard todos clear")
    assert not _state(project).api.todos_clear


@pytest.mark.usefixtures("user")
@pytest.mark.requirement("D-61", "DC-37")
def test_settings_are_changed_one_by_one(project: Project, run: Callable[..., str]) -> None:
    assert run("guard config phrases add go", "make it so") == "yert\nmake it so\n"
    run("guard config phrases remove go yert")
    run("guard config git merge auto")
    run("guard config git commit simple")
    run("guard config git repo super")
    run("guard config env name", "Kuro {x}")
    run("guard config features set icon_style ascii")
    run("guard config features toggle branch_enforcement")
    run("guard config features set warn_85 off")
    run("guard config read add", "npm test")
    run("guard config paths add docs")
    run("guard config tools block WebFetch")
    config = read_config(project)
    assert config.trigger_phrases.implementation_mode == ("make it so",)
    assert (config.git_preferences.auto_merge, config.git_preferences.commit_style) == (
        True,
        "simple",
    )
    assert config.git_preferences.has_submodules and config.environment.developer_name == "Kuro {x}"
    assert config.features.icon_style == "ascii" and not config.features.branch_enforcement
    assert not config.features.context_warnings.warn_85
    assert config.blocked_actions.bash_read_patterns == ("npm test",)
    assert config.blocked_actions.discussion_allowed_paths == ("docs",)
    assert "WebFetch" in config.blocked_actions.implementation_only_tools
    assert json.loads(run("guard config show --json"))["features"]["icon_style"] == "ascii"
    assert run("guard config phrases list go") == "make it so\n"
    assert "git_preferences.commit_style: simple" in run("guard config")
    assert "as they should be" in run("guard config validate")
    shown = json.loads(run("guard config features show --json"))
    shown |= shown.pop("context_warnings")
    assert {*shown} == {*settings._FEATURES, "icon_style"}


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["phrases", "remove", "no", "SILENCE"], 2, "is the last phrase"),
        (["phrases", "add", "go", " "], 2, "empty"),
        (["phrases", "remove", "go", "x"], 2, "not in the list"),
        (["phrases", "add", "go", "yert"], 2, "`yert` is in the list already"),
        (["features", "set", "icon_style", "round"], 2, "only nerd_fonts, emoji, ascii"),
        (["features", "set", "extrasafe", "perhaps"], 2, "only on, off"),
        (["features", "set", "extrasafe", "onn"], 2, "did you mean `on`?"),
        (["git", "commit", "poetic"], 2, "poetic"),
    ],
)
@pytest.mark.requirement("DC-3")
def test_a_value_that_does_not_fit_changes_nothing(
    words: list[str], code: int, said: str, project: Project, run: Callable[..., str]
) -> None:
    assert said in run("guard config", *words, code=code)
    assert not project.config_file.exists()


@pytest.mark.usefixtures("user")
@pytest.mark.requirement("DB-4")
def test_a_broken_settings_file_is_the_users_to_mend(
    project: Project, run: Callable[..., str]
) -> None:
    project.config_file.write_text("{")
    assert "cannot be read" in run("guard config read add x", code=1)
    assert project.config_file.read_text() == "{"


@pytest.mark.requirement("DB-18")
def test_tasks_are_listed_as_they_are_written(project: Project, run: Callable[..., str]) -> None:
    tasks = project.sessions / "tasks"
    (tasks / "TEMPLATE.md").write_text(TASK)
    (tasks / "m-docs-done.md").write_text("---\nstatus: complete # at last\n---\n# Done\n")
    (tasks / "indexes" / "core.md").write_text(
        "---\nindex: core\nname: Core\n---\n### High\n- `h-fix-parser.md` - mend it\n"
    )
    assert run("guard tasks") == "pending     h-fix-parser.md  1/2  Mend the parser\n"
    assert "completed   m-docs-done.md" in run("guard tasks list --all")
    assert json.loads(run("guard tasks idx Core --json"))[0]["file"] == "h-fix-parser.md"
    assert run("guard tasks idx") == "core: Core\n"
    assert "There are: core" in run("guard tasks idx nothing", code=2)


@pytest.mark.requirement("DC-38")
def test_a_task_is_loaded_only_while_its_start_is_under_way(
    project: Project, run: Callable[..., str]
) -> None:
    assert "start^" in run("guard protocol startup-load h-fix-parser", code=1)
    with edit_state(project) as editing:
        editing.state, _ = begun(Protocol.START, State(), read_config(project))
    (project.root / "README.md").write_text("no task")
    assert "lies outside" in run("guard protocol startup-load ../../README.md", code=1)
    told = run("guard sessions protocol startup-load @h-fix-parser.md")
    assert "=" * 60 in told and "# Mend the parser" in told
    task = _state(project).current_task
    assert (task.name, task.file, task.branch) == ("h-fix-parser", "h-fix-parser.md", "fix/parser")
    assert "only while" in run("guard protocol startup-load h-fix-parser", code=1)


@pytest.mark.usefixtures("user")
@pytest.mark.requirement("DB-17")
def test_the_user_starts_restores_and_clears_a_task(
    project: Project, run: Callable[..., str]
) -> None:
    run("guard tasks start @h-fix-parser")
    state = _state(project)
    assert state.active_protocol is Protocol.START and state.current_task.file == "h-fix-parser.md"
    assert "# Mend the parser" in run("guard tasks show")
    assert run("guard tasks clear") == "Task: none\n"
    told: dict[str, Any] = json.loads(run("guard tasks restore h-fix-parser.md --json"))
    assert told["branch"] == "fix/parser"
    assert "is not there" in run("guard tasks start nothing", code=1)


@pytest.mark.usefixtures("user")
@pytest.mark.requirement("DC-41")
def test_the_tour_goes_chapter_by_chapter(project: Project, run: Callable[..., str]) -> None:
    assert "no tour is under way" in run("guard kickstart next", code=1)
    assert "# 1 of 11" in run("guard kickstart full")
    assert (project.sessions / "tasks" / "h-kickstart-setup.md").exists()
    for number in range(2, 12):
        assert f"# {number} of 11" in run("guard kickstart next")
    assert "# 11 of 11" in run("guard kickstart next")
    assert _state(project).flags.noob
    run("guard kickstart complete")
    assert not _state(project).flags.noob and _state(project).own.chapter == 0
    assert not (project.sessions / "tasks" / "h-kickstart-setup.md").exists()
    assert "five subagents" in run("guard kickstart subagents")


@pytest.mark.usefixtures("user")
@pytest.mark.requirement("DC-40", "D-68")
def test_the_subagents_texts_are_written_and_removed_again(
    project: Project, run: Callable[..., str]
) -> None:
    folder = project.root / ".claude" / "agents"
    folder.mkdir()
    (folder / "logging.md").write_text("mine")
    assert "left as they are: logging" in run("guard agents install")
    assert (folder / "logging.md").read_text() == "mine"
    assert sorted(path.stem for path in folder.iterdir()) == [
        "code-review", "context-gathering", "context-refinement", "logging", "service-documentation",
    ]  # fmt: skip
    run("guard agents remove")
    assert [path.name for path in folder.iterdir()] == ["logging.md"]


@pytest.mark.usefixtures("user")
@pytest.mark.requirement("DC-42")
def test_a_project_of_cc_sessions_is_taken_over(project: Project, run: Callable[..., str]) -> None:
    project.state_file.write_text(
        '{"mode": "implementation", "mine": 1, "active_protocol": "task-creation", '
        '"todos": {"active": [{"content": "old"}, {"content": "over", "status": "completed"}]}}'
    )
    project.config_file.write_text('{"features": {"use_nerd_fonts": false}, "colour": "red"}')
    command = project.sessions / "bin" / "sessions"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\necho old\n")
    (project.root / ".claude" / "settings.json").write_text(
        '{"hooks": {"PreToolUse": "python sessions/hooks/sessions_enforce.py"}}'
    )
    told = run("guard import")
    for words in ("discussion", "tasks: 1", "colour", "still runs the hooks"):
        assert words in told
    state = _state(project)
    assert state.mode is Mode.DISCUSSION and state.unknown == {"mine": 1}
    assert state.own.proposal == ("old",) and state.active_protocol is None
    assert read_config(project).features.icon_style == "ascii"
    assert command.with_name("sessions.cc-sessions").read_text().endswith("old\n")
    env = os.environ | {"PATH": "/usr/bin:/bin", "PYTHONPATH": _python_path()}
    done = subprocess.run(
        [command, "state", "mode", "--json"],
        cwd=project.root,
        env=env,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout) == {"mode": "discussion"}, done.stderr


def _python_path() -> str:
    root = Path(caller.__file__).parents[2]
    return os.pathsep.join((str(root), str(root / "worker")))


@pytest.mark.requirement("DC-36", "D-65", "H-24")
def test_the_status_line(project: Project) -> None:
    told = {
        "session_id": "abc",
        "model": {"id": "m", "display_name": "M"},
        "context_window": {
            "context_window_size": 200_000,
            "current_usage": {"input_tokens": 10, "cache_read_input_tokens": 99_990},
        },
    }
    done = subprocess.run(
        [sys.executable, "-m", "nagomi_tui", "guard", "statusline"],
        input=json.dumps(told).encode(), cwd=project.root, capture_output=True, timeout=60,
        env=os.environ | {"PYTHONPATH": _python_path()},
    )  # fmt: skip
    above, below = done.stdout.decode().splitlines()
    assert "50.0% (100k/200k)" in above and above.endswith("No Task")
    assert "Discuss" in below and "1 open" in below
    from nagomi_tui.guard.files.context import Fill, read_fill

    assert read_fill("abc") == Fill(100_000, 200_000)


@pytest.mark.requirement("DB-29")
def test_asking_for_updates_only_tells_the_version(run: Callable[..., str]) -> None:
    assert run("guard sessions state update check").startswith("nagomi ")


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    "line",
    ["todos set a", "guard mode discussion", "guard config git branch x", "guard todos clear"],
)
@pytest.mark.requirement("DC-5")
def test_a_folder_that_nothing_guards_is_left_alone(
    line: str, run: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no agent was ever guarded in" in run(line, code=1)
    assert not (tmp_path / "sessions").exists()
    for shown in ("guard state", "guard state mode", "guard mode"):
        assert run(shown).startswith("Not guarded: no agent that is started in")
    assert json.loads(run("guard state --json"))["guarded"] is False
