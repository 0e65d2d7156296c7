"""Texts of the protocols and their variables."""

from __future__ import annotations

import re

import pytest

from nagomi_tui.guard.decide.documents import Config, Features, Git, Phrases, Protocol, State, Task
from nagomi_tui.guard.decide.events import Prompt
from nagomi_tui.guard.decide.prompt import on_prompt
from nagomi_tui.guard.decide.protocols import LONGEST, rendered, variables
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.tasks.shipped_texts import protocol_template, shipped_texts

NAMES = ["todos", "submodules_field", "default_branch", "git_add_warning", "staging_instructions", "commit_instructions", "merge_instruction", "push_instruction", "commit_style_guidance", "directory_completion_check", "submodule_branch_todo", "submodule_context", "submodule_management_section", "resume_notes", "directory_guidance", "git_status_scope", "git_handling", "implementation_mode_triggers"]  # fmt: skip
PHRASES = {
    Protocol.CREATE: "mek:",
    Protocol.START: "start^",
    Protocol.COMPLETE: "finito",
    Protocol.COMPACT: "squish",
}
BRACES = Config(
    git_preferences=Git(default_branch="{trunk}{todos}", has_submodules=True, auto_merge=True),
    trigger_phrases=Phrases(implementation_mode=("{0} go", "yert")),
    features=Features(auto_ultrathink=False),
)
FOLDER = State(current_task=Task(name="{name}", file="{big}/README.md", submodules=("{lib}",)))


@pytest.mark.parametrize("config", [Config(), BRACES])
@pytest.mark.parametrize("state", [State(), FOLDER])
@pytest.mark.requirement("DC-18")
def test_every_variable_has_a_value(config: Config, state: State) -> None:
    assert sorted(variables(state, config, "x")) == sorted(NAMES)


@pytest.mark.requirement("DB-28")
def test_braces_in_settings_break_no_text() -> None:
    values = variables(FOLDER, BRACES, "□ {default_branch}")
    text = rendered("{todos} {merge_instruction} {nothing} {} {{x}} {0}", values)
    assert text == (
        "□ {default_branch} Merge the task's branch into `{trunk}{todos}` afterwards. "
        "{nothing} {} {{x}} {0}"
    )


@pytest.mark.parametrize("protocol", list(Protocol))
@pytest.mark.parametrize("config", [Config(features=BRACES.features), BRACES])
@pytest.mark.requirement("D-34", "D-67", "DC-18")
def test_the_shipped_texts_are_told_with_their_todos(
    protocol: Protocol, config: Config, project: Project
) -> None:
    prompt = Prompt(text=PHRASES[protocol])
    done = on_prompt(prompt, FOLDER, config, lambda each: protocol_template(project, each))
    (told,) = done.context
    assert told.count("## Protocol Todos") == 1 and len(told) < 10_000
    for todo in done.state.todos.active:
        assert f"□ {todo.content}" in told
    unknown = set(re.findall(r"\{([a-z_]+)\}", told)) & set(NAMES)
    assert unknown <= {"todos"}


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("project"))


@pytest.mark.requirement("D-67")
def test_a_projects_own_text_comes_before_the_shipped_one(project: Project) -> None:
    shipped = protocol_template(project, Protocol.CREATE)
    folder = project.sessions / "protocols" / "task-creation"
    folder.mkdir(parents=True)
    (folder / "task-creation.md").write_text("from cc-sessions {default_branch}")
    assert protocol_template(project, Protocol.CREATE).startswith("from cc-sessions")
    (project.sessions / "protocols" / "task-creation.md").write_text("mine")
    assert protocol_template(project, Protocol.CREATE) == "mine" != shipped


@pytest.mark.requirement("H-20")
def test_a_long_text_is_cut_and_keeps_its_todos() -> None:
    done = on_prompt(Prompt(text="finito"), State(), BRACES, lambda _: "x" * 50_000)
    assert len(done.context[0]) < LONGEST + 1_000 and "□ Commit changes" in done.context[0]


@pytest.mark.parametrize(("folder", "count"), [("agents", 5), ("onboarding", 12), ("protocols", 4)])
@pytest.mark.requirement("DC-40", "DC-41", "D-67", "D-68")
def test_texts_are_shipped(folder: str, count: int) -> None:
    texts = shipped_texts(folder)
    assert len(texts) == count and all(len(text) > 200 for text in texts.values())
    if folder == "agents":
        for name, text in texts.items():
            assert text.startswith(f"---\nname: {name}\ndescription: ")


@pytest.mark.requirement("D-60", "DC-13")
def test_a_part_of_a_task_is_not_merged_alone() -> None:
    state = State(current_task=Task(file="big/01-a.md"))
    done = on_prompt(Prompt(text="finito"), state, BRACES)
    assert "no merge until all subtasks complete" in done.state.todos.active[5].content


@pytest.mark.requirement("D-50")
def test_commits_go_by_the_settings_for_git() -> None:
    asked = variables(State(), Config(), "")
    own = Git(
        default_branch="trunk",
        commit_style="simple",
        add_pattern="all",
        auto_merge=True,
        auto_push=True,
    )
    done = variables(State(), Config(git_preferences=own), "")
    assert "Ask the user" in asked["merge_instruction"] and "Ask" in asked["push_instruction"]
    assert done["merge_instruction"] == "Merge the task's branch into `trunk` afterwards."
    assert done["push_instruction"] == "Push the result to the remote."
    assert (
        "git add -A" in done["staging_instructions"]
        and "ask the user" in asked["staging_instructions"]
    )
    assert "Conventional" in asked["commit_style_guidance"]
    assert "one short sentence" in done["commit_style_guidance"]
