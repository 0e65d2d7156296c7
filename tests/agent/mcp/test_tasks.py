"""Tool calls that last, as tasks of the protocol's version 2026-07-28, by `nagomi mcp` as a process."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from tests.agent.mcp.test_mcp import served
from tests.helpers.consent import answer, permission
from tests.helpers.waiting import PATIENCE, until
from tests.helpers.workplace import create, session, text_of, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection
    from tests.agent.mcp.test_mcp import Client
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

TASKS = "io.modelcontextprotocol/tasks"
ASKS = (
    "import sys; answer = input('Continue? [y/N] '); print('it was', answer); "
    "sys.exit(0 if answer == 'y' else 3)"
)


@pytest.fixture
def connection(module_place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    with module_place.connect() as connection:
        yield connection


def ask(
    client: Client, method: str, *, tasks: bool = True, elicits: bool = True, **params: Any
) -> Any:
    """Send a request as clients of this version do; return the whole answer."""
    capabilities: dict[str, Any] = {"extensions": {TASKS: {}}} if tasks else {}
    if elicits:
        capabilities["elicitation"] = {"form": {}}
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
    return client.answered(method, {**params, "_meta": meta})


def begin(client: Client, connection: Connection, command: str, **more: bool) -> dict[str, Any]:
    given = {"command": command}
    begun = ask(client, "tools/call", name="start_and_wait", arguments=given, **more)["result"]
    answer(connection, "y")
    found: dict[str, Any] = begun
    return found


def when(client: Client, task: dict[str, Any], status: str) -> Any:
    """Return a task once it stands so."""

    return until(
        lambda: (
            found
            if (found := ask(client, "tasks/get", taskId=task["taskId"])["result"])["status"]
            == status
            else None
        ),
        f"the task is {status}",
    )


def test_a_question_of_the_session_is_the_input_that_the_task_requires(
    connection: Connection,
) -> None:
    with served(modern=True) as client:
        listed = ask(client, "server/discover")["result"]
        assert TASKS in listed["capabilities"]["extensions"]
        task = begin(client, connection, f'{sys.executable} -c "{ASKS}"')
        assert task["resultType"] == "task" and task["status"] == "working"
        asked = when(client, task, "input_required")
        ((key, wanted),) = asked["inputRequests"].items()
        assert wanted["method"] == "elicitation/create"
        assert "Continue?" in wanted["params"]["message"]
        choices = wanted["params"]["requestedSchema"]["properties"]["choice"]["oneOf"]
        assert {one["const"] for one in choices} == {"y", "n", "enter"}
        accepted = {key: {"action": "accept", "content": {"choice": "y"}}}
        until(lambda: not permission(connection))
        told = ask(client, "tasks/update", taskId=task["taskId"], inputResponses=accepted)
        assert told["result"]["resultType"] == "complete"
        assert "Continue?" in answer(connection, "y")  # the user agrees to the very question
        done = when(client, task, "completed")
        text = done["result"]["content"][0]["text"]
        assert "The wait ended by: exit" in text and "Exit code 0." in text
        assert "it was y" in text
        assert not done["result"]["isError"]


def test_who_declines_or_cannot_be_asked_is_told_what_it_waits_for(connection: Connection) -> None:
    with served(modern=True) as client:
        task = begin(client, connection, f'{sys.executable} -c "{ASKS}"')
        asked = when(client, task, "input_required")
        (key,) = asked["inputRequests"]
        refused = {key: {"action": "decline"}, "unknown": {"action": "accept", "content": {}}}
        ask(client, "tasks/update", taskId=task["taskId"], inputResponses=refused)
        text = when(client, task, "completed")["result"]["content"][0]["text"]
        assert "The wait ended by: turn; it is attention." in text and "Continue? [y/N]" in text
        task = begin(client, connection, f'{sys.executable} -c "{ASKS}"', elicits=False)
        text = when(client, task, "completed")["result"]["content"][0]["text"]
        assert "The wait ended by: turn; it is attention." in text


def test_a_task_that_is_cancelled_leaves_its_session_running(connection: Connection) -> None:
    with served(modern=True) as client:
        task = begin(client, connection, "sh -c 'echo going on; exec sleep 600'")
        (made,) = until(lambda: [one for one in _listed(connection) if "going on" in one.cmd])
        wait_for(connection, made.session_id, "going on")
        ask(client, "tasks/cancel", taskId=task["taskId"])
        when(client, task, "cancelled")
        assert session(connection, made.session_id)["exit_code"] is None


def test_who_declares_no_tasks_gets_results_and_no_way_to_tasks(connection: Connection) -> None:
    with served(modern=True) as client:
        made = create(connection, "sh -c 'echo ready; exec cat'", name="plain")
        wait_for(connection, made, "ready")
        given = {"session": "plain", "until": "silence", "seconds": 20}
        call = {"name": "wait_for_session", "arguments": given}
        told = ask(client, "tools/call", tasks=False, **call)["result"]
        assert told["resultType"] == "complete" and "silence" in told["content"][0]["text"]
        task = ask(client, "tools/call", **call)["result"]
        assert task["resultType"] == "task"
        refused = ask(client, "tasks/get", tasks=False, taskId=task["taskId"])["error"]
        assert refused["code"] == -32021
        assert ask(client, "tasks/get", taskId="another")["error"]["code"] == -32602
        assert "silence" in when(client, task, "completed")["result"]["content"][0]["text"]


def test_only_what_is_new_counts_as_output(connection: Connection) -> None:
    line = "n=0; while sleep 0.2; do n=$((n+1)); echo tick $n; done"
    made = create(connection, f"sh -c '{line}'", name="ticks")
    wait_for(connection, made, "tick 3")
    with served() as client:
        seen = text_of(connection, made).splitlines()
        text, ok = client.use(
            "wait_for_session", session="ticks", until="output", pattern=r"tick \d+"
        )
        assert (
            ok
            and "tick 1\n" not in text + "\n"
            and not any(f"{line}\n" in text for line in seen if line.strip())
        )
        text, _ = client.use(
            "wait_for_session", session="ticks", until="output", pattern="tick 1$", before=True
        )
        assert "tick 1" in text
    connection.request(messages.Stop(id=0, session=made), timeout=PATIENCE)
    until(lambda: session(connection, made)["state"] != "running")


def _listed(connection: Connection) -> Any:
    return connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
