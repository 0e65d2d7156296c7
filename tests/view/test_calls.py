"""Calls at the user's own terminal: the bytes that arrive there, also through tmux, screen and ssh."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.sessions.session import Condition
from nagomi_tui.view.screens.framed import Framed
from tests.helpers.app_pilot import visit
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.fake_orchestrator import FakeOrchestrator, session
from tests.helpers.sshd import host

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
OSC: Final = "\x1b]777;notify;ゆるつく：api;2 tests failed\x07".encode()
BELL: Final = b"\x07"
TITLE: Final = b"\x1b]0;nagomi\x07"


def env(**more: str) -> dict[str, str]:
    """The environment of somebody at a terminal that nobody knows."""
    return {
        "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "LANG": "C.UTF-8",
        "TERM": "xterm-256color", "NAGOMI_HOME": os.environ["NAGOMI_HOME"],
        "PYTHONPATH": f"{ROOT}:{ROOT / 'worker'}", **more,
    }  # fmt: skip


def program(server: FakeOrchestrator) -> list[str]:
    return [sys.executable, "-m", "tests.helpers.app_program", str(server.address)]


def call(server: FakeOrchestrator, **more: Any) -> None:
    """Have the first session call."""
    first = next(iter(server.sessions))
    server.push(
        m.Called(
            sessions=(first,), kind="failure", title="ゆるつく：api", body="2 tests failed", **more
        )
    )


@contextmanager
def orchestrator() -> Iterator[FakeOrchestrator]:
    with FakeOrchestrator(session(1, "api"), session(2, "web")) as server:
        yield server


def opened(server: FakeOrchestrator) -> None:
    """Wait until the application was drawn and looks at its first session."""
    server.wait(lambda: server.told(m.Looking))
    server.wait(lambda: server.told(m.View))


def test_a_notice_a_title_and_progress_reach_a_plain_terminal() -> None:
    with orchestrator() as server, BareTerminal(program(server), env(WT_SESSION="x")) as terminal:
        opened(server)
        terminal.wait(b"\x1b]0;nagomi\x07")
        server.change(session(2, "web").session_id, waits=True, phase=Condition.SUCCESS)
        terminal.wait("\x1b]0;(✓1) nagomi\x07".encode())
        server.change(session(2, "web").session_id, waits=True, phase=Condition.ATTENTION)
        terminal.wait(b"\x1b]0;(1) nagomi\x07")
        terminal.wait(b"\x1b]9;4;4;50\x07")
        call(server)
        terminal.wait(OSC)
        server.push(m.Goodbye(reason="detach"))
        terminal.wait(b"\x1b[?1049l")
        left = terminal.read_for(1.0)
        assert b"\x1b[22;0t" in left
        after = left[left.rindex(b"\x1b]9;4;0;0\x07") :]
        assert b"\x1b[23;0t" in after
        assert b"Traceback" not in left


def test_a_click_on_kittys_notice_jumps_and_its_focus_is_told() -> None:
    kitty = env(TERM="xterm-kitty", KITTY_WINDOW_ID="1")
    with orchestrator() as server, BareTerminal(program(server), kitty) as terminal:
        opened(server)
        second = session(2, "web").session_id
        call(server)
        terminal.wait(b":p=body;" + base64.b64encode(b"2 tests failed") + b"\x1b\\")
        terminal.type(f"\x1b]99;i=ng-{second};\x1b\\".encode())
        server.wait(lambda: server.told(m.Looking)[-1].session == second)
        terminal.type(b"\x1b[O")
        server.wait(lambda: server.told(m.Looking)[-1] == m.Looking(session="", told=True))
        terminal.type(b"\x1b[I")
        server.wait(lambda: server.told(m.Looking)[-1] == m.Looking(session=second, told=True))


def test_a_terminal_that_says_its_name_is_believed() -> None:
    with orchestrator() as server, BareTerminal(program(server), env()) as terminal:
        opened(server)
        terminal.wait(b"\x1b[>0q")
        terminal.type(b"\x1bP>|WezTerm 20240203-110809\x1b\\")
        terminal.read_for(0.5)
        call(server)
        terminal.wait("\x1b]9;ゆるつく：api: 2 tests failed\x07".encode())


@contextmanager
def tmux(server: FakeOrchestrator, *, passthrough: bool) -> Iterator[BareTerminal]:
    """Give the terminal around a tmux in which the application runs."""
    if not shutil.which("tmux"):
        pytest.skip("there is no tmux on this machine")
    label = f"ng-{uuid.uuid4().hex[:8]}"
    base = ["tmux", "-L", label, "-f", "/dev/null"]
    inside = env(TERM="xterm-256color")
    wish = ["set", "-g", "allow-passthrough", "on" if passthrough else "off", ";"]
    try:
        command = [*base, "new-session", "-d", ";", *wish, "set", "-g", "status", "off"]
        subprocess.run(command, env=inside, check=True)
        start = " ".join([f"exec env PYTHONPATH={inside['PYTHONPATH']}", *program(server)])
        subprocess.run([*base, "respawn-pane", "-k", start], env=inside, check=True)
        with BareTerminal([*base, "attach"], inside) as terminal:
            yield terminal
    finally:
        subprocess.run([*base, "kill-server"], env=inside, check=False, capture_output=True)


@pytest.mark.parametrize("passthrough", [True, False])
def test_through_tmux_the_bell_arrives_and_a_notice_where_it_is_let_through(
    passthrough: bool,
) -> None:
    with orchestrator() as server, tmux(server, passthrough=passthrough) as terminal:
        opened(server)
        terminal.read_for(0.5)
        terminal.got = b""
        call(server)
        if passthrough:
            terminal.wait(OSC)
        # The notice's own end is a BEL, too.
        terminal.wait(BELL)
        terminal.read_for(0.5)
        assert terminal.got.replace(OSC, b"").count(BELL) == 1
        assert (b"777;notify" in terminal.got) is passthrough


def test_through_screen_both_arrive() -> None:
    if not shutil.which("screen"):
        pytest.skip("there is no screen on this machine")
    folder = Path(os.environ["NAGOMI_HOME"]) / "screen"
    folder.mkdir(mode=0o700)
    config = folder / "rc"
    config.write_text("startup_message off\nvbell off\n")
    outside = env(SCREENDIR=str(folder))
    with orchestrator() as server:
        name = uuid.uuid4().hex[:8]
        argv = ["screen", "-U", "-c", str(config), "-S", name, *program(server)]
        try:
            with BareTerminal(argv, outside) as terminal:
                opened(server)
                terminal.read_for(0.5)
                terminal.got = b""
                call(server)
                # It spoils what is not ASCII, so the session's name is all of the title.
                shown = b"\x1b]777;notify;api;2 tests failed\x07"
                terminal.wait(shown)
                terminal.read_for(0.5)
                assert terminal.got.replace(shown, b"").count(BELL) >= 1
        finally:
            # It outlives its terminal.
            ender = ["screen", "-S", name, "-X", "quit"]
            subprocess.run(ender, env=outside, check=False, capture_output=True)


def test_over_ssh_notice_and_bell_arrive(tmp_path: Path) -> None:
    with orchestrator() as server, host(tmp_path) as machine:
        remote = " ".join(
            ["env", *(f"{name}='{value}'" for name, value in env().items()), *program(server)]
        )
        with BareTerminal(machine.argv(f"cd {ROOT} && {remote}"), env()) as terminal:
            opened(server)
            (hello,) = server.told(m.Hello)
            assert hello.env["SSH_CONNECTION"]
            terminal.wait(TITLE)
            terminal.read_for(0.5)
            terminal.got = b""
            server.push(m.Event(session="", kind="bell"))
            terminal.wait(BELL)
            call(server)
            terminal.wait(OSC)


def test_a_hushed_notice_rings_nowhere() -> None:
    with orchestrator() as server, BareTerminal(program(server), env(TERM="foot")) as terminal:
        opened(server)
        terminal.wait(TITLE)
        terminal.read_for(0.5)
        terminal.got = b""
        call(server, hushed=True)
        terminal.wait(OSC)
        assert BELL not in terminal.read_for(0.3).replace(OSC, b"")


async def test_the_application_shows_a_toast_and_goes_where_it_is_sent() -> None:
    with orchestrator() as server:
        async with visit(server) as here:
            call(server)
            await here.sees("ゆるつく：api", "2 tests failed")
            second = session(2, "web").session_id
            server.push(m.GoTo(session=second))
            await here.until(lambda: here.app.parts.state.focused == second)
            await here.until(lambda: server.told(m.Looking)[-1].session == second)


@pytest.mark.requirement("N-48")
async def test_a_click_on_the_toast_or_a_key_goes_to_who_called() -> None:
    one, two, three = session(1, "api"), session(2, "web"), session(3, "db")
    with FakeOrchestrator(one, two, three) as server:
        async with visit(server) as here:
            await here.until(lambda: here.app.parts.state.focused == one.session_id)
            called(server, "api", two.session_id)
            await here.sees("ゆるつく：api", "Ctrl+] g or a click goes there")
            await here.pilot.click("Toast")
            await here.until(lambda: here.app.parts.state.focused == two.session_id)
            await here.misses("ゆるつく：api")
            called(server, "api", one.session_id)
            await here.leader(",")
            await here.until(lambda: len(here.app.screen_stack) > 1)
            await here.sees("ゆるつく：api")
            await here.pilot.click("Toast")
            await here.until(lambda: here.app.parts.state.focused == one.session_id)
            await here.until(lambda: len(here.app.screen_stack) == 1)
            called(server, "db", three.session_id)
            await here.sees("ゆるつく：db")
            await here.leader("g")
            await here.until(lambda: here.app.parts.state.focused == three.session_id)
            await here.misses("ゆるつく：db")
            await here.leader("g")
            await here.sees("Nobody waits for you.")
            asks = session(4, "asks", phase=Condition.ATTENTION, waits=True)
            server.push(m.SessionChanged(session=asks))
            await here.sees("1 waits for you")
            await here.leader("tab")
            await here.until(lambda: here.app.parts.state.focused == asks.session_id)
            await here.leader("tab")
            await here.sees("Nobody else waits for you.")


async def test_who_waits_is_gone_to_where_none_has_called_this_front_end() -> None:
    """After a reload three waited, and `g` said that nobody had called."""

    one, two = session(1, "api"), session(2, "web", phase=Condition.ATTENTION, waits=True)
    with FakeOrchestrator(one, two) as server:
        async with visit(server) as here:
            await here.until(lambda: here.app.parts.state.focused == one.session_id)
            await here.leader("g")
            await here.until(lambda: here.app.parts.state.focused == two.session_id)


@pytest.mark.parametrize("caller", [1, 2, 3, 4])
@pytest.mark.requirement("N-48")
async def test_a_notice_hides_neither_who_calls_nor_what_is_typed_into(caller: int) -> None:
    four = [session(number, f"s{number}") for number in range(1, 5)]
    calling = four[caller - 1].session_id
    with FakeOrchestrator(*four) as server:
        async with visit(server, (160, 45)) as here:
            await here.leader("1" if caller != 1 else "2")
            server.change(calling, phase=Condition.ATTENTION, waits=True)
            await here.until(lambda: here.app.parts.state.sessions[calling].waits)
            called(server, f"s{caller}", calling)
            await here.sees("2 tests failed")
            (toast,) = here.app.screen.query("Toast")
            tile = next(one for one in here.app.query(Framed) if one.session.session_id == calling)
            assert not toast.region.overlaps(tile.region)
            front = here.app.parts.main.pane_in_front()
            assert front is not None
            typed = front.region.split_horizontal(front.region.height // 3)[1]
            assert not toast.region.overlaps(typed)


@pytest.mark.requirement("N-48")
async def test_a_newer_call_takes_the_place_of_the_toast() -> None:
    one, two, three = session(1, "api"), session(2, "web"), session(3, "db")
    with FakeOrchestrator(one, two, three) as server:
        async with visit(server) as here:
            called(server, "web", two.session_id)
            await here.sees("ゆるつく：web")
            called(server, "web, db", two.session_id, three.session_id)
            await here.sees("ゆるつく：web, db")
            assert len(here.app.screen.query("Toast")) == 1


def called(server: FakeOrchestrator, title: str, *sessions: str) -> None:
    body = "2 tests failed"
    server.push(m.Called(sessions=sessions, kind="failure", title=f"ゆるつく：{title}", body=body))


async def test_mute_and_test_are_in_the_palette() -> None:
    with orchestrator() as server:
        async with visit(server) as here:
            here.app.parts.perform("sound_test")
            await here.until(lambda: server.told(m.Sound))
            here.app.parts.perform("mute")
            await here.until(lambda: len(server.told(m.Sound)) == 3)
            wishes = [(asked.do, asked.seconds) for asked in server.told(m.Sound)]
            assert wishes == [("test", 0.0), ("status", 0.0), ("mute", 3600.0)]
