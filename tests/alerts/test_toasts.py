"""Toasts on a real session bus, and on the Windows around WSL by a PowerShell that takes notes."""

from __future__ import annotations

import base64
import shutil
import time
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.api import messages
from tests.helpers.calling import SOUNDS, centre
from tests.helpers.desktop import bus, desktop
from tests.helpers.sound import samples
from tests.helpers.waiting import soon

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("N-50", "N-51")
async def test_a_toast_is_shown_and_its_click_jumps(tmp_path: Path) -> None:
    async with desktop(tmp_path) as screen, centre() as here:
        client, session = here.front(**screen.env), here.session("api")
        await soon(lambda: here.alerts.notifying.toasts.pid)  # made ready before it is needed
        began = here.turn(session, "failure", "あ" * 300)
        await soon(lambda: screen.shown)
        assert time.monotonic() - began < 10
        assert screen.shown == [("nagomi: api", "あ" * 119 + "…")]
        (called,) = client.told(messages.Called)
        assert (called.inside, called.notice) == (True, False)
        while not client.told(messages.GoTo):  # no user clicks before it is drawn
            await screen.click()
            await anyio.sleep(0.05)
        assert client.told(messages.GoTo) == [messages.GoTo(session=session)]


_MARKUP = "<img src='http://x/'> <a href='file:///'>a</a> &lt;"


@pytest.mark.parametrize(
    ("capabilities", "body"),
    [
        ((), _MARKUP),
        (
            ("body-markup",),
            "&lt;img src='http://x/'&gt; &lt;a href='file:///'&gt;a&lt;/a&gt; &amp;lt;",
        ),
    ],
    ids=["plain", "markup"],
)
@pytest.mark.requirement("N-51")
async def test_markup_is_escaped_only_where_the_desktop_reads_it(
    tmp_path: Path, capabilities: tuple[str, ...], body: str
) -> None:
    async with desktop(tmp_path, *capabilities) as screen, centre() as here:
        here.front(**screen.env)
        here.turn(here.session("<b>\u202eapi\u009b"), "failure", f"{_MARKUP}\u2066\x85")
        await soon(lambda: screen.shown)
        ((title, shown),) = screen.shown
        assert shown.strip() == body
        assert title.endswith("<b> api")


@pytest.mark.requirement("N-48")
async def test_a_toast_that_names_several_takes_the_place_of_the_last(tmp_path: Path) -> None:
    async with desktop(tmp_path) as screen, centre(language="en") as here:
        here.front(**screen.env)
        here.turn(here.session("api"), "failure", "2 tests failed")
        await soon(lambda: screen.shown)
        here.turn(here.session("web"), "attention", "It asks.")
        await soon(lambda: len(screen.shown) == 2)
        assert screen.shown[1] == ("2 sessions call you", "api: 2 tests failed · web: It asks.")
        assert screen.closed == [1]


async def test_who_is_far_away_gets_a_notice_of_their_terminal_too(tmp_path: Path) -> None:
    async with desktop(tmp_path) as screen, centre() as here:
        near, session = here.front(**screen.env), here.session("api")
        far = here.front(SSH_CONNECTION="1.2.3.4 5 6.7.8.9 22")
        here.turn(session)
        await soon(lambda: screen.shown)
        assert [called.notice for called in near.told(messages.Called)] == [False]
        assert [called.notice for called in far.told(messages.Called)] == [True]


async def test_a_bus_without_a_service_leaves_it_to_the_terminal(tmp_path: Path) -> None:
    async with bus(tmp_path) as env, centre() as here:
        client, session = here.front(**env), here.session("api")
        here.turn(session)
        await soon(lambda: len(client.told(messages.Called)) == 2)
        first, second = client.told(messages.Called)
        assert (first.inside, first.notice) == (True, False)
        assert (second.inside, second.notice) == (False, True)
        assert not await here.alerts.notifying.toasts.likely()
        await anyio.sleep(1.1)
        here.turn(session)
        await soon(lambda: len(client.told(messages.Called)) == 3)
        assert client.told(messages.Called)[2].notice
        assert client.sentences == [
            "There is no sound device here, so the terminal's bell rings instead."
        ]


async def test_without_a_bus_nothing_is_started(tmp_path: Path) -> None:
    async with centre() as here:
        client, session = here.front(HOME=str(tmp_path)), here.session("api")
        here.turn(session)
        await soon(lambda: client.told(messages.Called))
        assert client.told(messages.Called)[0].notice
        assert here.alerts.notifying.toasts.pid == 0


_POWERSHELL = """#!/bin/sh
cat > {folder}/$$.stdin
printf '%s\\n' "$@" > {folder}/$$.part
mv {folder}/$$.part {folder}/$$.argv
"""


def powershell(folder: Path) -> tuple[dict[str, str], Path]:
    """Give the environment of WSL whose PowerShell only takes notes, and where it does so."""
    notes, programs = folder / "notes", folder / "bin"
    notes.mkdir()
    programs.mkdir()
    for name in ("cat", "mv"):
        (programs / name).symlink_to(str(shutil.which(name)))
    script = programs / "powershell.exe"
    script.write_text(_POWERSHELL.format(folder=notes))
    script.chmod(0o755)
    env = {"WSL_DISTRO_NAME": "Debian", "PATH": str(programs), "HOME": str(folder)}
    return env, notes


def noted(notes: Path, mark: str) -> list[bytes]:
    """Return what a script that holds `mark` got on its stdin, as lines."""
    for argv in notes.glob("*.argv"):
        if mark in argv.read_text():
            return argv.with_suffix(".stdin").read_bytes().split()
    return []


async def test_wsl_sounds_and_shows_by_powershell(tmp_path: Path) -> None:
    env, notes = powershell(tmp_path)
    async with centre(sound_volume=0.5) as here:
        client, session = here.front(**env), here.session('a"pi')
        here.turn(session, "attention", "it's $(here); `x`")
        (wave,) = await soon(lambda: noted(notes, "SoundPlayer"))
        data = base64.b64decode(wave)
        assert data[:4] == b"RIFF"
        assert data.rstrip(b"\0").endswith(samples(SOUNDS / "attention.wav", 0.5))
        title, body = await soon(lambda: noted(notes, "ToastNotification"))
        assert base64.b64decode(title).decode() == 'nagomi: a"pi'
        assert base64.b64decode(body).decode() == "it's $(here); `x`"
        assert all("it's" not in path.read_text() for path in notes.glob("*.argv"))
        assert [called.notice for called in client.told(messages.Called)] == [False]
        assert await here.alerts.sounding.player.way() == "powershell"


def test_wsl_reaches_pulseaudio_first(tmp_path: Path) -> None:
    from nagomi_tui.alerts.surroundings import backends
    from tests.helpers.sound import deaf_server

    env, _ = powershell(tmp_path)
    with deaf_server(tmp_path / "pulse") as server:
        found = backends(env | {"PULSE_SERVER": server["PULSE_SERVER"]})
    assert found[0] == "just_playback"
    assert found[-1] == "powershell"
    assert backends(env | {"PULSE_SERVER": f"unix:{tmp_path}/gone"}) == ["powershell"]
