"""What programs may type into a guarded session: nothing by which its agent could be let write."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.guard.decide.documents import State
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.workplace import PATIENCE, create, text_of, until, wait_for
from tests.orchestrator.test_guard import agent, guard_of, guarded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

ONLY_YOU = "only you type there"


@pytest.fixture
def program(shared_place: Place) -> Iterator[Connection]:
    """A program's connection: no terminal holds it."""
    with shared_place.connect() as connection:
        yield connection


@pytest.fixture
def session(program: Connection, tmp_path: Path) -> str:
    """A session with a guarded agent in discussion."""
    made = agent(program, guarded(tmp_path / "p", State()))
    until(lambda: guard_of(program, made))
    return made


@pytest.mark.requirement("DB-5")
def test_a_program_sends_prompts_in_which_the_guard_hears_nothing(
    program: Connection, session: str
) -> None:
    for text in ("what does `yert` do?", "SILENCE", "look at x,\nthen at y"):
        program.request(messages.Send(id=0, session=session, text=text), timeout=PATIENCE)
    wait_for(program, session, "then at y")


@pytest.mark.parametrize(
    "order",
    [
        {"text": "yert"},
        {"text": "do it: make\nYERT"},
        {"text": "finito"},
        {"text": "mek: a task"},
        {"text": "ye", "enter": False},
        {"text": "rt", "force": True},
        {"text": "\x1b[A"},
        {"text": "!touch x"},
        {"text": " /config"},
    ],
)
@pytest.mark.requirement("DB-5")
def test_nothing_else_is_sent_by_a_program(
    program: Connection, session: str, order: dict[str, object]
) -> None:
    request = messages.Send(id=0, session=session, **order)  # type: ignore[arg-type]
    with pytest.raises(RequestFailed, match=ONLY_YOU):
        program.request(request, timeout=PATIENCE)
    assert text_of(program, session).strip() == ""


@pytest.mark.requirement("DB-5")
def test_a_program_presses_no_keys(program: Connection, session: str) -> None:
    with pytest.raises(RequestFailed, match=ONLY_YOU):
        program.request(messages.Keys(id=0, session=session, keys=("y",)), timeout=PATIENCE)
    program.send(messages.TypeText(session=session, text="yert\r"))
    program.send(messages.Paste(session=session, text="yert"))
    program.send(messages.Press(session=session, key="enter"))
    program.request(messages.Ping(id=0), timeout=PATIENCE)
    assert text_of(program, session).strip() == ""


@pytest.mark.requirement("DB-5")
def test_the_user_s_own_terminal_types_what_it_likes(program: Connection, session: str) -> None:
    command = [sys.executable, "-m", "nagomi_tui", "send", session, "yert"]
    with BareTerminal(command, os.environ):
        wait_for(program, session, "yert")


@pytest.mark.requirement("X-19")
def test_beside_a_session_in_discussion_no_program_runs_what_writes(
    program: Connection, session: str
) -> None:
    def act(command: str) -> messages.Acted:
        order = messages.Act(id=0, session=session, command=command, sure=True, anew=True)
        return program.request(order, timeout=PATIENCE)

    with pytest.raises(RequestFailed, match="is in discussion"):
        act("touch x")
    assert act("pwd").new


@pytest.mark.requirement("DB-5")
def test_an_agent_that_a_shell_started_elsewhere_is_guarded_there(
    program: Connection, tmp_path: Path
) -> None:
    project = guarded(tmp_path / "p", State())
    made = create(program, "cat", cwd=str(tmp_path))
    payload = {"hook_event_name": "SessionStart", "source": "startup", "cwd": str(project.root)}
    program.send(messages.Hook(session=made, agent="claude", payload=payload, at=time.time()))
    until(lambda: guard_of(program, made))
    with pytest.raises(RequestFailed, match=ONLY_YOU):
        program.request(messages.Send(id=0, session=made, text="yert"), timeout=PATIENCE)
