"""What breaks beside us: native code, the database, the socket, other processes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.launch import ensure_running
from nagomi_tui.judge.verdict import State as Judgement
from nagomi_tui.orchestrator.judging import corrections
from nagomi_tui.orchestrator.runtime.crash_marker import FEED, RESTORE, CrashMarker, Suspect
from nagomi_tui.orchestrator.sessions.store import Record, Store
from nagomi_tui.sessions.session import Session, State
from nagomi_tui.system import paths
from tests.helpers.waiting import soon
from tests.helpers.workplace import alive, create, only, session, text_of, until, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from nagomi_tui.orchestrator.runtime.requests import Refusal
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

ID = "0123abcd-0000-4000-8000-000000000000"


def notices(connection: Connection, seconds: float = 0.5) -> list[str]:
    return [m.text for m in connection.pushed(seconds) if isinstance(m, messages.Notice)]


@pytest.mark.parametrize("phase", [FEED, RESTORE])
def test_the_session_that_crashed_us_goes_to_pyte_and_the_others_do_not(
    place: Place, phase: bytes
) -> None:
    with place.connect() as before:
        ids = [create(before, f"sh -c 'echo I am {n}; exec cat'", name=n) for n in ("bad", "good")]
        for each in ids:
            wait_for(before, each, "I am")
    dead = place.orchestrator
    CrashMarker(place.home / "state" / "feeding").enter(ids[0].encode(), phase)
    os.kill(dead, signal.SIGSEGV)
    until(lambda: not alive(dead))
    with place.connect(front_end=True) as after:
        for each, name in zip(ids, ("bad", "good"), strict=True):
            assert f"I am {name}" in text_of(after, each)
        engines = [session(after, each)["engine"].partition("-")[0] for each in ids]
        assert engines == ["pyte", "ghostty"]
        said = only(notices(after))
        assert (
            said == "The terminal of bad had a fault; it is drawn more carefully now, and slower."
        )
        after.request(messages.Send(id=0, session=ids[0], text="still there"), timeout=10)
        wait_for(after, ids[0], "^still there")


@pytest.mark.parametrize(
    ("after", "first", "second"),
    [
        ("crash", True, True),
        ("hang", True, True),
        ("killed", False, False),
        ("", False, False),
        ("unknown", False, True),
    ],
)
def test_only_native_code_is_blamed(tmp_path: Path, after: str, first: bool, second: bool) -> None:
    for expected in (first, second):
        CrashMarker(tmp_path / "mark").enter(ID.encode(), FEED)
        found = CrashMarker(tmp_path / "mark").judge(after)
        assert found == (Suspect(ID, False) if expected else None)


def test_what_was_left_in_order_blames_nobody(tmp_path: Path) -> None:
    mark = CrashMarker(tmp_path / "mark")
    mark.enter(ID.encode(), FEED)
    mark.leave()
    assert CrashMarker(tmp_path / "mark").judge("crash") is None


def test_a_damaged_database_is_kept_aside_and_sessions_live_on(place: Place) -> None:
    with place.connect() as before:
        session_id = create(before, "sh -c 'echo here; exec cat'")
        wait_for(before, session_id, "here")
    place.kill(place.supervisor)
    place.end_residents()
    for path in (place.home / "state").glob("sessions.db*"):
        path.write_bytes(b"this is no database at all" * 200)
    place.start()
    with place.connect(front_end=True) as after:
        until(lambda: after.request(messages.ListSessions(id=0), timeout=5).sessions)
        assert "here" in text_of(after, session_id)
        (kept,) = (place.home / "state").glob("sessions.broken-*.db")
        assert any(str(kept) in said for said in notices(after))
        create(after, "true", name="new one")
        until(lambda: "new one" in _names_on_disk(place))


@pytest.mark.parametrize("damage", ["empty", "nonsense", "pages"])
def test_a_damaged_list_comes_back_from_its_copy(place: Place, damage: str) -> None:
    with place.connect() as before:
        running = create(before, "sh -c 'echo here; exec cat'", name="runs", cwd="/usr")
        ended = create(before, "true", name="has ended", cwd="/usr")
        wait_for(before, running, "here")
        until(lambda: session(before, ended)["state"] == "exited")
    state = place.home / "state"
    until(lambda: "has ended" in (state / "sessions.copy.json").read_text())
    place.end()
    for rest in ("-wal", "-shm"):
        (state / f"sessions.db{rest}").unlink(missing_ok=True)
    file = state / "sessions.db"
    content = {
        "empty": b"",
        "nonsense": b"this is no database at all" * 200,
        "pages": file.read_bytes()[:4096] + b"\xa5" * (file.stat().st_size - 4096),
    }
    file.write_bytes(content[damage])
    place.start()
    with place.connect(front_end=True) as after:
        (said,) = [line for line in notices(after) if "damaged" in line]
        assert "a copy takes its place" in said and "sessions.broken-" in said
        listed = after.request(messages.ListSessions(id=0), timeout=5).sessions
        assert [(each.name, each.cwd) for each in listed] == [
            ("runs", "/usr"),
            ("has ended", "/usr"),
        ]
        assert all(each.started_at for each in listed)
        until(lambda: _names_on_disk(place) == ["runs", "has ended"])


def test_a_list_that_is_damaged_while_we_write_is_written_anew(tmp_path: Path) -> None:
    told: list[Refusal] = []

    async def story() -> None:
        store = Store(tmp_path / "sessions.db", on_fault=told.append)
        store.open()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(store.run)
            for number in range(1, 200):
                store.keep(number, _record(number))
            await soon(lambda: len(_records_in(tmp_path)) == 199)
            with sqlite3.connect(tmp_path / "sessions.db") as other:
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            other.close()
            with (tmp_path / "sessions.db").open("r+b") as file:
                file.seek(4096)
                file.write(b"\xa5" * ((tmp_path / "sessions.db").stat().st_size - 4096))
            store.keep(200, _record(200))
            await soon(lambda: len(_records_in(tmp_path)) == 200)
            tasks.cancel_scope.cancel()
        store.close()

    anyio.run(story)
    assert "was damaged" in str(only(told))


def _record(number: int) -> Record:
    named = {"session_id": f"{number:08}", "number": number, "name": f"session {number}"}
    return Record(session=Session(cmd="x" * 500, cwd="/", **named))


def _records_in(folder: Path) -> list[str]:
    database = sqlite3.connect(folder / "sessions.db")
    try:
        return [name for (name,) in database.execute("SELECT session_id FROM sessions")]
    except sqlite3.DatabaseError:
        return []
    finally:
        database.close()


def test_a_locked_database_is_told_and_work_goes_on(place: Place, connection: Connection) -> None:
    create(connection, "sleep 99", name="first")
    until(lambda: "first" in _names_on_disk(place))
    holder = sqlite3.connect(place.home / "state" / "sessions.db", isolation_level=None)
    try:
        holder.execute("BEGIN EXCLUSIVE")
        with place.connect(front_end=True) as front_end:
            create(connection, "sleep 99", name="second")
            said = until(lambda: notices(front_end, 1.0))
            assert "cannot be written" in said[0] and "Traceback" not in said[0]
            assert len(connection.request(messages.ListSessions(id=0), timeout=5).sessions) == 2
    finally:
        holder.rollback()
        holder.close()
    create(connection, "sleep 99", name="third")
    until(lambda: {"second", "third"} <= set(_names_on_disk(place)))


def _names_on_disk(place: Place) -> list[str]:
    database = sqlite3.connect(place.home / "state" / "sessions.db")
    try:
        query = "SELECT json_extract(record, '$.session.name') FROM sessions ORDER BY place"
        return [name for (name,) in database.execute(query)]
    except sqlite3.OperationalError:
        return []
    finally:
        database.close()


def test_a_database_that_cannot_be_made_leaves_everything_in_memory(tmp_path: Path) -> None:
    told: list[Refusal] = []
    (tmp_path / "sessions.db").mkdir()
    store = Store(tmp_path / "sessions.db", on_fault=told.append)
    assert store.open() == []
    store.keep(1, Record(session=Session(session_id=ID, number=1, name="a", cmd="b", cwd="/")))
    store.close()
    assert "cannot be written" in str(only(told))


def test_records_come_back_in_their_order(tmp_path: Path) -> None:
    told: list[Refusal] = []
    store = Store(tmp_path / "sessions.db", on_fault=told.append)
    assert store.open() == []
    records = [
        Record(session=Session(session_id=f"{n}", number=n, name=f"s{n}", cmd="x", cwd="/"))
        for n in (1, 2, 3)
    ]
    for place, record in zip((3, 1, 2), records, strict=True):
        store.keep(place, record)
    store.keep_fact("left_at", 12.5)
    store.close()
    again = Store(tmp_path / "sessions.db", on_fault=told.append)
    assert [record.session.name for record in again.open()] == ["s2", "s3", "s1"]
    assert again.fact("left_at", float) == 12.5 and again.fact("never", float) is None
    again.close()
    assert told == []


def test_a_saved_record_runs_no_more() -> None:
    running = Session(
        session_id=ID, number=1, name="a", cmd="b", cwd="/", state=State.RUNNING, pid=5
    )
    saved = Record(session=running, worker="w-1").saved()
    assert (saved.session.state, saved.session.pid, saved.worker) == (State.SAVED, None, "")


def test_a_deleted_socket_folder_is_made_again(place: Place, connection: Connection) -> None:
    pid = place.orchestrator
    shutil.rmtree(paths.socket_folder())
    ensure_running()
    with place.connect() as another:
        assert another.welcome.pid == pid
        create(another, "sleep 99")
    assert connection.request(messages.Ping(id=0), timeout=10) == messages.Nothing()


def _of_others(path: Path, table: str) -> bytes:
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute(f"CREATE TABLE {table} (theirs)")
    return path.read_bytes()


def test_a_list_with_tables_of_others_is_put_aside(tmp_path: Path) -> None:
    _of_others(tmp_path / "sessions.db", "sessions")
    told: list[Refusal] = []
    store = Store(tmp_path / "sessions.db", on_fault=told.append)
    assert store.open() == []
    assert "damaged" in str(told[0])
    store.keep(1, _record(1))
    store.close()
    assert len(_records_in(tmp_path)) == 1


@pytest.mark.parametrize("kind", ["nonsense", "tables of others"])
def test_damaged_corrections_are_put_aside(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "corrections.db"
    found = b"this is no database at all" * 200
    if kind == "nonsense":
        path.write_bytes(found)
    else:
        found = _of_others(path, "corrections")
    said = corrections.Correction(
        at=1.0, session_id=ID, turn=1, cmd="x", shown=Judgement.FAILURE, right=Judgement.SUCCESS,
        rule="r", confidence=0.5,
    )  # fmt: skip
    corrections.keep(path, said)
    assert only(list(corrections.kept(path))) == said
    assert only(list(tmp_path.glob("corrections.broken-*.db"))).read_bytes()[:7] == found[:7]
