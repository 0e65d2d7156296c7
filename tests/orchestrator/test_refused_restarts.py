"""A restart that is refused leaves the session as it was, and nobody waits for a screen that is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from tests.helpers.workplace import PATIENCE, create, session, text_of, until, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.workplace import Place


@pytest.mark.parametrize("cmd", ["nosuchprogram x", "/nosuch/program"])
def test_a_program_that_is_not_there_stops_nothing(shared_place: Place, cmd: str) -> None:
    with shared_place.connect() as connection:
        made = create(connection, "echo hello; exec cat")
        wait_for(connection, made, "hello")
        pid = session(connection, made)["pid"]
        with pytest.raises(RequestFailed, match="nosuch"):
            connection.request(messages.Restart(id=0, session=made, cmd=cmd), timeout=PATIENCE)
        assert (session(connection, made)["state"], session(connection, made)["pid"]) == (
            "running",
            pid,
        )
        assert "hello" in text_of(connection, made)


def test_an_ended_session_keeps_its_screen(shared_place: Place) -> None:
    with shared_place.connect() as connection:
        made = create(connection, "sh -c 'echo hello; exit 3'")
        until(lambda: session(connection, made)["state"] == "exited")
        with pytest.raises(RequestFailed, match="nosuch"):
            order = messages.Restart(id=0, session=made, cmd="nosuchprogram x")
            connection.request(order, timeout=PATIENCE)
        assert session(connection, made)["exit_code"] == 3
        assert "hello" in text_of(connection, made)


def test_what_only_the_worker_finds_out_leaves_nobody_waiting(
    shared_place: Place, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF" + bytes(60))
    program.chmod(0o755)
    with shared_place.connect() as connection:
        made = create(connection, "sh -c 'echo hello; exit 3'")
        until(lambda: session(connection, made)["state"] == "exited")
        with pytest.raises(RequestFailed):
            order = messages.Restart(id=0, session=made, cmd=f"{program} x")
            connection.request(order, timeout=PATIENCE)
        assert session(connection, made)["exit_code"] == 3
        assert text_of(connection, made).strip() == "hello"  # what was stored of it
        connection.request(messages.Restart(id=0, session=made), timeout=PATIENCE)
        wait_for(connection, made, "hello")
