"""Hook events of agents reach the session that they run in, and its record."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from nagomi_tui.agents.resume import Conversation
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.sessions.store import Record
from tests.helpers.workplace import PATIENCE, create, plain, text_of, until, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

ID = "0b5c2d3e-1111-4222-8333-444455556666"
OTHER = "ffffffff-1111-4222-8333-444455556666"
HOOK = '"$NAGOMI_PYTHON" -IS "$NAGOMI_EVENT" claude'


def agent(folder: Path, *events: dict[str, Any], pid: str = "$$") -> str:
    """Make a program called claude that tells its arguments, then the events, and stays."""
    folder.mkdir(exist_ok=True)
    told = "\n".join(f"echo '{json.dumps(given)}' | {HOOK} {pid}" for given in events)
    program = folder / "claude"
    program.write_text(f'#!/bin/sh\necho "began: $*."\n{told}\necho all told\nexec sleep 600\n')
    program.chmod(0o755)
    return str(program)


def event(name: str, session_id: str = ID, **fields: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": session_id, "cwd": "/w", **fields}


def conversation(place: Place, session_id: str) -> Conversation | None:
    """Return what the record on disk says."""
    with closing(sqlite3.connect(place.home / "state" / "sessions.db")) as store, store:
        found = store.execute(
            "SELECT record FROM sessions WHERE session_id = ?", (session_id,)
        ).fetchone()
    return msgspec.json.decode(found[0], type=Record).conversation if found else None


def restart(connection: Connection, session_id: str, **more: Any) -> dict[str, Any]:
    request = messages.Restart(id=0, session=session_id, **more)
    return plain(connection.request(request, timeout=PATIENCE))


@pytest.mark.requirement("NC-1", "F-9")
def test_a_session_knows_where_its_events_go(shared_place: Place) -> None:
    with shared_place.connect() as connection:
        made = create(connection, "env")
        wait_for(connection, made, "^NAGOMI_SESSION_ID=")
        found = dict(
            line.split("=", 1)
            for line in text_of(connection, made).splitlines()
            if line.startswith(("NAGOMI_", "ConEmu"))
        )
    assert found["NAGOMI_SESSION_ID"] == made and found["ConEmuANSI"] == "ON"
    assert all(os.path.exists(found[f"NAGOMI_{name}"]) for name in ("EVENT", "PYTHON", "SOCKET"))


def test_a_restart_goes_on_with_the_agent_s_conversation(
    shared_place: Place, tmp_path: Path
) -> None:
    """Exactly the one of this session, and a new one only where that is asked for."""
    cmd = agent(tmp_path / "bin", event("UserPromptSubmit"))
    with shared_place.connect() as connection:
        made = create(connection, f"{cmd} --model opus 'say hello'", cols=200)
        wait_for(connection, made, "all told")
        until(lambda: conversation(shared_place, made))
        assert conversation(shared_place, made) == Conversation(agent="claude", id=ID, cwd="/w")

        assert restart(connection, made)["resumed"] is True
        wait_for(connection, made, f"^began: --resume {ID} --model opus\\.")
        listed = connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
        assert listed[0].cmd == f"{cmd} --model opus 'say hello'"

        assert restart(connection, made, fresh=True)["resumed"] is False
        wait_for(connection, made, "^began: --model opus say hello\\.")


def test_the_conversation_outlives_the_orchestrator(shared_place: Place, tmp_path: Path) -> None:
    cmd = agent(tmp_path / "bin", event("UserPromptSubmit"))
    with shared_place.connect() as connection:
        made = create(connection, cmd, cols=200)
        wait_for(connection, made, "all told")
    until(lambda: conversation(shared_place, made))
    shared_place.kill(shared_place.orchestrator)
    with shared_place.connect() as connection:
        assert restart(connection, made)["resumed"] is True
        wait_for(connection, made, f"^began: --resume {ID}\\.")


def test_an_agent_within_an_agent_is_not_listened_to(shared_place: Place, tmp_path: Path) -> None:
    """Only the outer one is the session's; what it runs as its tool has other conversations."""
    inner = agent(tmp_path / "inner", event("UserPromptSubmit", OTHER))
    outer = agent(tmp_path / "bin", event("UserPromptSubmit"))
    program = tmp_path / "bin" / "claude"
    # The inner one tells its event to the end before the outer one is through.
    calls = f"timeout 600 {inner} & until grep -q told {tmp_path}/said; do sleep 0.05; done"
    program.write_text(program.read_text().replace("echo all told", f"{calls}\necho all told"))
    (tmp_path / "inner" / "claude").write_text(
        (tmp_path / "inner" / "claude")
        .read_text()
        .replace("echo all told", f"echo told >{tmp_path}/said")
    )
    (tmp_path / "said").touch()
    with shared_place.connect() as connection:
        made = create(connection, outer, cols=200)
        wait_for(connection, made, "all told")
        until(lambda: conversation(shared_place, made))
        restart(connection, made)
        wait_for(connection, made, f"^began: --resume {ID}\\.")


def test_a_service_s_events_reach_the_session_that_they_are_of(
    shared_place: Place, tmp_path: Path
) -> None:
    """Codex has one for all sessions, with the environment of the first; it outlives its hooks."""
    folders = [tmp_path / name for name in ("first", "second")]
    codex = tmp_path / "codex"
    codex.write_text("#!/bin/sh\necho began: $*.\n. ./tell\necho all told\nexec sleep 600\n")
    codex.chmod(0o755)
    for folder in folders:
        folder.mkdir()
        (folder / "tell").touch()
    told = event("UserPromptSubmit", cwd=str(folders[1]))
    hook = HOOK.replace("claude", "codex")
    (folders[0] / "tell").write_text(
        f"until [ -e {tmp_path}/go ]; do sleep 0.05; done\n"
        f"setsid sh -c 'echo '\\''{json.dumps(told)}'\\'' | {hook} $$; touch {tmp_path}/told; sleep 600' &\n"
        f"until [ -e {tmp_path}/told ]; do sleep 0.05; done\n"
    )
    with shared_place.connect() as connection:
        made = [create(connection, str(codex), cwd=str(folder), cols=200) for folder in folders]
        (tmp_path / "go").touch()
        wait_for(connection, made[0], "all told")
        until(lambda: conversation(shared_place, made[1]))
        assert conversation(shared_place, made[0]) is None
        assert restart(connection, made[1])["resumed"] is True
        wait_for(connection, made[1], f"^began: resume {ID}\\.")


def test_events_of_nobody_and_nonsense_do_no_harm(shared_place: Place) -> None:
    with shared_place.connect() as connection:
        made = create(connection, "cat")
        for payload in ({}, {"hook_event_name": 3, "session_id": []}, {"x": {"y": 1}}):
            for session_id in (made, "nobody"):
                connection.send(
                    messages.Hook(session=session_id, agent="?", payload=payload, at=9e99, pid=-5)
                )
        assert connection.request(messages.Ping(id=0), timeout=PATIENCE) == messages.Nothing()
