"""Reminders are told once and at the right time, whatever becomes of clock, session, disk and file."""

from __future__ import annotations

import errno
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import anyio
import msgspec
import pytest

from nagomi_tui.api import messages
from nagomi_tui.judge.verdict import State as Verdict
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.runtime.timers import JumpWatch
from nagomi_tui.orchestrator.server import reminders as module
from nagomi_tui.orchestrator.server.reminders import FILE, MOST, Kept, Reminders, sentence
from nagomi_tui.sessions.session import Condition, State
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import files
from nagomi_tui.text.words import of
from tests.helpers.use_cases import Log, session, table

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.sessions.reminding import Reminder

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that can be set, on a machine that can sleep."""

    def __init__(self) -> None:
        self.wall, self.steady, self.boot = 1_800_000_000.0, 1000.0, 1000.0

    def time(self) -> float:
        return self.wall

    def monotonic(self) -> float:
        return self.steady

    def pass_(self, seconds: float) -> None:
        self.wall, self.steady, self.boot = (
            self.wall + seconds, self.steady + seconds, self.boot + seconds,
        )  # fmt: skip

    def sleep(self, seconds: float) -> None:
        self.wall, self.boot = self.wall + seconds, self.boot + seconds

    def set(self, seconds: float) -> None:
        self.wall += seconds


class Audience(Log):
    """Front ends are there or not; keeps what is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.clients: list[Any] = []

    def tell(self, kind: str, said: str, /, **values: Any) -> None:
        self.told.append(of("en").say(said, **values))

    def tell_fault(self, fault: Refusal) -> None:
        self.told.append(str(fault))

    def front_ends(self) -> list[Any]:
        return self.clients

    def others(self) -> list[Any]:
        return []


class Client:
    words = of("en")

    def __init__(self, number: int = 1) -> None:
        self.number = number
        self.sent: list[Any] = []

    def send(self, message: Any) -> None:
        self.sent.append(message)


class Agent(Log):
    """The resident agent, with the lines of its digest."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def keep(self, lines: tuple[str, ...]) -> None:
        self.lines += lines


class Room:
    """A workplace whose orchestrator may begin anew over the same folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.clock = Clock()
        self.sessions, _ = table()
        self.audience, self.alerts, self.agent = Audience(), Log(), Agent()

    def session(self, name: str = "tests", **info: Any) -> SessionRuntime:
        made = session(name, **info)
        self.sessions.add(made)
        return made

    @asynccontextmanager
    async def life(self) -> AsyncIterator[Reminders]:
        """One life of the orchestrator."""
        adopted = anyio.Event()
        adopted.set()
        async with anyio.create_task_group() as tasks:
            made: Any = Reminders(
                tasks, self.path, self.sessions, Settings,
                audience=cast("Any", self.audience), alerts=cast("Any", self.alerts),
                agent=cast("Any", self.agent), adopted=adopted, clock=self.clock,
                jumps=JumpWatch(wall=self.clock.time, steady=lambda: self.clock.boot),
            )  # fmt: skip
            tasks.start_soon(made.run)
            await made.all()
            yield made
            with anyio.fail_after(10):
                await made._write()
            tasks.cancel_scope.cancel()

    async def set(self, life: Reminders, when: str, words: str = "", **more: Any) -> Reminder:
        named = module.condition_of(when, self.clock.time()).session
        found = self.sessions.meant(named) if named else None
        return await life.add(messages.Remind(id=1, when=when, words=words, **more), found)

    async def told(self, life: Reminders) -> list[str]:
        life.look()
        return [sentence(one, of("en")) for one in (await life.all())[1]]


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def comes_to(made: SessionRuntime, condition: Condition, **info: Any) -> None:
    made.change(phase=condition, phase_since=2_000_000_000.0, **info)


async def test_a_delay_is_told_once_and_in_every_way(room: Room) -> None:
    front_end = Client()
    room.audience.clients.append(front_end)
    async with room.life() as life:
        await room.set(life, "20m", "stretch", conversation="aaa")
        room.clock.pass_(1199)
        assert await room.told(life) == []
        room.clock.pass_(2)
        assert await room.told(life) == ["stretch"] == await room.told(life)
        assert room.audience.told == ["Reminder: stretch"]
        assert room.alerts.names == ["reminds"] and room.agent.names == ["want"]
        assert [one.said for one in front_end.sent] == ["stretch"]
        assert not room.agent.lines


async def test_who_is_away_finds_it_in_the_digest(room: Room) -> None:
    async with room.life() as life:
        await room.set(life, "20m", "stretch")
        room.clock.pass_(1201)
        await room.told(life)
    assert room.agent.lines == ["stretch"] and not room.audience.told


async def test_another_life_knows_what_is_open_and_what_was_told(room: Room) -> None:
    async with room.life() as life:
        await room.set(life, "20m", "stretch")
        await room.set(life, "2h", "tea")
        # It stands on disk as soon as it is answered: no end in order is needed.
        assert len(msgspec.json.decode(files.read(room.path), type=Kept).open) == 2
        room.clock.pass_(1210)
        await room.told(life)
    async with room.life() as life:
        assert [one.words for one in (await life.all())[0]] == ["tea"]
        assert await room.told(life) == ["stretch"]
        assert (await room.set(life, "1h")).number == 3
    assert room.agent.lines == ["stretch"]


async def test_what_came_due_while_nothing_ran_is_told_late(room: Room) -> None:
    async with room.life() as life:
        await room.set(life, "20m", "stretch")
    room.clock.pass_(7200)
    async with room.life() as life:
        (told,) = await room.told(life)
        assert told.startswith("stretch (late: it was due at ")


async def test_a_machine_that_slept_is_told_late_and_once(room: Room) -> None:
    async with room.life() as life:
        await room.set(life, "20m", "stretch")
        room.clock.sleep(8 * 3600)
        (told,) = await room.told(life)
        assert "late" in told
        room.clock.sleep(8 * 3600)
        assert await room.told(life) == [told]


@pytest.mark.parametrize("jump", [3 * 3600.0, -3 * 3600.0, 86400.0 * 400])
async def test_a_delay_goes_along_with_a_clock_that_is_set(room: Room, jump: float) -> None:
    async with room.life() as life:
        await room.set(life, "20m", "stretch")
        room.clock.set(jump)
        assert await room.told(life) == []
        room.clock.pass_(1150)
        assert await room.told(life) == []
        room.clock.set(-jump / 2)
        room.clock.pass_(60)
        assert await room.told(life) == ["stretch"]


async def test_a_time_of_day_is_what_the_clock_shows(room: Room) -> None:
    async with room.life() as life:
        due = await room.set(life, "23:59", "sleep")
        room.clock.set(due.at - room.clock.time() + 1)
        assert await room.told(life) == ["sleep"]
        room.clock.set(-3600)
        assert await room.told(life) == ["sleep"]


async def test_failures_are_counted_by_turns(room: Room) -> None:
    tests = room.session()
    comes_to(tests, Condition.ERROR, turn=1)
    async with room.life() as life:
        await room.set(life, "tests fails twice", "say so")
        for turn, condition in ((1, Condition.ERROR), (2, Condition.ERROR), (3, Condition.SUCCESS)):
            comes_to(tests, condition, turn=turn)
            assert await room.told(life) == []
        comes_to(tests, Condition.ERROR, turn=4)
        assert await room.told(life) == ["1 tests has failed (2 times): say so"]


async def test_turns_between_two_looks_count_too(room: Room) -> None:
    tests = room.session()
    async with room.life() as life:
        await room.set(life, "tests fails 3 times")
        for turn in (1, 2, 2, 3):
            done: Any = type(
                "Done", (), {"turn": turn, "verdict": type("V", (), {"state": Verdict.FAILURE})}
            )
            life.turn_over(cast("Any", type("F", (), {"session": tests, "done": done})))
        assert await room.told(life) == ["1 tests has failed (3 times)"]


async def test_what_holds_already_is_told_at_once(room: Room) -> None:
    comes_to(room.session(), Condition.ATTENTION, turn=3)
    async with room.life() as life:
        await room.set(life, "tests asks")
        assert await room.told(life) == ["1 tests waits for you"]


async def test_a_session_that_ended_otherwise_ends_the_wait(room: Room) -> None:
    tests = room.session()
    async with room.life() as life:
        await room.set(life, "tests fails", "look")
        await room.set(life, "tests ends")
        await room.set(life, "tests fails twice")
        comes_to(tests, Condition.SUCCESS, state=State.EXITED, exit_code=0)
        found = await room.told(life)
        assert found == [
            "1 tests has ended, so that this cannot happen any more: when 1 tests fails: look",
            "1 tests has ended",
        ]
        assert [one.times for one in (await life.all())[0]] == [2]


async def test_another_session_of_the_same_name_is_not_meant(room: Room) -> None:
    tests = room.session()
    async with room.life() as life:
        await room.set(life, "tests fails", "look")
        room.sessions.remove(tests)
        again = session("tests")
        again.change(session_id="another")
        room.sessions.add(again)
        comes_to(again, Condition.ERROR, turn=1)
        (told,) = await room.told(life)
        assert "another session has its name" in told and told.endswith("fails: look")


async def test_a_session_that_was_removed_is_told_of(room: Room) -> None:
    tests = room.session()
    async with room.life() as life:
        await room.set(life, "tests is quiet for 5m")
        room.sessions.remove(tests)
        assert "is gone" in (await room.told(life))[0]


async def test_quiet_is_counted_while_the_machine_is_awake(room: Room) -> None:
    tests = room.session()
    tests.run.output_at = room.clock.time()
    async with room.life() as life:
        await room.set(life, "tests is quiet for 5m")
        assert await room.told(life) == []
        room.clock.sleep(3600)
        room.clock.pass_(200)
        assert await room.told(life) == []
        tests.run.output_at = room.clock.time()
        assert await room.told(life) == []
        room.clock.pass_(299)
        assert await room.told(life) == []
        room.clock.pass_(2)
        assert await room.told(life) == ["1 tests is quiet for 300 s"]


async def test_a_full_disk_refuses_a_new_one_and_loses_none(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with room.life() as life:
        await room.set(life, "20m", "stretch")
        with monkeypatch.context() as patched:
            patched.setattr(module.files, "write", full)
            with pytest.raises(Refusal, match="No space left"):
                await room.set(life, "30m", "tea")
            with pytest.raises(Refusal, match="No space left"):
                await life.cancel(1)
        assert [one.words for one in (await life.all())[0]] == ["stretch"]
        room.clock.pass_(1201)
        assert await room.told(life) == ["stretch"]


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[]", b'{"open": 3}', b"[" * 100_000])
async def test_a_file_that_is_broken_is_kept_aside_and_said(room: Room, content: bytes) -> None:
    room.path.write_bytes(content)
    async with room.life() as life:
        assert await life.all() == ((), ())
        (said,) = room.audience.told
        assert "could not be read" in said
        await room.set(life, "20m", "stretch")
    (aside,) = room.path.parent.glob("reminders.broken-*")
    assert aside.read_bytes() == content
    assert json.loads(room.path.read_bytes())["open"]


async def test_secrets_are_masked_and_too_many_refused(room: Room) -> None:
    secret = "sk-ant-api03-" + "A1b2C3d4" * 12
    room.session()
    async with room.life() as life:
        await room.set(life, "20m", f"use {secret}")
        assert secret.encode() not in files.read(room.path)
        with pytest.raises(Refusal, match="secret"):
            await room.set(life, f"tests says {secret}")
        with pytest.raises(Refusal, match="no regular expression"):
            await room.set(life, "tests says (")
        with pytest.raises(Refusal, match="20m"):
            module.condition_of("some day", room.clock.time())
        for _ in range(MOST - 1):
            await room.set(life, "1h")
        with pytest.raises(Refusal, match="100 reminders"):
            await room.set(life, "1h")
        with pytest.raises(Refusal, match="no open reminder 7000"):
            await life.cancel(7000)


async def test_the_agent_is_sent_what_it_has_not_written_yet(room: Room) -> None:
    async with room.life() as life:
        await room.set(life, "20m", "stretch", conversation="aaa")
        await room.set(life, "20m", "no conversation")
        room.clock.pass_(1201)
        await room.told(life)
    async with room.life() as life:
        agent: Any = Client(5)
        life.agent_is_there(agent)
        life.agent_is_there(agent)
        assert [one.reminder.words for one in agent.sent] == ["stretch"]
        life.written(1)
    async with room.life() as life:
        again: Any = Client(6)
        life.agent_is_there(again)
        assert again.sent == []
