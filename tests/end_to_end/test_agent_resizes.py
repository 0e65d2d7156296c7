"""The real Claude Code and Codex draw their screens anew at each resize, and that calls nobody."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.api import messages
from tests.end_to_end.test_agent_hooks import install, say, see
from tests.end_to_end.test_programs import front_end
from tests.helpers import clients
from tests.helpers.clients import ModelServer, Step
from tests.helpers.workplace import create, session, until, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.outer import Outer

pytestmark = pytest.mark.slow

SIZES: Final = ((80, 24), (130, 40), (64, 30), (112, 36), (70, 24), (110, 36))
CALLING: Final = {"attention", "error"}
FAILED: Final = (
    "It stopped: No module named 'rich'.\n\nError: 1 test failed.\n\nNo other problem.\n"
)


class Watcher:
    """What a front end is told of one session."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.ends: list[messages.TurnCompleted] = []
        self.calls: list[messages.Called] = []
        self.phases: list[str] = []

    def ended(self, count: int) -> bool:
        """Listen for a moment; tell whether so many turns have ended."""
        self.listen(0.2)
        return len(self.ends) >= count

    def listen(self, seconds: float) -> None:
        """Take in what is told within some seconds."""
        until_then = time.monotonic() + seconds
        while (left := until_then - time.monotonic()) > 0:
            for told in self._connection.pushed(left):
                if isinstance(told, messages.Called):
                    self.calls.append(told)
                elif isinstance(told, messages.TurnCompleted):
                    self.ends.append(told)
                elif isinstance(told, messages.SessionChanged):
                    self.phases.append(str(told.session.phase))
                if time.monotonic() > until_then:
                    break


def resized(
    outer: Outer, connection: Connection, session_id: str, sizes: Any, watcher: Watcher
) -> None:
    """Give the terminal one size after the other; the agent takes each and draws itself anew."""
    watcher.phases.clear()
    for cols, rows in sizes:
        outer.resize(cols, rows)
        until(lambda cols=cols: session(connection, session_id)["cols"] == cols - 2)
        watcher.listen(1.5)


@pytest.mark.parametrize(
    ("agent", "hooked"),
    [
        pytest.param(clients.claude, True, id="claude-with hooks"),
        pytest.param(clients.codex, False, id="codex-screen alone"),
        pytest.param(clients.claude, False, id="claude-screen alone", marks=pytest.mark.variant),
        pytest.param(clients.codex, True, id="codex-with hooks", marks=pytest.mark.variant),
    ],
)
def test_resizes_at_rest_and_at_work_call_nobody_and_end_no_turn(
    agent: Callable[[Path, Path, int], tuple[str, dict[str, str]]], hooked: bool, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    gate = threading.Event()
    steps = [Step(text=FAILED), Step(text="All is well now.", gate=gate)]
    with workplace() as place, ModelServer(steps) as model:
        command, env = agent(tmp_path / "home", tmp_path / "work", model.port)
        name = "codex" if "codex" in command else "claude"
        if hooked:
            install(env, name)
            command += " --dangerously-bypass-hook-trust" if name == "codex" else ""
        with place.connect() as connection, place.connect(front_end=True) as listener:
            one = create(connection, command, str(tmp_path / "work"), env=env, cols=100, rows=28)
            with front_end(place, 110, 36) as outer:
                see(connection, one, "[❯›]")
                say(connection, one, "run the test")
                see(connection, one, "No other problem")
                watcher = Watcher(listener)
                until(lambda: watcher.ended(1))
                watcher.listen(2.0)
                turn = session(connection, one)["turn"]
                ends = len(watcher.ends)

                resized(outer, connection, one, SIZES, watcher)
                assert not watcher.calls and len(watcher.ends) == ends, watcher.ends
                assert not set(watcher.phases) & (CALLING | {"running", "thinking"})
                assert session(connection, one)["turn"] == turn

                say(connection, one, "and once more")
                until(lambda: session(connection, one)["phase"] in ("running", "thinking"))
                watcher.listen(1.0)
                resized(outer, connection, one, SIZES[:4], watcher)
                assert not watcher.calls and len(watcher.ends) == ends, watcher.ends
                assert set(watcher.phases) <= {"running", "thinking"}, watcher.phases

                gate.set()
                see(connection, one, "All is well now")
                until(lambda: watcher.ended(ends + 1))
                watcher.listen(2.0)
                assert len(watcher.ends) == ends + 1 and not watcher.calls
                assert not set(watcher.phases) & CALLING
