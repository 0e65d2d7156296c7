"""A shell's folder after `cd` is known, and new sessions begin there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.sessions.folders import folder_of
from tests.helpers.waiting import until
from tests.helpers.workplace import create, session

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place


@pytest.fixture
def place(shared_place: Place) -> Place:
    """Nothing here breaks the workplace."""
    return shared_place


def test_the_folder_of_a_process_is_told_and_none_where_it_is_its_first(tmp_path: Path) -> None:
    here, pid = os.getcwd(), os.getpid()
    assert folder_of(pid, here) == ""
    link = tmp_path / "link"
    link.symlink_to(here)
    assert folder_of(pid, str(link)) == ""
    assert folder_of(pid, str(tmp_path)) == os.path.realpath(here)
    assert folder_of(2**22 + 1, here) is None


def test_a_shell_that_has_changed_its_folder_is_shown_there(
    connection: Connection, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    shell = create(connection, "bash")
    connection.send(messages.TypeText(session=shell, text=f"cd {tmp_path}\r"))
    until(lambda: session(connection, shell)["folder"] == os.path.realpath(tmp_path))
    assert session(connection, shell)["branch"] == "topic"
    connection.send(messages.TypeText(session=shell, text="cd -\r"))
    until(lambda: session(connection, shell)["folder"] == "")


def test_a_folder_that_a_shell_within_has_told_counts_while_it_is_there(
    place: Place, tmp_path: Path
) -> None:
    with place.connect(front_end=True) as connection:
        shell = create(connection, "bash")
        connection.send(messages.View(view=1, session=shell, cols=80, rows=10))
        tell = f"cd {tmp_path}; printf '\\033]7;file://%s%s\\033\\\\' $HOSTNAME $PWD"
        connection.send(messages.TypeText(session=shell, text=f"bash --norc\r{tell}\r"))
        until(lambda: session(connection, shell)["folder"] == os.path.realpath(tmp_path))
        connection.send(messages.TypeText(session=shell, text="exit\r"))
        until(lambda: session(connection, shell)["folder"] == "")


def test_a_folder_that_nothing_is_in_is_not_believed(tmp_path: Path) -> None:
    here, pid = os.getcwd(), os.getpid()
    assert folder_of(pid, here, str(tmp_path)) == ""
