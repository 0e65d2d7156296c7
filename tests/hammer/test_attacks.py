"""What attackers tried on history, the HTTP port, sends, lock files and environments."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.system.outcome import Exit
from tests.hammer.counting import python
from tests.hammer.sockets import all_echo, echoing
from tests.hammer.test_corruptions import nagomi
from tests.hammer.vitals import answers, attended
from tests.helpers.http_api import served, unix_socket
from tests.helpers.waiting import until
from tests.helpers.workplace import PATIENCE, Place, create, session, text_of, workplace

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from nagomi_tui.api.client import Connection

    Seen = Callable[[str], None]

pytestmark = pytest.mark.timeout(180)

LINES: Final = 5_000
ERASES: Final = {
    "clear": "\x1b[H\x1b[2J\x1b[3J",
    "a full reset": "\x1bc",
    "2J alone": "\x1b[H\x1b[2J",
    "cursor up and J": "\x1b[20A\x1b[J",
    "rows drawn over": "\x1b[H" + "\x1b[Kanother\r\n" * 5,
}


@pytest.mark.parametrize("how", [*ERASES, "an end in the other screen"])
@pytest.mark.parametrize("pause", [0.0, 0.1])
def test_history_holds_what_is_erased_at_once(
    place: Place, how: str, pause: float, seen: Seen
) -> None:
    """Six sessions at a time print 5,000 lines each, and erase them."""
    end = "print('over')\ntime.sleep(600)"
    erase = ERASES.get(how, "")
    if not erase:
        erase, end = "\x1b[?1049hTUI", ""
    source = (
        "import sys, time\n"
        f"print('\\n'.join(f'{{sys.argv[1]}}-{{n}}.' for n in range({LINES})), flush=True)\n"
        f"time.sleep({pause})\nsys.stdout.write({erase!r})\nsys.stdout.flush()\n{end}"
    )
    with place.connect() as connection:
        names = [f"s{number}" for number in range(6)]
        made = [create(connection, python(source, name), name=name) for name in names]
        for name, session in zip(names, made, strict=True):
            ask = m.SearchHistory(id=0, text=f"{name}-", session=session, limit=10_000)
            wanted = {f"{name}-{number}." for number in range(LINES)}
            until(
                lambda ask=ask, wanted=wanted: wanted <= {
                    one.line.strip() for one in connection.request(ask, timeout=PATIENCE).lines
                },
                f"all lines of {name} are in the history",
            )  # fmt: skip
    seen(f"{LINES * len(names)} lines kept")


def test_a_body_of_300_000_chunks_without_a_token(place: Place, seen: Seen) -> None:
    with place.connect(), served() as api:
        head = (
            b"POST /api/mode HTTP/1.1\r\nHost: localhost:%d\r\nTransfer-Encoding: chunked\r\n\r\n"
            % api.port
        )
        with socket.create_connection(("127.0.0.1", api.port), timeout=30) as peer:
            peer.sendall(head)
            told = peer.recv(4096)
            assert told.startswith(b"HTTP/1.1 401"), told
            began = time.monotonic()
            with contextlib.suppress(OSError):  # nobody reads it
                peer.sendall(b"1\r\na\r\n" * 300_000)
            assert api.get("/api/sessions").status == 200
            took = time.monotonic() - began
        assert took < 5, f"another request waited {took:.1f} s"
        seen(f"refused at its headers; another request in {took:.2f} s")


def test_64_connections_that_say_nothing(place: Place, seen: Seen) -> None:
    with place.connect(), served() as api, ExitStack() as stack:
        for _ in range(64):
            stack.enter_context(socket.create_connection(("127.0.0.1", api.port), timeout=30))
        began = time.monotonic()
        assert api.by_tcp("GET", "/api/sessions").status == 200
        assert api.get("/api/sessions").status == 200
        took = time.monotonic() - began
        assert took < 5, f"a request waited {took:.1f} s"
        stack.enter_context(unix_socket(api.files.socket))
        seen(f"a request beside them in {took:.2f} s")


def test_sends_while_the_orchestrator_is_killed(
    place: Place, dice: random.Random, seen: Seen
) -> None:
    """What is said to have failed was not typed, and what succeeded was typed once."""
    with place.connect() as connection:
        create(connection, "cat", name="sink")
    codes: dict[int, int] = {}

    def send(number: int) -> None:
        codes[number] = nagomi("send", "sink", f"text-{number}.").returncode

    with ThreadPoolExecutor(4) as pool:
        sent = [pool.submit(send, number) for number in range(24)]
        for _ in range(3):
            time.sleep(dice.uniform(0.5, 1.5))
            place.kill(place.orchestrator)
            answers(place)
        for one in sent:
            one.result()
    with place.connect() as connection:
        wait = m.Send(id=0, session="sink", text="the end.")
        connection.request(wait, timeout=PATIENCE)
        until(lambda: "the end." in text_of(connection, "sink", history=True))
        shown = text_of(connection, "sink", history=True)
    for number, code in codes.items():
        # `cat` says each line again that the terminal has echoed.
        count = shown.count(f"text-{number}.")
        if code == Exit.OK:
            assert count == 2, (number, code, count)
        elif code == Exit.PERHAPS:
            assert count in (0, 2), (number, code, count)
        else:
            assert count == 0, (number, code, count)
    seen(f"{sorted(codes.values())} after kills")


@pytest.mark.parametrize("after", [0.3, 0.8, 1.3])
def test_a_reload_whose_supervisor_is_killed(place: Place, after: float, seen: Seen) -> None:
    with place.connect() as connection:
        names = echoing(connection, 2)
    with ThreadPoolExecutor(1) as pool:
        reload = pool.submit(nagomi, "reload")
        time.sleep(after)
        place.kill(place.supervisor)
        done = reload.result()
    assert done.returncode == 0, done.stderr
    all_echo(place, names, "again")
    seen(done.stdout.strip())


def test_history_holds_what_is_printed_while_nobody_listens(place: Place, seen: Seen) -> None:
    """The orchestrator dies right after each text: none of them waits for the next output."""
    with place.connect() as connection:
        create(connection, "cat", name="sink")
    for number in range(4):
        with place.connect() as connection:
            word = m.Send(id=0, session="sink", text=f"word {number}.")
            connection.request(word, timeout=PATIENCE)
        place.kill(place.orchestrator)
        with place.connect() as connection:
            find = m.SearchHistory(id=0, text=f"word {number}.", session="sink", limit=9)
            until(
                lambda connection=connection, find=find: (
                    len(connection.request(find, timeout=PATIENCE).lines) == 2
                ),
                f"the text {number} and what `cat` says are stored",
            )
    seen("4 texts, each stored")


@pytest.mark.parametrize("processes", [1, 2, 5, 8])
def test_a_user_without_room_for_a_process_is_told_so(processes: int, seen: Seen) -> None:
    """Nothing is said of disks and folders, and nothing runs that was not to be."""
    rights = "+dac_override,+dac_read_search,+chown,+fowner"
    limited = [
        "setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", f"--inh-caps={rights}",
        f"--ambient-caps={rights}", "prlimit", f"--nproc={processes}",
    ]  # fmt: skip
    if os.geteuid() or subprocess.run([*limited, "true"], capture_output=True).returncode:
        pytest.skip("needs root, and the right to become another user")
    with workplace(start=False) as place:
        for folder in (place.home, place.home / "state"):
            os.chown(folder, 54321, 54321)
        source = "from nagomi_tui.cli import main; main(['new', '--', 'sleep', '60'])"
        done = subprocess.run(
            [*limited, sys.executable, "-c", source], capture_output=True, text=True, timeout=60
        )
        seen(done.stderr.strip() or "it has started")
        for word in ("Traceback", "disk", "folder", "Make room"):
            assert word not in done.stderr


@pytest.mark.parametrize("kind", ["a link to itself", "a folder"])
@pytest.mark.parametrize("name", ["orchestrator.lock", "supervisor.lock"])
def test_a_lock_that_is_no_file_is_told(name: str, kind: str) -> None:
    with workplace(start=False) as place:
        lock = place.home / "state" / name
        lock.parent.mkdir(parents=True, exist_ok=True)
        if kind == "a folder":
            lock.mkdir()
        else:
            lock.symlink_to(lock)
        done = nagomi("new", "--", "sleep", "60")
        assert done.returncode != 0
        assert name in done.stderr, done.stderr
        log = place.home / "state" / "nagomi.log"
        assert not log.exists() or "Traceback" not in log.read_text()


@pytest.mark.parametrize("megabytes", [1.0, 1.8, 3.0])
def test_a_large_environment_starts_or_is_refused_at_once(
    place: Place, megabytes: float, seen: Seen
) -> None:
    count = int(megabytes * 1024 * 1024 / 100_000)
    env = os.environ | {f"LARGE_{number}": "x" * 100_000 for number in range(count)}
    source = (
        "import sys\nfrom nagomi_tui.cli import main\n"
        "sys.argv = ['nagomi', 'new', '--', 'sleep', '60']\nsys.exit(main())"
    )
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, "-c", source], env=env, capture_output=True, text=True, timeout=60
        )
    except OSError:
        pytest.skip("the kernel starts no program with such an environment")
    took = time.monotonic() - began
    assert "Traceback" not in done.stderr, done.stderr
    assert took < 15, f"it took {took:.1f} s"
    assert done.returncode == 0 or "environment" in done.stderr, done.stderr
    seen(f"exit code {done.returncode} after {took:.1f} s; {answers(place):.1f} s for the list")


def test_marks_that_combine_do_not_hold_up_a_stop(place: Place, seen: Seen) -> None:
    source = "import os\nwhile True: os.write(1, b'e' + b'\\xcc\\x81' * 200)"
    with place.connect() as connection:
        session = create(connection, python(source))
        until(lambda: "e" in text_of(connection, session))
        began = time.monotonic()
        connection.request(m.Stop(id=0, session=session), timeout=PATIENCE)
        took = time.monotonic() - began
    assert took < 10, f"a stop took {took:.1f} s"
    seen(f"stopped in {took:.2f} s")


_CLOCK: Final = Path(__file__).parents[1] / "helpers" / "set_clock"


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that says by how many seconds the clock of a workplace is set, which starts later."""
    file = tmp_path / "clock"
    file.write_text("0")
    monkeypatch.setenv("NAGOMI_TEST_CLOCK", str(file))
    monkeypatch.setenv("PYTHONPATH", str(_CLOCK))
    return file


@pytest.mark.parametrize("asleep", [0, 20])
@pytest.mark.parametrize("hours", [15.6, -15.6])
def test_the_clock_is_set_by_hours(clock: Path, seen: Seen, hours: float, asleep: int) -> None:
    """The machine sleeps before that, or not: all processes are stopped, and go on.

    How long each session stands so stays true, and what was to come in seconds or an hour does."""
    moved, began = hours * 3600, time.time()
    with attended(seen) as place, place.connect() as connection:
        asks = create(connection, "sh -c 'printf \"Go on? [y/N] \"; read a; echo got $a; sleep 99'")
        fails = create(connection, "sh -c 'read a; echo ERROR: no disk; exit 3'")
        works = create(connection, python("import time\nwhile True: time.sleep(1)"))
        until(lambda: session(connection, asks)["phase"] == "attention")
        for when in ("8s", "1h"):
            connection.request(m.Remind(id=0, when=when, words=f"in {when}"), timeout=PATIENCE)
        stopped = _processes_of(place) if asleep else []
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        clock.write_text(str(moved))
        time.sleep(asleep)
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        assert not asleep or {place.orchestrator, place.supervisor} <= set(stopped)
        changed = time.monotonic()

        def ages() -> list[float]:
            now = time.time() + moved
            rows = [session(connection, name) for name in (asks, fails, works)]
            times = ("created_at", "started_at", "phase_since")
            return [now - row[name] for row in rows for name in times if row[name]]

        until(lambda: all(-1 <= age <= time.time() - began + 1 for age in ages()), "ages are true")
        settled = time.monotonic() - changed
        assert session(connection, asks)["phase"] == "attention", "the call stands"
        connection.request(m.Send(id=0, session=fails, text="x"), timeout=PATIENCE)
        until(lambda: session(connection, fails)["exit_code"] == 3)
        connection.request(m.Send(id=0, session=asks, text="y"), timeout=PATIENCE)
        until(lambda: "got y" in text_of(connection, asks))
        until(lambda: session(connection, asks)["phase"] == "running")
        until(lambda: [one.reminder.words for one in _reminders(connection).told] == ["in 8s"])
        assert [one.reminder.words for one in _reminders(connection).open] == ["in 1h"]
        assert all(-1 <= age <= time.time() - began + 1 for age in ages())
        assert not asleep or {place.orchestrator, place.supervisor} <= set(stopped), (
            "none was replaced"
        )
        silent = time.monotonic()
        order = m.Wait(id=0, session=works, until="silence", silence=1.0, timeout=PATIENCE)
        assert connection.request(order, timeout=PATIENCE + 5).reason == "silence"
        assert time.monotonic() - silent < PATIENCE / 2
        place.kill(place.orchestrator)
        with place.connect() as after:
            create(after, "echo later", name="later")
            find = m.SearchHistory(id=0, text="", limit=100)
            lines = lambda: [one.line for one in after.request(find, timeout=PATIENCE).lines]  # noqa: E731
            until(lambda: "later" in lines())
            time.sleep(2)
            assert lines().count("got y") == 1, "no line is stored twice"
        seen(f"set by {hours:+} h, told truly after {settled:.1f} s")


def _processes_of(place: Place) -> list[int]:
    """The residents of a workplace, and the programs of its sessions."""
    home = f"NAGOMI_HOME={place.home}".encode()
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(process.name) != os.getpid() and home in (
                process / "environ"
            ).read_bytes().split(b"\0"):
                found.append(int(process.name))
    return found


def _reminders(connection: Connection) -> m.ReminderList:
    return connection.request(m.ListReminders(id=0), timeout=PATIENCE)
