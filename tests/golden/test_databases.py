"""Databases of the version before: everything in them is found, and the same is written today."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.history.archive import Archive
from nagomi_tui.orchestrator.judging import corrections
from nagomi_tui.orchestrator.sessions.store import Store
from tests.golden import databases
from tests.helpers.command import Commands
from tests.helpers.workplace import plain, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

_GOLDEN = Path(__file__).parent
_NAMES = ("sessions", "history", "corrections")
_OF_NOW = frozenset({"state", "pid", "secret", "place", "waits", "phase", "engine"})
"""What a session has anew when no worker holds it any more."""


def _dump(name: str) -> str:
    return (_GOLDEN / f"{name}.sql").read_text()


def _filled(folder: Path) -> Path:
    for name in _NAMES:
        databases.fill(folder / f"{name}.db", _dump(name))
    return folder


@pytest.fixture
def state(nagomi_home: Path) -> Path:
    """A state folder as the version before left it."""
    folder = nagomi_home / "state"
    folder.mkdir(mode=0o700)
    return _filled(folder)


@pytest.mark.parametrize("name", _NAMES)
def test_what_is_written_today_is_the_same(name: str, tmp_path: Path) -> None:
    databases.write(tmp_path)
    assert databases.dumps(tmp_path)[name].split() == _dump(name).split()


def test_a_dump_makes_the_database_that_was_dumped(tmp_path: Path) -> None:
    assert databases.dumps(_filled(tmp_path)) == {name: _dump(name) for name in _NAMES}


def test_records_and_facts_are_read_and_nothing_is_rewritten(tmp_path: Path) -> None:
    store = Store(_filled(tmp_path) / "sessions.db", on_fault=pytest.fail)
    assert store.open() == databases.RECORDS
    found = {name: store.fact(name, type(value)) for name, value in databases.FACTS.items()}
    store.close()
    assert found == databases.FACTS
    assert databases.dumps(tmp_path)["sessions"] == _dump("sessions")


def test_a_history_without_screens_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    databases.fill(path, _dump("history_without_screens"))
    archive = Archive(path)
    archive.open()
    assert archive.story(databases.SECOND) is not None
    assert not archive.has_screen(databases.SECOND)
    archive.write((), (), [databases.SCREEN])
    archive.close()
    archive.open()
    assert archive.has_screen(databases.SECOND)
    archive.close()


def test_a_history_that_remembers_no_wrapped_secret_is_gone_on_with(tmp_path: Path) -> None:
    databases.fill(tmp_path / "before.db", _dump("history_without_wraps"))
    databases.fill(tmp_path / "now.db", _dump("history"))
    stories = []
    for name in ("before", "now"):
        archive = Archive(tmp_path / f"{name}.db")
        archive.open()
        stories.append(archive.story(databases.FIRST))
        archive.close()
    before, now = stories
    assert before is not None
    assert now is not None
    assert (before.next_line, before.tail) == (now.next_line, now.tail)


def test_corrections_are_read(tmp_path: Path) -> None:
    assert corrections.kept(_filled(tmp_path) / "corrections.db") == databases.CORRECTIONS


def test_the_history_is_searched(state: Path) -> None:
    for text, session, lines in (
        ("tests failed", databases.FIRST, ["3 tests failed."]),
        ("日本語", databases.SECOND, ["日本語の行"]),
        (
            "",
            databases.FIRST,
            ["$ make all -j8", "3 tests failed.", "NAME        PASSWORD        AGE", "$"],
        ),
    ):
        found = _history(state, text, "--session", session)
        assert [line["line"] for line in found if not line.get("gap")] == lines
        assert {line["session_id"] for line in found} == {session}
    assert [line["gap"] for line in _history(state, "") if line.get("gap")] == [9]


def test_corrections_are_listed(state: Path) -> None:
    commands = Commands(state.parent, os.environ)
    said = json.loads(commands.ok("judge", "corrections", "--json"))
    assert said == list(_blobs("corrections"))


def test_a_workplace_goes_on_with_its_sessions(state: Path) -> None:
    with workplace(home=state.parent) as place, place.connect() as connection:
        welcome = connection.welcome
        listed = plain(connection.request(messages.ListSessions(id=0), timeout=30))["sessions"]
    assert welcome.recent == tuple(databases.FACTS["recent"])  # type: ignore[arg-type]
    assert [entry["name"] for entry in listed] == ["build", "sh"]
    for entry, blob in zip(listed, _blobs("sessions"), strict=False):
        kept = {key: value for key, value in blob["session"].items() if key not in _OF_NOW}
        if entry["phase"] != blob["session"].get("phase"):
            # What a user has said of its end may have been read since.
            kept.pop("phase_since", None)
        assert {key: entry[key] for key in kept} == kept


def _blobs(name: str) -> Iterator[Any]:
    """Yield the JSON in the columns of a dump."""
    for piece in _dump(name).split("CAST('")[1:]:
        yield json.loads(piece.split("' AS BLOB")[0])


def _history(state: Path, text: str, *more: str) -> list[dict[str, Any]]:
    commands = Commands(state.parent, os.environ)
    found: list[dict[str, Any]] = json.loads(commands.ok("history", *more, "--json", text))
    return found


def test_the_copy_of_the_list_is_the_same_and_stands_in_for_a_damaged_one(state: Path) -> None:
    databases.write(here := state.parent)
    copy = (_GOLDEN / "sessions.copy.json").read_bytes()
    assert (here / "sessions.copy.json").read_bytes() == copy
    (state / "sessions.db").write_bytes(b"")
    (state / "sessions.copy.json").write_bytes(copy)
    store = Store(state / "sessions.db", on_fault=lambda fault: None)
    assert store.open() == databases.RECORDS
    store.close()
