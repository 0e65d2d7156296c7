"""The user's own command: JSON on its stdin, also with nobody attached, and never for long."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from nagomi_tui.alerts import own_command
from tests.helpers.calling import centre
from tests.helpers.waiting import soon

if TYPE_CHECKING:
    from typing import Any

    import pytest


def events(file: Path) -> list[dict[str, Any]]:
    """Return the events that a command wrote down, one a line."""
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line) for line in lines]


async def test_it_hears_every_turn_with_nobody_attached(tmp_path: Path) -> None:
    file = tmp_path / "events"
    command = f'printf "%s\\n" "$(cat)" >> {file}'
    async with centre(on_event=command) as here:
        session = here.session("api", judge_profile="claude")
        here.turn(session, "success", "token=ghp_" + "a1B2" * 9 + " done")
        await soon(lambda: len(events(file)) == 1)
        here.turn(session, "running")
        here.turn(session, "failure", quiet=True)  # Ctrl-C
        here.turn(session, "attention")
        await soon(lambda: len(events(file)) == 2)
        first, second = events(file)
        assert (first["event"], first["state"], second["state"]) == (
            "turn_completed", "success", "attention",
        )  # fmt: skip
        assert (first["session_id"], first["name"], first["turn"]) == (session, "api", 1)
        assert first["agent"] == "claude"
        assert "ghp_" not in first["summary"]


async def test_one_that_takes_too_long_is_ended_and_a_failure_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_command, "DEADLINE_SECONDS", 0.5)

    async with centre(on_event=f"echo $$ > {tmp_path}/pid; sleep 600 & wait") as here:
        client, session = here.front(HOME=str(tmp_path)), here.session("api")
        client.looking, client.looking_told = session, True
        for _ in range(2):
            here.turn(session)
        await soon(lambda: client.sentences)
        pid = int((tmp_path / "pid").read_text())
        await soon(lambda: not Path(f"/proc/{pid}").exists())
        here.set(on_event="cat >/dev/null; exit 3")
        for _ in range(2):
            here.turn(session)
        await soon(lambda: len(client.sentences) == 2)
        here.set(on_event="true")
        here.turn(session, "attention")
        await anyio.sleep(0.1)
        assert client.sentences == [
            "The on_event command took longer than 0 s and was ended.",
            "The on_event command ended with 3.",
        ]
