"""Who is called, where and when: the notice centre with front ends here and far away."""

from __future__ import annotations

import time
from typing import Final

import anyio
import pytest

from nagomi_tui.alerts import calls
from nagomi_tui.api import messages
from nagomi_tui.sessions.session import RESIDENT_AGENT
from tests.helpers.calling import centre
from tests.helpers.waiting import soon

FAR: Final = {"SSH_CONNECTION": "192.0.2.1 5 192.0.2.2 22"}
PROMPT_SECONDS: Final = 0.3
_TOGETHER: Final = "api: It broke. · web: It broke. · db: It broke."


@pytest.mark.requirement("N-16", "N-52")
async def test_a_failure_rings_at_once_and_gives_notice_in_time() -> None:
    async with centre() as here:
        client, session = here.front(**FAR), here.session("api")
        began = here.turn(session, "failure", "2 tests failed")
        await soon(lambda: client.told(messages.Called))
        times = {type(message): at - began for at, message in client.got}
        assert times[messages.Event] <= 0  # before anything else could happen
        assert times[messages.Called] < PROMPT_SECONDS + 2  # a busy machine's part
        assert calls.FIRST_PAUSE < PROMPT_SECONDS
        (called,) = client.told(messages.Called)
        assert (called.sessions, called.kind) == ((session,), "failure")
        assert (called.title, called.body) == ("nagomi: api", "2 tests failed")


@pytest.mark.requirement("N-47")
async def test_lips_move_for_a_moment_when_only_the_bell_rings() -> None:
    async with centre() as here:
        client, session = here.front(**FAR), here.session("api")
        here.turn(session, "failure")
        (said,) = client.told(messages.Speaking)
        assert (said.session, said.on) == (session, True)
        assert 0 < said.seconds < 1
        here.turn(session, "success")
        assert len(client.told(messages.Speaking)) == 1


@pytest.mark.requirement("N-138")
async def test_a_success_only_shows_its_face() -> None:
    async with centre() as here:
        session = here.session("api")
        client = here.front(**FAR)
        here.turn(session, "success")
        await anyio.sleep(0.4)
        assert [type(message) for _, message in client.got] == [messages.TurnCompleted]


@pytest.mark.requirement("NB-18")
async def test_nothing_rings_after_ctrl_c() -> None:
    async with centre() as here:
        client, session = here.front(**FAR), here.session("api")
        here.turn(session, "failure", quiet=True)
        await anyio.sleep(0.4)
        assert client.bells == 0
        assert client.told(messages.Called) == []


async def test_the_session_one_looks_at_does_not_call() -> None:
    async with centre(sound_cooldown=0) as here:
        client = here.front(**FAR)
        mine, other = here.session("mine"), here.session("other")
        client.looking, client.looking_told = mine, True
        here.turn(mine)
        here.turn(other)
        await soon(lambda: client.told(messages.Called))
        assert client.told(messages.Called)[0].sessions == (other,)
        assert client.bells == 1
        # The terminal lost the focus.
        client.looking = ""
        here.turn(mine)
        assert client.bells == 2
        # One that does not tell of its focus is believed while its user is active.
        client.looking, client.looking_told = mine, False
        here.turn(mine)
        assert client.bells == 2
        client.active_at = time.monotonic() - 60
        here.turn(mine)
        assert client.bells == 3


@pytest.mark.requirement("N-55", "NB-14")
async def test_the_cooldown_holds_for_each_kind() -> None:
    async with centre() as here:
        client, session = here.front(**FAR), here.session("api")
        here.turn(session, "failure")
        here.turn(session, "failure")
        assert client.bells == 1
        here.turn(session, "attention")
        assert client.bells == 2


@pytest.mark.requirement("N-50")
async def test_who_was_answered_meanwhile_is_not_told_with_the_others() -> None:
    async with centre() as here:
        client = here.front(**FAR)
        answered, asks = here.session("api"), here.session("web")
        here.turn(answered, "attention")
        here.turn(asks, "attention", "Proceed?")
        here.answer(answered)
        await soon(lambda: client.told(messages.Called))
        (called,) = client.told(messages.Called)
        assert (called.sessions, called.body) == ((asks,), "Proceed?")


async def test_several_are_gathered_in_the_users_language() -> None:
    async with centre(language="ja") as here:
        client = here.front(**FAR)
        client.speak("ja")
        sessions = [here.session(name) for name in ("api", "web", "db")]
        for session in sessions:
            here.turn(session, "attention")
        await soon(lambda: client.told(messages.Called))
        await anyio.sleep(0.2)
        (called,) = client.told(messages.Called)
        assert (called.title, called.body) == ("3 つのつくりが呼んでいます", _TOGETHER)
        # What comes within the next second is told together, too.
        began = time.monotonic()
        for session in sessions[:2]:
            here.turn(session, "attention")
        await soon(lambda: len(client.told(messages.Called)) == 2)
        assert time.monotonic() - began > 0.5
        again = client.told(messages.Called)[1]
        assert again.sessions == (sessions[2], *sessions[:2])
        # Whom the user has seen is not named again.
        here.alerts.notifying.seen(sessions[0])
        here.turn(sessions[1], "attention")
        await soon(lambda: len(client.told(messages.Called)) == 3)
        assert client.told(messages.Called)[2].body == "db: It broke. · web: It broke."


async def test_quiet_hours_and_mute_are_without_sound_but_with_notice() -> None:
    async with centre(quiet_hours="00:00-23:59") as here:
        client, session = here.front(**FAR), here.session("api")
        if time.strftime("%H:%M") != "23:59":
            here.turn(session)
            await soon(lambda: client.told(messages.Called))
            assert client.told(messages.Called)[0].hushed
            assert client.bells == 0
        here.set(quiet_hours="")
        await here.ask(client, do="mute", seconds=60)
        here.turn(session, "attention")
        assert client.bells == 0
        await here.ask(client, do="mute")
        here.turn(session, "attention")
        assert client.bells == 1


async def test_muting_outlives_the_orchestrator() -> None:
    async with centre() as here:
        client = here.front(**FAR)
        await here.ask(client, do="mute", seconds=600)
    async with centre() as here:
        assert here.alerts.sounding.hushed


async def test_sound_is_heard_where_its_user_is() -> None:
    async with centre(sound_cooldown=0) as here:
        session = here.session("api")
        near, far = here.front(PATH=""), here.front(**FAR)
        here.turn(session)  # the one here has no device, so both ring
        await soon(lambda: near.bells == 1 and far.bells >= 1)
        here.leave(near)
        before = far.bells
        here.turn(session)
        assert (near.bells, far.bells) == (1, before + 1)
        here.leave(far)
        # Whoever left last was far away: nothing sounds in an empty room.
        assert (await here.ask(far, do="status"))["far"]
        here.turn(session)
        await anyio.sleep(0.05)
        assert len(far.told(messages.Notice)) <= 1


@pytest.mark.requirement("N-51")
async def test_secrets_do_not_leave() -> None:
    async with centre() as here:
        client, session = here.front(**FAR), here.session("api")
        here.turn(session, "failure", "bad key: ghp_" + "a1B2" * 9)
        await soon(lambda: client.told(messages.Called))
        assert "ghp_" not in client.told(messages.Called)[0].body


async def test_a_notice_speaks_the_language_of_who_reads_it() -> None:
    async with centre() as here:
        english, japanese, session = here.front(**FAR), here.front(**FAR), here.session("api")
        japanese.speak("ja")
        here.turn(session, "attention", "It waits.", ja="待っています。")
        await soon(lambda: japanese.told(messages.Called))
        assert english.told(messages.Called)[0].body == "It waits."
        assert japanese.told(messages.Called)[0].body == "待っています。"


async def test_the_agent_calls_like_a_session_unless_its_balloon_is_seen() -> None:
    async with centre(quiet_hours="00:00-23:59", agent_name="Kuro") as here:
        client, session = here.front(**FAR), here.session("api")
        client.looking, client.looking_told = session, True
        here.alerts.agent_says("Not needed.")
        await anyio.sleep(0.4)
        assert client.told(messages.Called) == []
        client.looking = ""
        here.alerts.agent_says("The tests failed.")
        await soon(lambda: client.told(messages.Called))
        (called,) = client.told(messages.Called)
        assert (called.sessions, called.body) == ((RESIDENT_AGENT,), "The tests failed.")
        assert called.title == "nagomi: Kuro" and called.hushed and client.bells == 0


async def test_the_agent_is_silent_where_nothing_is_to_be_shown() -> None:
    async with centre(notify_attention=False) as here:
        client = here.front(**FAR)
        here.alerts.agent_says("The tests failed.")
        await anyio.sleep(0.4)
        assert client.told(messages.Called) == []
