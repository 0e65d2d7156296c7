"""The todos of a guarded project, proposed against approved."""

from __future__ import annotations

import pytest

from nagomi_tui.api.messages import GuardShown, GuardTodo
from nagomi_tui.view.dialogs.guard import rows


def shown(proposal: str, approved: str, offered: str | None = None) -> GuardShown:
    """Return what is shown of todos of one letter each; a capital is done."""
    todos = tuple(
        GuardTodo(content=one.lower(), status="completed" if one.isupper() else "pending")
        for one in approved
    )
    return GuardShown(
        session_id="",
        number=1,
        name="a",
        project="/p",
        mode="discussion",
        protocol="",
        bypassed=False,
        proposal=tuple(proposal),
        offered=tuple(proposal or approved.lower() if offered is None else offered),
        todos=todos,
        stashed=0,
        notices=(),
        others=(),
    )


def told(given: GuardShown) -> list[str]:
    marks = {"same": " ", "new": "+", "gone": "-"}
    return [
        f"{marks[row.change]}{row.content}{row.status[:1]}{'!' * row.offered}"
        for row in rows(given)
    ]


@pytest.mark.requirement("F-10")
def test_a_first_proposal_is_all_new() -> None:
    assert told(shown("abc", "")) == ["+a!", "+b!", "+c!"]


@pytest.mark.requirement("D-26")
def test_a_proposal_is_compared_with_what_is_approved() -> None:
    assert told(shown("axc", "Abc")) == [" ac!", "-bp", "+x!", " cp!"]
    assert told(shown("ba", "ab")) == ["+b!", " ap!", "-bp"]


@pytest.mark.requirement("F-10")
def test_without_a_proposal_the_approved_todos_are_shown() -> None:
    assert told(shown("", "Ab")) == [" ac!", " bp!"]
    assert told(shown("", "")) == []


@pytest.mark.requirement("F-10")
def test_what_an_agent_words_cannot_move_the_screen() -> None:
    (row,) = rows(shown("\x1b", ""))
    assert "\x1b" not in row.text and row.content == "\x1b"
