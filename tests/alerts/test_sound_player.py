"""Sound by real helper processes: what was played, and what happens when it cannot be."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.api import messages
from tests.helpers.calling import SOUNDS, Centre, Front, centre
from tests.helpers.sound import Tape, crashing_simpleaudio, deaf_server, samples
from tests.helpers.waiting import PATIENCE, soon

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

SIMPLEAUDIO = os.environ.get("NAGOMI_TEST_SIMPLEAUDIO", "")
"""Where `.ci/clients` has installed simpleaudio."""
pytestmark = pytest.mark.skipif(
    not any(Path("/usr/lib").glob("*/libasound.so.2")), reason="there is no ALSA here"
)


def play(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    anyio.run(story)


async def heard(tape: Tape, wanted: bytes) -> None:
    """Wait until the device got all of a sound, and hold that it got nothing else."""
    await soon(lambda: len(tape.played()) >= len(wanted))
    assert tape.played() == wanted


async def test_a_users_own_sound_is_played_and_a_fifo_in_its_place_is_not(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    shutil.copy(SOUNDS / "success.wav", own / "failure.wav")
    os.mkfifo(own / "attention.wav")

    tape = Tape(tmp_path)
    async with centre(sound_folder=str(own)) as here:
        here.front(**tape.env)
        session = here.session("api")
        here.turn(session, "failure")
        await heard(tape, samples(SOUNDS / "success.wav", 0.8))
        tape.rewind()
        here.turn(session, "attention")
        await heard(tape, samples(SOUNDS / "attention.wav", 0.8))


@pytest.mark.parametrize("backend", ["just_playback", "aplay"])
@pytest.mark.requirement("N-56")
async def test_what_is_played_is_the_sound_at_its_volume(tmp_path: Path, backend: str) -> None:
    if backend == "aplay" and not shutil.which("aplay"):
        pytest.skip("there is no aplay here")

    tape = Tape(tmp_path)
    async with centre(sound_backend=backend) as here:
        client, session = here.front(**tape.env), here.session("api")
        here.turn(session, "failure")
        await heard(tape, samples(SOUNDS / "failure.wav", 0.8))
        assert await here.alerts.sounding.player.way() == backend
        await soon(lambda: len(client.told(messages.Speaking)) == 2)
        began, ended = client.told(messages.Speaking)
        assert (began.session, began.on, ended.on) == (session, True, False)
        assert began.seconds == pytest.approx(0.68, abs=0.1)
        tape.rewind()
        here.set(sound_volume=0.25)
        here.turn(session, "attention")
        await heard(tape, samples(SOUNDS / "attention.wav", 0.25))
        assert client.sentences == []
        assert client.bells == 0


async def test_without_a_device_the_bell_rings_and_it_is_said_once(tmp_path: Path) -> None:
    async with centre(sound_cooldown=0) as here:
        client, session = here.front(HOME=str(tmp_path), PATH=""), here.session("api")
        for count in (1, 2, 3):
            here.turn(session)
            await soon(lambda count=count: client.bells == count)
        assert client.sentences == [
            "There is no sound device here, so the terminal's bell rings instead."
        ]
        assert here.alerts.sounding.player.pid == 0


@pytest.mark.skipif(
    not any(Path("/usr/lib").glob("*/libpulse.so.0")), reason="there is no library for PulseAudio"
)
async def test_a_server_that_never_answers_is_given_up_after_four_seconds(tmp_path: Path) -> None:
    with deaf_server(tmp_path / "pulse") as env:
        async with centre(sound_cooldown=0) as here:
            client, session = here.front(**env), here.session("api")
            began, worst = here.turn(session), 0.0
            pid = await soon(lambda: here.alerts.sounding.player.pid)
            while not client.bells and time.monotonic() < began + PATIENCE:
                before = time.monotonic()
                await anyio.sleep(0.01)
                worst = max(worst, time.monotonic() - before)
            assert 3.5 < time.monotonic() - began < 12
            assert worst < 3.0  # the loop that serves everything else went on
            await soon(lambda: not Path(f"/proc/{pid}").exists())
            here.turn(session)
            await soon(lambda: client.bells == 2)
            assert [text for text in client.sentences if "does not answer" in text] == (
                client.sentences
            )
            assert len(client.sentences) == 1


async def test_a_player_that_crashes_is_left_for_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = Tape(tmp_path / "home")
    crashing_simpleaudio(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    async with centre() as here:
        client, session = here.front(**tape.env), here.session("api")
        here.turn(session)
        await heard(tape, samples(SOUNDS / "failure.wav", 0.8))
        assert await here.alerts.sounding.player.way() == "just_playback"
        assert client.bells == 0
        await soon(lambda: any(said.on for said in client.told(messages.Speaking)))
        # With nothing else to try, it is said once and the bell rings.
        here.set(sound_backend="simpleaudio")
        here.turn(session, "attention")
        await soon(lambda: client.bells == 1)
        assert len(client.sentences) == 1


@pytest.mark.skipif(not SIMPLEAUDIO, reason="NAGOMI_TEST_SIMPLEAUDIO may name its folder")
async def test_simpleaudio_plays_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = Tape(tmp_path / "home")
    monkeypatch.setenv("PYTHONPATH", SIMPLEAUDIO)
    monkeypatch.syspath_prepend(SIMPLEAUDIO)
    async with centre() as here:
        client, session = here.front(**tape.env), here.session("api")
        here.turn(session)
        await heard(tape, samples(SOUNDS / "failure.wav", 0.8))
        assert await here.alerts.sounding.player.way() == "simpleaudio"
        assert client.bells == 0


def test_other_ears_chosen_while_a_server_hangs_are_a_new_chance(tmp_path: Path) -> None:
    async def story() -> None:
        tape = Tape(tmp_path / "home")
        with deaf_server(tmp_path / "pulse") as env:
            async with centre(sound_cooldown=0) as here:
                session = here.session("api")
                here.front(**env)
                here.turn(session)
                player = here.alerts.sounding.player
                await soon(lambda: player.pid)
                client = here.front(**tape.env)
                here.turn(session, "attention")
                await soon(lambda: client.told(messages.Speaking))
                assert (player.why, client.bells, client.sentences) == ("", 0, [])
                await soon(lambda: tape.played().endswith(sound[-1000:]))

    sound = samples(SOUNDS / "attention.wav", 0.8)
    play(story)


async def test_a_killed_helper_is_started_once_more_and_then_no_more(tmp_path: Path) -> None:
    async def killed(here: Centre, client: Front, session: str, *, played: int) -> int:
        here.turn(session)
        await soon(lambda: len(client.told(messages.Speaking)) == 2 * played)
        pid: int = here.alerts.sounding.player.pid
        os.kill(pid, signal.SIGKILL)
        await soon(lambda: not here.alerts.sounding.player.pid)
        return pid

    tape = Tape(tmp_path)
    async with centre(sound_cooldown=0) as here:
        client, session = here.front(**tape.env), here.session("api")
        first = await killed(here, client, session, played=1)
        tape.rewind()
        here.turn(session)
        await heard(tape, samples(SOUNDS / "failure.wav", 0.8))
        assert here.alerts.sounding.player.pid != first
        await killed(here, client, session, played=3)
        here.turn(session)
        await soon(lambda: client.bells == 1)
        assert client.sentences == [
            "What plays sounds keeps ending. The terminal's bell rings instead."
        ]


@pytest.mark.requirement("N-54")
async def test_a_voice_says_who_calls(tmp_path: Path) -> None:
    if not shutil.which("espeak-ng"):
        pytest.skip("there is no espeak-ng here")

    tape = Tape(tmp_path)
    async with centre(sound_failure="tts", language="ja") as here:
        client, session = here.front(**tape.env), here.session("api")
        here.turn(session)
        await soon(lambda: len(client.told(messages.Speaking)) == 2)
        spoken = tape.played()
        assert len(spoken) > 30_000
        assert spoken != samples(SOUNDS / "failure.wav", 0.8)


@pytest.mark.requirement("N-54")
async def test_without_a_voice_the_sound_is_played(tmp_path: Path) -> None:
    tape = Tape(tmp_path)
    async with centre(sound_failure="tts") as here:
        session = here.session("api")
        here.front(**tape.env | {"PATH": str(tmp_path)})
        here.turn(session)
        await heard(tape, samples(SOUNDS / "failure.wav", 0.8))


@pytest.mark.requirement("N-57")
async def test_a_test_plays_even_while_muted(tmp_path: Path) -> None:
    tape = Tape(tmp_path)
    async with centre(language="ja") as here:
        client, session = here.front(**tape.env), here.session("api")
        told = await here.ask(client, do="mute", seconds=3600)
        assert told["quiet"]
        assert told["muted_until"] == pytest.approx(time.time() + 3600, abs=60)
        here.turn(session)
        told = await here.ask(client, do="test", kind="success")
        assert told["way"] == "just_playback"
        await heard(tape, samples(SOUNDS / "success.wav", 0.8))
        assert not (await here.ask(client, do="mute"))["quiet"]


async def test_who_tests_without_a_device_hears_why(tmp_path: Path) -> None:
    async with centre(language="ja") as here:
        client: Front = here.front(HOME=str(tmp_path))
        told = await here.ask(client, do="test")
        assert told["way"] == "bell"
        assert client.bells == 1
        client.speak("ja")
        told = await here.ask(client, do="status")
        assert told["why"] == "音の出るところがここにはないので、端末のベルで呼びます。"
