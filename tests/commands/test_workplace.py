"""doctor, detach, reload, quit, uninstall: the residents themselves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.api.launch import NEXT_TRY_SECONDS, RESIDENT_LOCKS, is_starting
from nagomi_tui.orchestrator.supervisor import _BACK_OFF
from nagomi_tui.system import paths
from nagomi_tui.system.outcome import Exit
from tests.helpers.command import NAGOMI, Commands, workplace
from tests.helpers.waiting import PATIENCE, alive, until
from tests.helpers.workplace import Place, create
from tests.helpers.workplace import workplace as empty_workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow


@pytest.fixture
def own() -> Iterator[Commands]:
    """A workplace that the test may end."""
    with workplace() as commands:
        yield commands


def test_doctor_tells_the_residents_in_json(nagomi: Commands) -> None:
    nagomi.new("cat")
    told = nagomi.json("doctor")
    assert alive(told["orchestrator"]["pid"])
    assert told["orchestrator"]["version"] == __version__
    assert told["workers"]
    assert all(alive(worker["pid"]) for worker in told["workers"])
    assert told["usable"] is True
    shape = {"key", "label", "result", "found", "meaning", "remedy", "needed"}
    assert all(set(check) == shape for check in told["checks"])
    assert {check["result"] for check in told["checks"]} <= {"ok", "warning", "missing"}


@pytest.mark.requirement("N-113")
def test_doctor_checks_what_is_needed(nagomi: Commands) -> None:
    keys = {check["key"] for check in nagomi.json("doctor")["checks"]}
    assert keys >= {
        "orchestrator", "workers", "system", "python", "engine", "locale", "settings", "terminal",
        "config_folder", "state_folder", "socket_folder", "log", "logout", "program_git",
    }  # fmt: skip


def test_doctor_reads_well_in_both_languages(nagomi: Commands) -> None:
    for language in ("en", "ja"):
        shown = nagomi.run("doctor", env={"NAGOMI_LANG": language}).stdout
        assert "Python" in shown
        assert str(nagomi.home) in shown


def test_doctor_explains_wsl(nagomi: Commands) -> None:
    shown = nagomi.run("doctor", env={"WSL_DISTRO_NAME": "Debian"}).stdout
    assert "vmIdleTimeout" in shown


def test_doctor_starts_nothing(own: Commands) -> None:
    assert own.json("doctor")["orchestrator"] == {"pid": None, "version": None}
    assert list(own.home.iterdir()) == []


def test_doctor_names_a_fault_of_the_settings(own: Commands) -> None:
    (own.home / "config").mkdir()
    (own.home / "config" / "settings.json").write_text('{"langage": "ja"}')
    checks = {check["key"]: check for check in own.json("doctor")["checks"]}
    assert checks["settings"]["result"] == "warning"
    assert "language" in checks["settings"]["meaning"]


def test_quit_ends_every_resident_and_session(own: Commands) -> None:
    own.new("sleep 1000")
    pids = [*own.pids(), own.json("ls")[0]["pid"]]
    assert len(pids) >= 4
    own.ok("quit", "--yes")
    assert [pid for pid in pids if alive(pid)] == []
    own.fails(Exit.NOBODY, "quit", "--yes")


def test_quit_in_the_middle_of_a_start_leaves_nobody() -> None:
    """The first worker is started behind the service; whoever quits waits for both."""
    with empty_workplace(start=False) as place:
        starter = subprocess.Popen([*NAGOMI, "new", "cat"], stderr=subprocess.PIPE)
        until(is_starting)
        done = subprocess.run([*NAGOMI, "quit", "--yes"], capture_output=True, check=False)
        assert done.returncode == Exit.OK, done.stderr
        assert b"Traceback" not in starter.communicate()[1]
        assert place.pids() == {}


@pytest.mark.skipif(sys.platform != "linux", reason="nothing tells there what a process waits for")
@pytest.mark.parametrize(
    "module", ["nagomi_tui.orchestrator", "nagomi_tui.orchestrator.supervisor"]
)
def test_quit_is_meant_for_residents_that_wait_for_their_lock(module: str) -> None:
    """Such as a supervisor that a client has started while another one took over an orchestrator."""
    with empty_workplace() as place, place.connect() as connection:
        create(connection, "sleep 1000")
        words = ["--again"] * module.endswith("supervisor")
        spare = subprocess.Popen([sys.executable, "-P", "-m", module, *words])
        until(lambda: "sleep" in Path(f"/proc/{spare.pid}/wchan").read_text())
        subprocess.run([*NAGOMI, "quit", "--yes"], capture_output=True, check=True)
        assert spare.wait(PATIENCE) == 0
        until(lambda: not place.pids())
        place.start()
        assert place.orchestrator, "who starts behind a quit is served"


def test_quit_without_a_terminal_asks_for_yes(nagomi: Commands) -> None:
    nagomi.new("cat")
    assert "--yes" in nagomi.fails(Exit.USAGE, "quit")
    assert nagomi.json("ls")


def test_quit_finds_workers_whose_orchestrator_was_killed(own: Commands) -> None:
    number = own.new("sleep 1000")
    told = own.json("doctor")
    pid = own.json("ls")[0]["pid"]
    for resident in (told["supervisor"], told["orchestrator"]):
        os.kill(resident["pid"], signal.SIGKILL)
    until(lambda: not alive(told["orchestrator"]["pid"]))
    assert alive(pid), "the session survives them"
    own.ok("quit", "--yes")
    assert not alive(pid), number


def test_reload_keeps_the_sessions(own: Commands) -> None:
    number = own.new("echo before; exec cat")
    own.ok("wait", number, "--until", "output", "before", "--timeout", "20")
    before, pid = own.json("doctor"), own.json("ls")[0]["pid"]
    assert __version__ in own.ok("reload")
    after = own.json("doctor")
    assert after["orchestrator"]["pid"] != before["orchestrator"]["pid"]
    assert own.json("ls")[0]["pid"] == pid
    own.ok("send", number, "after")
    until(lambda: own.ok("capture", number).split() == ["before", "after", "after"])


def test_no_command_during_a_reload_is_told_that_nothing_runs(own: Commands) -> None:
    own.new("exec cat")
    with ThreadPoolExecutor(1) as pool:
        reload = pool.submit(own.ok, "reload")
        while not reload.done():
            own.ok("ls")
        reload.result()


def test_detach_without_front_ends_is_no_fault(nagomi: Commands) -> None:
    nagomi.new("cat")
    nagomi.ok("detach")


def test_uninstall_removes_sockets_and_with_data_everything(
    own: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(own.home))
    sockets = paths.socket_folder()
    own.new("cat")
    pids = own.pids()
    assert sockets.is_dir()
    shown = own.ok("uninstall", "--yes")
    assert "uninstall nagomi-tui" in shown
    assert [pid for pid in pids if alive(pid)] == []
    assert not sockets.exists()
    assert (own.home / "state").exists()
    own.ok("uninstall", "--yes", "--data")
    assert not (own.home / "state").exists()
    assert not (own.home / "config").exists()


def test_uninstall_without_a_terminal_asks_for_yes(nagomi: Commands) -> None:
    nagomi.fails(Exit.USAGE, "uninstall", "--data")


def test_a_command_waits_for_an_orchestrator_that_is_started_anew(own: Commands) -> None:
    own.new("cat")
    place = Place(own.home)
    supervisor, dead = place.supervisor, place.orchestrator
    os.kill(supervisor, signal.SIGSTOP)
    place.kill(dead)
    asking = [
        subprocess.Popen([*NAGOMI, *words], env=own.env, stdout=subprocess.PIPE, text=True)
        for words in (("ls",), ("doctor", "--json"))
    ]
    with pytest.raises(subprocess.TimeoutExpired):
        asking[0].wait(1.5)
    os.kill(supervisor, signal.SIGCONT)
    listed, told = (one.communicate(timeout=20)[0] for one in asking)
    assert [one.returncode for one in asking] == [0, 0]
    assert "cat" in listed
    assert json.loads(told)["orchestrator"]["pid"] not in (None, dead)


def test_who_gives_up_says_that_it_is_tried_again(own: Commands, tmp_path: Path) -> None:
    """The orchestrator of this supervisor cannot start: a library is broken."""
    own.new("cat")
    place = Place(own.home)
    place.end_residents()
    (tmp_path / "msgspec.py").write_text("raise ImportError('broken')\n")
    subprocess.run(
        [sys.executable, "-P", "-m", "nagomi_tui.orchestrator.supervisor"],
        env={**own.env, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    for words in (("ls",), ("new", "cat")):
        told = own.fails(Exit.FAILED, *words)
        assert f"again within {NEXT_TRY_SECONDS} s" in told
        assert str(own.home / "state" / "nagomi.log") in told
    assert max(_BACK_OFF) == NEXT_TRY_SECONDS


@pytest.mark.parametrize("name", ["nagomi.log", "launch.lock", *RESIDENT_LOCKS])
def test_a_folder_in_place_of_a_file_is_named(own: Commands, name: str) -> None:
    in_the_way = own.home / "state" / name
    in_the_way.mkdir(parents=True)
    told = own.fails(Exit.FAILED, "new", "cat")
    assert f"{in_the_way} is a folder" in told


@pytest.mark.parametrize("name", ["nagomi.log", "launch.lock", *RESIDENT_LOCKS])
@pytest.mark.parametrize("target", ["{itself}", "no/such/folder/file"])
def test_a_link_that_leads_nowhere_in_place_of_a_file_is_named(
    own: Commands, name: str, target: str
) -> None:
    in_the_way = own.home / "state" / name
    in_the_way.parent.mkdir(parents=True)
    in_the_way.symlink_to(target.format(itself=in_the_way))
    told = own.fails(Exit.FAILED, "new", "cat")
    assert str(in_the_way) in told and "\n" not in told.strip()


@pytest.mark.parametrize(
    "module",
    ["nagomi_tui.orchestrator", "nagomi_tui.orchestrator.supervisor", "nagomi_tui.agent.resident"]
    + ["nagomi_tui.commands.start.zygote"] * (sys.platform == "linux"),
)
def test_a_resident_without_its_lock_says_so_in_a_line(own: Commands, module: str) -> None:
    for name in RESIDENT_LOCKS:
        (own.home / "state" / name).mkdir(parents=True)
    words = ["--again"] * module.endswith("supervisor")
    ran = subprocess.run(
        [sys.executable, "-P", "-m", module, *words],
        env={**own.env, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    log = own.home / "state" / "nagomi.log"
    told = ran.stderr + (log.read_text() if log.exists() else "")
    assert ran.returncode == 1
    assert "lock cannot be taken" in told and "Traceback" not in told


def test_reload_from_another_installation_tells_both_versions(own: Commands) -> None:
    own.new("cat")
    code = (
        "import sys, nagomi_tui; nagomi_tui.__version__ = '0.9.9'\n"
        "from nagomi_tui.__main__ import main; sys.exit(main())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "reload"],
        env=own.env, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "0.9.9" in ran.stderr and __version__ in ran.stderr


def test_hands_that_are_no_hands_are_told_at_the_start(
    own: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(own.home))
    (own.home / "config").mkdir(parents=True)
    (own.home / "config" / "hands.json").write_text("[]")
    own.new("cat")
    with Place(own.home).connect(front_end=True) as connection:
        told = [one.text for one in connection.pushed(5) if isinstance(one, messages.Notice)]
    assert any("hands.json could not be understood" in text for text in told), told


def test_ls_says_that_sessions_run_on_without_residents(own: Commands) -> None:
    number = own.new("cat")
    place = Place(own.home)
    place.end_residents()
    for words in (("ls",), ("ls", "--json")):
        told = own.fails(Exit.NOBODY, *words)
        assert "1 of its workers" in told and "brings them back" in told
    pid = place.workers[0]
    own.new("cat")
    assert number in [str(one["number"]) for one in own.json("ls")]
    assert place.workers[0] == pid
    place.end()
    assert own.ok("ls") == ""
