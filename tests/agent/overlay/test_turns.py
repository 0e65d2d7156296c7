"""Turns of the overlay: counted, stored, restored, and met by commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from nagomi_tui.agent.overlay import Overlay, WorkMode, after_turn, directive, restored

if TYPE_CHECKING:
    from nagomi_tui.agent.providers.interface import Route


class _Entry:
    """A conversation's entry, of which the two fields are stored."""

    def __init__(self) -> None:
        self.saved: list[Overlay] = []

    def open(self) -> WorkMode:
        return WorkMode(self.saved[-1] if self.saved else Overlay(), self.saved.append, directive())


def _turn(work: WorkMode, answer: str = "done", *, route: Route = "chat", done: bool = True) -> str:
    began = work.begin()
    directive = work.directive(route, began)
    work.end(began, route=route, answer=answer, done=done)
    return directive


@pytest.mark.requirement("W-1", "X-7", "WC-3")
def test_it_is_stored_under_its_names_and_not_where_it_is_empty() -> None:
    stored = msgspec.json.encode(Overlay(5, "d"))
    assert stored == b'{"work_overlay_turns_left":5,"work_overlay_directive":"d"}'
    assert msgspec.json.decode(stored, type=Overlay) == Overlay(5, "d")
    assert msgspec.json.encode(Overlay()) == b"{}"
    assert msgspec.json.decode(b"{}", type=Overlay) == Overlay()
    assert msgspec.json.decode(stored) == Overlay(5, "d").fields()
    assert Overlay().fields() == {"work_overlay_turns_left": 0, "work_overlay_directive": ""}


@pytest.mark.requirement("W-2")
def test_it_is_off_at_first() -> None:
    assert _Entry().open().overlay == Overlay(0, "")


@pytest.mark.requirement("W-34")
def test_work_gives_eight_turns_and_the_next_request_has_the_directive() -> None:
    work = _Entry().open()
    work.command("/work")
    assert work.overlay.turns_left == 8
    assert _turn(work) == directive()


@pytest.mark.requirement("W-22", "W-23", "W-35", "W-25")
def test_each_answered_turn_takes_one_and_is_saved() -> None:
    entry = _Entry()
    work = entry.open()
    work.command("/work 3")
    _turn(work)
    assert work.overlay.turns_left == 2 and entry.saved[-1] == work.overlay


@pytest.mark.requirement("W-24", "W-36")
def test_the_last_turn_clears_the_directive() -> None:
    work = _Entry().open()
    work.command("/work 2")
    assert [bool(_turn(work)) for _ in range(3)] == [True, True, False]
    assert work.overlay == Overlay(0, "")


@pytest.mark.requirement("W-26")
def test_a_turn_that_failed_costs_nothing() -> None:
    work = _Entry().open()
    work.command("/work 3")
    _turn(work, "half of an", done=False)
    assert work.overlay.turns_left == 3


@pytest.mark.parametrize("answer", ["", " \n"])
@pytest.mark.requirement("WB-3")
def test_an_empty_answer_costs_nothing(answer: str) -> None:
    assert after_turn(Overlay(3, "d"), route="chat", answer=answer, done=True) == Overlay(3, "d")


@pytest.mark.requirement("WB-2", "X-10")
def test_every_request_of_a_turn_has_it_and_the_turn_counts_once() -> None:
    work = _Entry().open()
    work.command("/work 1")
    began = work.begin()
    attempts = [work.directive("chat", began) for _ in range(4)]
    work.end(began, route="chat", answer="done", done=True)
    assert attempts == [directive()] * 4
    assert work.overlay == Overlay()


@pytest.mark.parametrize("route", ["ask", "loop", "judge", "summary"])
@pytest.mark.requirement("F-17", "W-23")
def test_other_routes_count_no_turn(route: Route) -> None:
    work = _Entry().open()
    work.command("/work 3")
    assert _turn(work, route=route) == ""
    assert work.overlay.turns_left == 3


@pytest.mark.parametrize("command", ["/normal", "/work 5", "/work 3", "/work off"])
@pytest.mark.requirement("WB-7")
def test_a_command_during_a_turn_is_not_undone_by_its_end(command: str) -> None:
    entry = _Entry()
    work = entry.open()
    work.command("/work 3")
    began = work.begin()
    work.command(command)
    commanded = work.overlay
    work.end(began, route="chat", answer="done", done=True)
    assert work.overlay == commanded == entry.saved[-1]


@pytest.mark.requirement("WB-7")
def test_a_question_about_the_status_lets_the_turn_count() -> None:
    work = _Entry().open()
    work.command("/work 3")
    began = work.begin()
    work.command("/work status")
    work.end(began, route="chat", answer="done", done=True)
    assert work.overlay.turns_left == 2


@pytest.mark.requirement("W-39")
def test_turns_and_directive_outlive_a_restart() -> None:
    entry = _Entry()
    work = entry.open()
    work.command("/work 3")
    _turn(work)
    again = entry.open()
    assert again.overlay == Overlay(2, directive())
    assert _turn(again) == directive()


@pytest.mark.requirement("WB-8")
def test_a_newer_directive_takes_the_place_of_a_stored_one() -> None:
    assert restored(3, "an older text", "today's") == Overlay(3, "today's")
    work = WorkMode(Overlay(3, "an older text"), lambda _: None, directive())
    assert _turn(work) == directive()


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        ((0, "d"), Overlay()),
        ((-4, "d"), Overlay()),
        ((3, ""), Overlay()),
        ((9999, "d"), Overlay(50, "d")),
    ],
)
@pytest.mark.requirement("W-2")
def test_a_stored_overlay_that_makes_no_sense_is_off_or_within_its_bounds(
    stored: tuple[int, str], found: Overlay
) -> None:
    assert restored(*stored, "d") == found


@pytest.mark.requirement("W-6", "W-15", "W-18", "W-19", "W-30", "W-37", "W-38")
def test_commands_are_answered_in_lines_and_other_text_is_none() -> None:
    work = _Entry().open()
    assert work.command("what is going on?") is None
    assert work.command("/workspace") is None
    assert work.command("/work 5") == ("了解しました。以後5ターン、仕事モードで進めます。",)
    assert work.command("/work status") == ("仕事モード残り：5ターン。解除は /normal です。",)
    assert work.command("/normal") == ("了解しました。会話モードに戻します。",)
    assert _turn(work) == ""


@pytest.mark.requirement("W-25")
def test_nothing_is_saved_where_nothing_changed() -> None:
    entry = _Entry()
    work = entry.open()
    work.command("/work status")
    work.command("/normal")
    _turn(work)
    assert entry.saved == []
