"""A session in strict mode: the kernel follows the guard, over restarts of everything around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.guard.decide.state import Mode, State
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state
from tests.helpers.confined import need_namespaces
from tests.helpers.repository import repository
from tests.helpers.workplace import PATIENCE, create, session, text_of, until, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

TRY = "while :; do touch try 2>/dev/null && { rm try; echo can; } || echo not; sleep 0.05; done"


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as made:
        yield made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    need_namespaces()
    repository(tmp_path / "p", README="first\n")
    (tmp_path / "p/.claude").mkdir()
    made = Project((tmp_path / "p").resolve())
    _set_mode(made, Mode.NO)
    return made


def test_the_kernel_follows_the_guard(place: Place, project: Project) -> None:
    with place.connect() as connection:
        made = _strict(connection, project, f"sh -c '{TRY}'")
        _says(connection, made, "not")
        _set_mode(project, Mode.GO)
        _says(connection, made, "can")
        assert not (project.root / ".codex").is_file()

        place.kill(place.orchestrator)
    with place.connect() as connection:
        until(lambda: session(connection, made)["state"] == "running")
        _says(connection, made, "can")
        _set_mode(project, Mode.NO)
        _says(connection, made, "not")

        connection.request(messages.Restart(id=0, session=made), timeout=PATIENCE)
        _says(connection, made, "not")
        _set_mode(project, Mode.GO)
        _says(connection, made, "can")


def test_nagomis_own_sockets_and_files_are_out_of_reach(place: Place, project: Project) -> None:
    inside = 'ls "$(dirname "$NAGOMI_SOCKET")"; echo "sockets: $?"; touch "$0/x" || echo sealed'
    with place.connect() as connection:
        made = _strict(connection, project, f"sh -c '{inside}; sleep 100' {place.home}/state")
        wait_for(connection, made, "sockets: 0")
        wait_for(connection, made, "sealed")
        assert "front" not in text_of(connection, made)


def test_what_nothing_guards_is_not_started(place: Place, tmp_path: Path) -> None:
    with place.connect() as connection, pytest.raises(RequestFailed, match="nothing guards"):
        create(connection, "cat", cwd=str(tmp_path), env={"NAGOMI_GUARD": "strict"})


def _says(connection: Connection, made: str, word: str) -> None:
    """Wait until the last that was tried ended so."""
    until(
        lambda: text_of(connection, made).split()[-1:] == [word], text_of(connection, made)[-300:]
    )


def _strict(connection: Connection, project: Project, cmd: str) -> str:
    return create(connection, cmd, cwd=str(project.root), env={"NAGOMI_GUARD": "strict"})


def _set_mode(project: Project, mode: Mode) -> None:
    with edit_state(project) as editing:
        editing.state = State(mode=mode)
