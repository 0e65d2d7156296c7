"""Plain `nagomi` by the zygote: as in a process of its own, only sooner, and with nothing left."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import signal
import sys
import termios
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.system import paths
from tests.helpers.command import NAGOMI, Commands, workplace
from tests.helpers.limits import out_of_files
from tests.helpers.outer import Outer
from tests.helpers.waiting import alive, until
from tests.helpers.workplace import Place, only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="there is no zygote elsewhere"),
]


ASK_ZYGOTE = """
import contextlib, json, os, sys
from nagomi_tui.system import folders
from nagomi_tui.commands.start import client, wire
from nagomi_worker.wire import trust

answer = b""
# One that is refused before all was read of what it asks has its connection reset.
with trust.connect(folders.zygote_socket(), 20) as peer, contextlib.suppress(ConnectionError):
    client._ask(peer)
    answer = peer.recv(1)
with open(sys.argv[1] + ".new", "w") as out:
    json.dump({"build": wire.build(), "lent": answer == wire.READY}, out)
os.rename(sys.argv[1] + ".new", sys.argv[1])
"""
"""Asks the zygote for a front end, of which it is told no more than what is sent."""


@contextmanager
def _workplace() -> Iterator[Commands]:
    with workplace() as commands:
        commands.env.pop("NAGOMI_ZYGOTE")
        commands.new("echo was here; exec cat")
        until(lambda: _zygote(commands))
        yield commands


@pytest.fixture(scope="module")
def lasting(clean_machine: None) -> Iterator[Commands]:
    """A workplace whose zygote is up."""
    with _workplace() as commands:
        yield commands


@pytest.fixture
def shared(lasting: Commands) -> Iterator[Commands]:
    """The same for a test that leaves nothing behind, not even a zombie."""
    zygote = _zygote(lasting)
    yield lasting
    assert _zygote(lasting) == zygote
    until(lambda: not _children(zygote))


@pytest.fixture
def own() -> Iterator[Commands]:
    """The same for a test that ends it."""
    with _workplace() as commands:
        yield commands


def _socket(commands: Commands) -> Path:
    with pytest.MonkeyPatch.context() as here:
        here.setenv("NAGOMI_HOME", str(commands.home))
        return paths.socket_folder() / "zygote"


def _children(pid: int) -> list[int]:
    """Return a process's children, zombies too."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                told = (entry / "stat").read_text()
            except OSError:
                continue
            if int(told.rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.name))
    return found


def _zygote(commands: Commands) -> int:
    """Return the zygote that serves, or 0."""
    place = Place(commands.home)
    supervisors = place.pids_of("nagomi_tui.orchestrator.supervisor")
    found = [
        pid
        for pid in place.pids_of("nagomi_tui.commands.start.zygote")
        if set(_parents(pid)) & set(supervisors)
    ]
    return found[0] if len(found) == 1 and _socket(commands).exists() else 0


def _parents(pid: int) -> list[int]:
    try:
        return [int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])]
    except OSError:
        return []


def _front_end(commands: Commands) -> int:
    """Return the one front end that the zygote has forked."""
    return int(until(lambda: sum(_children(_zygote(commands)))))


def _client(commands: Commands) -> int:
    return int(only(Place(commands.home).pids_of("nagomi_tui")))


@contextmanager
def _terminal(commands: Commands, cwd: str = "/tmp", **env: str) -> Iterator[Outer]:
    told = {**commands.env, "TERM": "xterm-256color", "COLORTERM": "truecolor", **env}
    argv = ["sh", "-c", 'cd "$0" && exec "$@"', cwd, *NAGOMI]
    with Outer(argv, told, cols=100, rows=30) as outer:
        yield outer


def _given_back(outer: Outer) -> bool:
    """Tell whether the terminal is as a shell wants it."""
    told = outer.ask("#{alternate_on} #{mouse_any_flag} #{cursor_flag} #{pane_tty}").split()
    tty = os.open(told[3], os.O_RDONLY | os.O_NOCTTY)
    local = termios.tcgetattr(tty)[3]
    os.close(tty)
    wanted = termios.ECHO | termios.ICANON | termios.ISIG
    return told[:3] == ["0", "0", "1"] and local & wanted == wanted


def test_without_a_free_file_it_waits_with_those_who_come(shared: Commands) -> None:
    with out_of_files(_zygote(shared)), _terminal(shared) as outer:
        outer.wait("was here")
    with _terminal(shared) as outer:
        outer.wait("was here")
        assert _front_end(shared)


def test_it_draws_what_a_process_of_its_own_draws(shared: Commands) -> None:
    def clean(outer: Outer) -> str:
        return re.sub(r"\d\d:\d\d", "", outer.screen(ansi=True))

    with _terminal(shared) as one, _terminal(shared, NAGOMI_ZYGOTE="0") as other:
        one.wait("was here")
        other.wait("was here")
        assert len(_children(_zygote(shared))) == 1
        until(lambda: clean(one) == clean(other))


def test_two_at_once_have_each_its_own_folder_language_and_umask(
    shared: Commands, tmp_path: Path
) -> None:
    os.umask(umask := os.umask(0o022))
    with (
        _terminal(shared, str(tmp_path), NAGOMI_LANG="ja") as one,
        _terminal(shared, NAGOMI_LANG="en") as other,
    ):
        one.wait("様子")
        other.wait("Overview")
        found = _children(_zygote(shared))
        folders = {os.readlink(f"/proc/{pid}/cwd") for pid in found}
        assert folders == {str(tmp_path), "/tmp"}
        for pid in found:
            told = Path(f"/proc/{pid}/status").read_text()
            assert f"Umask:\t{umask:04o}\n" in told


def test_it_follows_the_terminals_size(shared: Commands) -> None:
    with _terminal(shared) as outer:
        outer.wait("was here")
        outer.resize(120, 40)
        outer.wait(lambda shown: len(shown.splitlines()[1]) > 110 and "╮" in shown)
        assert _front_end(shared)


def test_leaving_ends_with_the_same_words_and_code(shared: Commands) -> None:
    with _terminal(shared) as outer:
        outer.wait("was here")
        outer.keys("C-]", "d")
        outer.wait("[left 0]")
        assert "Everything runs on" in outer.screen()
        assert _given_back(outer)


def test_a_client_that_is_killed_takes_its_front_end_along(shared: Commands) -> None:
    with _terminal(shared) as outer:
        outer.wait("was here")
        front_end = _front_end(shared)
        os.kill(_client(shared), signal.SIGKILL)
        until(lambda: not alive(front_end))
        assert _given_back(outer)


def test_a_front_end_that_is_killed_gives_the_terminal_back(shared: Commands) -> None:
    with _terminal(shared) as outer:
        outer.wait("was here")
        os.kill(_front_end(shared), signal.SIGKILL)
        outer.wait("[left 1]")
        assert "the front end was killed; everything runs on" in " ".join(outer.screen().split())
        assert _given_back(outer)


def test_a_client_that_is_asked_to_end_leaves_in_order(shared: Commands) -> None:
    with _terminal(shared) as outer:
        outer.wait("was here")
        os.kill(_client(shared), signal.SIGTERM)
        outer.wait("Everything runs on")
        assert _given_back(outer)


def test_a_stopped_client_gives_the_terminal_back_and_goes_on(shared: Commands) -> None:
    with _terminal(shared) as outer:
        outer.wait("was here")
        client = _client(shared)
        os.kill(client, signal.SIGTSTP)
        until(lambda: ") T " in Path(f"/proc/{client}/stat").read_text())
        assert _given_back(outer)
        os.kill(client, signal.SIGCONT)
        outer.wait("was here")
        outer.type("and keys")
        outer.wait("and keys")


def test_what_was_read_while_loading_is_not_taken_over(shared: Commands) -> None:
    with _terminal(shared, ESCDELAY="50") as outer:
        outer.wait("was here")
        assert _children(_zygote(shared)) == []


def test_it_knows_when_what_it_has_loaded_was_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nagomi_tui.commands.start.zygote import Loaded

    (tmp_path / "loaded_by_a_test.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("loaded_by_a_test")
    loaded = Loaded()
    assert loaded.is_current()
    (tmp_path / "newer.py").write_text("")
    (tmp_path / "newer.py").rename(tmp_path / "loaded_by_a_test.py")
    assert not loaded.is_current()


def test_it_is_nobody_elses_socket(shared: Commands) -> None:
    assert _socket(shared).stat().st_mode & 0o777 == 0o600


def _asked(told: Path) -> dict[str, Any]:
    """Return what a process was answered that asked the zygote for a front end."""
    return dict(until(lambda: told.exists() and json.loads(told.read_text())))


@pytest.mark.requirement("DB-5")
def test_whoever_stands_inside_a_session_is_lent_no_front_end(
    own: Commands, tmp_path: Path
) -> None:
    def ask(told: Path) -> list[str]:
        return [sys.executable, "-c", ASK_ZYGOTE, str(told)]

    with Outer(ask(tmp_path / "outside"), {**own.env, "TERM": "xterm-256color"}) as outer:
        outer.wait("[left 0]")
    outside = _asked(tmp_path / "outside")
    assert outside["lent"]
    bare = ["env", "-u", "NAGOMI_SESSION_ID"]
    ways: dict[str, Callable[[list[str]], list[str]]] = {
        "as it is": lambda asking: asking,
        "bare": lambda asking: [*bare, *asking],
        "setsid": lambda asking: [*bare, "setsid", "-w", *asking],
        "script": lambda asking: [*bare, "script", "-qec", shlex.join(asking), "/dev/null"],
        "tmux": lambda asking: [*bare, "tmux", "-S", str(tmp_path / "s"), "new", "-d", *asking],
    }
    for name, way in ways.items():
        own.new(*way(ask(tmp_path / name)))
        inside = _asked(tmp_path / name)
        assert (name, inside["lent"]) == (name, False)
        assert inside["build"] == outside["build"]


def test_it_goes_with_a_reload_and_with_the_workplace(own: Commands) -> None:
    before = _zygote(own)
    with _terminal(own) as outer:
        outer.wait("was here")
        own.ok("reload")
        until(lambda: not alive(before))
        outer.wait("was here")
        after = int(until(lambda: _zygote(own)))
        outer.keys("C-]", "d")
        outer.wait("[left 0]")
    with _terminal(own) as outer:
        outer.wait("was here")
        front_end = _front_end(own)
        os.kill(after, signal.SIGKILL)
        outer.type("its children live on")
        outer.wait("its children live on")
        outer.keys("C-]", "d")
        outer.wait("[left 0]")
        until(lambda: not alive(front_end))
    with _terminal(own) as outer:
        outer.wait("was here")
        assert Place(own.home).pids_of("nagomi_tui.commands.start.zygote") == []


def test_a_killed_zygote_leaves_no_socket_behind_either(own: Commands) -> None:
    os.kill(_zygote(own), signal.SIGKILL)
    until(lambda: _zygote(own) == 0)
    assert _socket(own).exists()
    own.ok("quit", "--yes")
    until(lambda: not Place(own.home).pids())
    assert not _socket(own).exists()


def test_quit_leaves_nothing(own: Commands) -> None:
    with _terminal(own) as outer:
        outer.wait("was here")
        assert _front_end(own)
        own.ok("quit", "--yes")
        assert _zygote(own) == 0
        outer.wait("[left 0]")
    until(lambda: not Place(own.home).pids())
    assert not _socket(own).exists()
