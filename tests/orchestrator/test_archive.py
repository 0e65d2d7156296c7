"""What sessions printed is found again: in every language, by session and time, within bounds."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.orchestrator.history import archive as shelves
from nagomi_tui.orchestrator.history.archive import Archive, Turn
from nagomi_tui.orchestrator.history.searching import Query, known, opened, search
from nagomi_tui.sessions.transcript import Piece, TextRow
from tests.helpers.secrets import LINES, VALUES, leaks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def archive(path: Path) -> Iterator[Archive]:
    opened = Archive(path)
    opened.open()
    yield opened
    opened.close()


def piece(*lines: str, session: str = "s1", at: float = 1000.0, **more: Any) -> Piece:
    rows = tuple(map(TextRow, lines))
    values = {"name": f"name of {session}", "run": 1.0, "next_line": 0} | more
    return Piece(session_id=session, at=at, rows=rows, **values)


def found(path: Path, text: str = "", **query: Any) -> list[str]:
    with opened(path) as connection:
        return [line.line for line in search(connection, Query(text, **query))]


WORDS = (
    "error: 設定ファイルが見つかりません",
    "テストが12件成功しました",
    'say "hello" AND NOT more*',
    "100%_done \\ here",
    "Straße and İstanbul",
    "ab",
)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("ファイル", (0,)),
        ("が", (0, 1)),
        ("12件", (1,)),
        ('"hello" AND NOT', (2,)),
        ("HELLO", (2,)),
        ("100%_d", (3,)),
        ("%_", (3,)),
        ("\\ h", (3,)),
        ("straße", (4,)),
        ("AND İST", (4,)),
        ("AB", (5,)),
        ("nowhere", ()),
    ],
)
@pytest.mark.parametrize("indexed", [True, False])
def test_text_is_found_in_any_script_and_case(
    path: Path, text: str, lines: tuple[int, ...], indexed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not indexed:
        monkeypatch.setattr(
            shelves, "INDEX", "CREATE VIRTUAL TABLE words_{shelf} USING fts5(text, tokenize=none)"
        )
    stored = Archive(path)
    stored.write([piece(*WORDS)])
    stored.close()
    assert found(path, text) == [WORDS[at] for at in lines]


def test_nothing_is_found_in_a_database_that_was_only_just_made(
    archive: Archive, path: Path
) -> None:
    """Its tables are there a moment before the first line is."""
    archive.write([])
    assert found(path, "words") == found(path) == []


def test_lines_are_chosen_by_session_time_and_number(archive: Archive, path: Path) -> None:
    archive.write([piece("a1", "a2", session="a"), piece("b1", session="b", at=2000.0)])
    archive.write([piece("a3", session="a", at=3000.0, gap=7)])
    assert found(path) == ["a1", "a2", "b1", "", "a3"]
    assert found(path, sessions=("a",)) == ["a1", "a2", "", "a3"]
    assert found(path, since=1500.0) == ["b1", "", "a3"]
    assert found(path, limit=1) == ["a3"]
    assert found(path, "a", sessions=("a",), limit=2) == ["a2", "a3"]
    with opened(path) as connection:
        assert known(connection) == [("a", "name of a"), ("b", "name of b")]
        assert [line.gap for line in search(connection, Query())] == [0, 0, 0, 7, 0]


def test_a_story_goes_on_after_the_database_was_closed(path: Path) -> None:
    for lines, still in ((("a",), ("b",)), (("b", "c"), ())):
        stored = Archive(path)
        stored.open()
        open_rows = tuple(map(TextRow, still))
        stored.write([piece(*lines, open=open_rows, next_line=len(lines))])
        stored.close()
    assert found(path) == ["a", "b", "c"]


def test_what_could_not_be_written_is_not_taken_for_stored(archive: Archive, path: Path) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(
            "CREATE TRIGGER full BEFORE INSERT ON lines BEGIN SELECT RAISE(FAIL, 'full'); END"
        )
    with pytest.raises(sqlite3.IntegrityError):
        archive.write([piece("one", session="new")])
    assert archive.story("new") is None
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("DROP TRIGGER full")
    archive.write([piece("one", session="new")])
    assert found(path) == ["one"]


def test_old_lines_go_by_age_with_their_index(archive: Archive, path: Path) -> None:
    archive.write([piece("the old one", at=0.0)])
    archive.write([piece("the new one", at=90_000.0)])
    assert found(path, "the") == ["the old one", "the new one"]
    assert archive.prune(days=1, size=10**9, now=100_000.0)
    assert not archive.prune(days=1, size=10**9, now=100_000.0)
    assert found(path) == found(path, "the") == ["the new one"]


def test_the_oldest_lines_go_when_the_database_is_too_large(archive: Archive, path: Path) -> None:
    size = 800_000
    for number in range(40):
        lines = (f"{number} {at} of many long lines to fill it" for at in range(500))
        archive.write([piece(*lines)])
        while archive.prune(days=99, size=size, now=1000.0):
            pass
    left = found(path, limit=100_000)
    assert 3_000 < len(left) < 12_000
    assert left[-1] == "39 499 of many long lines to fill it"
    assert found(path, "39 499 of") == left[-1:]
    archive.close()
    assert path.stat().st_size < 1.2 * size
    again = Archive(path)
    again.write([piece("it goes on")])
    again.close()
    assert found(path, "goes on") == ["it goes on"]


def test_a_session_is_forgotten_whole(archive: Archive, path: Path) -> None:
    archive.write([piece("mine", session="a"), piece("other", session="b")])
    turn = Turn(session_id="a", name="a", turn=1, ended=1.0, verdict=b"{}")
    archive.write([], [turn])
    archive.forget("a")
    assert found(path) == ["other"]
    with opened(path) as connection:
        assert known(connection) == [("b", "name of b")]
        assert connection.execute("SELECT count(*) FROM turns").fetchone() == (0,)


@pytest.mark.requirement("N-65", "N-66")
def test_a_turn_is_kept_with_how_it_ended_and_its_time(archive: Archive, path: Path) -> None:
    verdict = b'{"state":"failure"}'
    archive.write(
        [], [Turn(session_id="a", name="a", turn=1, started=1.0, ended=3.5, verdict=verdict)]
    )
    with opened(path) as connection:
        kept = connection.execute("SELECT started, ended, verdict FROM turns").fetchall()
    assert kept == [(1.0, 3.5, verdict)]


@pytest.mark.requirement("N-86")
def test_nothing_raw_is_in_the_file(archive: Archive, path: Path) -> None:
    archive.write([piece(*LINES, name=LINES[0], open=tuple(map(TextRow, LINES)))])
    verdict = ('{"summary":"' + LINES[5] + '"}').encode()
    turn = Turn(session_id="s1", name="n", turn=1, ended=1.0, verdict=verdict)
    archive.write([], [turn])
    archive.close()
    assert VALUES and leaks(path.parent) == []


def test_a_damaged_database_is_put_aside(path: Path) -> None:
    path.write_bytes(b"this is no database, and it is long enough to be seen as none" * 20)
    stored = Archive(path)
    stored.open()
    stored.write([piece("one")])
    stored.close()
    assert found(path) == ["one"]
    assert len(list(path.parent.glob("history.broken-*.db"))) == 1


def damage(path: Path, *, first: int = 2) -> None:
    """Write nonsense over most pages; the schema is whole, so that opening finds nothing wrong."""
    page = 4096
    with path.open("r+b") as file:
        for number in range(first, path.stat().st_size // page):
            file.seek(number * page)
            file.write(b"\xa5" * page)


@pytest.mark.parametrize("first", [1, 2, 3, 5])
def test_damaged_pages_are_put_aside_when_they_are_met(path: Path, first: int) -> None:
    stored = Archive(path)
    for number in range(20):
        stored.write([piece(*(f"{number} {at} of many lines" for at in range(200)))])
    stored.close()
    damage(path, first=first)
    again = Archive(path)
    for number in range(5):
        again.write([piece(*(f"new {number} {at}" for at in range(200)))])
        again.prune(days=30, size=10**9, now=2000.0)
    again.forget("nobody")
    aside = again.take_aside()
    assert aside is not None and aside.exists() and again.take_aside() is None
    again.close()
    assert len(found(path, "new", limit=10_000)) == 1000


def test_only_so_many_damaged_databases_are_kept(path: Path) -> None:
    for _ in range(5):
        path.write_bytes(b"this is no database, and it is long enough to be seen as none" * 20)
        stored = Archive(path)
        stored.open()
        stored.close()
    assert len(list(path.parent.glob("history.broken-*.db"))) == 3


DAY = 86_400.0
YEARS = 10 * 365 * DAY
TODAY = 1_800_000_000.0


def test_a_clock_that_jumps_ten_years_drops_nothing_at_once(path: Path) -> None:
    stored = Archive(path)
    for day in range(3):
        stored.write([piece(f"day {day}", at=TODAY + day * DAY)])
    now = TODAY + 3 * DAY
    stored.prune(days=30, size=10**9, now=now)
    for later in (YEARS, YEARS + 3600.0):
        assert not stored.prune(days=30, size=10**9, now=now + later)
    stored.close()
    again = Archive(path)  # it knows after a restart, too
    assert not again.prune(days=30, size=10**9, now=now + YEARS + 7200.0)
    assert not again.prune(days=30, size=10**9, now=now + 9000.0), "the clock was put right"
    assert len(found(path)) == 3
    assert not again.prune(days=30, size=10**9, now=now + YEARS)
    assert again.prune(days=30, size=10**9, now=now + YEARS + DAY), "it is right, after all"
    again.close()


def test_lines_of_a_version_that_did_not_look_at_the_clock_are_not_dropped_at_once(
    path: Path,
) -> None:
    stored = Archive(path)
    stored.write([piece("old", at=TODAY)])
    stored.close()
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM clock")
    connection.close()
    again = Archive(path)
    assert not again.prune(days=30, size=10**9, now=TODAY + YEARS)
    again.close()


def test_lines_from_a_clock_that_was_ahead_go_in_their_turn(archive: Archive, path: Path) -> None:
    archive.write([piece("ahead", at=TODAY + YEARS)])
    archive.write([piece("right", at=TODAY)])
    for day in range(40):
        archive.write([piece(f"day {day}", at=TODAY + day * DAY)])
        archive.prune(days=30, size=10**9, now=TODAY + day * DAY)
    assert "ahead" not in found(path) and "day 39" in found(path)
