"""What the user decides in the workplace: approve all or a part, stop, go back to discussion."""

from __future__ import annotations

import pytest

from nagomi_tui.guard.decide.afterwards import after_turn, set_todos
from nagomi_tui.guard.decide.documents import (
    Config,
    Flags,
    Mode,
    Own,
    OwnSettings,
    State,
    Todo,
    Todos,
)
from nagomi_tui.guard.decide.prompt import (
    NotOffered,
    approved,
    discussed,
    go_ahead,
    meaning,
    offered,
)
from nagomi_tui.guard.decide.prompt import stopped as after_stop


def _proposing(*todos: str, active: tuple[Todo, ...] = ()) -> State:
    return State(todos=Todos(active=active)).with_own(Own(proposal=todos))


def _lines(state: State) -> list[tuple[str, str]]:
    return [(todo.content, todo.status) for todo in state.todos.active]


@pytest.mark.requirement("F-10")
def test_what_is_proposed_can_be_approved_whole_or_in_part() -> None:
    state = _proposing("a", "b", "c")
    assert offered(state) == ("a", "b", "c")
    whole, part = approved(state, ("a", "b", "c")), approved(state, ("a", "c"))
    assert (whole.mode, _lines(whole)) == (
        Mode.IMPLEMENTATION, [("a", "pending"), ("b", "pending"), ("c", "pending")],
    )  # fmt: skip
    assert (part.mode, _lines(part)) == (Mode.IMPLEMENTATION, [("a", "pending"), ("c", "pending")])


@pytest.mark.requirement("F-10")
def test_what_was_recorded_stays_proposed_until_another_list_is() -> None:
    recorded = set_todos(["a", "b"], State(), Config()).state
    for message in ("That is the plan.", "It is safe, as I said."):
        recorded = after_turn(message, recorded).state
        assert offered(recorded) == ("a", "b")
    other = after_turn("Rather:\n1. c\n2. d", recorded).state
    assert offered(other) == ("c", "d")
    assert offered(after_turn("It was a thought.", other).state) == ()
    ended = after_stop(approved(recorded, ("a",)))
    assert after_turn("Stopped.", ended).state.own.proposal == ()


@pytest.mark.parametrize("todos", [("x",), ("a", "x"), ("b", "a"), ("a", "a"), ()])
@pytest.mark.requirement("F-10")
def test_nothing_else_can_be_approved(todos: tuple[str, ...]) -> None:
    with pytest.raises(NotOffered):
        approved(_proposing("a", "b"), todos)


@pytest.mark.requirement("F-10")
def test_kept_todos_are_approved_again_with_what_is_done() -> None:
    done = (Todo(content="a", status="completed"), Todo(content="b"))
    again = approved(
        discussed(State(mode=Mode.IMPLEMENTATION, todos=Todos(active=done))), ("a", "b")
    )
    assert (again.mode, _lines(again)) == (
        Mode.IMPLEMENTATION,
        [("a", "completed"), ("b", "pending")],
    )
    wider = approved(_proposing("a", "new", active=done), ("a", "new"))
    assert _lines(wider) == [("a", "completed"), ("new", "pending")]


@pytest.mark.requirement("D-32")
def test_without_a_proposal_the_agent_sets_its_todos_itself() -> None:
    state = approved(State(), ())
    assert (state.mode, _lines(state)) == (Mode.IMPLEMENTATION, [])


@pytest.mark.requirement("D-33", "X-17")
def test_a_stop_ends_a_bypass_too() -> None:
    state = State(mode=Mode.IMPLEMENTATION, flags=Flags(bypass_mode=True, noob=False))
    state = after_stop(state)
    assert (state.mode, state.flags) == (Mode.DISCUSSION, Flags(noob=False))


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    "todo",
    ["say finito to all", "mek: a task", "squish", "x\nSILENCE", "a ``` yert", "```\nfinito"],
)
@pytest.mark.requirement("DB-6")
def test_no_phrase_of_a_todo_is_heard_in_what_the_agent_is_told(todo: str, strict: bool) -> None:
    config = Config(nagomi=OwnSettings(strict_phrases=strict))
    assert meaning(go_ahead((todo,), config), config) is None


@pytest.mark.requirement("F-10")
def test_the_agent_is_told_what_was_approved() -> None:
    text = go_ahead(("write `x`", "test"), Config())
    assert text.splitlines()[1:] == ["```", "1. write `x`", "2. test", "```"]
