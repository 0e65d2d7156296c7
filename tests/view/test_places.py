"""Going to the session before, going back after a jump, and choosing a lane."""

from __future__ import annotations

from nagomi_tui.sessions.session import Condition
from nagomi_tui.view.dialogs.palette import Palette
from nagomi_tui.view.screens.state import Place, Places, ViewName
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

SESSIONS = [session(n, f"s{n}") for n in range(1, 6)]
IDS = [one.session_id for one in SESSIONS]


async def test_a_key_goes_to_the_session_before_and_again_to_this_one() -> None:
    with FakeOrchestrator(*SESSIONS) as server:
        async with visit(server) as here:
            state = here.app.parts.state
            await here.leader(";")
            await here.sees("There is no session before this one.")
            await here.leader("4", ";")
            assert state.focused == IDS[0]
            await here.leader(";")
            assert state.focused == IDS[3]


async def test_one_goes_back_from_a_tour_of_those_who_wait_with_the_lanes_as_they_were() -> None:
    asking = [session(n, f"s{n}", phase=Condition.ATTENTION, waits=True) for n in (4, 5)]

    with FakeOrchestrator(*SESSIONS[:3], *asking) as server:
        async with visit(server, (200, 40)) as here:
            state = here.app.parts.state
            await here.leader("v")
            state.open_lane(IDS[1])
            await here.leader("2")
            assert (state.focused, state.lanes) == (IDS[1], IDS[:2])
            await here.leader("tab", "tab", "z")
            assert state.focused == IDS[4] and state.lanes != IDS[:2]
            await here.leader("backspace")
            assert (state.focused, state.lanes) == (IDS[1], IDS[:2])
            assert (state.view, state.zoomed) == (ViewName.CHAT, False)
            await here.leader("backspace")
            await here.sees("There is nothing to go back to")


async def test_a_lane_is_chosen_where_there_are_several_sessions() -> None:
    with FakeOrchestrator(*SESSIONS[:3]) as server:
        async with visit(server, (200, 40)) as here:
            state = here.app.parts.state
            await here.leader("a")
            await here.until(lambda: isinstance(here.app.screen, Palette))
            await here.sees("A lane for", "s2", "s3")
            await here.type("s3")
            await here.press("enter")
            await here.until(lambda: state.lanes == [IDS[0], IDS[2]])
            assert (state.view, state.focused) == (ViewName.CHAT, IDS[0])
            await here.leader("a")
            await here.until(lambda: state.lanes == [IDS[0], IDS[1], IDS[2]])
            await here.leader("a")
            await here.sees("Every session has a lane already.")


def test_a_place_is_that_before_the_first_of_several_jumps() -> None:
    places = Places()
    first, second = Place("1", ("1",), "chat", False), Place("2", ("2",), "chat", False)
    places.jumped(first, "2")
    places.jumped(second, "3")
    assert places.take_left() == first
    assert places.take_left() is None
    places.jumped(first, "2")
    places.jumped(Place("5", ("5",), "run", False), "3")  # the user went on by other keys
    assert places.take_left() == Place("5", ("5",), "run", False)


def test_a_place_keeps_what_still_exists_of_it() -> None:
    place = Place("1", ("1", "2"), "chat", True)
    assert place.among({"1", "3"}) == Place("1", ("1",), "chat", True)
    assert place.among({"2"}) is None
