"""What a worker says is taken in: in its order, mute in a replay, and acknowledged."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.orchestrator.output.intake import ACK_BYTES, Intake
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.workers.link import OutputBatch
from nagomi_tui.sessions.session import Session, State
from nagomi_worker.wire import protocol
from nagomi_worker.wire.messages import Left
from tests.helpers.moved_clock import MovedClock

if TYPE_CHECKING:
    from pathlib import Path

QUERY = b"\x1b[6n"


class Notes:
    """Stands for any collaborator: notes in one list what it is told, by its name."""

    def __init__(self, name: str, log: list[tuple[Any, ...]]) -> None:
        self._name, self._log = name, log

    def __getattr__(self, verb: str) -> Any:
        return lambda *values, **_named: self._log.append((f"{self._name}.{verb}", *values))


class Link:
    """The worker's side: keeps what it is sent."""

    name = "w-1"

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def of(self, kind: type[Any]) -> list[Any]:
        return [message for message in self.sent if isinstance(message, kind)]


class Desk:
    """The intake with its three takers, and fakes behind them."""

    def __init__(self, folder: Path) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.clock = MovedClock()
        self.screens = ScreenMaker(CrashMarker(folder / "feeding"))
        self.screens.engine = "pyte"
        judges: Any = Notes("judges", self.log)
        other: dict[str, Any] = {
            name: Notes(name, self.log)
            for name in (
                "scheduler", "checkpoints", "transcripts", "program_events", "audience", "strict",
            )
        }  # fmt: skip
        judges.phases = Notes("phases", self.log)
        programs: Any = Notes("programs", self.log)
        self.intake = Intake(
            self.screens, other.pop("checkpoints"), judges, alarms=self.clock.alarms,
            hooks=programs, asked=programs.asked, **other,
        )  # fmt: skip
        self.link = Link()
        self.session = SessionRuntime(
            Session(session_id="a", number=1, name="a", cmd="", cwd="/", state=State.RUNNING)
        )
        self.session.run.link = self.link  # type: ignore[assignment]

    def take(self, *messages: Any) -> list[str]:
        """Take messages in, and return what was done, in its order."""
        self.log.clear()
        self.intake.take(self.session, messages)
        return [str(done[0]) for done in self.log]

    @property
    def text(self) -> str:
        screen = self.session.run.screen
        assert screen is not None
        return "\n".join(row.text for row in screen.screen()).rstrip()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def output(data: bytes, offset: int | None = None) -> OutputBatch:
    return OutputBatch("a", data, (len(data),), offset)


def attached(until: int, *, replied: int = 0, fresh: int = 0) -> protocol.Attached:
    return protocol.Attached(
        session_id="a", first_offset=0, next_offset=until, reply_offset=replied,
        fresh_offset=fresh, cols=40, rows=5,
    )  # fmt: skip


def test_an_echo_is_on_its_way_before_anybody_judges_it(desk: Desk) -> None:
    desk.session.run.hot_until = time.monotonic() + 60
    done = desk.take(output(b"hi", 2))
    assert done == [
        "judges.hear", "scheduler.touch", "scheduler.rush", "judges.settle",
        "checkpoints.after_output", "transcripts.read_soon",
    ]  # fmt: skip
    assert desk.text == "hi"


def test_the_judge_hears_what_the_terminal_shows_already(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(Notes, "hear", lambda *_heard: heard.append(desk.text), raising=False)
    desk.take(output(b"hi", 2))
    assert heard == ["hi"]


def test_what_cannot_be_read_before_it_is_erased_is_no_reason_to_lose_what_follows(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_values: Any, **_named: Any) -> None:
        raise ValueError("a fault of the history")

    desk.take(output(b"old", 3))
    monkeypatch.setattr(Notes, "save", fail, raising=False)
    desk.take(output(b"\x1b[H\x1b[2Jnew" + QUERY, 17))
    assert desk.text == "new"
    assert len(desk.link.of(protocol.SendInput)) == 1


def test_output_that_nobody_waits_for_is_drawn_in_its_turn(desk: Desk) -> None:
    assert "scheduler.rush" not in desk.take(output(b"hi", 2))


def test_what_came_in_one_go_is_fed_in_one_piece(desk: Desk) -> None:
    desk.take(output(b"one ", 4), output(b"two", 7))
    assert [told[2].data for told in desk.log if told[0] == "judges.hear"] == [b"one two"]
    assert (desk.session.run.offset, desk.text) == (7, "one two")


def test_what_a_torn_sequence_draws_over_is_noted_and_what_it_only_colours_is_not(
    desk: Desk,
) -> None:
    for rest, noted in ((b"1Aover", True), (b"31mred", False)):
        desk.take(output(b"question\r\n", None))
        desk.session.run.output_at = 0.0
        assert "transcripts.note" not in desk.take(output(b"\x1b[", None))
        done = desk.take(output(rest, None))
        assert (done[0] == "transcripts.note") is noted, rest


def test_without_offsets_bytes_are_counted(desk: Desk) -> None:
    desk.take(output(b"one"))
    desk.take(output(b"three"))
    assert desk.session.run.offset == 8


def test_the_worker_is_told_of_every_16_kib_and_less_often_while_much_waits(desk: Desk) -> None:
    run = desk.session.run
    desk.take(output(b"x", ACK_BYTES - 1))
    assert desk.link.of(protocol.Ack) == []
    desk.take(output(b"x", ACK_BYTES))
    assert [ack.offset for ack in desk.link.of(protocol.Ack)] == [ACK_BYTES]
    run.backlog.extend(output(b"x") for _ in range(17))
    desk.take(output(b"x", 5 * ACK_BYTES - 1))
    assert len(desk.link.of(protocol.Ack)) == 1
    desk.take(output(b"x", 5 * ACK_BYTES))
    assert [ack.offset for ack in desk.link.of(protocol.Ack)] == [ACK_BYTES, 5 * ACK_BYTES]


def test_a_query_is_answered_with_the_offset_that_asked(desk: Desk) -> None:
    desk.take(output(b"ab" + QUERY, 6))
    (answer,) = desk.link.of(protocol.SendInput)
    assert (answer.text, answer.reply_offset) == ("\x1b[1;3R", 6)


def test_what_was_said_beside_the_drawing_and_who_waits_are_told(desk: Desk) -> None:
    waiter = type("Event", (), {"done": False, "set": lambda self: setattr(self, "done", True)})()
    desk.session.watchers.append(waiter)
    assert desk.take(output(b"\x07", 1))[-1] == "program_events.heard"
    assert waiter.done
    assert desk.session.watchers == []


def test_a_replay_is_mute(desk: Desk) -> None:
    desk.take(attached(13, replied=13, fresh=13))
    assert desk.take(output(b"\x07\x1b]0;t\x07", 7)) == []
    done = desk.take(output(QUERY + b"hi", 13))
    # What was printed while there was no orchestrator is read for the history.
    assert done == [
        "judges.resume", "scheduler.start_over", "audience.publish", "transcripts.read_soon",
    ]  # fmt: skip
    assert desk.link.sent == []
    assert desk.session.run.rebuilt.is_set()
    assert (desk.session.run.replay, desk.session.info.cols) == (None, 40)


def resized(cols: int, rows: int) -> protocol.Resized:
    return protocol.Resized(session_id="a", offset=6, cols=cols, rows=rows)


def test_the_answer_to_a_former_size_does_not_bring_it_back(desk: Desk) -> None:
    desk.take(resized(50, 5))
    desk.session.run.asked_size = (70, 7)
    desk.session.change(cols=70, rows=7)
    desk.take(resized(60, 6))
    assert (desk.session.info.cols, desk.session.info.rows) == (70, 7)


def test_a_size_that_was_asked_for_during_a_replay_is_kept(desk: Desk) -> None:
    desk.take(attached(6))
    desk.session.run.asked_size = (70, 7)
    desk.take(resized(30, 3))
    desk.take(output(b"after", 6))
    assert desk.session.run.screen is not None
    assert desk.session.run.screen.size == (70, 7)
    assert (desk.session.info.cols, desk.session.info.rows) == (70, 7)
    (asked,) = desk.link.of(protocol.Resize)
    assert (asked.cols, asked.rows) == (70, 7)


def test_a_query_that_nobody_has_answered_is_answered_when_the_replay_ends(desk: Desk) -> None:
    desk.take(attached(6, replied=0, fresh=3))
    desk.take(output(QUERY, 4))
    assert desk.link.sent == []
    desk.take(output(b"hi", 6))
    (answer,) = desk.link.of(protocol.SendInput)
    assert answer.reply_offset == 4


def test_a_query_that_is_old_is_not_answered_any_more(desk: Desk) -> None:
    desk.take(attached(6, replied=0, fresh=4))
    desk.take(output(QUERY, 4))
    desk.take(output(b"hi", 6))
    assert desk.link.sent == []


def test_a_snapshot_that_cannot_be_read_is_told_and_what_follows_is_shown(desk: Desk) -> None:
    desk.take(attached(14))
    damaged = base64.b64encode(b"nothing that an engine wrote").decode()
    done = desk.take(
        protocol.Checkpoint(
            session_id="a", offset=12, cols=40, rows=5, engine_version="pyte 0", data=damaged
        )
    )
    assert done == ["audience.tell"]
    done = desk.take(output(b"hi", 14))
    assert "checkpoints.want_whole" in done
    assert desk.text == "hi"


def test_a_light_checkpoint_is_found_again_at_its_offset(desk: Desk) -> None:
    begun = attached(9)
    desk.take(protocol.Attached(**{**_fields(begun), "lights": (4,)}))
    assert desk.take(output(b"abcd", 4)) == ["checkpoints.found"]
    assert desk.take(output(b"e", 5)) == []


def test_an_end_is_taken_in_once(desk: Desk) -> None:
    ended = protocol.Exit(session_id="a", exit_code=3)
    done = desk.take(ended)
    assert done == [
        "phases.see_if_in_front", "transcripts.read_soon", "judges.ended", "phases.update",
        "audience.publish",
    ]  # fmt: skip
    assert (desk.session.info.state, desk.session.info.exit_code) == (State.EXITED, 3)
    assert desk.session.run.ended.is_set()
    assert desk.take(ended) == []


def test_what_an_ended_command_left_behind_is_named(desk: Desk) -> None:
    left = tuple(Left(pid=pid, command=f"job{pid}") for pid in range(1, 8))
    desk.take(protocol.Exit(session_id="a", exit_code=0, left=left))
    (told,) = [told for told in desk.log if told[0] == "audience.tell"]
    assert told[1] == "info"


def test_a_fault_before_the_start_is_why_it_did_not_start(desk: Desk) -> None:
    desk.session.change(state=State.STARTING)
    assert (
        desk.take(protocol.Error(session_id="a", message="no such program", recoverable=True)) == []
    )
    assert str(desk.session.run.start_fault) == "no such program"
    assert desk.session.run.settled.is_set()


def test_faults_are_told_three_times_and_then_once_in_a_while(desk: Desk) -> None:
    fault = protocol.Error(session_id="a", message="cannot", recoverable=True)
    for _ in range(10):
        desk.intake.take(desk.session, [fault])
    assert [told[0] for told in desk.log] == ["audience.tell"] * 3
    desk.clock.move(4.9)
    assert len(desk.log) == 3
    desk.clock.move(0.2)
    assert len(desk.log) == 4
    desk.clock.move(60)
    assert len(desk.log) == 4


def test_a_start_begins_a_judge_and_is_published(desk: Desk) -> None:
    desk.session.change(state=State.STARTING)
    done = desk.take(protocol.Started(session_id="a", pid=7))
    assert done == ["judges.begin", "audience.publish"]
    assert (desk.session.info.state, desk.session.info.pid) == (State.RUNNING, 7)
    assert desk.session.run.settled.is_set()


def test_processes_are_for_the_judge(desk: Desk) -> None:
    assert desk.take(protocol.Phase(session_id="a", phase="idle", detail="{}")) == [
        "judges.activity"
    ]


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}
