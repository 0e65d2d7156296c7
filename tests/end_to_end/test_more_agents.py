"""Real Gemini CLI and Qwen Code with nagomi's hooks: one dialog, and the conversation's id."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.agents.resume import Conversation, resuming
from nagomi_tui.api import messages
from tests.end_to_end.test_agent_hooks import conversation, install, press, see
from tests.end_to_end.test_claude import Watch
from tests.helpers.clients import ModelServer, Step
from tests.helpers.more_clients import gemini, qwen
from tests.helpers.workplace import PATIENCE, create, session, until, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.client import Connection

    Start = Callable[[Path, Path, int], tuple[str, dict[str, str]]]

pytestmark = pytest.mark.slow

MAKES: dict[str, Any] = {"command": "touch made", "description": "Make it", "is_background": False}


def say(server: ModelServer, connection: Connection, made: str, text: str) -> None:
    """Type a prompt, and enter it when it stands in the input."""
    send = messages.Send(id=0, session=made, text=text, enter=False)
    connection.request(send, timeout=PATIENCE)
    see(connection, made, f">\\s+{text}")
    pressed = float("-inf")

    def taken() -> bool:
        """Press Enter again where it came too soon: behind quick keys it is a line's end."""
        nonlocal pressed
        if not server.requests and time.monotonic() > pressed + 1.5:
            press(connection, made, "enter")
            pressed = time.monotonic()
        return bool(server.requests)

    until(taken)


@pytest.mark.parametrize(
    ("name", "start", "hooks"),
    [
        pytest.param("gemini", gemini, True, id="gemini with hooks"),
        pytest.param("gemini", gemini, False, id="gemini", marks=pytest.mark.variant),
        pytest.param("qwen", qwen, True, id="qwen with hooks", marks=pytest.mark.variant),
        pytest.param("qwen", qwen, False, id="qwen"),
    ],
)
@pytest.mark.requirement("X-20", "NC-1")
def test_a_dialog_of_another_agent_calls(
    name: str, start: Start, hooks: bool, tmp_path: Path
) -> None:
    cwd = tmp_path / "work"
    cwd.mkdir()
    steps = [
        Step("I make it.", (("run_shell_command", MAKES),), seconds=1),
        Step("It is made.", seconds=1),
    ]
    with (
        ModelServer(steps) as server,
        workplace() as place,
        place.connect() as connection,
        place.connect() as watching,
    ):
        command, env = start(tmp_path / "home", cwd, server.port)
        if hooks:
            install(env, name)
        made = create(connection, command, str(cwd), env=env, rows=40, cols=110)
        see(connection, made, "Type your message")
        until(lambda: session(connection, made)["phase"] == "idle")
        with Watch(watching, made).begun() as watch:
            say(server, connection, made, "make it")
            until(lambda: session(connection, made)["phase"] == "attention")
            see(connection, made, "Allow execution")
            assert not (cwd / "made").exists()
            asks = messages.Asks(id=0, session=made)
            until(
                lambda: connection.request(asks, timeout=PATIENCE).verdict.summary.startswith(
                    "Allow execution of"
                )
            )
            connection.request(messages.Answer(id=0, session=made, choice="1"), timeout=PATIENCE)
            until(lambda: (cwd / "made").exists())
            watch.shows("success")
        assert watch.phases[-1] == "success" and watch.phases.count("attention") == 1, watch.phases
        told = conversation(place, made)
        assert bool(told) is hooks
        if hooks:
            known = Conversation(agent=name, id=told, cwd=str(cwd))
            assert f"--resume {told}" in (resuming(f"{name} -m x", known) or "")
