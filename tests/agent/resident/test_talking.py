"""Talking with the agent's process over its socket, against a real model server."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.agent.http.client import call
from nagomi_tui.agent.providers.interface import TextPiece
from nagomi_tui.agent.talk.events import Question, TalkFault
from nagomi_tui.agent.talk.remote import connect
from nagomi_tui.system import paths
from tests.agent.resident.test_life import MODULE, echo_seconds, stands, start
from tests.helpers.agent_library import ended, said
from tests.helpers.model_server import calls, hangs, says
from tests.helpers.workplace import PATIENCE, alive, create, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from nagomi_tui.agent.talk.remote import RemoteAgent
    from nagomi_tui.api.client import Connection
    from tests.helpers.model_server import ModelServer
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow
KEY = "sk-ant-fake-key-for-local-tests-0000000000"
MOST_MEMORY = 90 * 1024 * 1024


@asynccontextmanager
async def agent(connection: Connection, language: str = "en") -> AsyncIterator[RemoteAgent]:
    start(connection)
    async with connect(language=language) as found:
        yield found


async def test_a_turn_over_the_socket_sees_the_sessions(
    connection: Connection, server: ModelServer
) -> None:
    create(connection, "echo tea is ready; sleep 1000", name="kettle")
    server.script(says("I look.") + calls("list_sessions", {}), says("The kettle runs."))
    async with agent(connection) as found:
        talk = await found.open(new="tea")
        events = await said(talk, "What is going on?")
        assert ended(events).text == "The kettle runs."
        assert talk.status.label == "tea" and talk.status.tokens > 0
        assert "kettle" in str(server.asked[1].messages[-1])
        assert (await talk.command("/work 3")).status is not None
        assert talk.status.turns_left == 3
        assert "/switch" in await talk.completions("/sw")
        with pytest.raises(TalkFault, match="There is no conversation"):
            await found.open("nowhere")


async def test_a_question_is_answered_over_the_socket(
    connection: Connection, server: ModelServer
) -> None:
    server.script(calls("write_file", {"path": "a.md", "text": "hi\n"}), says("Done."))
    async with agent(connection) as found:
        events = await said(await found.open(), "Write it", "once")
    assert any(isinstance(event, Question) for event in events)
    assert (paths.state_folder() / "agent" / "a.md").read_text() == "hi\n"


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The workplace, and with it the agent, is started where the model's key is."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


async def test_sessions_that_it_starts_have_the_askers_environment_or_a_plain_one(
    keyed: None, connection: Connection, server: ModelServer, tmp_path: Path
) -> None:
    start(connection)
    for name, theirs in (("theirs", {"PATH": os.defpath, "OF": "the asker"}), ("plain", {})):
        written = tmp_path / name
        server.script(
            calls("start_session", {"command": f"env > {written}.new; mv {written}.new {written}"}),
            says("ok"),
        )
        async with connect(language="en", sessions_env=theirs) as found:
            await said(await found.open(new=name), "Start it", "once")
        until(written.exists)
        lines = written.read_text().splitlines()
        assert not [line for line in lines if KEY in line]
        assert ("OF=the asker" in lines) == bool(theirs)
        assert [line for line in lines if line.startswith("PATH=")]
    told = {"cmd": f"env > {tmp_path}/api", "cwd": str(tmp_path)}
    call(paths.socket_folder() / "api", "POST", "/api/sessions", told)
    until(lambda: (tmp_path / "api").exists() and "PATH=" in (tmp_path / "api").read_text())
    assert KEY not in (tmp_path / "api").read_text()


async def test_a_turn_is_cancelled_and_what_came_is_kept(
    connection: Connection, server: ModelServer
) -> None:
    server.script(hangs("The first half"), says("ok"))
    async with agent(connection) as found:
        talk = await found.open()
        async with aclosing(talk.say("Tell me")) as turn:  # type: ignore[type-var]
            assert isinstance(await anext(turn), TextPiece)
        assert ended(await said(talk, "Go on")).outcome == "done"
    assert "The first" in str(server.asked[1].messages[1])


async def test_a_client_that_goes_lets_its_conversation_go(
    connection: Connection, server: ModelServer
) -> None:
    server.script(hangs("The first half"), says("ok"))
    async with agent(connection) as found:
        talk = await found.open()
        conversation = talk.status.conversation
        await anext(talk.say("Tell me"))
    async with agent(connection) as found:
        with anyio.fail_after(PATIENCE):
            while True:
                try:
                    talk = await found.open(conversation)
                    break
                except TalkFault:
                    await anyio.sleep(0.05)
        assert ended(await said(talk, "Go on")).outcome == "done"
    assert "Tell me" in str(server.asked[1].messages[0])


@pytest.mark.requirement("N-26")
async def test_one_that_is_killed_within_a_turn_loses_only_that_answer(
    place: Place, connection: Connection, server: ModelServer
) -> None:
    server.script(says("Tea."), hangs("The first half"), says("ok"))
    session = create(connection, "cat")
    async with agent(connection) as found:
        talk = await found.open()
        await said(talk, "What do we drink?")
        with pytest.raises(TalkFault, match="has gone"):
            async for event in talk.say("And when?"):
                if isinstance(event, TextPiece):
                    os.kill(found.welcome.pid, signal.SIGKILL)
        assert await anyio.to_thread.run_sync(echo_seconds, connection, session, "quick") < 2
        first = found.welcome.pid
    until(lambda: not alive(first))
    async with agent(connection) as found:
        assert found.welcome.pid != first
        talk = await found.open()
        assert (await talk.command("/retry")).say == "And when?"
        await said(talk, "Once more")
    assert "Tea." in str(server.asked[-1].messages) and "Once more" in str(
        server.asked[-1].messages
    )


async def test_keys_are_echoed_while_it_streams_and_while_it_is_stopped(
    connection: Connection, server: ModelServer
) -> None:
    session = create(connection, "cat")
    server.script(says("word " * 400, pause=0.01, piece=5))
    async with agent(connection) as found:
        talk = await found.open()
        async with aclosing(talk.say("Tell me")) as turn:  # type: ignore[type-var]
            await anext(turn)
            echo = anyio.to_thread.run_sync
            assert await echo(echo_seconds, connection, session, "streams") < 2
            os.kill(found.welcome.pid, signal.SIGSTOP)
            assert await echo(echo_seconds, connection, session, "stopped") < 2
            os.kill(found.welcome.pid, signal.SIGCONT)
            await anext(turn)


@pytest.mark.requirement("M-33")
async def test_the_mode_is_changed_over_the_socket_and_front_ends_hear_of_it(
    connection: Connection,
) -> None:
    async with agent(connection) as found:
        assert stands(connection).mode == "calm"
        assert (await found.mode()).lines == ("calm",)
        assert (await found.mode("reserved")).lines[0] == "reserved"
        assert stands(connection).mode == "reserved"
        assert paths.agent_needed_file().exists()
        with pytest.raises(TalkFault, match="Valid: calm, reserved, autonomous"):
            await found.mode("wild")
        await found.mode("calm")
        assert not paths.agent_needed_file().exists()


async def test_a_question_beside_all_conversations(
    connection: Connection, server: ModelServer
) -> None:
    create(connection, "sleep 1000", name="kettle")
    async with agent(connection) as found:
        events = [event async for event in found.ask("What is going on?")]
    assert ended(events).text == "ok"
    assert "kettle" in str(server.asked[0].messages)


async def test_lines_that_are_none_end_nobody(connection: Connection, server: ModelServer) -> None:
    address = start(connection)
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(PATIENCE)
        peer.connect(address.socket)
        peer.sendall(b'\xff\n[]\n{"type":"say","id":1,"text":"x"}\n' + b"x" * 5_000_000 + b"\n")
        said_back = b""
        while said_back.count(b"\n") < 3:
            said_back += peer.recv(4096)
    assert said_back.count(b'"failed"') == 3 and b"No conversation is open" in said_back
    async with agent(connection) as found:
        assert found.welcome.pid == address.pid


async def test_its_memory_is_bounded_with_one_sdk_in_use(
    place: Place, connection: Connection, server: ModelServer
) -> None:
    async with agent(connection) as found:
        talk = await found.open()
        for count in range(3):
            assert ended(await said(talk, f"Say {count}")).outcome == "done"
        used = memory(found.welcome.pid)
    print(f"memory of the agent's process: {used / 1024 / 1024:.1f} MiB")
    assert used <= MOST_MEMORY
    assert place.pids_of(MODULE) == [found.welcome.pid]


def memory(pid: int) -> int:
    """Return a process's bytes of its own."""
    with open(f"/proc/{pid}/smaps_rollup") as told:
        fields = dict(line.split(":", 1) for line in told if ":" in line)
    print(f"of which private or shared: {fields['Rss'].strip()}")
    return int(fields["Pss"].split()[0]) * 1024
