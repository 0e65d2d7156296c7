"""What an ended session printed last is shown also where nothing is left of its terminal."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.masking import REDACTED
from nagomi_tui.orchestrator.history.searching import Query, opened, search
from nagomi_tui.system import paths
from tests.helpers.workplace import create, session, text_of, until, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

_TALK = (
    "sh -c 'seq 1 60; echo password=hunter2secret; printf \"all is \\033[1mwell\\033[m\"; exec cat'"
)


def stored(text: str) -> list[str]:
    with contextlib.suppress(FileNotFoundError), opened(paths.history_file()) as connection:
        return [line.line for line in search(connection, Query(text))]
    return []


def quit_and_start(place: Place, connection: Connection) -> None:
    connection.request(messages.Quit(id=0))
    until(lambda: not place.pids())
    place.start()


def talked(place: Place, cmd: str = _TALK, last: str = "all is well", **settings: object) -> str:
    """Run `cmd` under these settings until it has printed `last`, quit and start; return its id."""
    with place.connect() as connection:
        if settings:
            connection.request(messages.Settings(id=0, values=settings))
        session_id = create(connection, cmd)
        wait_for(connection, session_id, last)
        quit_and_start(place, connection)
    return session_id


def shown(front_end: Connection, session_id: str, row: str) -> list[str]:
    """Rows of a view of ten rows, once one of them is `row`."""
    rows = [""] * 10
    front_end.send(messages.View(view=1, session=session_id, cols=60, rows=10))

    def look() -> bool:
        for message in front_end.pushed(0.05):
            if isinstance(message, messages.Frame):
                for y, runs in message.rows:
                    rows[y] = "".join(text for text, _, _ in runs)
        return row in rows

    until(look)
    return rows


def test_after_quit_a_session_shows_what_was_stored_of_it(fresh_place: Place) -> None:
    session_id = talked(fresh_place)
    with fresh_place.connect(front_end=True) as front_end:
        rows = shown(front_end, session_id, "all is well")
        assert rows[rows.index("all is well") - 2 :][:2] == ["60", f"password={REDACTED}"]
        text = text_of(front_end, session_id, history=True)
        assert text.splitlines()[:2] == ["1", "2"]
        assert text.count("all is well") == 1


def test_commands_read_it_though_nobody_has_looked(fresh_place: Place) -> None:
    session_id = talked(fresh_place)
    with fresh_place.connect() as connection:
        assert text_of(connection, session_id).splitlines()[-1] == "all is well"


def test_it_is_not_stored_a_second_time(fresh_place: Place) -> None:
    session_id = talked(fresh_place)
    with fresh_place.connect(front_end=True) as connection:
        shown(connection, session_id, "all is well")
        connection.request(messages.Rename(id=0, session=session_id, name="renamed"))
        quit_and_start(fresh_place, connection)
    assert stored("all is well") == ["all is well"]


def test_a_restart_begins_with_an_empty_screen(fresh_place: Place) -> None:
    session_id = talked(fresh_place, "sh -c 'echo begun; exec cat'", "begun")
    with fresh_place.connect(front_end=True) as front_end:
        shown(front_end, session_id, "begun")
        front_end.request(messages.Restart(id=0, session=session_id))
        wait_for(front_end, session_id, "begun")
        assert text_of(front_end, session_id, history=True).split() == ["begun"]
        assert session(front_end, session_id)["state"] == "running"


def test_nothing_is_shown_of_a_session_that_nothing_was_stored_of(fresh_place: Place) -> None:
    session_id = talked(fresh_place, keep_transcripts=False)
    with fresh_place.connect() as connection:
        assert text_of(connection, session_id) == ""


def poem(folder: Path) -> Path:
    """A text with a blank line and a secret in it."""
    file = folder / "poem.txt"
    file.write_text("a frog jumps in\n\npassword=hunter2secret\nthe sound of water\n")
    return file


def kill_all(place: Place) -> None:
    """Kill everything at once, as a power cut does."""
    for pid in place.pids():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    until(lambda: not place.pids())


def with_program(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"there is no {program}")


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("vim -u NONE -i NONE -n", marks=with_program("vim"), id="vim"),
        pytest.param("less", marks=with_program("less"), id="less"),
    ],
)
@pytest.mark.requirement("N-86")
def test_after_quit_a_full_screen_program_shows_its_last_screen_masked(
    fresh_place: Place, tmp_path: Path, program: str
) -> None:
    file = poem(tmp_path)
    cmd = f"sh -c 'echo before; exec {program} {file}'"
    session_id = talked(fresh_place, cmd, "the sound of water")
    assert stored("the sound of water") == ["the sound of water"]
    with fresh_place.connect(front_end=True) as front_end:
        lines = text_of(front_end, session_id, history=True).splitlines()
        assert lines[0] == "before"
        at = lines.index("a frog jumps in")
        assert lines[at:][:4] == [
            "a frog jumps in", "", f"password={REDACTED}", "the sound of water",
        ]  # fmt: skip
        assert lines[-1].strip()
        quit_and_start(fresh_place, front_end)
    assert stored("the sound of water") == ["the sound of water"]
    assert stored("hunter2secret") == []


@with_program("less")
@pytest.mark.requirement("N-86")
def test_a_last_screen_outlives_a_kill_9_of_everything(fresh_place: Place, tmp_path: Path) -> None:
    file = poem(tmp_path)
    with fresh_place.connect() as connection:
        session_id = create(connection, f"sh -c 'echo before; exec less {file}'")
        wait_for(connection, session_id, "the sound of water")
        until(lambda: screens() == 1)
        assert stored("the sound of water") == []
        kill_all(fresh_place)
    fresh_place.start()
    until(lambda: stored("the sound of water") == ["the sound of water"])
    with fresh_place.connect() as connection:
        text = text_of(connection, session_id, history=True)
        assert text.splitlines()[-4:-1] == ["", f"password={REDACTED}", "the sound of water"]
    assert screens() == 0
    history = b"".join(path.read_bytes() for path in fresh_place.home.rglob("history.db*"))
    assert b"hunter2secret" not in history


def screens() -> int:
    """How many alternate screens are stored beside the lines."""
    with contextlib.suppress(FileNotFoundError), opened(paths.history_file()) as connection:
        return int(connection.execute("SELECT count(*) FROM screens").fetchone()[0])
    return 0


def test_an_alternate_screen_that_a_program_has_left_is_not_stored(fresh_place: Place) -> None:
    cmd = (
        'sh -c \'echo before; printf "\\033[?1049hinside"; read go; '
        'printf "\\033[?1049l"; echo after; exec cat\''
    )
    with fresh_place.connect() as connection:
        session_id = create(connection, cmd)
        wait_for(connection, session_id, "inside")
        until(lambda: screens() == 1)
        connection.request(messages.Send(id=0, session=session_id, text=""))
        until(lambda: stored("after") and screens() == 0)
        quit_and_start(fresh_place, connection)
    assert stored("inside") == []


def test_a_program_that_is_killed_on_its_alternate_screen_leaves_that_once(
    fresh_place: Place,
) -> None:
    cmd = "sh -c 'printf \"\\033[?1049hinside\\n\"; sleep 1; kill -9 $$'"
    with fresh_place.connect() as connection:
        session_id = create(connection, cmd)
        until(lambda: stored("inside") == ["inside"])
        assert text_of(connection, session_id).startswith("inside")
        fresh_place.kill(fresh_place.orchestrator)
    with fresh_place.connect() as connection:
        connection.request(messages.Rename(id=0, session=session_id, name="renamed"))
        quit_and_start(fresh_place, connection)
    assert stored("inside") == ["inside"]
