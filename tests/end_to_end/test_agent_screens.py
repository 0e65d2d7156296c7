"""The real Claude Code and Codex, driven with keys through a tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.end_to_end.test_programs import front_end
from tests.helpers import clients
from tests.helpers.clients import ModelServer, Step
from tests.helpers.workplace import create, session, text_of, until, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow


def ended(connection: Connection, session_id: str) -> bool:
    return bool(session(connection, session_id)["state"] == "exited")


@pytest.mark.parametrize(
    "agent",
    [
        pytest.param(clients.claude, marks=pytest.mark.variant),
        clients.newest_claude,
        clients.codex,
    ],
)
def test_an_agent_is_typed_to_answers_and_is_left(
    agent: Callable[[Path, Path, int], tuple[str, dict[str, str]]], tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    with workplace() as place, ModelServer([Step(text="It is forty-two.")]) as model:
        command, env = agent(tmp_path / "home", tmp_path / "work", model.port)
        with place.connect() as connection:
            name = create(connection, command, str(tmp_path / "work"), env=env, cols=100, rows=28)
            with front_end(place, 110, 36) as outer:
                outer.wait(lambda shown: "❯" in shown or "›" in shown, what="its prompt")
                outer.type("what is six by sevenn")
                outer.wait("sevenn")
                outer.keys("BSpace")
                outer.wait(
                    lambda shown: "by seven" in shown and "sevenn" not in shown, what="one less"
                )
                outer.keys("Enter")
                outer.wait("It is forty-two.")
                # Ctrl+C would only break a turn off that is still under way.
                until(lambda: session(connection, name)["phase"] in ("success", "idle"))
                outer.keys("C-c")
                until(lambda: "again" in text_of(connection, name) or ended(connection, name))
                outer.keys("C-c")
                until(lambda: ended(connection, name))
