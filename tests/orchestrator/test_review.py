"""What a session's agent has changed is read by others, masked; each turn's beginning is kept."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.review.review import Review
from nagomi_tui.review.snapshots import Snapshots, find
from tests.helpers.repository import git, repository
from tests.helpers.workplace import PATIENCE, create, until

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = repository(tmp_path / "project", code="one\ntwo\n")
    (made / "claude").symlink_to("/bin/cat")
    git(made, "add", ".")
    git(made, "commit", "-qm", "agent")
    return made


def review(connection: Connection, session: str, **asked: str) -> messages.Reviewed:
    request = messages.ReviewSession(id=0, session=session, **asked)  # type: ignore[arg-type]
    return connection.request(request, timeout=PATIENCE)


def prompted(connection: Connection, session: str, event: str = "UserPromptSubmit") -> None:
    payload = {"hook_event_name": event, "session_id": "c-1", "prompt": "do it"}
    connection.send(messages.Hook(session=session, agent="claude", payload=payload, at=time.time()))


def test_changes_and_comments_are_read_masked(shared_place: Place, root: Path) -> None:
    (root / "code").write_text("one\npassword=hunter2hunter2\n")
    (root / "fresh").write_text("new\n")
    with shared_place.connect() as connection:
        made = create(connection, "./claude", cwd=str(root))
        found = review(connection, made)
        assert (found.root, found.since, found.added, found.removed) == (
            str(root),
            "uncommitted",
            2,
            1,
        )
        assert [(one.path, one.status) for one in found.files] == [("code", "M"), ("fresh", "A")]
        assert "+new" in found.lines and "hunter2" not in "\n".join(found.lines)
        mine = Review(root)
        (one, _) = mine.load().loaded.changes.files
        mine.comment(one, one.hunks[0], "new", range(2, 3), "not in the code")
        (comment,) = review(connection, made).comments
        assert (comment.place, comment.text, comment.standing) == (
            "code:2",
            "not in the code",
            "draft",
        )
        assert "hunter2" not in comment.lines[0]
        assert [one.path for one in review(connection, made, path="fresh").files] == ["fresh"]


def test_what_the_last_turn_has_changed(shared_place: Place, root: Path) -> None:
    (root / "code").write_text("by the user\n")
    with shared_place.connect() as connection:
        made = create(connection, "./claude", cwd=str(root))
        prompted(connection, made)
        until(lambda: Snapshots(find(root)).against("turn", made))
        (root / "code").write_text("by the user\nby the agent\n")
        found = until(lambda: (now := review(connection, made, since="turn")).files and now)
        assert (found.added, found.removed, found.against) == (1, 0, "")
        prompted(connection, made, "Stop")

        def nothing_since_the_next_prompt() -> bool:
            prompted(connection, made)  # told within a second of the one before, it is the same
            return not review(connection, made, since="turn").files

        until(nothing_since_the_next_prompt)
        assert review(connection, made).added == 2


def test_where_there_is_nothing_to_read_it_is_said(shared_place: Place, tmp_path: Path) -> None:
    with shared_place.connect() as connection:
        made = create(connection, "cat", cwd=str(tmp_path))
        with pytest.raises(RequestFailed, match="is in no git repository"):
            review(connection, made)
