"""A stopped session of a real agent goes on, restarted, with the conversation that it had."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from nagomi_tui.api import messages
from tests.end_to_end.test_agent_hooks import conversation, install, press
from tests.helpers.clients import ModelServer, Step, claude, codex, newest_claude
from tests.helpers.more_clients import cline, copilot, gemini, opencode, qwen
from tests.helpers.waiting import in_time, until
from tests.helpers.workplace import PATIENCE, create, session, text_of, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.client import Connection

    Start = Callable[[Path, Path, int], tuple[str, dict[str, str]]]

pytestmark = pytest.mark.slow


class Tried(NamedTuple):
    """An agent that is tried, and what its screen shows when it takes a prompt."""

    agent: str
    start: Start
    ready: str
    options: str = ""
    patience: float = PATIENCE
    """Seconds within which it starts, and within which it asks."""


TRIED = {
    "claude": Tried("claude", claude, "for shortcuts"),
    "newest claude": Tried("claude", newest_claude, "for shortcuts"),
    "codex": Tried("codex", codex, "Ask Codex", " --dangerously-bypass-hook-trust"),
    "gemini": Tried("gemini", gemini, "Type your message"),
    "qwen": Tried("qwen", qwen, "Type your message"),
    "opencode": Tried("opencode", opencode, "Ask anything", patience=90),
    "copilot": Tried("copilot", copilot, "/ commands"),
    "cline": Tried("cline", cline, "What can I do for you"),
}


def say(server: ModelServer, connection: Connection, made: str, text: str, patience: float) -> None:
    """Enter a prompt, pressing Enter until it is asked: behind quick keys that is a line's end."""
    asked = len(server.requests)
    send = messages.Send(id=0, session=made, text=text, enter=False)

    def written() -> bool:
        """Type it; what comes before the agent reads keys is lost."""
        connection.request(send, timeout=PATIENCE)
        shown = re.compile(rf"[❯›>┃]\s+{text}")
        return in_time(lambda: shown.search(text_of(connection, made)))

    def taken() -> bool:
        press(connection, made, "enter")
        return in_time(lambda: text in json.dumps(server.requests[asked:]))

    until(written)
    until(taken, patience=patience)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "name",
    [
        "claude", "newest claude", "codex",
        *(pytest.param(name, marks=pytest.mark.variant) for name in list(TRIED)[3:]),
    ],
)  # fmt: skip
def test_a_restarted_agent_goes_on_with_its_conversation(name: str, tmp_path: Path) -> None:
    tried = TRIED[name]
    cwd = tmp_path / "work"
    cwd.mkdir()
    # Qwen asks by itself, too.
    steps = [Step("I am the first.", seconds=1), *[Step("I am the second.")] * 5]
    with ModelServer(steps) as server, workplace() as place, place.connect() as connection:
        command, env = tried.start(tmp_path / "home", cwd, server.port)
        install(env, tried.agent)
        made = create(connection, command + tried.options, str(cwd), env=env, rows=40, cols=110)

        def shows(text: str) -> None:
            until(lambda: text in text_of(connection, made), text, patience=tried.patience)

        shows(tried.ready)
        # What Gemini is asked while it still starts runs without its hooks.
        until(lambda: session(connection, made)["phase"] == "idle")
        say(server, connection, made, "who are you", tried.patience)
        shows("I am the first")
        until(lambda: session(connection, made)["phase"] == "success")
        told = until(lambda: conversation(place, made))

        connection.request(messages.Stop(id=0, session=made), timeout=PATIENCE)
        with place.connect(env={**os.environ, **env}) as asking:
            again = messages.Restart(id=0, session=made)
            assert asking.request(again, timeout=PATIENCE).resumed is True
        shows("I am the first")
        say(server, connection, made, "and now", tried.patience)
        shows("I am the second")
        assert any(
            "who are you" in request and "and now" in request
            for request in map(json.dumps, server.requests)
        )
        assert conversation(place, made) == told
