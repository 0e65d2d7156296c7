"""What sessions print is stored masked, once each line, and survives whatever happens to us."""

from __future__ import annotations

import itertools
import shlex
import sqlite3
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.api import messages
from nagomi_tui.masking import REDACTED
from nagomi_tui.orchestrator.history import transcripts
from nagomi_tui.orchestrator.history.archive import Archive
from nagomi_tui.orchestrator.history.searching import Query, known, opened, search
from nagomi_tui.orchestrator.history.tracking import FLOOD_RATE, RATE, Tracker
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import paths
from nagomi_tui.terminal.choose import open_engine
from tests.hammer.counting import python
from tests.helpers.secrets import LINES, PEM, SECRETS, VALUES, leaks
from tests.helpers.workplace import create, plain, session, text_of, until, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from nagomi_tui.orchestrator.history.archive import Turn
    from nagomi_tui.sessions.transcript import Piece, Screenful
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow


def lines(session_id: str = "", text: str = "") -> list[str]:
    """What is stored; a gap stands as its number."""
    sessions = (session_id,) if session_id else ()
    try:
        with opened(paths.history_file()) as connection:
            query = Query(text, sessions, limit=1_000_000)
            return [line.line or f"({line.gap})" for line in search(connection, query)]
    except (FileNotFoundError, sqlite3.OperationalError):
        return []


def stored(session_id: str, line: str) -> None:
    until(lambda: line in lines(session_id))


def ask(connection: Connection, request: messages.Request[Any]) -> dict[str, Any]:
    return plain(connection.request(request, timeout=30))


def sh(*parts: str) -> str:
    return f"sh -c {shlex.quote('; '.join(parts))}"


def say(*texts: str) -> str:
    return "; ".join(f"printf '%s\\n' {shlex.quote(text)}" for text in texts)


@pytest.fixture
def connection(shared_place: Place) -> Iterator[Connection]:
    with shared_place.connect() as greeted:
        yield greeted


def test_lines_are_found_when_they_stand_still_and_after_the_session_is_removed(
    connection: Connection,
) -> None:
    made = create(
        connection, sh("echo 'こんにちは、世界'", "printf 'ready? '", "read answer", "echo end")
    )
    stored(made, "こんにちは、世界")
    assert lines(made) == ["こんにちは、世界"]
    ask(connection, messages.Send(id=0, session=made, text="yes"))
    until(lambda: session(connection, made)["state"] == "exited")
    ask(connection, messages.Rename(id=0, session=made, name="greeter"))
    ask(connection, messages.Remove(id=0, session=made))
    assert lines(made) == ["こんにちは、世界", "ready? yes", "end"]
    with opened(paths.history_file()) as reading:
        assert (made, "greeter") in known(reading)
    gone = create(connection, sh("echo forget me"))
    stored(gone, "forget me")
    ask(connection, messages.Remove(id=0, session=gone, history=True))
    assert lines(gone) == []


@pytest.mark.requirement("N-86")
def test_every_kind_of_secret_is_masked_however_it_is_printed(
    connection: Connection, shared_place: Place
) -> None:
    colored = [f"{line[:-6]}\x1b[1;31m{line[-6:]}\x1b[0m" for line in LINES]
    cut = [
        f"printf '%s' {shlex.quote(line[:-5])}; sleep 0.02; printf '%s\\n' {shlex.quote(line[-5:])}"
        for line in LINES
    ]
    title = f"printf '\\033]0;%s\\007' {shlex.quote(LINES[0])}"
    notice = f"printf '\\033]9;%s\\007' {shlex.quote(LINES[1])}"
    script = sh(title, notice, say(*LINES, *colored, *PEM), *cut, "echo done", "exec cat")
    made = create(connection, script, name=f"with {VALUES[1]}"[:55], cols=200)
    stored(made, "done")
    narrow = create(connection, sh(say(*LINES), "echo done", "exec cat"), cols=25, rows=10)
    stored(narrow, "done")
    assert "\n".join(lines(made)).count(REDACTED) >= 3 * len(LINES) + 2
    assert leaks(shared_place.home) == []


@pytest.mark.requirement("N-86")
def test_half_a_token_in_a_box_above_the_cursor_is_not_stored(
    connection: Connection, shared_place: Place, tmp_path: Path
) -> None:
    key = SECRETS["github"][1]
    draw = "printf '\\033[2;1H> %s\\033[6;1H'"
    script = tmp_path / "box"
    script.write_text(
        f"printf 'title\\n'; {draw} {key[:9]}; sleep 2.5; {draw} {key[:14]}; sleep 2.5; {draw} {key}\n"
        "printf 'end\\n'; exec cat\n"
    )
    made = create(connection, f"sh {script}")
    stored(made, "title")
    stored(made, "end")
    stored(made, f"> {REDACTED}")
    written = b"".join(path.read_bytes() for path in shared_place.home.rglob("history.db*"))
    assert key[:7].encode() not in written


def test_nothing_is_stored_of_an_alternate_screen_that_was_left(connection: Connection) -> None:
    made = create(
        connection,
        sh("echo before", "printf '\\033[?1049h'", "seq -f 'inside %.0f' 1 200", "sleep 2",
           "printf '\\033[?1049l'", "echo after", "exec cat"),
    )  # fmt: skip
    stored(made, "after")
    assert lines(made) == ["before", "after"]


def test_a_resize_stores_no_line_twice_and_loses_none(shared_place: Place) -> None:
    with shared_place.connect(front_end=True) as connection:
        made = create(
            connection, sh(r"seq -f '%.0f of the long lines that will be wrapped' 1 60", "exec cat")
        )
        stored(made, "60 of the long lines that will be wrapped")
        for cols, rows in ((30, 10), (100, 40), (17, 5)):
            view = messages.View(view=1, session=made, cols=cols, rows=rows, own_size=True)
            connection.send(view)
            until(lambda wide=cols: session(connection, made)["cols"] == wide)
            ask(connection, messages.Send(id=0, session=made, text=f"at {cols}"))
            wait_for(connection, made, f"at {cols}")
        ask(connection, messages.Send(id=0, session=made, text="last"))
        until(lambda: lines(made)[-1] == "last")
    numbered = [f"{n} of the long lines that will be wrapped" for n in range(1, 61)]
    # The child echoes what the terminal did too.
    assert [line for line in lines(made) if "long" in line] == numbered


def test_switched_off_nothing_is_kept_and_nothing_is_caught_up(connection: Connection) -> None:
    made = create(connection, sh("exec cat"))
    for keep, word in ((True, "first"), (False, "hidden"), (True, "third")):
        ask(connection, messages.Settings(id=0, values={"keep_transcripts": keep}))
        ask(connection, messages.Send(id=0, session=made, text=word))
        wait_for(connection, made, word)
        if keep:
            stored(made, word)
    assert lines(made) == ["first", "first", "third", "third"]


def test_a_flood_is_bounded_and_its_gap_recorded(connection: Connection) -> None:
    began = time.monotonic()
    made = create(
        connection,
        sh("seq -f '%.0f is the number of this line in the flood' 1 40000", "echo END", "exec cat"),
    )
    stored(made, "END")
    seconds = time.monotonic() - began
    kept = lines(made)
    gaps = [int(line[1:-1]) for line in kept if line.startswith("(")]
    assert gaps and sum(gaps) + len(kept) - len(gaps) >= 39_900
    assert sum(map(len, kept)) < 256 * 1024 * (seconds + 3)


async def test_of_a_flood_little_is_read_until_it_is_over_and_then_its_end(tmp_path: Path) -> None:
    screen = Screen(open_engine(80, 24), "s", CrashMarker(tmp_path / "mark"))
    tracker = Tracker(screen, run=0.0, next_line=0)

    async def read(now: float, *, quiet: bool = False) -> int:
        screen.feed(b"a line of this flood, of which there is no end in sight\r\n" * 60_000)
        reading = await tracker.read(now, lambda: True, quiet=quiet)
        assert reading is not None and reading.gap > 0
        return sum(len(row.text) for row in reading.rows)

    assert await read(100.0) <= 3 * FLOOD_RATE
    assert await read(101.0) <= FLOOD_RATE
    assert FLOOD_RATE < await read(103.0, quiet=True) <= 2 * RATE


def test_of_rows_that_take_long_to_read_fewer_are_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen(open_engine(80, 24), "s", CrashMarker(tmp_path / "mark"))
    tracker = Tracker(screen, run=0.0, next_line=0)
    screen.feed(b"a line\r\n" * 5_000)
    seconds = itertools.count(step=0.05)
    monkeypatch.setattr("time.thread_time", lambda: next(seconds))
    reading, _ = tracker.save(100.0, screen=False)
    assert 0 < len(reading.rows) < 500
    assert len(reading.rows) + reading.gap > 4_900


def test_a_line_without_end_is_cut(connection: Connection) -> None:
    made = create(
        connection, sh("head -c 300000 /dev/zero | tr '\\0' x", "echo", "echo END", "exec cat")
    )
    stored(made, "END")
    assert max(map(len, lines(made))) <= 8192


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_when_the_orchestrator_dies(place: Place) -> None:
    with place.connect() as before:
        made = create(before, sh("seq -f 'line %.0f' 1 50", "exec cat"))
        stored(made, "line 50")
    place.kill(place.orchestrator)
    with place.connect() as after:
        until(lambda: "line 50" in text_of(after, made))
        ask(after, messages.Send(id=0, session=made, text="more"))
        until(lambda: lines(made).count("more") == 2)
    assert lines(made) == [f"line {n}" for n in range(1, 51)] + ["more", "more"]
    place.end()
    assert lines(text="line 50") == ["line 50"]


def test_a_history_that_cannot_be_written_is_told_once_and_nothing_else_fails(
    fresh_place: Place,
) -> None:
    fresh_place.end()
    blocked: Path = paths.history_file()
    for name in ("", "-wal", "-shm"):
        blocked.with_name(blocked.name + name).unlink(missing_ok=True)
    blocked.mkdir()
    fresh_place.start()
    with fresh_place.connect(front_end=True) as connection:
        made = create(connection, sh("echo up", "exec cat"))
        wait_for(connection, made, "up")
        heard: list[str] = []

        def told() -> bool:
            heard.extend(m.text for m in connection.pushed(0.2) if isinstance(m, messages.Notice))
            return bool(heard)

        until(told)
        ask(connection, messages.Send(id=0, session=made, text="on"))
        wait_for(connection, made, "^on")
        assert len(heard) == 1 and heard[0].startswith("The history of what sessions print cannot")


async def test_many_long_sessions_are_stored_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives: list[Any] = [long_session(tmp_path, number) for number in range(6)]
    sizes: list[int] = []

    class Watched(Archive):
        def write(
            self,
            pieces: Sequence[Piece],
            turns: Sequence[Turn] = (),
            screens: Sequence[Screenful] = (),
        ) -> int:
            sizes.append(sum(len(piece.rows) for piece in pieces))
            if len(sizes) == 2:
                raise sqlite3.OperationalError("disk is full")
            return super().write(pieces, turns, screens)

    monkeypatch.setattr(transcripts, "Archive", Watched)
    faults: list[object] = []
    history = transcripts.Transcripts(tmp_path / "history.db", Settings, faults.append)
    await history.close(lives)
    assert len(faults) == 1
    await history.close(lives)
    assert len(sizes) == 3
    assert max(sizes) < 3000
    with opened(tmp_path / "history.db") as reading:
        found = [line.line for line in search(reading, Query("", (), limit=100_000))]
    assert sorted(found) == sorted(f"{name} {n}" for name in range(6) for n in range(900))


async def test_a_flood_is_read_less_often_where_it_is_dear_to_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dear(Archive):
        def write(self, *_: object) -> int:
            until = time.thread_time() + 0.05
            while time.thread_time() < until:
                pass
            return 0

    monkeypatch.setattr(transcripts, "Archive", Dear)
    monkeypatch.setattr(transcripts, "_SHARE", 0.0005)
    lives = [long_session(tmp_path, 1), long_session(tmp_path, 2, lines=100_000)]
    history = transcripts.Transcripts(tmp_path / "history.db", Settings, lambda _: None)
    for live in lives:
        live.run.output_at = time.time()
        history.read_soon(live)
    assert await history._store(lives)
    now = time.monotonic()
    history._ration(lives)
    calm, flood = (history._trackers[live.session_id].due - now for live in lives)
    assert flood - calm > 0.05 / 0.0005 / 2 > 0 < calm


def long_session(folder: Path, number: int, lines: int = 900) -> Any:
    """A quiet session of so many lines, as far as transcripts look at it."""
    engine = open_engine(40, 10)
    engine.feed(b"".join(b"%d %d\r\n" % (number, line) for line in range(lines)))
    rebuilt = anyio.Event()
    rebuilt.set()
    screen = Screen(engine, f"s{number}", CrashMarker(folder / "mark"))
    return SimpleNamespace(
        session_id=f"s{number}", running=True,
        info=SimpleNamespace(started_at=1.0, name=f"s{number}", cols=80),
        run=SimpleNamespace(screen=screen, replay=None, rebuilt=rebuilt, output_at=1.0, moved=0.0),
    )  # fmt: skip


ERASERS = {
    "clear": r"printf '\033[H\033[2J\033[3J'",
    "2J": r"printf '\033[2J'",
    "home and J": r"printf '\033[H\033[J'",
    "reset": r"printf '\033c'",
    "3J": r"printf '\033[3J'",
    "torn": r"printf '\033[2'; sleep 0.2; printf J",
    "torn reset": r"printf '\033'; sleep 0.2; printf c",
    "alternate": r"printf '\033[?1049h'",
}


RARE_ERASERS = (
    r"\033[03J", r"\033[?3J", r"\033[?2J", r"\033[99;99H\033[1J", r"\033[H\033[60M", r"\033[H\033[60L",
    r"\033#8\033[2J", r"\033[1;1f\033[J", r"\033[1d\033[G\033[J", r"\033[60T",
    # Only some rows are drawn over.
    r"\033[23A\033[J", r"\033[10F\033[J", r"\033[H\033[9K\033[K\n\033[K\n\033[9P", r"\033[Hover\nit\nall",
    r"\033[H\033[3X\n\033[3X\n\033[3X", r"\033[2;1H\033[1J", r"\033[?40h\033[?3h", r"\033[4S", r"\033[9A",
    r"\033[9'; sleep 0.1; printf 'Aover\nit\nall",
    r"\0337\033[20A\0338\033[Hxx", r"\033[s\033[H\033[u\033[12A\033[0J", r"\033[2\033[1A\033[0J",
)  # fmt: skip
SHIFTING_ERASERS = (
    r"\033[23A\r\033[4M", r"\033[5A\r\033[3L", r"\033[3;20r\033[4S", r"\033[1;1H\033M\033M\033M",
    r"\033[4T",
)  # fmt: skip
"""What moves rows down or up on the screen; these are stored behind those that are lost."""


def test_what_is_erased_in_a_rare_way_was_stored_before(connection: Connection) -> None:
    made = {
        eraser: create(connection, sh("seq -f 'L%.0f' 1 60", f"printf '{eraser}'", "exec cat"))
        for eraser in (*RARE_ERASERS, *SHIFTING_ERASERS)
    }
    want = [f"L{number}" for number in range(1, 61)]
    for eraser, one in made.items():
        until(lambda one=one: set(want) <= set(lines(one)), f"all lines before {eraser} are stored")
        found = [line for line in lines(one) if line.startswith("L")]
        assert found == want or (eraser in SHIFTING_ERASERS and sorted(found) == sorted(want)), (
            eraser
        )


PICTURES = {
    "a spinner, a bar": (
        r"for t in range(30): print(f'\x1b[{2 * bool(t)}A\x1b[J' * bool(t) + 'Fetching %s\n[%s] %d%%' %"
        r" ('/-\\|'[t % 4] + chr(97 + t), '#' * t, 3 * t), flush=True); time.sleep(0.05)",
        ["Fetching /a", "[] 0%", "Fetching -~", "[#############################] 87%"],
    ),
    "an answer above a prompt": (
        r"for t in range(30): print('\x1b[2K\x1b[1A' * (3 + t // 5 - (t % 5 == 0)) * bool(t) + '\r\x1b[J'"
        r" + ''.join(f'word {chr(97 + n)}\n' for n in range(t // 5 + 1)) + f'{t} s gone\n? help', flush=True);"
        r" time.sleep(0.05)",
        ["word a", "word b", "word c", "word d", "word e", "word f", "29 s gone", "? help"],
    ),
    "questions that take each other's place": (
        r"for t in 'abc': print(f'is {t} it?\n  yes {t}\n  no {t}', flush=True); time.sleep(0.5);"
        r" print('\x1b[3A\x1b[J', end='')",
        ["is a it?", "  yes a", "  no a", "is b it?", "  yes b", "  no b", "is c it?", "  yes c", "  no c"],
    ),
    "a log between margins": (
        r"print('\x1b[3;14r\x1b[3;1H', end='')" "\n"
        r"for t in 'abcdefghijklmnopqrst': print(f'step {t} is done', flush=True); time.sleep(0.08)",
        [f"step {t} is done" for t in "abcdefghijklmnopqrst"],
    ),
}  # fmt: skip


def test_of_what_a_program_draws_in_place_no_frames_are_stored(connection: Connection) -> None:
    made = {
        name: create(
            connection, python(f"import time\n{source}\nprint('over', flush=True)\ninput()")
        )
        for name, (source, _) in PICTURES.items()
    }
    for name, (_, want) in PICTURES.items():
        stored(made[name], "over")
        found = lines(made[name])
        # A last line may be stored where it stood, too.
        assert len(found) <= len(want) + 3, (name, found)
        rest = iter(found)
        assert all(line in rest for line in want), (name, found)


@pytest.mark.parametrize("pause", [0, 0.1, 0.5])
@pytest.mark.parametrize("count", [60, 5000])
@pytest.mark.parametrize("eraser", ERASERS)
def test_what_is_erased_was_stored_before(
    connection: Connection, eraser: str, count: int, pause: float
) -> None:
    made = create(
        connection,
        sh(
            f"seq -f 'L%.0f' 1 {count}", f"sleep {pause}", ERASERS[eraser], "echo after", "exec cat"
        ),
    )
    want = [f"L{number}" for number in range(1, count + 1)]
    if eraser != "alternate":
        stored(made, "after")
        assert lines(made) == [*want, "after"]
    else:
        until(lambda: [line for line in lines(made) if line.startswith("L")] == want)


@pytest.mark.parametrize("count", [60, 5000])
def test_lines_behind_an_alternate_screen_are_stored_though_the_session_ends_in_it(
    connection: Connection, count: int
) -> None:
    made = create(
        connection,
        sh(f"seq -f 'L%.0f' 1 {count}", r"printf '\033[?1049hinside'", "exit 3"),
    )
    until(lambda: session(connection, made)["state"] == "exited")
    until(lambda: "inside" in lines(made))
    found = [line for line in lines(made) if line != "(0)"]  # blank rows above the text
    assert found == [*[f"L{number}" for number in range(1, count + 1)], "inside"]


def test_a_program_that_erases_without_end_leaves_gaps_and_is_not_stored_whole(
    connection: Connection,
) -> None:
    script = (
        r"i=0; while [ $i -lt 400 ]; do printf '\033[H\033[2J'; "
        r"seq -f 'frame %.0f' $((i * 10)) $((i * 10 + 9)); i=$((i + 1)); done; echo end; exec cat"
    )
    made = create(connection, f"sh -c {shlex.quote(script)}")
    stored(made, "end")
    found = lines(made)
    whole = [line for line in found if line.startswith("frame")]
    gaps = sum(int(line[1:-1]) for line in found if line.startswith("("))
    assert "frame 3999" in whole and len(whole) <= 300
    assert len(whole) + gaps >= 3990
