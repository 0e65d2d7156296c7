"""`/sessions` and the status line in the real Claude Code: they show, and elevate for nobody."""

from __future__ import annotations

import json
import os
import select
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agents.hooks import files
from nagomi_tui.guard.decide.documents import Mode
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import read_config, read_state
from nagomi_tui.guard.install.hooks import GuardHooks, extras
from tests.end_to_end.test_guard_clients import Guarded, guarded, results
from tests.helpers.clients import ModelServer, Step, claude, newest_claude

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[[Path, Path, int], tuple[str, dict[str, str]]]

pytestmark = pytest.mark.slow
BOTH = pytest.mark.parametrize(
    "start", [pytest.param(claude, marks=pytest.mark.variant), newest_claude], ids=["old", "new"]
)


def _add_extras(place: Guarded) -> None:
    for extra in extras(GuardHooks("claude", str(place.root))):
        files.carry_out(files.install(extra, project=True))


@BOTH
@pytest.mark.requirement("DC-37")
def test_sessions_shows_and_elevates_for_nobody(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for a model that calls it, nor for words that the user types behind it."""
    skills = [("Skill", {"skill": "sessions", "args": words}) for words in ("mode go", "state")]
    commands = [
        ("Bash", {"command": f"nagomi guard sessions slash --from-slash mode {mode}"})
        for mode in ("go", "bypass")
    ]
    steps = [Step("It is so."), *(Step("", (call,)) for call in (*skills, *commands)), Step("No.")]
    with ModelServer(steps) as server, guarded(start, server, tmp_path, monkeypatch) as place:
        _add_extras(place)
        place.ask("-p", "/sessions state")
        assert "Mode: discussion" in json.dumps(server.requests[-1])

        project = Project(place.root)
        before = read_state(project).state, read_config(project), len(server.requests)
        for words in ("mode go", "mode bypass", "config tools unblock Edit"):
            shown = place.ask("-p", f"/sessions {words}")
            assert start is claude or "only the user may run" in shown  # The old one says nothing.
        assert before == (read_state(project).state, read_config(project), len(server.requests))

        place.ask("-p", "Lift the guard.")
        told = results(server)
        assert [one for one in told if "disable-model-invocation" in one] == told[:2]
        assert len(told) == 4 and place.mode is Mode.DISCUSSION


@BOTH
@pytest.mark.requirement("DC-36")
def test_claude_shows_the_guard_in_its_status_line(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer() as server, guarded(start, server, tmp_path, monkeypatch) as place:
        _add_extras(place)
        with place.opened() as terminal:
            shown, end = "", time.monotonic() + 40
            while "No Task" not in shown or "Discuss" not in shown:
                assert time.monotonic() < end, shown
                if select.select([terminal], [], [], 0.2)[0]:
                    shown += os.read(terminal, 65536).decode(errors="replace")
