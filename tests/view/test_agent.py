"""The resident agent in the front end: its mode, what it says, and the way to its chat."""

from __future__ import annotations

import time
from typing import Any

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.sessions.session import Condition, State
from nagomi_tui.text import words
from nagomi_tui.view.character.faces import pose
from nagomi_tui.view.screens.chat_view import Lane
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

NOW = 1_770_000_000.0


def agent(mode: str = "calm", says: str = "", said_at: float = 0.0, **more: Any) -> m.Agent:
    """Return how an agent stands that runs."""
    return m.Agent(pid=4711, mode=mode, says=says, said_at=said_at, **more)


@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
@pytest.mark.requirement("F-12")
async def test_the_bar_tells_the_mode_while_the_agent_runs(size: tuple[int, int]) -> None:
    with FakeOrchestrator(session(1, "one")) as server:
        async with visit(server, size) as here:
            await here.misses("calm")
            server.push(agent("reserved"))
            await here.sees("○ agent: reserved")
            server.push(agent("autonomous", thinking=True))
            await here.sees("… agent: autonomous")
            server.push(m.Agent(mode="autonomous"))
            await here.misses("autonomous")


@pytest.mark.requirement("F-12")
async def test_a_mode_is_chosen_by_keys() -> None:
    with FakeOrchestrator(session(1, "one")) as server:
        async with visit(server) as here:
            server.push(agent("reserved"))
            await here.sees("○ agent: reserved")
            await here.leader("o")
            await here.sees("reserved ●", "Answers when it is spoken to")
            await here.press("down", "enter")
            await here.until(lambda: server.told(m.AgentMode))
            await here.leader("o")
            await here.press("1")
            await here.until(lambda: len(server.told(m.AgentMode)) == 2)
            assert [told.mode for told in server.told(m.AgentMode)] == ["autonomous", "calm"]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
@pytest.mark.requirement("F-12", "M-12", "W-12")
async def test_work_mode_and_notes_are_seen_beside_the_modes(
    language: str, size: tuple[int, int]
) -> None:
    say = words.of(language).say
    with FakeOrchestrator(session(1, "one")) as server:
        async with visit(server, size, NAGOMI_LANG=language) as here:
            server.push(agent("calm", work_turns=7, inner="the parser\x1b[31m is half done\n"))
            await here.sees(f"{say('calm')} /work 7")
            await here.leader("o")
            await here.sees(say("Answers when it is spoken to, and does no more."))
            await here.sees(say("Inner notes"), say(" (they stand still in calm)").strip())
            await here.sees("the parser", "7", "/normal")
            await here.misses(say("Tracking notes"))
            await here.press("escape")
            tracking = "# Tracking Snapshot\n" + "\n".join(f"- [ ] task {n}" for n in range(30))
            server.push(agent("reserved", inner="now", tracking=tracking))
            await here.until(lambda: here.app.parts.state.agent.mode == "reserved")
            await here.leader("o")
            await here.sees(say("Tracking notes"), say("Work mode"), "/work")
            await here.misses("task 29")
            await here.press(*["pagedown"] * 8)
            await here.sees("task 29", say("Its tasks, from you"), "NEXT.md")
            server.push(agent("autonomous", inner="something newer"))
            await here.sees(f"{say('autonomous')} ●", "something newer")


@pytest.mark.requirement("F-11")
async def test_one_key_opens_the_chat_in_a_lane_and_finds_it_again() -> None:
    with FakeOrchestrator(session(1, "one"), session(2, "two")) as server:
        async with visit(server) as here:
            await here.leader("t")
            await here.until(lambda: len(here.app.parts.state.sessions) == 3)
            state = here.app.parts.state
            await here.until(lambda: state.current and state.current.cmd == "nagomi chat")
            assert len(state.lanes) == 2 and state.keys_to_program
            await here.leader("n", "v", "t")
            await here.until(lambda: state.current and state.current.cmd == "nagomi chat")
            assert len(server.told(m.Create)) == 1


@pytest.mark.slow
@pytest.mark.requirement("F-11")
async def test_what_the_agent_says_is_in_the_balloon_and_elsewhere_in_the_bar() -> None:
    with FakeOrchestrator(session(1, "one")) as server:
        async with visit(server) as here:
            server.push(agent(says="Two wait for you.", said_at=time.time()))
            await here.sees("Two wait for you.")
            await here.leader("v")
            await here.sees("│ Two wait for │", "│ you. ")
            server.push(agent(says="That was long ago.", said_at=time.time() - 60))
            await here.misses("Two wait for you.")
            assert "long ago" not in here.text()


@pytest.mark.requirement("F-12")
def test_a_face_at_rest_tells_the_mode() -> None:
    poses = [pose(Condition.IDLE, mode) for mode in ("calm", "reserved", "autonomous", "later")]
    assert poses == [Condition.IDLE, Condition.LISTENING, Condition.THINKING, Condition.IDLE]
    assert pose(Condition.ERROR, "autonomous") is Condition.ERROR


@pytest.mark.requirement("F-11")
async def test_the_chat_has_one_input_and_all_columns_of_a_narrow_screen() -> None:
    chat = session(2, "agent", cmd="nagomi chat")
    with FakeOrchestrator(session(1, "one"), chat) as server:
        async with visit(server, (80, 24)) as here:
            await here.leader("t")
            await here.until(lambda: here.app.parts.state.has_own_input)
            await here.misses("Write to agent")
            lanes = [lane for lane in here.app.screen.query(Lane) if lane.display]
            assert [lane.outer_size.width for lane in lanes] == [80]
            await here.leader("n")
            await here.sees("Write to one")


@pytest.mark.requirement("F-11")
async def test_a_chat_that_has_ended_is_started_again_in_its_lane() -> None:
    ended = session(2, "agent", cmd="nagomi chat", state=State.EXITED)
    with FakeOrchestrator(session(1, "one"), ended) as server:
        async with visit(server) as here:
            await here.leader("t")
            await here.until(lambda: bool(server.told(m.Restart)))
            assert server.told(m.Restart)[0].session == ended.session_id
            assert server.told(m.Create) == []
