"""What an ended session printed last is shown also where nothing is left of its terminal."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from nagomi_tui import paths
from nagomi_tui.api import messages
from nagomi_tui.core.masking import REDACTED
from nagomi_tui.orchestrator.history.searching import Query, opened, search
from tests.helpers.workplace import create, session, text_of, until, wait_for

if TYPE_CHECKING:
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
