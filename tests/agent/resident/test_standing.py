"""What the agent's process tells of itself: its mode, that it thinks, what it says."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.system import paths
from tests.agent.resident.test_life import stands
from tests.agent.resident.test_talking import agent
from tests.helpers.agent_library import said
from tests.helpers.model_server import fails, says
from tests.helpers.workplace import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.client import Connection
    from nagomi_tui.api.messages.agent import Mode
    from tests.helpers.model_server import ModelServer

pytestmark = pytest.mark.slow


def change(connection: Connection, mode: Mode) -> None:
    connection.request(messages.AgentMode(id=0, mode=mode), timeout=PATIENCE)


def stands_so(connection: Connection, wanted: Callable[[messages.Agent], bool]) -> messages.Agent:
    """Return the first that is pushed of the agent and is as wanted."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if wanted(found := stands(connection)):
            return found
    raise AssertionError("the agent never stood so")


@pytest.mark.requirement("M-33")
async def test_a_front_end_changes_the_mode_and_all_hear_of_it(connection: Connection) -> None:
    change(connection, "reserved")
    assert stands_so(connection, lambda agent: agent.mode == "reserved").says == ""
    assert paths.agent_needed_file().exists()
    change(connection, "calm")
    stands_so(connection, lambda agent: agent.mode == "calm")


@pytest.mark.requirement("M-33")
async def test_there_is_no_other_mode(connection: Connection) -> None:
    with pytest.raises(RequestFailed, match="does not fit"):
        change(connection, "wild")  # type: ignore[arg-type]


@pytest.mark.requirement("MB-2")
async def test_a_step_that_failed_is_said_in_every_mode(connection: Connection) -> None:
    change(connection, "reserved")
    stands_so(connection, lambda agent: agent.mode == "reserved")
    notes = paths.state_folder() / "agent" / "memory" / "inner-notes.md"
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text("what I saw\n")
    (paths.state_folder() / "agent" / ".git" / "index.lock").touch()
    change(connection, "autonomous")
    told = stands_so(connection, lambda agent: agent.says != "")
    assert "index.lock" in told.says or "lock" in told.says
    assert notes.read_text() == "what I saw\n"


async def test_it_tells_that_it_thinks_and_speaks_an_answers_first_sentence(
    connection: Connection,
    server: ModelServer,
) -> None:
    server.script(says("## **Tea** is ready. Shall I pour?", pause=0.05))
    async with agent(connection) as found:
        await said(await found.open(), "What is going on?")
    stands_so(connection, lambda agent: agent.thinking)
    told = stands_so(connection, lambda agent: not agent.thinking and agent.says != "")
    assert told.says == "Tea is ready." and abs(told.said_at - time.time()) < PATIENCE
    assert told.mode == "calm"


async def test_a_turn_that_failed_is_not_spoken(
    connection: Connection,
    server: ModelServer,
) -> None:
    server.script(fails(401, "authentication_error", "no such key"))
    async with agent(connection) as found:
        talk = await found.open()
        await said(talk, "What is going on?")
        await found.mode("reserved")
    told = stands_so(connection, lambda agent: agent.mode == "reserved")
    assert told.says == "" and not told.thinking


async def test_open_conversations_hear_of_the_mode_and_the_newest_one_has_its_turns_shown(
    connection: Connection,
) -> None:
    async with agent(connection) as found, agent(connection) as another:
        lane, redrawn = await found.open(new="lane"), anyio.Event()
        lane.listen(str, None, redrawn.set)
        await lane.command("/work 5")
        other = await another.open(new="other")
        stands_so(connection, lambda agent: agent.work_turns == 0)
        await other.command("/work 2")
        stands_so(connection, lambda agent: agent.work_turns == 2)
        await lane.command("/work status")
        stands_so(connection, lambda agent: agent.work_turns == 5)
        await other.command("/work status")
        await another.mode("reserved")
        with anyio.fail_after(PATIENCE):
            await redrawn.wait()
        assert (lane.status.mode, lane.status.turns_left) == ("reserved", 5)
        async with agent(connection) as third:
            await third.open(new="third")
            stands_so(connection, lambda agent: agent.work_turns == 0)
        stands_so(connection, lambda agent: agent.work_turns == 2)
    stands_so(connection, lambda agent: agent.work_turns == 0)
