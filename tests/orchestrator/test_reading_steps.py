"""Next steps that only read run by themselves where the user has chosen so, and only there."""

from __future__ import annotations

import subprocess
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import MagicMock

import anyio
import pytest

from nagomi_tui.api import messages
from nagomi_tui.judge.verdict import NextAction, Risk, State, Verdict
from nagomi_tui.orchestrator.guard.gate import only_reads
from nagomi_tui.orchestrator.lifecycle import creating
from nagomi_tui.orchestrator.lifecycle.creating import NextSteps, harmless
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions.session import FinishedTurn
from nagomi_tui.settings.model import Settings
from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import ANYWHERE
from tests.helpers.workplace import PATIENCE, create, session, text_of, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.workplace import Place


def step(command: str) -> NextAction:
    return NextAction(title=command, command=command, risk=Risk.LOW)


def verdict(*commands: str) -> Verdict:
    return Verdict(State.FAILURE, 1.0, "", (), tuple(map(step, commands)))


@pytest.mark.parametrize(
    ("commands", "chosen"),
    [
        (("pwd",), "pwd"),
        (("touch x", "npm install", "ls /etc"), "ls /etc"),
        (("rm -rf /", "git fetch", "cat a >b", "find . -delete"), ""),
        ((), ""),
    ],
)
@pytest.mark.requirement("X-19")
def test_only_what_reads_is_chosen_whatever_risk_was_told(
    commands: tuple[str, ...], chosen: str
) -> None:
    found = SimpleNamespace(info=SimpleNamespace(here="/", worker_id="local"))

    async def first() -> str:
        told = harmless(verdict(*commands))
        return next(iter([one for one in told if await only_reads(found, one)]), "")  # type: ignore[arg-type]

    assert anyio.run(first) == chosen


@pytest.mark.requirement("DC-30")
def test_a_step_is_judged_by_its_folder(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    def is_read(worker: str = "local") -> bool:
        info = SimpleNamespace(here=str(tmp_path), worker_id=worker)
        return anyio.run(only_reads, SimpleNamespace(info=info), "git status")

    assert is_read() and not is_read("far")
    with (tmp_path / ".git" / "config").open("a") as file:
        file.write("[core]\n\tfsmonitor = ./x\n")
    assert not is_read()


class Ran(NextSteps):
    """Notes what is run, by whom and where does not matter; `fault` refuses it."""

    def __init__(self) -> None:
        self.now: dict[str, Any] = {}
        self.info = SimpleNamespace(name="x")
        self.found = SimpleNamespace(session_id="s", info=self.info)
        sessions = SimpleNamespace(get=lambda _: self.found)
        nobody: Any = MagicMock()
        super().__init__(
            nobody, lambda: Settings(run_reading_steps=self.now["on"]), cast("Any", sessions), nobody,
            sender=nobody, judges=nobody, tell=nobody,
        )  # fmt: skip
        self.commands: list[str] = []
        self.fault = False

    async def act(self, _who: Any, _session: Any, command: str, **options: Any) -> Any:
        assert options == {"only_here": True}
        if self.fault:
            raise Refusal("busy", "{name} is busy.", name="x")
        self.commands.append(command)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    monkeypatch.setattr(creating, "only_reads", reads_anywhere)
    return Ran()


async def reads_anywhere(_session: object, command: str) -> bool:
    return classify(command, ANYWHERE).verdict == "read"


def told(ran: Ran, *turns: dict[str, Any]) -> list[str]:
    """Return what runs after these turns of a session, each told in its own round of the loop."""

    async def story() -> None:
        options = {"on": True, "guard": None, "quiet": False, "commands": ("pwd",), "fault": False}
        async with anyio.create_task_group() as tasks:
            ran.tasks = tasks
            await anyio.wait_all_tasks_blocked()
            for number, turn in enumerate(turns, 1):
                now = ran.now = {**options, "turn": number, **turn}
                ran.info.guard, ran.fault = now["guard"], now["fault"]
                done = messages.TurnCompleted(
                    session="s", turn=now["turn"], at=time.time(), quiet=now["quiet"],
                    verdict=verdict(*now["commands"]),
                )  # fmt: skip
                ran.turn_over(FinishedTurn(cast("Any", ran.found), {}, done, None))
                await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()

    anyio.run(story)
    return ran.commands


@pytest.mark.requirement("X-19")
def test_a_step_runs_once_after_a_turn_and_none_after_its_own(ran: Ran) -> None:
    again = {"turn": 1, "commands": ("ls /",)}
    assert told(ran, {}, again, {"turn": 2, "commands": ("ls /",)}, {"turn": 3}) == ["pwd", "pwd"]


@pytest.mark.parametrize(
    "turn", [{"on": False}, {"guard": object()}, {"quiet": True}, {"commands": ()}]
)
@pytest.mark.requirement("X-19")
def test_nothing_runs_unasked_in_guarded_sessions_or_after_ctrl_c(
    ran: Ran, turn: dict[str, Any]
) -> None:
    assert told(ran, turn) == []
    assert told(ran, {}) == ["pwd"]


@pytest.mark.requirement("X-19")
def test_a_refused_step_is_no_turn_of_its_own(ran: Ran) -> None:
    assert told(ran, {"fault": True}, {}) == ["pwd"]


@pytest.mark.requirement("N-17")
def test_a_shell_shows_what_is_there_after_a_name_that_is_not(
    shared_place: Place, tmp_path: Path
) -> None:
    (tmp_path / ".bashrc").write_text("PS1='ready> '\n")
    (tmp_path / "really-there").touch()
    with shared_place.connect() as connection:
        order = messages.Settings(id=0, values={"run_reading_steps": True})
        connection.request(order, timeout=PATIENCE)
        made = create(connection, "bash", env={"HOME": str(tmp_path)}, cols=200)
        until(lambda: "ready>" in text_of(connection, made))
        line = messages.Send(id=0, session=made, text=f"cat {tmp_path}/absent")
        connection.request(line, timeout=PATIENCE)
        until(lambda: "really-there" in text_of(connection, made))
        assert f"ls {tmp_path}/" in text_of(connection, made)
        assert text_of(connection, made).count("really-there") == 1
        # The failure stands beside what was read, in the list as in what is told of it.
        why = connection.request(messages.Why(id=0, session=made), timeout=PATIENCE)
        assert session(connection, made)["phase"] == "error"
        assert "absent" in why.verdict.summary and "absent" in session(connection, made)["summary"]
        for command, phase in (("sleep 1.2", "success"), (f"ls {tmp_path}/gone", "error")):
            order = messages.Send(id=0, session=made, text=command)
            connection.request(order, timeout=PATIENCE)
            until(lambda phase=phase: session(connection, made)["phase"] == phase)
        until(lambda: text_of(connection, made).count("really-there") == 2)
        turn = session(connection, made)["last_turn"]
        assert turn["state"] == "failure" and "gone" in turn["summary"]
        order = messages.Settings(id=0, values={"run_reading_steps": False})
        connection.request(order, timeout=PATIENCE)
