"""Sessions on a hand, over a real ssh: they print, outlive the line, and are never told wrong."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.hands import registry
from nagomi_tui.hands.hand import Hand
from tests.helpers.far_hands import (
    add_plain,
    add_ssh,
    cut,
    cut_bridge,
    is_away,
    lines_to,
    standing,
    worker_there,
)
from tests.helpers.sshd import Host, host
from tests.helpers.waiting import alive
from tests.helpers.workplace import (
    Place,
    create,
    session,
    text_of,
    until,
    wait_for,
    workplace,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


pytestmark = pytest.mark.slow


@contextmanager
def over_ssh(folder: Path) -> Iterator[tuple[Place, Host]]:
    with host(folder) as machine, workplace() as place:
        add_ssh(place, machine)
        yield place, machine


def numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"^line (\d+)$", text, re.MULTILINE)]


@pytest.mark.requirement("N-127", "N-136")
def test_a_session_over_ssh_is_as_one_here(tmp_path: Path) -> None:
    with over_ssh(tmp_path) as (place, _), place.connect() as connection:
        made = create(connection, "sh -c 'pwd; stty size; exec cat'", cwd="", worker_id="big")
        wait_for(connection, made, "^30 120$")
        found = session(connection, made)
        assert (found["worker_id"], found["pid"], found["state"]) == ("big", None, "running")
        connection.request(messages.Send(id=0, session=made, text="hello there"))
        wait_for(connection, made, "hello there")
        shell = create(connection, "", cwd="/", worker_id="big", cols=100, rows=40)
        connection.request(
            messages.Send(id=0, session=shell, text="pwd; stty size; env | grep NAGOMI_S")
        )
        wait_for(connection, shell, "^40 100$")
        wait_for(connection, shell, "NAGOMI_SESSION_ID")
        # That of the worker there, never of the workplace here.
        assert re.search(r"^NAGOMI_SOCKET=\S+/in/worker-", text_of(connection, shell), re.MULTILINE)
        assert session(connection, made)["name"] == "big-sh"
        connection.request(messages.Stop(id=0, session=made), timeout=60)
        assert session(connection, made)["state"] == "exited"
        again = connection.request(
            messages.Restart(id=0, session=made, cmd="echo twice"), timeout=60
        )
        assert again.session_id == made
        wait_for(connection, made, "twice")
        assert standing(connection).sessions == 2


def test_a_cut_line_loses_no_line_and_shows_none_twice(tmp_path: Path) -> None:
    with over_ssh(tmp_path) as (place, _), place.connect() as connection:
        count = "i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo line $i; sleep 0.02; done; exec cat"
        made = create(connection, f"sh -c {shlex.quote(count)}", cwd="", worker_id="big")
        pid = standing(connection).pid
        for kill in (cut, cut_bridge, cut):
            wait_for(connection, made, "^line")
            kill(place)
            until(lambda: is_away(connection, made) or lines_to(place))
            until(lambda: not is_away(connection, made))
        wait_for(connection, made, "^line 400$")
        assert numbers(text_of(connection, made, history=True)) == list(range(1, 401))
        assert standing(connection).pid == pid


def test_away_is_told_and_nothing_is_typed(tmp_path: Path) -> None:
    with workplace() as place, place.connect() as connection:
        down = tmp_path / "down"
        script = f'if [ -e {down} ]; then echo the road is closed >&2; exit 9; fi; exec "$0" "$@"'
        add_plain(place, program=worker_there(place, "sh", "-c", script))
        made = create(connection, "sh -c 'echo before; exec cat'", cwd="", worker_id="plain")
        wait_for(connection, made, "before")
        over = create(connection, "true", cwd="", worker_id="plain", name="over")
        until(lambda: session(connection, over)["state"] == "exited")
        down.touch()
        cut(place, "--workplace")
        until(lambda: is_away(connection, made))
        found = session(connection, made)
        assert found["state"] == "running" and found["away_since"] is not None
        assert "before" in text_of(connection, made)  # the last picture
        with pytest.raises(RequestFailed, match="plain cannot be reached"):
            connection.request(messages.Send(id=0, session=made, text="nobody reads this"))
        with pytest.raises(RequestFailed, match="cannot be reached"):
            connection.request(messages.Stop(id=0, session=made))
        why = connection.request(messages.Why(id=0, session=made))
        assert (why.rule, why.condition) == ("hand-away", "away")
        assert "the road is closed" in standing(connection, "plain").fault
        with pytest.raises(RequestFailed, match="remove over when it is back"):
            connection.request(messages.Remove(id=0, session=over))
        with pytest.raises(RequestFailed, match="the road is closed"):
            create(connection, "true", cwd="", worker_id="plain")
        since = found["away_since"]
        place.kill(place.orchestrator)  # it starts while the hand is not there
        with place.connect() as after:
            until(lambda: is_away(after, made))
            assert session(after, made)["away_since"] == since
            assert session(after, made)["state"] == "running"
            down.unlink()
            assert standing(after, "plain").reached
            until(lambda: not is_away(after, made))
            after.request(messages.Send(id=0, session=made, text="read now"))
            wait_for(after, made, "read now")
            assert "nobody reads" not in text_of(after, made)
            assert "before" in text_of(after, made)


def test_a_killed_orchestrator_finds_the_worker_again(tmp_path: Path) -> None:
    with over_ssh(tmp_path) as (place, _):
        with place.connect() as before:
            made = create(before, "sh -c 'echo before; exec cat'", cwd="", worker_id="big")
            wait_for(before, made, "before")
            pid = standing(before).pid
        place.kill(place.orchestrator)
        with place.connect() as after:
            assert standing(after).pid == pid
            after.request(messages.Send(id=0, session=made, text="still there"))
            wait_for(after, made, "still there")
            assert "before" in text_of(after, made)


def test_sessions_of_a_killed_far_worker_are_lost(tmp_path: Path) -> None:
    with over_ssh(tmp_path) as (place, _), place.connect() as connection:
        made = create(connection, "cat", cwd="", worker_id="big")
        place.kill(standing(connection).pid)
        until(lambda: session(connection, made)["state"] == "lost")
        again = create(connection, "cat", cwd="", worker_id="big")
        assert session(connection, again)["state"] == "running"


def test_why_a_hand_is_not_reached_is_said(tmp_path: Path) -> None:
    with host(tmp_path) as machine, workplace() as place, place.connect() as connection:
        strict = [
            "-oStrictHostKeyChecking=yes" if word == "-oStrictHostKeyChecking=no" else word
            for word in machine.argv("", terminal=False)[:-1]
        ]
        no_key = [
            word for word in machine.argv("", terminal=False)[:-1] if not word.startswith("-i")
        ]
        no_key.insert(1, "-oIdentityAgent=none")
        no_key.insert(1, "-oIdentityFile=/nonexistent")
        shut = [word if not word.startswith("-p") else "-p1" for word in strict]
        for name, command, program, words in (
            ("strict", strict, (), "not known to ssh"),
            ("keyless", no_key, (), "without a password"),
            ("shut", shut, (), "does not answer"),
            ("bare", machine.argv("", terminal=False)[:-1], ("nagomi-worker-x",), "nagomi-worker"),
            (
                "snake",
                machine.argv("", terminal=False)[:-1],
                ("python9", "-m", "nagomi_worker"),
                "Python 3.11",
            ),
        ):
            program = program or worker_there(place)
            registry.add(Hand(name=name, kind="ssh", command=tuple(command), program=program))
            fault = standing(connection, name).fault
            assert words in fault, (name, fault)
        registry.add(Hand(name="none", command=("no-such-program",), program=("x",)))
        assert "no program `no-such-program`" in standing(connection, "none").fault
        with pytest.raises(RequestFailed, match="without a password") as refused:
            create(connection, "cat", cwd="", worker_id="keyless")
        assert refused.value.code == "login"
        with pytest.raises(RequestFailed, match="did you mean `strict`"):
            create(connection, "cat", cwd="", worker_id="strikt")


def test_what_a_login_prints_is_skipped() -> None:
    with workplace() as place, place.connect() as connection:
        banner = 'echo Welcome to {}; printf "no newline"; exec "$0" "$@"'
        add_plain(place, program=worker_there(place, "sh", "-c", banner))
        made = create(connection, "echo here", cwd="", worker_id="plain")
        wait_for(connection, made, "here")


def test_a_hand_s_folder_variables_and_limit_hold(tmp_path: Path) -> None:
    with workplace() as place:
        add_plain(place, folder=str(tmp_path), env=("WANTED",), most=1)
        env = {**os.environ, "WANTED": "passed", "OTHER": "not"}
        with place.connect(env=env) as connection:
            made = create(
                connection, "sh -c 'pwd; echo [$WANTED$OTHER]; cat'", cwd="", worker_id="plain"
            )
            wait_for(connection, made, r"^\[passed\]$")
            assert str(tmp_path) in text_of(connection, made)
            with pytest.raises(RequestFailed, match="may not hold more"):
                create(connection, "cat", cwd="", worker_id="plain")
            add_plain(place, "other")
            guarded = {"NAGOMI_GUARD": "hook"}
            with pytest.raises(RequestFailed, match="A guard holds projects of this machine only"):
                create(connection, "claude", cwd="", worker_id="other", env=guarded)
            with pytest.raises(RequestFailed, match="does not exist"):
                create(connection, "cat", cwd="/no/such/place", worker_id="other")


def test_a_renamed_hand_keeps_its_sessions_and_a_removed_one_lets_them_go() -> None:
    with workplace() as place, place.connect() as connection:
        add_plain(place)
        made = create(connection, "cat", cwd="", worker_id="plain")
        registry.rename("plain", "simple")
        until(lambda: session(connection, made)["worker_id"] == "simple")
        assert standing(connection, "simple").sessions == 1
        registry.remove("simple")
        until(lambda: session(connection, made)["state"] == "saved")


def test_quit_ends_what_runs_on_hands() -> None:
    with workplace() as place:
        add_plain(place)
        with place.connect() as connection:
            made = create(connection, "sh -c 'echo $$; exec cat'", cwd="", worker_id="plain")
            wait_for(connection, made, r"^\d+$")
            pid = int(text_of(connection, made).strip())
            worker = standing(connection, "plain").pid
            connection.request(messages.Quit(id=0), timeout=60)
        until(lambda: not alive(pid) and not alive(worker))


def test_a_worker_elsewhere_cannot_name_a_session_of_this_machine(tmp_path: Path) -> None:
    """It says that it holds one, and prints in its name."""
    with workplace() as place, place.connect() as connection:
        here = create(connection, "sh -c 'echo genuine; exec cat'")
        wait_for(connection, here, "genuine")
        false = (
            "import sys\n"
            "from nagomi_worker.wire import protocol as p\n"
            "from nagomi_worker.wire.messages import SessionState\n"
            "def say(m): sys.stdout.buffer.write(p.encode(m)); sys.stdout.flush()\n"
            "say(p.Hello(version=1, capabilities=p.CAPABILITIES, pid=1))\n"
            "for line in sys.stdin:\n"
            "    if 'list_sessions' in line:\n"
            f"        say(p.Sessions(sessions=(SessionState(session_id={here!r}, cmd='x',"
            " pid=1, cols=80, rows=24, next_offset=6),)))\n"
            f"        say(p.Output(session_id={here!r}, stream='stdout', chunk='forged'))\n"
        )
        add_plain(place, program=(sys.executable, "-c", false))
        assert standing(connection, "plain").reached
        found = session(connection, here)
        assert (found["worker_id"], found["state"]) == ("local", "running")
        connection.request(messages.Send(id=0, session=here, text="still mine"))
        wait_for(connection, here, "still mine")
        assert "forged" not in text_of(connection, here)


def test_a_terminal_that_was_resized_meanwhile_is_so_there() -> None:
    with workplace() as place, place.connect(front_end=True, cols=100, rows=40) as connection:
        add_plain(place)
        made = create(connection, "sh -c 'trap \"stty size\" WINCH; while :; do sleep 0.1; done'",
                      cwd="", worker_id="plain", cols=90, rows=20)  # fmt: skip
        connection.send(messages.View(view=1, session=made, cols=90, rows=20, own_size=True))
        pid = standing(connection, "plain").pid
        os.kill(pid, signal.SIGSTOP)
        try:
            cut(place, "--workplace")
            until(lambda: is_away(connection, made))
            connection.send(messages.View(view=1, session=made, cols=70, rows=15, own_size=True))
        finally:
            os.kill(pid, signal.SIGCONT)
        until(lambda: session(connection, made)["cols"] == 70)
        wait_for(connection, made, "^15 70$")


def test_where_nothing_is_installed_the_worker_goes_over_the_line(tmp_path: Path) -> None:
    with host(tmp_path) as machine, workplace() as place, place.connect() as connection:
        env = (
            "env",
            f"NAGOMI_HOME={place.home}",
            f"TMPDIR={place.home}",
            f"XDG_CACHE_HOME={tmp_path}",
        )
        *ssh, _ = machine.argv("", terminal=False)
        registry.add(Hand(name="bare", kind="ssh", command=(*ssh, *env)))
        made = create(connection, "sh -c 'echo here; exec cat'", cwd="", worker_id="bare")
        wait_for(connection, made, "^here$")
        cut(place)
        assert standing(connection, "bare").sessions == 1

        def sent() -> bool:
            """Send it; refused as long as the line is away, which may be noticed late."""
            try:
                connection.request(messages.Send(id=0, session=made, text="as before"))
            except RequestFailed:
                return False
            return True

        until(sent)
        wait_for(connection, made, "as before")
