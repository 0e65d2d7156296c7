"""Toasts: no open dialog is covered by one, and none is lost by waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.notifications import Notification
from textual.widgets._toast import Toast

from nagomi_tui.api import messages as m
from nagomi_tui.sessions.reminding import Reminder
from nagomi_tui.sessions.session import Condition
from nagomi_tui.view import notices
from nagomi_tui.view.dialogs.palette import Palette
from nagomi_tui.view.keymap.menu import LeaderMenu
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, row, session
from tests.view.test_judge_pane import ASKS

if TYPE_CHECKING:
    from textual.geometry import Region

ONE, TWO, THREE = session(1, "one"), session(2, "two"), session(3, "three")
DIALOGS = {
    "new session": "c",
    "settings": "s",
    "palette": "space",
    "help": "?",
    "question": "x",
    "new name": ",",
}
"""Keys after the leader that open a dialog."""


def called(server: FakeOrchestrator, title: str = "web") -> None:
    server.push(
        m.Called(sessions=(TWO.session_id,), kind="failure", title=title, body="2 tests failed")
    )


def toasts(here: Visit) -> list[Region]:
    """Where toasts are on the screen in front."""
    return [toast.region for toast in here.app.screen.query(Toast) if toast.region.area]


def held(here: Visit) -> list[str]:
    """The titles of the toasts that wait for a place."""
    return [one.title for one in here.app.parts.toasts._held]


def box(here: Visit) -> Region:
    """Where the dialog in front is."""
    return here.app.screen.query_one(".box").region


async def opened(here: Visit, key: str) -> None:
    await here.leader(key)
    await here.until(lambda: len(here.app.screen_stack) > 1 and box(here).area)


async def seen_or_held(here: Visit, title: str) -> None:
    """Wait until a toast is shown beside the dialog, or held."""
    await here.until(lambda: toasts(here) or title in held(here))


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (200, 50)])
@pytest.mark.parametrize("key", DIALOGS.values(), ids=DIALOGS.keys())
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.requirement("N-48")
async def test_a_notice_lies_over_no_dialog_and_is_read_behind_it(
    size: tuple[int, int], key: str, before: bool
) -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server, size) as here:
            if before:
                called(server)
                await here.until(lambda: toasts(here))
            await opened(here, key)
            if not before:
                called(server)
            await seen_or_held(here, "web")
            assert not any(toast.overlaps(box(here)) for toast in toasts(here))
            assert bool(toasts(here)) == ("web" in here.text())
            await here.press("escape")
            await here.until(lambda: len(here.app.screen_stack) == 1)
            await here.sees("2 tests failed")
            assert len(toasts(here)) == 1


@pytest.mark.requirement("N-48")
async def test_a_dialog_that_grows_puts_a_notice_off_until_it_is_closed() -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server, (120, 36)) as here:
            await opened(here, "space")
            await here.type("qqqqqq")
            await here.until(lambda: box(here).height < 12)
            called(server)
            await here.until(lambda: toasts(here))
            await here.press(*["backspace"] * 6)
            await here.until(lambda: box(here).height > 12)
            await here.until(lambda: not any(toast.overlaps(box(here)) for toast in toasts(here)))
            await here.press("escape")
            await here.sees("2 tests failed")


@pytest.mark.requirement("N-48")
async def test_of_the_calls_behind_a_dialog_the_newest_is_told_and_none_that_was_seen() -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server, (60, 20)) as here:
            await opened(here, "c")
            called(server, "first")
            called(server, "second")
            await seen_or_held(here, "second")
            assert held(here) == ["second"]
            here.app.parts.go_to(TWO.session_id)
            await here.until(lambda: not held(here))
            await here.press("escape")
            await here.until(lambda: len(here.app.screen_stack) == 1)
            assert not toasts(here)


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (200, 50)])
@pytest.mark.requirement("N-48")
async def test_a_notice_lies_not_over_the_judges_pane_while_that_has_the_keys(
    size: tuple[int, int],
) -> None:
    asking = session(1, "one", phase=Condition.ATTENTION, waits=True)
    with FakeOrchestrator(asking, TWO) as server:
        server.asked[asking.session_id] = ASKS
        async with visit(server, size) as here:
            await here.leader("y")
            await here.sees("touch made.txt")
            called(server)
            await seen_or_held(here, "web")
            pane = here.app.parts.main.judge_pane
            assert pane.has_keys
            assert not any(toast.overlaps(pane.region) for toast in toasts(here))
            await here.press("escape")
            await here.sees("2 tests failed")


@pytest.mark.requirement("N-48")
async def test_a_notice_gives_way_to_the_menu_of_the_leader() -> None:
    with FakeOrchestrator(ONE, TWO, THREE) as server:
        async with visit(server, (80, 24)) as here:
            menu = here.app.query_one(LeaderMenu)
            called(server)
            await here.until(lambda: toasts(here))
            menu.open()
            await here.until(lambda: menu.region.area)
            await here.until(lambda: not any(toast.overlaps(menu.region) for toast in toasts(here)))
            menu.close()
            await here.sees("2 tests failed")


async def test_a_sentence_is_held_once_and_not_without_end() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (60, 20)) as here:
            await opened(here, "space")
            assert isinstance(here.app.screen, Palette)
            shown = here.app.parts.toasts
            for number in range(40):
                shown.show(Notification(f"sentence {number}"))
                shown.show(Notification("again and again"))
            assert len(shown._held) == 20
            assert [one.message for one in shown._held].count("again and again") == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 35), (60, 40)])
@pytest.mark.parametrize("low", [True, False])
@pytest.mark.requirement("N-48")
async def test_a_notice_lies_over_no_question_and_is_told_in_the_bar_meanwhile(
    size: tuple[int, int], low: bool
) -> None:
    asking = session(1, "one", phase=Condition.ATTENTION)
    with FakeOrchestrator(asking, TWO) as server:
        blank = [row("")] * (max(0, size[1] - 20) if low else 0)
        asks = [row(f"{number}. yes, and " + "x" * 190) for number in range(16)]
        server.screens[asking.session_id] = [*blank, *asks]
        async with visit(server, size) as here:
            await here.leader("z")
            await here.sees("1. yes, and")
            called(server)
            await here.until(lambda: toasts(here) or held(here))
            lines = [y for y, line in enumerate(here.lines()) if "yes, and" in line]
            for toast in toasts(here):
                assert not lines or toast.bottom <= lines[0] or toast.y > lines[-1]
            if held(here):
                assert "web: 2 tests failed" in here.text()
            server.change(asking.session_id, phase=Condition.RUNNING)
            await here.until(lambda: len(toasts(here)) == 1 and not held(here))


async def test_what_was_told_can_be_read_again_and_leads_to_its_session() -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("N")
            await here.sees("Nothing was told yet.")
            await here.press("escape")
            await here.leader("%", "X")
            called(server)
            await here.until(lambda: "web" in held(here) or "2 tests failed" in here.text())
            await here.leader("N")
            await here.sees(
                "Notices",
                "two  web: 2 tests failed",
                "one  one still runs; stop it first (Ctrl+] x).",
            )
            listed = [line for line in here.lines() if ":" in line and "│" in line]
            texts = ["2 tests failed", "stop it first", "no meaning here"]
            found = [next(at for at, line in enumerate(listed) if text in line) for text in texts]
            assert found == sorted(found)
            await here.press("enter")
            await here.until(lambda: len(here.app.screen_stack) == 1)
            assert here.app.parts.state.focused == TWO.session_id


async def test_open_reminders_are_listed_cancelled_by_a_key_and_lead_to_their_session() -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("T")
            await here.sees("No reminder is open.")
            await here.press("escape")
            for number, words in enumerate(("stretch", "look why", "[b]tea[/b]"), 1):
                watched = TWO.session_id if number > 1 else ""
                server.reminders[number] = Reminder(number=number, words=words, session=watched)
            await here.leader("T")
            await here.sees("1: stretch", "2: look why", "3: [b]tea[/b]")
            server.refusals[m.CancelReminder] = "The disk is full."
            await here.press("x")
            await here.sees("The disk is full.", "1: stretch")
            server.refusals.clear()
            await here.press("x")
            await here.misses("1: stretch")
            assert list(server.reminders) == [2, 3]
            await here.press("down", "enter")
            await here.until(lambda: here.app.parts.state.focused == TWO.session_id)
            await here.leader("T")
            await here.sees("3: [b]tea[/b]")
            await here.press("delete")
            await here.misses("2: look why")
            await here.press("x")
            await here.until(lambda: len(here.app.screen_stack) == 1 and not server.reminders)


async def test_a_list_of_many_notices_can_be_scrolled_to_the_first() -> None:
    with FakeOrchestrator(ONE) as server:
        async with visit(server, (80, 24)) as here:
            for number in range(60):
                server.push(m.Notice(kind="info", text=f"sentence {number}."))
            await here.until(lambda: len(here.app.parts.state.told) == 60)
            await here.leader("N")
            await here.sees("sentence 59.")
            assert "sentence 0." not in here.text()
            await here.press("end")
            await here.sees("sentence 0.")


async def test_a_sentence_makes_room_for_the_hints_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert notices.MESSAGE_SECONDS == 3.0
    monkeypatch.setattr(notices, "MESSAGE_SECONDS", 0.2)
    with FakeOrchestrator(ONE) as server:
        async with visit(server) as here:
            await here.leader("%")
            await here.sees("has no meaning here.")
            await here.misses("has no meaning here.")
            await here.sees("Ctrl+] menu")


@pytest.mark.parametrize(("lines", "low"), [(13, True), (19, False)])
@pytest.mark.requirement("N-48")
async def test_a_notice_lies_below_the_lines_of_a_program_that_fills_half_its_pane(
    lines: int, low: bool
) -> None:
    with FakeOrchestrator(ONE, TWO) as server:
        server.screens[ONE.session_id] = [row(f"line {at}") for at in range(lines)]
        async with visit(server, (80, 24)) as here:
            await here.leader("z")
            await here.sees(f"line {lines - 1}")
            called(server)
            await here.until(lambda: toasts(here))
            assert (toasts(here)[0].y > lines) == low
