"""What the judge remembers of each event."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.evidence import (
    Corrected,
    Ended,
    Evidence,
    Foreground,
    Key,
    Says,
    Source,
    Typed,
    View,
    Wait,
)
from nagomi_tui.judge.known import Known
from nagomi_tui.judge.verdict import State

HOOK, EDITOR, SHELL = Source.HOOK, Source.EDITOR, Source.SHELL


def said(source: Source, says: Says, at: float, **more: object) -> Evidence:
    return Evidence(source=source, says=says, at=at, **more)  # type: ignore[arg-type]


def seen(at: float, **more: object) -> Foreground:
    told = {"command": "bash", "leader": True, "wait": Wait.READ} | more
    return Foreground(at=at, **told)  # type: ignore[arg-type]


def shell(*events: Evidence | Foreground | Typed) -> Known:
    known = Known(command="bash", shell=True)
    for event in events:
        known.take(event)
    return known


def test_a_source_that_repeats_itself_has_said_so_since_the_first_time() -> None:
    known = Known(command="x")
    for at, says in ((1.0, Says.RUNNING), (2.0, Says.WAITS), (3.0, Says.WAITS)):
        known.take(said(HOOK, says, at))
    held = known.sources[HOOK]
    assert (held.last.at, held.since) == (3.0, 2.0)
    assert held.before is not None and held.before.says is Says.RUNNING


def test_time_never_goes_back() -> None:
    known = Known(command="x")
    known.take(said(HOOK, Says.RUNNING, 5.0))
    known.take(said(HOOK, Says.RUNNING, 3.0))
    assert known.now == 5.0


def test_a_word_holds_until_the_moment_at_which_it_expires() -> None:
    known = Known(command="x", now=1.0)
    known.take(said(HOOK, Says.RUNNING, 1.0, expires=2.0))
    assert known.held(HOOK) is not None
    known.now = 2.0
    assert known.held(HOOK) is None


@pytest.mark.requirement("N-68")
def test_a_source_may_begin_a_turn() -> None:
    known = Known(command="x")
    known.take(said(HOOK, Says.THINKING, 1.0))
    assert known.turn.number == 0
    known.take(said(HOOK, Says.THINKING, 2.0, begins=True))
    assert known.turn.number == 1


@pytest.mark.parametrize(
    ("source", "says", "worked"),
    [(HOOK, Says.RUNNING, 2.0), (HOOK, Says.WAITS, None), (EDITOR, Says.RUNNING, None)],
)
def test_work_is_what_a_program_tells_of_and_no_line_editor(
    source: Source, says: Says, worked: float | None
) -> None:
    known = Known(command="x")
    known.take(said(source, says, 2.0))
    assert known.turn.worked_at == worked


def test_a_command_makes_forget_what_the_last_ones_program_said() -> None:
    told = [said(source, Says.WAITS, 1.0) for source in (HOOK, Source.TITLE, Source.SCREEN)]
    known = shell(*told, said(EDITOR, Says.RUNNING, 2.0))
    assert set(known.sources) == {EDITOR}
    assert known.turn.command_at == 2.0
    known = shell(*told, said(EDITOR, Says.REST, 2.0))
    assert HOOK in known.sources and known.turn.command_at is None


def test_only_a_shell_has_commands() -> None:
    known = Known(command="agent")
    known.take(said(HOOK, Says.WAITS, 1.0))
    known.take(said(EDITOR, Says.RUNNING, 2.0))
    assert HOOK in known.sources and known.turn.command_at is None


def test_enter_at_a_marked_prompt_is_no_command_and_one_without_marks_is() -> None:
    at_rest = said(SHELL, Says.REST, 1.0)
    assert shell(at_rest, said(EDITOR, Says.RUNNING, 2.0)).turn.command_at is None
    running = said(SHELL, Says.RUNNING, 2.0)
    assert shell(at_rest, running, said(EDITOR, Says.RUNNING, 2.1)).turn.command_at == 2.1
    assert shell(at_rest, running).turn.command_at == 2.0


def test_a_correction_holds_for_its_turn_and_until_the_session_ends() -> None:
    known = Known(command="x")
    known.take(Corrected(1.0, State.SUCCESS))
    assert known.correction is not None
    known.take(Ended(1.0, 1))
    assert known.correction is not None  # it was said of the end
    known.take(Ended(2.0, 1))
    assert known.correction is None
    known = Known(command="x")
    known.take(Corrected(1.0, State.SUCCESS))
    known.take(Typed(2.0, Key.ENTER))
    assert known.correction is None
    assert Known(command="x").correction is None


@pytest.mark.requirement("NB-7")
def test_only_another_text_is_a_change() -> None:
    known = Known(command="x")
    known.take(View(at=1.0, rows=("a",)))
    known.take(View(at=2.0, rows=("a",), cursor_x=1))
    assert known.changed_at == 1.0
    known.take(View(at=3.0, rows=("b",)))
    assert known.changed_at == 3.0


def test_a_command_that_is_seen_in_the_foreground_has_run() -> None:
    known = shell(seen(1.0), seen(2.0, command="make", leader=False, wait=Wait.NOTHING))
    assert (known.turn.command_at, known.turn.worked_at) == (2.0, 2.0)
    assert shell(seen(1.0), seen(2.0)).turn.worked_at is None
    first = shell(seen(2.0, command="make", leader=False))
    assert first.turn.worked_at is None
    program = Known(command="x")
    program.take(seen(1.0))
    program.take(seen(2.0, leader=False))
    assert program.turn.worked_at is None


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ({}, False),
        ({"leader": False}, True),
        ({"wait": Wait.NOTHING}, True),
    ],
)
def test_a_status_is_gone_when_the_shell_reads_again(more: dict[str, object], kept: bool) -> None:
    known = shell(said(Source.STATUS, Says.BUSY, 1.0), seen(2.0, **more))
    assert (Source.STATUS in known.sources) is kept


def test_a_program_that_tells_its_status_may_read() -> None:
    known = Known(command="x")
    known.take(said(Source.STATUS, Says.BUSY, 1.0))
    known.take(seen(2.0))
    assert Source.STATUS in known.sources


@pytest.mark.parametrize(
    ("events", "command_at"),
    [
        ([seen(1.0)], 5.0),
        ([seen(1.0, leader=False)], None),
        ([seen(1.0, wait=Wait.KEYS)], None),
        ([], None),
        ([seen(1.0), said(EDITOR, Says.REST, 1.0)], None),
        ([seen(1.0), said(SHELL, Says.REST, 1.0)], None),
    ],
)
def test_enter_is_a_command_to_a_shell_that_reads_lines_and_marks_none(
    events: list[Evidence | Foreground], command_at: float | None
) -> None:
    known = shell(*events, Typed(5.0, Key.ENTER))
    assert known.turn.command_at == command_at
    assert known.turn.number == 1


def test_enter_begins_no_command_where_there_is_no_shell() -> None:
    known = Known(command="x")
    known.take(seen(1.0))
    known.take(Typed(5.0, Key.ENTER))
    assert (known.turn.command_at, known.turn.number) == (None, 1)


@pytest.mark.parametrize(
    ("source", "says", "turn"),
    [
        (Source.STATUS, Says.WAITS, 0),
        (Source.SCREEN, Says.WAITS, 0),
        (Source.SCREEN, Says.REST, 1),
        (HOOK, Says.WAITS, 1),
    ],
)
@pytest.mark.requirement("N-68")
def test_enter_in_a_dialog_goes_on_with_the_turn(source: Source, says: Says, turn: int) -> None:
    known = Known(command="agent")
    known.take(said(source, says, 1.0))
    known.take(Typed(5.0, Key.ENTER))
    assert known.turn.number == turn


def test_text_that_is_typed_begins_and_breaks_nothing() -> None:
    known = Known(command="agent")
    known.take(Typed(5.0, Key.TEXT))
    assert known.turn == Known(command="agent").turn


@pytest.mark.parametrize("key", [Key.INTERRUPT, Key.ESCAPE])
@pytest.mark.requirement("NB-18")
def test_a_key_that_breaks_off_is_remembered(key: Key) -> None:
    known = Known(command="agent")
    known.take(said(Source.TITLE, Says.REST, 1.0))
    known.take(Typed(5.0, key))
    assert (known.turn.interrupted_by, known.turn.halted_at) == (key, None)
    known.take(said(Source.TITLE, Says.BUSY, 6.0))
    known.take(Typed(7.0, key))
    assert known.turn.halted_at == 7.0


@pytest.mark.parametrize(("source", "turns"), [(EDITOR, 2), (SHELL, 2), (HOOK, 1)])
@pytest.mark.requirement("N-68")
def test_a_turn_is_over_when_the_shell_came_back_since_it_began(source: Source, turns: int) -> None:
    """Two commands within half a second are two turns if the prompt was there between them."""
    known = shell(Typed(5.0, Key.ENTER), said(source, Says.REST, 5.1), Typed(5.2, Key.ENTER))
    assert known.turn.number == turns
    before = shell(said(source, Says.REST, 5.0), Typed(5.0, Key.ENTER), Typed(5.2, Key.ENTER))
    assert before.turn.number == 1
    running = shell(Typed(5.0, Key.ENTER), said(source, Says.RUNNING, 5.1), Typed(5.2, Key.ENTER))
    assert running.turn.number == 1


def test_a_full_screen_that_changes_in_its_place_is_drawn() -> None:
    """So `top` draws where the terminal has no other screen; lines that scroll move them all."""
    table = ("  PID USER      CPU", *(f"{at} root {at}.0" for at in range(8)))
    for changed, drawn in (
        (("up 1:01", table[0], "9 root 9.9", *table[2:]), True),
        ((*table, "3 lines more"), False),
        (("up 1:00", *table[:-1], "the last one"), False),
    ):
        known = Known(command="x")
        known.take(View(at=1.0, rows=("up 1:00", *table)))
        known.take(View(at=2.0, rows=changed))
        assert known.drawn is drawn, changed
    few = Known(command="x")
    few.take(View(at=1.0, rows=("Watching", "a", "b", *[""] * 9)))
    few.take(View(at=2.0, rows=("Rerun", "a", "b", *[""] * 9)))
    assert not few.drawn
