"""What the agent says of its own accord stands in conversations, open and closed ones alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.agent.conversations.conversation import UNASKED
from nagomi_tui.agent.talk.events import Exchange
from nagomi_tui.api import messages
from nagomi_tui.api.client import Gone, NotServed
from tests.agent.resident.test_talking import agent
from tests.helpers.agent_library import ended, said
from tests.helpers.model_server import calls, hangs, says
from tests.helpers.workplace import PATIENCE, create, until

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.model_server import ModelServer
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow


def told(connection: Connection) -> list[Any]:
    found = connection.request(messages.ListReminders(id=0), timeout=PATIENCE)
    return [one.reminder for one in found.told if one.reminder.written]


async def test_a_reminder_is_told_in_its_conversation_while_that_is_closed(
    connection: Connection, server: ModelServer
) -> None:
    server.script(calls("remind", {"when": "1s", "words": "stretch"}), says("I will."))
    async with agent(connection) as found:
        talk = await found.open(new="tea")
        assert ended(await said(talk, "Remind me to stretch")).text == "I will."
        await talk.command("/new other")
    await anyio.to_thread.run_sync(until, lambda: told(connection))
    asked = len(server.asked)
    server.script(says("That you stretch."))
    async with agent(connection) as found:
        talk = await found.open("tea")
        assert talk.last == Exchange("Remind me to stretch", "I will."), "the greeting tells it"
        await talk.command("/switch other")
        back = (await talk.command("/switch tea")).last
        assert back and re.fullmatch(r"I will\.\n\n\d\d:\d\d Reminder: stretch", back.answered)
        assert "Reminder: stretch" in "\n".join((await talk.command("/export")).lines)
        await said(talk, "What did you say?")
        other = await found.open("other")
        assert "stretch" not in "\n".join((await other.command("/export")).lines)
    assert len(server.asked) == asked + 1, "nothing else was asked of the model"
    sent = server.asked[-1].messages
    assert [one["role"] for one in sent] == ["user", "assistant"] * (len(sent) // 2) + ["user"]
    assert f"{UNASKED} " in str(sent[-2]) and "Reminder: stretch" in str(sent[-2])


async def test_it_is_shown_at_once_where_the_conversation_is_open(
    connection: Connection, server: ModelServer
) -> None:
    server.script(calls("remind", {"when": "1s", "words": "stretch"}), hangs("wait"), says("ok"))
    async with agent(connection) as found:
        talk, heard = await found.open(new="tea"), list[str]()
        talk.listen(heard.append)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(said, talk, "Remind me")
            with anyio.fail_after(PATIENCE):
                while not heard:
                    await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()
        assert re.fullmatch(r"\d\d:\d\d Reminder: stretch", heard[0])
        lines = (await talk.command("/export")).lines
        with anyio.fail_after(PATIENCE):
            while "Reminder: stretch" not in "\n".join(lines):
                await anyio.sleep(0.05)
                lines = (await talk.command("/export")).lines
        assert ended(await said(talk, "Go on")).outcome == "done"


async def test_it_outlives_a_kill_of_all_that_remembers_it(
    place: Place, connection: Connection, server: ModelServer
) -> None:
    made = create(connection, "bash --norc --noprofile -i", name="tests")
    server.script(
        calls("remind", {"when": "tests says BUILD (OK|BROKEN)", "words": "deploy"}), says("ok")
    )
    async with agent(connection) as found:
        await said(await found.open(new="tea"), "Tell me when the build is done")
    for module in ("nagomi_tui.agent.resident", "nagomi_tui.orchestrator"):
        for pid in place.pids_of(module):
            place.kill(pid)
    with place.connect(front_end=True) as again:
        opened = again.request(messages.ListReminders(id=0), timeout=PATIENCE).open
        assert [one.reminder.words for one in opened] == ["deploy"]
        again.request(messages.Send(id=0, session=made, text="echo BUILD' 'OK"), timeout=PATIENCE)
        await anyio.to_thread.run_sync(until, lambda: told(again))
        (one,) = told(again)
        assert one.found == "BUILD OK"
        async with agent(again) as found:
            lines = (await (await found.open("tea")).command("/export")).lines
        assert "\n".join(lines).count("tests says: BUILD OK: deploy") == 1


async def test_an_orchestrator_that_was_killed_right_after_telling_says_it_once_in_the_chat(
    place: Place, connection: Connection, server: ModelServer
) -> None:
    server.script(calls("remind", {"when": "1s", "words": "stretch"}), says("ok"))
    async with agent(connection) as found:
        await said(await found.open(new="tea"), "Remind me")
    try:
        await anyio.to_thread.run_sync(
            until,
            lambda: connection.request(messages.ListReminders(id=0), timeout=PATIENCE).told,
        )
    except (NotServed, Gone):
        pytest.fail("the orchestrator has gone by itself")
    place.kill(place.orchestrator)
    with place.connect(front_end=True) as again:
        await anyio.to_thread.run_sync(until, lambda: told(again))
        async with agent(again) as found:
            lines = (await (await found.open("tea")).command("/export")).lines
        assert "\n".join(lines).count("Reminder: stretch") == 1
