"""A review with a real Claude Code: what its turn changed, comments as one message, what it then touched."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.review.comments import message, to_send
from nagomi_tui.review.review import Review
from nagomi_tui.review.snapshots import Snapshots, find
from nagomi_tui.text.words import of
from tests.end_to_end.test_agent_hooks import install, say, see
from tests.helpers.clients import ModelServer, Step, claude, newest_claude
from tests.helpers.repository import repository
from tests.helpers.workplace import PATIENCE, create, session, until, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow

CODE = "".join(f"line {number}\n" for number in range(1, 31))


def edit(path: Path, old: str, new: str) -> tuple[str, dict[str, str]]:
    return "Edit", {"file_path": str(path), "old_string": old, "new_string": new}


def done(connection: Connection, made: str, turns: int) -> bool:
    last = session(connection, made).get("last_turn") or {"turn": 0}
    return last["turn"] >= turns and last["state"] == "success"


def turn_kept(root: Path, made: str) -> float:
    """Return when the last turn began of which the files are kept; 0 if there is none."""
    against = Snapshots(find(root)).against("turn", made)
    return against.at if against else 0.0


@pytest.mark.parametrize(
    ("start", "hooks"), [(claude, False), (newest_claude, True)], ids=["old", "new with hooks"]
)
def test_comments_on_a_turn_are_worked_at_in_the_next(
    start: Callable[[Path, Path, int], tuple[str, dict[str, str]]], hooks: bool, tmp_path: Path
) -> None:
    root = repository(tmp_path / "work", code=CODE)
    code = root / "code"
    # A model thinks for longer than a turn needs to be seen; this one answers once it was.
    looks, works = threading.Event(), threading.Event()
    steps = [
        Step("I look at it.", (("Read", {"file_path": str(code)}),), gate=looks),
        Step("", (edit(code, "line 5\n", "five\n"),)),
        Step("", (edit(code, "line 25\n", "twenty-five\n"),)),
        Step("Both are changed."),
        Step("I work through them.", (("Read", {"file_path": str(code)}),), gate=works),
        Step("", (edit(code, "five\nline 6", "number five\nline 6"),)),
        Step("1: done. 2: I would leave it."),
    ]
    with ModelServer(steps) as server, workplace() as place, place.connect() as connection:
        command, env = start(tmp_path / "home", root, server.port)
        command = (
            f"{command.removesuffix(' --permission-mode default')} --permission-mode acceptEdits"
        )
        if hooks:
            install(env, "claude")
        made = create(connection, command, str(root), env=env, rows=40)
        see(connection, made, "accept edits")
        (root / "notes").write_text("by the user, before the turn\n")
        say(connection, made, "change both")
        until(lambda: turn_kept(root, made))
        looks.set()
        until(lambda: done(connection, made, 1))

        review = Review(root, made)
        page = review.load("turn")
        assert [(one.name, one.added, one.removed) for one in page.loaded.changes.files] == [
            ("code", 2, 2)
        ]
        assert {one.name for one in review.load("uncommitted").loaded.changes.files} == {
            "code", "notes",
        }  # fmt: skip

        (one,) = review.load("turn").loaded.changes.files
        for hunk, text in zip(one.hunks, ("say what it counts", "is this needed?"), strict=True):
            rows = [at for at, line in enumerate(hunk.lines) if line[:1] == "+"]
            review.comment(one, hunk, "new", range(rows[0], rows[0] + 1), text)
        waiting = to_send(review.page.notes if review.page else page.notes)
        first = turn_kept(root, made)
        connection.request(
            m.Send(id=0, session=made, text=message(waiting, of("en").say)), timeout=PATIENCE
        )
        review.sent([comment.number for comment in waiting], "claude")
        until(lambda: turn_kept(root, made) > first)
        works.set()
        until(lambda: "number five" in code.read_text())
        until(lambda: done(connection, made, 2))
        told = json.dumps(server.requests[4:])
        assert "1. code:5" in told and "2. code:25" in told and "is this needed?" in told

        notes = review.load("turn").notes
        assert [(one.place, one.standing) for one in notes.comments] == [
            ("code:5", "touched"), ("code:25", "open"),
        ]  # fmt: skip
        page = review.load("turn")
        assert (page.loaded.changes.added, page.loaded.changes.removed) == (1, 1)
