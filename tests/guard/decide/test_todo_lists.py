"""Todos over approvals, protocols and sessions, and the client's tasks that stand for them."""

from __future__ import annotations

from typing import Any

import pytest

from nagomi_tui.guard.decide.afterwards import after_tool, after_turn, session_began
from nagomi_tui.guard.decide.branches import Checkout, edits_elsewhere
from nagomi_tui.guard.decide.documents import (
    Config,
    ContextWarnings,
    Features,
    Mode,
    Protocol,
    State,
    Task,
    Windows,
)
from nagomi_tui.guard.decide.events import Decision, Prompt, Target, ToolUse
from nagomi_tui.guard.decide.prompt import approved, on_prompt
from nagomi_tui.guard.decide.tools import before_tool
from tests.guard.decide.test_tools import _classify

QUIET = Config(features=Features(auto_ultrathink=False))


class Agent:
    """An agent with a client that has the guard's hooks, and its user."""

    def __init__(self) -> None:
        self.state = State()
        self.told: list[str] = []
        self._tasks = 0

    def says(self, *proposed: str, words: str = "I propose:") -> None:
        lines = [words, *(f"- {one}" for one in proposed)]
        self.state = after_turn("\n".join(lines), self.state).state

    def hears(self, text: str) -> None:
        self._follow(on_prompt(Prompt(text=text), self.state, QUIET))

    def uses(self, tool: str, response: Any = None, **given: Any) -> bool:
        """Use a tool, and return whether it may run."""
        use = ToolUse(tool=tool, input=given, response=response)
        before = before_tool(use, self.state, QUIET, _classify)
        self._follow(before)
        if before.denied:
            self.told = [before.denied]
            return False
        after = after_tool(use, self.state, QUIET)
        self.state, self.told = after.state, [*before.context, *after.context]
        return True

    def creates(self, *subjects: str) -> bool:
        made = True
        for subject in subjects:
            self._tasks += 1
            response = {"task": {"id": str(self._tasks)}}
            made = made and self.uses("TaskCreate", response, subject=subject)
        return made

    def updates(self, number: int, status: str, **more: str) -> bool:
        return self.uses("TaskUpdate", taskId=str(number), status=status, **more)

    def writes_todos(self, *contents: str, status: str = "pending") -> bool:
        todos = [{"content": one, "status": status} for one in contents]
        return self.uses("TodoWrite", todos=todos)

    def does_all(self) -> None:
        contents = (todo.content for todo in self.state.todos.active)
        assert self.writes_todos(*contents, status="completed")

    def begins_anew(self) -> None:
        self._follow(session_began("clear", self.state))

    def _follow(self, decision: Decision) -> None:
        self.state, self.told = decision.state, [*decision.context]

    @property
    def todos(self) -> list[tuple[str, str]]:
        return [(todo.content, todo.status) for todo in self.state.todos.active]


def _approved(*todos: str) -> Agent:
    agent = Agent()
    agent.says(*todos)
    agent.hears("yert")
    return agent


@pytest.mark.requirement("H-28", "DB-8")
def test_tasks_one_by_one_are_shown_beside_the_proposal_once() -> None:
    agent = _approved("a", "b", "c")
    assert agent.creates("a") and not agent.told
    assert agent.creates("other")
    assert "3. c" in agent.told[0] and agent.told[0].endswith("SET (2 items):\n1. a\n2. other")
    assert agent.creates("c") and not agent.told


@pytest.mark.requirement("H-28", "DB-8")
def test_too_few_tasks_are_told_of_when_the_first_is_begun() -> None:
    agent = _approved("a", "b")
    assert agent.creates("a") and not agent.told
    assert agent.updates(1, "in_progress")
    assert "SET (1 items):\n1. a" in agent.told[0]


@pytest.mark.requirement("H-28", "D-33")
def test_tasks_of_a_stopped_plan_do_not_count_as_those_of_the_next() -> None:
    agent = _approved("a", "b")
    agent.creates("a", "b")
    agent.hears("SILENCE")
    agent.says("c", "d")
    agent.hears("yert")
    assert agent.creates("c", "d")
    assert agent.todos == [("c", "pending"), ("d", "pending")]
    assert agent.updates(1, "deleted")  # It is left over, and no approved todo.
    agent.updates(3, "in_progress")
    assert not agent.creates("e")


@pytest.mark.requirement("H-28", "D-38")
def test_the_tasks_of_restored_todos_can_still_be_ticked_off() -> None:
    agent = _approved("a", "b")
    agent.creates("a", "b")
    agent.updates(1, "completed")
    agent.hears("squish")
    agent.does_all()
    assert agent.todos == [("a", "completed"), ("b", "pending")]
    assert not agent.creates("c")
    agent = _approved("a")
    agent.creates("a")
    agent.hears("squish")
    agent.does_all()
    agent.updates(1, "completed")
    assert agent.state.mode is Mode.DISCUSSION and agent.state.own.tasks == ()


@pytest.mark.requirement("H-28")
def test_tasks_that_were_made_before_the_approval_become_the_list() -> None:
    agent = Agent()
    agent.creates("old", "a", "b")
    agent.says("a", "b")
    agent.hears("yert")
    assert agent.updates(2, "in_progress")
    assert agent.todos == [("a", "in_progress"), ("b", "pending")]
    assert not agent.creates("more")


@pytest.mark.requirement("H-28", "DB-8")
def test_tasks_that_were_made_before_and_not_proposed_are_shown() -> None:
    agent = Agent()
    agent.creates("a", "hidden")
    agent.says("a", "b")
    agent.hears("yert")
    assert agent.updates(1, "in_progress")
    assert "SET (2 items):\n1. a\n2. hidden" in agent.told[0]
    assert agent.todos == [("a", "in_progress"), ("hidden", "pending")]


@pytest.mark.requirement("H-28", "F-10")
def test_no_task_is_added_to_a_list_that_the_user_approved_by_keys() -> None:
    agent = Agent()
    agent.creates("a")
    agent.says("a", "b")
    agent.state = approved(agent.state, ("a",))
    assert agent.creates("a")
    assert not agent.creates("b")


@pytest.mark.requirement("D-38", "D-59")
def test_who_clears_restored_todos_cannot_set_others() -> None:
    agent = _approved("a")
    agent.writes_todos("a")
    agent.hears("squish")
    agent.does_all()
    assert agent.uses("Bash", command="sessions todos clear")
    assert agent.state.mode is Mode.DISCUSSION and agent.todos == []
    assert not agent.uses("Write", file_path="a")


@pytest.mark.requirement("D-59", "DB-11")
def test_after_the_moment_the_reason_is_told() -> None:
    agent = _approved("a")
    agent.writes_todos("a")
    assert not agent.uses("Bash", command="sessions todos clear")
    assert "discussion mode. The" not in agent.told[0] and "immediately after" in agent.told[0]


@pytest.mark.requirement("DB-10")
def test_a_restored_protocol_is_under_way_again() -> None:
    agent = Agent()
    agent.state = State(current_task=Task(name="t", file="t.md"))
    agent.hears("finito")
    agent.hears("squish")
    agent.does_all()
    assert agent.state.active_protocol == Protocol.COMPLETE
    agent.does_all()
    assert (agent.state.current_task, agent.state.mode) == (Task(), Mode.DISCUSSION)
    agent.hears("start^")
    agent.hears("squish")
    agent.does_all()
    assert (agent.state.active_protocol, agent.state.api.startup_load) == (Protocol.START, True)


@pytest.mark.parametrize("phrase", ["start^", "finito", "squish"])
@pytest.mark.requirement("DB-10")
def test_a_protocol_that_begins_anew_is_not_done_twice(phrase: str) -> None:
    agent = Agent()
    agent.hears(phrase)
    agent.hears(phrase)
    assert agent.state.todos.stashed == ()
    assert "stashed" not in agent.told[0]
    agent.does_all()
    assert agent.state.mode is Mode.DISCUSSION


@pytest.mark.requirement("DC-12", "DB-10")
def test_a_second_task_to_be_made_comes_first() -> None:
    agent = Agent()
    agent.hears("mek: one")
    agent.hears("mek: another")
    agent.does_all()
    assert (
        agent.state.active_protocol is Protocol.CREATE and agent.state.mode is Mode.IMPLEMENTATION
    )


@pytest.mark.requirement("D-37", "DB-10")
def test_the_todos_of_a_completed_task_are_proposed_and_never_implemented_by_themselves() -> None:
    agent = _approved("a", "b")
    agent.writes_todos("a", "b")
    agent.hears("finito")
    assert "will be proposed again after task completion" in agent.told[0]
    agent.does_all()
    assert agent.state.own.proposal == ("a", "b") and agent.state.mode is Mode.DISCUSSION
    assert "1. a\n2. b" in agent.told[-1]
    agent.says("n")
    agent.hears("yert")
    agent.writes_todos("n", status="completed")
    assert (agent.todos, agent.state.mode) == ([], Mode.DISCUSSION)


@pytest.mark.requirement("DC-15", "DC-34")
def test_a_new_session_hears_of_restored_todos_and_may_propose_others() -> None:
    agent = _approved("a", "b")
    agent.writes_todos("a", "b")
    agent.hears("squish")
    agent.begins_anew()
    assert agent.told[0].endswith("approval:\n□ a\n□ b")
    kept = agent.state
    agent.hears("yert")
    assert agent.writes_todos("a", "b")
    agent.state = kept
    agent.says("z")
    agent.hears("yert")
    assert agent.writes_todos("z") and agent.todos == [("z", "pending")]


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.requirement("DC-15")
def test_todos_that_came_back_after_a_compaction_outlive_the_clearing(rounds: int) -> None:
    agent = _approved("a", "b")
    agent.writes_todos("a", "b")
    for _ in range(rounds):
        agent.hears("squish")
        agent.does_all()
    agent.begins_anew()
    assert agent.todos == [("a", "pending"), ("b", "pending")]
    assert (agent.state.mode, agent.state.active_protocol) == (Mode.DISCUSSION, None)
    agent.begins_anew()
    assert agent.todos == []


@pytest.mark.requirement("DC-15")
def test_the_compactions_own_todos_end_with_the_session() -> None:
    agent = Agent()
    agent.hears("squish")
    agent.begins_anew()
    assert agent.todos == []


@pytest.mark.requirement("D-27", "DC-19")
def test_the_change_is_what_the_user_approves_after_the_ritual() -> None:
    agent = _approved("a", "b")
    agent.writes_todos("a", "b")
    assert not agent.writes_todos("a", "c")
    agent.says("b", words="[SHAME RITUAL]\nI tried to change them by modifying them:")
    assert agent.state.own.proposal == ("a", "c")
    agent.hears("yert")
    assert agent.writes_todos("a", "c") and not agent.told


@pytest.mark.parametrize("tokens", [137_000, 150_000])
@pytest.mark.requirement("D-49", "DC-9")
def test_without_the_second_warning_the_first_still_comes(tokens: int) -> None:
    features = Features(auto_ultrathink=False, context_warnings=ContextWarnings(warn_90=False))
    prompt = Prompt(text="hello", tokens=tokens, limit=160_000)
    told = on_prompt(prompt, State(), Config(features=features)).context
    assert told[0].startswith("[Warning] Context window is ")


@pytest.mark.requirement("DC-22")
def test_a_folder_with_a_blank_is_quoted_in_the_command() -> None:
    state = State(
        mode=Mode.IMPLEMENTATION, current_task=Task(name="t", branch="b", submodules=("lib one",))
    )
    target = Target(path="/p/lib one/f", place="inside", relative="lib one/f")
    use = ToolUse(tool="Edit", targets=(target,))
    place = Checkout("main", submodule="lib one")
    done = edits_elsewhere(use, Decision(state=state), Config(), lambda _: place)
    assert done.denied.endswith("git -C 'lib one' checkout b")


@pytest.mark.requirement("DC-38")
def test_a_restored_list_opens_no_other_window() -> None:
    agent = _approved("a")
    agent.writes_todos("a")
    agent.hears("mek: x")
    agent.does_all()
    assert agent.state.api == Windows(todos_clear=True)
    assert agent.state.active_protocol is None
