"""How a session stands, and the words for it."""

from __future__ import annotations

from typing import Any

import pytest

from nagomi_tui.sessions.session import Condition, LastTurn, RequestStanding, Session, State
from nagomi_tui.sessions.session import WorktreeStanding as Tree
from nagomi_tui.sessions.standing import badge_words, changes_of, exit_words
from nagomi_tui.text.words import of


def session(**values: Any) -> Session:
    made = {"session_id": "1", "number": 1, "name": "n", "cmd": "x", "cwd": "/w"}
    return Session(**(made | {"state": State.RUNNING} | values))


@pytest.mark.parametrize(
    ("values", "condition"),
    [
        ({"phase": Condition.THINKING}, Condition.THINKING),
        ({"phase": Condition.THINKING, "away_since": 1.0}, Condition.AWAY),
        ({"state": State.STARTING}, Condition.STARTING),
        ({"state": State.STARTING, "away_since": 1.0}, Condition.STARTING),
        ({"state": State.SAVED, "phase": Condition.ERROR}, Condition.SAVED),
        ({"state": State.SAVED, "away_since": 1.0}, Condition.SAVED),
        ({"state": State.EXITED, "exit_code": 0}, Condition.ENDED_WELL),
        ({"state": State.EXITED, "exit_code": 1}, Condition.STOPPED),
        ({"state": State.EXITED, "exit_code": 0, "away_since": 1.0}, Condition.ENDED_WELL),
        ({"state": State.EXITED, "exit_code": 0, "phase": Condition.ERROR}, Condition.ENDED_EARLY),
        ({"state": State.EXITED, "exit_code": 1, "phase": Condition.SUCCESS}, Condition.ENDED_WELL),
        ({"state": State.EXITED, "phase": Condition.ATTENTION}, Condition.ATTENTION),
        ({"state": State.LOST}, Condition.STOPPED),
        ({"state": State.LOST, "phase": Condition.ERROR}, Condition.LOST),
        ({"state": State.LOST, "phase": Condition.SUCCESS}, Condition.ENDED_WELL),
    ],
)
def test_a_session_stands_by_its_phase_or_by_how_it_ended(
    values: dict[str, Any], condition: Condition
) -> None:
    assert session(**values).condition is condition


def test_a_session_is_where_its_first_process_is() -> None:
    assert (session().here, session(folder="/w/sub").here) == ("/w", "/w/sub")


def test_an_agent_is_the_one_that_was_named_or_else_seen() -> None:
    given = [{}, {"agent": "amp"}, {"agent": "amp", "judge_profile": "claude"},
             *({"judge_profile": name} for name in ("claude", "shell", "template"))]  # fmt: skip
    names = [session(**values).agent_name for values in given]
    assert names == ["", "amp", "amp", "claude", "", ""]


@pytest.mark.parametrize(
    ("values", "unasked"),
    [
        ({}, True),
        ({"phase": Condition.RUNNING}, False),
        ({"turn": 1}, False),
        ({"turn": 1, "last_turn": LastTurn(turn=1, state="unknown", summary="")}, True),
        ({"turn": 1, "last_turn": LastTurn(turn=1, state="success", summary="")}, False),
        ({"turn": 2, "last_turn": LastTurn(turn=1, state="unknown", summary="")}, False),
        (
            {"turn": 1, "agent": "amp", "last_turn": LastTurn(turn=1, state="unknown", summary="")},
            False,
        ),
    ],
)
def test_nothing_was_asked_of_an_agent_before_its_first_turn(
    values: dict[str, Any], unasked: bool
) -> None:
    assert session(**values).is_unasked is unasked


@pytest.mark.parametrize(
    ("code", "signal", "words"),
    [
        (0, None, "0"), (2, None, "2"), (128, None, "128"), (129, None, "129"),
        (139, None, "139, SIGSEGV"), (137, None, "137, SIGKILL"), (255, None, "255"),
        (None, 11, "SIGSEGV"), (None, 1, "SIGHUP"), (None, 200, "signal 200"), (11, None, "11"),
    ],
)  # fmt: skip
def test_a_code_above_128_tells_a_signal_that_kills(
    code: int | None, signal: int | None, words: str
) -> None:
    assert exit_words(code, signal) == words


def test_the_badge_of_a_failed_command_tells_its_code() -> None:
    say = of("en").say
    failed = session(state=State.EXITED, exit_code=2, phase=Condition.ERROR)
    assert badge_words(failed, say) == "failed (2)"
    assert badge_words(session(phase=Condition.ERROR), say) == "failed"


@pytest.mark.parametrize(
    ("tree", "changes"),
    [
        (None, []),
        (Tree(), []),
        (Tree(files=2, added=3, removed=1), ["+3 −1"]),
        (Tree(ahead=1), ["↑1"]),
        (Tree(behind=2), ["↓2"]),
        (Tree(ahead=1, behind=2), ["↑1 ↓2"]),
        (Tree(files=1, added=1, meets=("other",), ahead=1), ["⚠", "+1 −0", "↑1"]),
        (Tree(request=RequestStanding(number=7, state="open")), ["#7"]),
        (Tree(request=RequestStanding(number=7, state="open", checks="failed")), ["#7✗"]),
        (Tree(request=RequestStanding(number=7, state="merged", checks="failed")), ["#7⇒"]),
        (Tree(request=RequestStanding(number=7, state="open", conflicts=True)), ["#7⚠"]),
        (Tree(ports={"PORT": 8001, "DB_PORT": 8002}), [":8001", ":8002"]),
    ],
)
def test_the_changes_of_a_worktree_are_told_in_signs(tree: Tree | None, changes: list[str]) -> None:
    assert changes_of(session(worktree=tree)) == changes
