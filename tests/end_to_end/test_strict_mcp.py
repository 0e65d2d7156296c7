"""An MCP client inside of a strict session: what types or starts asks the user, outside."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.guard.decide.documents import Mode, State
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state, read_state
from tests.helpers.confined import need_namespaces
from tests.helpers.consent import answer, permission
from tests.helpers.repository import repository
from tests.helpers.workplace import PATIENCE, create, session, text_of, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_sessions", {}),
    ("send_to_session", {"session": "target", "text": "make test"}),
    ("send_to_session", {"session": "target", "text": "make clean"}),
    ("start_session", {"command": "echo started from inside; exec cat"}),
]
CLIENT = """
import asyncio, json, os, sys
from mcp import ClientSession, StdioServerParameters, stdio_client

async def main(told, calls):
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "nagomi_tui", "mcp"], env=dict(os.environ)
    )
    async with stdio_client(server) as streams, ClientSession(*streams) as client:
        await client.initialize()
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            line = {"ok": not result.is_error, "text": result.content[0].text}
            with open(told, "a") as out:
                print(json.dumps(line), file=out)

asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
print("the client has ended")
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    need_namespaces()
    repository(tmp_path / "project", README="first\n")
    made = Project((tmp_path / "project").resolve())
    with edit_state(made) as editing:
        editing.state = State(mode=Mode.DISCUSSION)
    yield made
    assert read_state(made).state.mode is Mode.DISCUSSION


@pytest.mark.requirement("N-85", "F-10")
def test_tools_that_type_or_start_ask_outside(project: Project) -> None:
    told = project.root / "sessions/tasks/told"
    script = project.root / "client.py"
    script.write_text(CLIENT)

    def answers() -> list[dict[str, Any]]:
        return [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []

    with workplace() as place, place.connect() as connection:
        target = create(connection, "cat", name="target")
        made = create(
            connection,
            f"{sys.executable} {script} {told} '{json.dumps(CALLS)}'; exec cat",
            cwd=str(project.root),
            name="inside",
            env={"NAGOMI_GUARD": "strict"},
        )
        shown = answer(connection, "y")
        assert answers()[0]["ok"], text_of(connection, made)
        number = session(connection, made)["number"]
        assert f"{number} inside wants to do this:" in shown
        assert "\nmake test\n" in shown
        until(lambda: len(answers()) == 2)
        until(lambda: text_of(connection, target).count("make test") == 2)

        assert "\nmake clean\n" in answer(connection, "n")
        until(lambda: len(answers()) == 3)
        assert "make clean" not in text_of(connection, target)

        assert "echo started from inside" in answer(connection, "y")
        until(
            lambda: "the client has ended" in text_of(connection, made), text_of(connection, made)
        )
        sent, refused, started = answers()[1:]
        assert (sent["ok"], refused["ok"], started["ok"]) == (True, False, True)
        assert "The user said no" in refused["text"]
        assert _commands(connection, "started from inside")
        until(lambda: not permission(connection))


def _commands(connection: Connection, word: str) -> list[str]:
    listed = connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
    return [one.cmd for one in listed if word in one.cmd]
