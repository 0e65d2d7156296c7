"""The agent thinks by itself: in its process, over a real workplace, against a real model server."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.agent.resident.loop import Budget, KeptRecord, Loop, Thinking, read_record
from nagomi_tui.agent.resident.loop_workplace import (
    LibraryModel,
    LoopWorkplace,
    moment,
    wakes,
)
from nagomi_tui.agent.resident.orchestrator_link import OrchestratorLink
from nagomi_tui.agent.resident.process import LOOP_FILE
from nagomi_tui.agent.tools.interface import Workplace
from nagomi_tui.api import messages
from nagomi_tui.judge.verdict import Risk
from nagomi_tui.sessions.session import RESIDENT_AGENT, Condition, Session, State
from nagomi_tui.system import paths
from tests.agent.resident.test_standing import change
from tests.helpers.agent_library import library
from tests.helpers.model_server import says
from tests.helpers.workplace import PATIENCE, create, session, until

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from nagomi_tui.api.messages.agent import Mode
    from tests.helpers.model_server import ModelServer
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

TOKEN = "ghp_" + "a1B2" * 9
SPEAKS = json.dumps(
    {
        "say": "The tests of api failed. More later.",
        "digest": ["api failed"],
        "propose": [{"session": "api", "command": "rm -rf build", "reason": "build anew"}],
    }
)


def failing(connection: Connection, name: str = "api") -> str:
    made = create(connection, f"echo {TOKEN} boom; exit 3", name=name)
    until(lambda: session(connection, made)["phase"] == "error")
    return made


@pytest.mark.requirement("F-12")
async def test_autonomous_says_a_sentence_once_and_proposes_by_the_commands_risk(
    place: Place, connection: Connection, server: ModelServer
) -> None:
    made = failing(connection)
    server.script(says(SPEAKS))
    change(connection, "autonomous")
    told: list[messages.Agent] = []
    proposed: list[messages.Proposed] = []
    deadline = time.monotonic() + PATIENCE
    while not (proposed and any(one.says for one in told)) and time.monotonic() < deadline:
        for pushed in connection.pushed(1):
            if isinstance(pushed, messages.Agent):
                told.append(pushed)
            elif isinstance(pushed, messages.Proposed):
                proposed.append(pushed)
    assert {one.says for one in told} == {"", "The tests of api failed."}
    place.kill(place.orchestrator)  # the next one has not heard of it, and is told again
    with place.connect(front_end=True) as later:
        again = [one for one in later.pushed(PATIENCE / 4) if isinstance(one, messages.Proposed)]
    assert again[:1] == proposed[:1]
    (step,) = proposed[0].steps
    assert (proposed[0].session, step.command, step.risk) == (made, "rm -rf build", Risk.HIGH)
    request = json.dumps(server.asked[0].body)
    assert "boom" in request and "api" in request and TOKEN not in request
    assert "tools" not in server.asked[0].body and len(server.asked) == 1
    with place.connect() as anew:
        listed = anew.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
    assert [one.session_id for one in listed] == [made]  # it ran nothing


@pytest.mark.requirement("M-2", "M-4")
async def test_reserved_keeps_a_note_and_says_nothing(
    connection: Connection, server: ModelServer
) -> None:
    failing(connection)
    server.script(says(f"{SPEAKS}[INNER]api failed at noon[/INNER]"))
    change(connection, "reserved")
    notes = paths.state_folder() / "agent" / "memory" / "inner-notes.md"
    until(lambda: notes.exists() and "noon" in notes.read_text())
    heard = [*connection.pushed(1)]
    assert not [one for one in heard if isinstance(one, messages.Proposed)]
    called = [one.sessions for one in heard if isinstance(one, messages.Called)]
    assert all(
        RESIDENT_AGENT not in sessions for sessions in called
    )  # the session itself calls
    assert not [one for one in heard if isinstance(one, messages.Agent) and one.says]


@pytest.mark.parametrize("mode", ["reserved", "autonomous"])
async def test_a_quiet_night_costs_nothing(
    connection: Connection, server: ModelServer, mode: str
) -> None:
    create(connection, "while :; do date; sleep 0.2; done", name="spinner")
    failing(connection)
    workplace, now, consent = Workplace(), [1_000_000.0], [False]
    async with library(server, workplace) as made:
        kept = KeptRecord(paths.state_folder() / "loop.json")
        around = LoopWorkplace(made, workplace, OrchestratorLink(mode, print, {}), lambda: "en")
        thinking = Thinking(
            LibraryModel(made), made.modes, kept, now=lambda: now[0], mask=made.mask
        )
        loop = Loop(around, thinking, consent=lambda: consent[0], budget=Budget)

        async def later(seconds: float) -> str:
            now[0] += seconds
            return await loop.cycle()

        assert await later(0) == "calm"
        await made.change_mode(mode)
        assert [await later(1800) for _ in range(3)] == ["consent"] * 3 and server.asked == []
        consent[0] = True
        assert await later(1800) == "thought"
        before = len(server.asked)
        assert {await later(1800) for _ in range(20)} == {"unchanged"}
        assert len(server.asked) - before == 0
        (made.modes.notes.folder / "NEXT.md").write_text("- [ ] pour\n")
        assert await later(1800) == "thought"
        failing(connection, "web")
        assert await later(1800) == "thought"
        assert "pour" in json.dumps(server.asked[-1].body) and len(server.asked) == before + 2


CLOCK: Final = Path(__file__).parents[2] / "helpers" / "set_clock"


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that says by how many seconds the clock of the workplace is set."""
    file = tmp_path / "clock"
    file.write_text("0")
    monkeypatch.setenv("NAGOMI_TEST_CLOCK", str(file))
    monkeypatch.setenv("PYTHONPATH", str(CLOCK))
    return file


@pytest.mark.parametrize(
    "mode", ["calm", pytest.param("reserved", marks=pytest.mark.variant), "autonomous"]
)
def test_hours_that_pass_by_the_clock_ask_no_model(
    clock: Path, place: Place, connection: Connection, server: ModelServer, mode: Mode
) -> None:
    """A machine that slept, a reminder, a clock that is set back: only what happens is asked about."""
    failing(connection)
    change(connection, mode)
    asked = 0 if mode == "calm" else 1
    kept = paths.state_folder() / LOOP_FILE
    until(lambda: not asked or (kept.exists() and read_record(kept).asked_of))  # the answer is read
    at = f"{datetime.fromtimestamp(time.time() + 7 * 3600):%Y-%m-%d %H:%M}"
    connection.request(messages.Remind(id=0, when=at, words="tea"), timeout=PATIENCE)

    def told() -> bool:
        found = connection.request(messages.ListReminders(id=0), timeout=PATIENCE)
        return [one.reminder.words for one in found.told] == ["tea"]

    clock.write_text(str(8 * 3600))
    until(told)
    for hours in (20, -24, 0):
        clock.write_text(str(hours * 3600))
        connection.request(messages.Rename(id=0, session="api", name="api"), timeout=PATIENCE)
    assert len(server.asked) == asked
    if mode != "calm":
        clock.write_text(str(30 * 3600))
        failing(connection, "web")
        server.wait_asked(asked + 1, PATIENCE)
    assert len(server.asked) == (asked and asked + 1)


def _session(**values: object) -> Session:
    return Session(session_id="1", number=1, name="api", cmd="make", cwd="/", **values)  # type: ignore[arg-type]


def test_only_what_ended_or_waits_is_news() -> None:
    busy = [_session(phase=phase, turn=3) for phase in (Condition.RUNNING, Condition.THINKING)]
    assert {moment(one, "before") for one in busy} == {"before"}
    rests = {
        moment(_session(phase=phase, turn=3), "")
        for phase in (Condition.SUCCESS, Condition.ERROR, Condition.IDLE, Condition.LISTENING)
    }
    waits = moment(_session(phase=Condition.ATTENTION, turn=3), "")
    over = moment(_session(state=State.EXITED, phase=Condition.ERROR, turn=3), "")
    assert len({*rests, waits, over, moment(_session(turn=4), "")}) == 4


def test_it_wakes_for_what_waits_or_ended_and_not_for_its_own_chat() -> None:
    def changed(**values: object) -> messages.SessionChanged:
        return messages.SessionChanged(session=_session(**values))

    assert wakes(changed(phase=Condition.ATTENTION)) and wakes(changed(state=State.EXITED))
    assert not wakes(changed(phase=Condition.RUNNING, state=State.RUNNING))
    chat = Session(session_id="1", number=1, name="x", cmd="nagomi chat", cwd="/", state=State.LOST)
    assert not wakes(messages.SessionChanged(session=chat))


async def test_the_digest_waits_for_the_user_and_is_told_once(place: Place) -> None:
    said = messages.AgentThought(digest=("api failed\x1b[31m", "x" * 500))
    with place.connect() as alone:
        alone.send(said)
        alone.request(messages.Ping(id=0), timeout=PATIENCE)
    with place.connect(front_end=True) as back:
        assert isinstance(back.welcome, messages.Welcome)
        (first, what), (second, _) = back.welcome.digest
        assert (first, what) == ("api failed [31m", "agent") and len(second) == 120
    with place.connect(front_end=True) as again:
        assert again.welcome.digest == ()


@pytest.mark.requirement("F-16")
async def test_a_proposal_stands_until_the_session_goes_on_and_its_risk_is_ours(
    place: Place,
) -> None:
    with place.connect() as alone:
        made = create(alone, "exit 3", name="api")
        commands = ("ls", "ls\nrm -rf /", "x" * 501, "")
        steps = tuple(messages.ProposedStep(session=made, command=one) for one in commands)
        gone = messages.ProposedStep(session="nobody", command="ls")
        until(lambda: session(alone, made)["phase"] == "error")
        alone.send(messages.AgentThought(steps=(*steps, gone)))
        alone.request(messages.Ping(id=0), timeout=PATIENCE)
    with place.connect(front_end=True) as back:
        found = [one for one in back.pushed(1) if isinstance(one, messages.Proposed)]
        ((command, risk),) = [(step.command, step.risk) for step in found[0].steps]
        assert (len(found), command, risk) == (1, "ls", Risk.LOW)
        back.request(messages.Restart(id=0, session=made), timeout=PATIENCE)
        until(lambda: session(back, made)["turn"] > found[0].turn)
    with place.connect(front_end=True) as later:
        assert not [one for one in later.pushed(1) if isinstance(one, messages.Proposed)]
