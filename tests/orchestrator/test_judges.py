"""When judges hear of what, what they bring, and that nothing comes before its time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast
from unittest.mock import MagicMock

import pytest

from nagomi_tui.judge import loading
from nagomi_tui.judge.judge import Change, Judge, Shown
from nagomi_tui.judge.known import Finding
from nagomi_tui.judge.senses.observer import Observer
from nagomi_tui.judge.verdict import State as Judged
from nagomi_tui.orchestrator.judging import session_judge
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.judging.outcomes import Outcomes
from nagomi_tui.orchestrator.output.intake import Intake
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.workers.link import OutputBatch
from nagomi_tui.sessions.session import Condition, LastTurn, Session, State
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import paths
from nagomi_tui.text.rows import ScreenEvent
from tests.helpers.moved_clock import MovedClock

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.orchestrator.sessions.session import FinishedTurn


class Desk:
    """Judges of real rules; who is told is only noted."""

    def __init__(self, folder: Path) -> None:
        self.clock = MovedClock()
        self.published: list[str] = []
        self.told: list[str] = []
        self.turns: list[tuple[int, FinishedTurn]] = []
        self.settings = Settings(silence_timeout=5.0)
        self._screens = ScreenMaker(CrashMarker(folder / "feeding"))
        self._screens.engine = "pyte"
        alarms, others = self.clock.alarms, cast("Any", self)
        listeners = [lambda turn, n=n: self.turns.append((n, turn)) for n in (1, 2)]
        self.judges = Judges(
            lambda: self.settings, others, alarms, trees=others, listeners=listeners,
            show_phase=self.publish, clock=self.clock,
        )  # fmt: skip
        self.judged, self.phases = self.judges.active, self.judges.phases
        self.rules = self.judges.rules
        mocks = cast("Any", MagicMock())
        self._intake = Intake(
            self._screens, mocks, self.judges, scheduler=mocks, audience=mocks,
            alarms=mocks, transcripts=mocks, program_events=mocks, strict=mocks, hooks=mocks,
            asked=mocks,
        )  # fmt: skip

    # --- stands for the audience, the traces and the trees

    def publish(self, session: SessionRuntime) -> None:
        self.published.append(session.info.phase)

    publish_soon = publish

    def tell(self, _kind: str, sentence: str, /, **_values: object) -> None:
        self.told.append(sentence)

    def get(self, _session: SessionRuntime) -> None:
        return None

    def end(self, _session: SessionRuntime) -> None:
        pass

    def record(self, *_values: object) -> None:
        pass

    entered = turn_began = record

    def sees(self, _session: SessionRuntime) -> bool:
        return False

    # --- what happens

    def begin(self, cmd: str = "make") -> SessionRuntime:
        info = Session(
            session_id=cmd, number=1, name=cmd, cmd=cmd, cwd="/", state=State.RUNNING,
            created_at=self.clock.time(), started_at=self.clock.time(),
        )  # fmt: skip
        session = SessionRuntime(info)
        session.run.screen = self._screens.new(cmd, 80, 24)
        self.judges.begin(session, session.run.screen)
        return session

    def reads(self, session: SessionRuntime) -> None:
        """Have the worker see a process that reads a line of the terminal."""
        process = {"pid": 2, "comm": "sh", "st": "S", "wchan": "n_tty_read", "sys": "0 0x0"}
        seen = {"fg": 2, "icanon": True, "echo": True, "procs": [process]}
        self.judges.activity(session, json.dumps(seen))

    def print(self, session: SessionRuntime, data: bytes) -> None:
        self._intake.take(session, [OutputBatch(session.session_id, data, (len(data),), None)])
        session.run.output_at = self.clock.time()

    def rows(self, session: SessionRuntime) -> list[str]:
        assert session.run.screen is not None
        return [row.text for row in session.run.screen.screen()]

    def show(self, session: SessionRuntime, before: Shown, state: Judged, turn: int) -> Shown:
        """Have the judge show another state, and return what it shows."""
        after = Shown(_found(state), self.clock.monotonic(), turn)
        self.judged[session].judge.shown = after
        self.judges._outcomes.changed(
            session, Change(before, after, completed=state is Judged.SUCCESS)
        )
        return after

    def end_of(self, session: SessionRuntime, code: int) -> None:
        session.change(state=State.EXITED, exit_code=code, ended_at=self.clock.time())
        self.judges.ended(session, code, None)
        self.phases.update(session)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path))
    return Desk(tmp_path)


def test_a_turn_that_ends_is_told_to_all_listeners_in_their_order(desk: Desk) -> None:
    session = desk.begin()
    desk.print(session, b"\r\n")
    desk.clock.move(3)
    desk.end_of(session, 2)
    assert [number for number, _ in desk.turns] == [1, 2]
    turn = desk.turns[0][1]
    assert (turn.session, turn.done.turn, turn.done.verdict.state) == (session, 1, "failure")
    assert set(turn.told) == {"en", "ja"}
    assert turn.told["ja"].verdict.summary != turn.told["en"].verdict.summary
    assert turn.began == desk.clock.time() - 3


@pytest.mark.requirement("N-65", "N-66", "N-67")
def test_a_session_keeps_how_its_last_turn_ended_and_how_long_it_took(
    desk: Desk,
) -> None:
    session = desk.begin()
    assert session.info.last_turn is None
    desk.print(session, b"3 boxes are open\r\n")
    desk.clock.move(3)
    desk.end_of(session, 2)
    assert session.info.last_turn == LastTurn(
        turn=1, state="failure", summary="3 boxes are open", duration_ms=3000
    )


def test_a_turn_is_told_once_however_much_time_goes_by(desk: Desk) -> None:
    session = desk.begin()
    desk.end_of(session, 1)
    told = len(desk.turns)
    assert told == 2
    desk.clock.move(120)
    assert len(desk.turns) == told


def test_a_session_that_rests_is_never_looked_at_again(desk: Desk) -> None:
    session = desk.begin()
    desk.end_of(session, 0)
    desk.clock.move(60)
    published = list(desk.published)
    desk.clock.move(600)
    assert desk.published == published
    assert desk.turns[-1][1].session is session


def test_what_is_stopped_ends_quietly(desk: Desk) -> None:
    session = desk.begin()
    session.run.stopped = True
    desk.judges.stopped(session)
    desk.end_of(session, 143)
    assert all(turn.done.quiet for _, turn in desk.turns)
    assert session.info.phase is Condition.IDLE


def test_typed_text_is_judged_a_moment_later_and_enter_at_once(desk: Desk) -> None:
    session = desk.begin("bash")
    heard: list[str] = []
    judge = desk.judged[session].judge
    real = judge.feed
    judge.feed = lambda event: (heard.append(type(event).__name__), real(event))[1]  # type: ignore[method-assign]
    desk.judges.typed(session, "l")
    desk.judges.typed(session, "s")
    assert "Typed" not in heard
    desk.clock.move(0.02)
    assert heard.count("Typed") == 2
    desk.judges.typed(session, "\r")
    assert heard.count("Typed") == 3


def test_a_session_that_is_forgotten_brings_nothing_any_more(desk: Desk) -> None:
    session = desk.begin("bash")
    desk.print(session, b"$ ")
    desk.judges.typed(session, "x")
    desk.judges.forget(session)
    before = list(desk.published)
    desk.clock.move(60)
    assert (desk.published, desk.turns) == (before, [])
    assert session not in desk.judged


def test_a_fault_of_a_judge_ends_that_judge_only(desk: Desk) -> None:
    broken, whole = desk.begin("make"), desk.begin("ninja")

    def fail(_event: object) -> None:
        raise ValueError("a fault of the judge")

    desk.judged[broken].judge.feed = fail  # type: ignore[method-assign,assignment]
    desk.end_of(broken, 1)
    desk.end_of(whole, 1)
    assert list(desk.judged) == [whole]
    assert [turn.session for _, turn in desk.turns] == [whole, whole]
    assert broken.info.phase is Condition.ERROR
    desk.print(broken, b"goes on\r\n")
    assert broken.run.screen is not None
    assert "goes on" in broken.run.screen.screen()[0].text


EDITOR_OUTPUT = (b"\x1b[?2004h$ ", b"ls\r\n\x1b[?2004l\rone ", b"\x1b[2Jtwo\x07 ", b"three\r\n")


@pytest.mark.parametrize("broken", [
    (Observer, "hear"), (Observer, "settle"), (Judge, "feed"), (Judge, "tick"),
    (Outcomes, "name"), (Outcomes, "hide"),
])  # fmt: skip
def test_a_fault_of_the_judge_costs_no_output_on_the_screen(
    desk: Desk, broken: tuple[type[object], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the judge breaks, the terminal shows what it shows with a judge that works."""
    sound = desk.begin("bash")
    for data in EDITOR_OUTPUT:
        desk.print(sound, data)
    faulty = desk.begin("sh")

    def fail(*_values: object, **_named: object) -> None:
        raise ValueError("a fault of the judge")

    monkeypatch.setattr(*broken, fail)
    for data in EDITOR_OUTPUT:
        desk.print(faulty, data)
        desk.clock.move(1.0)
    assert faulty not in desk.judged
    assert desk.rows(faulty) == desk.rows(sound)
    assert any("three" in row for row in desk.rows(faulty))
    assert faulty.run.offset == sum(map(len, EDITOR_OUTPUT))


def test_nothing_is_said_of_a_running_session_that_has_no_judge_yet(desk: Desk) -> None:
    session = desk.begin("bash")
    desk.judges.drop(session)
    session.run.called_at = desk.clock.time()
    before = list(desk.published)
    desk.phases.update(session)
    assert (desk.published, session.info.waits) == (before, False)


def test_in_a_replay_nothing_is_judged(desk: Desk) -> None:
    session = desk.begin()
    session.run.replay = cast("Any", object())
    desk.judges.ended(session, 1, None)
    desk.clock.move(30)
    assert desk.turns == []


def test_a_rebuilt_session_calls_nobody_again(desk: Desk) -> None:
    session = desk.begin()
    desk.end_of(session, 1)
    session.change(ended_at=desk.clock.time())
    told = len(desk.turns)
    desk.judges.drop(session)
    assert session.run.screen is not None
    desk.clock.move(90)
    desk.judges.resume(session, session.run.screen)
    (ground,) = session_judge.reason(desk.judged[session].judge, desk.clock.monotonic()).grounds
    assert (ground.rule, ground.age) == ("exit-code", pytest.approx(90))
    desk.clock.move(60)
    assert len(desk.turns) == told
    assert session.info.phase is Condition.ERROR


@pytest.mark.requirement("N-76")
def test_a_question_above_the_cursor_is_asked_still_once_its_session_is_rebuilt(
    desk: Desk,
) -> None:
    """What stood there before belongs to no turn, but for a question that was open."""
    desk.rules.book = loading.load(paths.shipped("config")).book
    session = desk.begin("sh ask.sh")
    desk.print(session, b"Proceed with the upgrade? [yes/no]:\r\n")
    desk.clock.move(1)
    desk.reads(session)
    desk.clock.move(5)
    assert session.info.phase is Condition.ATTENTION
    told = len(desk.turns)
    desk.judges.drop(session)
    assert session.run.screen is not None
    desk.judges.resume(session, session.run.screen)
    desk.reads(session)
    desk.clock.move(60)
    assert session.info.phase is Condition.ATTENTION
    assert len(desk.turns) == told


@pytest.mark.parametrize(
    ("marks", "phase"),
    [
        (["D;0", "A", "B", "C", "D;1", "A", "B"], Condition.ERROR),
        (["C", "D;0", "A", "B"], Condition.SUCCESS),
    ],
)
@pytest.mark.requirement("N-15")
def test_a_command_that_ended_while_the_orchestrator_was_dead_is_told(
    desk: Desk, marks: list[str], phase: Condition
) -> None:
    session = desk.begin("bash")
    desk.print(session, b"\x1b]133;A\x07$ \x1b]133;B\x07make\r\n\x1b]133;C\x07")
    desk.clock.move(3)
    assert session.info.phase is Condition.RUNNING
    began = session.info.phase_since
    desk.judges.drop(session)
    assert session.run.screen is not None
    events = [ScreenEvent("command", mark) for mark in marks]
    desk.judges.resume(session, session.run.screen, events)
    desk.clock.move(5)
    assert session.info.phase is phase
    assert len(desk.turns) == 2
    assert session.info.phase_since != began


@pytest.mark.parametrize("at_work", [True, False])
@pytest.mark.requirement("N-66")
def test_a_shell_s_command_took_no_longer_for_the_orchestrator_s_death(
    desk: Desk, at_work: bool
) -> None:
    """It began within the session, which is older; nothing tells when a turn at rest began."""
    session = desk.begin("bash")
    desk.print(session, b"\x1b]133;A\x07$ \x1b]133;B\x07")
    desk.clock.move(1800)
    if at_work:
        desk.print(session, b"make\r\n\x1b]133;C\x07")
        desk.clock.move(3)
    desk.judges.drop(session)
    desk.clock.move(4)
    assert session.run.screen is not None
    desk.judges.resume(session, session.run.screen)
    desk.print(session, b"\x1b]133;D;1\x07\x1b]133;A\x07$ \x1b]133;B\x07")
    desk.clock.move(5)
    took = session.info.last_turn and session.info.last_turn.duration_ms
    assert took == (pytest.approx(8000, abs=300) if at_work else None)
    for _, turn in desk.turns[-2:]:
        began = pytest.approx(desk.clock.time() - 12, abs=0.3)
        assert turn.began == (began if at_work else None)


@pytest.mark.requirement("N-43")
def test_to_think_between_two_tools_begins_no_new_time(desk: Desk) -> None:
    session = desk.begin("claude")
    shown = Shown(_found(Judged.RUNNING), 0.0, turn=3)
    for state in (Judged.THINKING, Judged.RUNNING, Judged.THINKING, Judged.RUNNING):
        desk.clock.move(7)
        shown = desk.show(session, shown, state, turn=3)
    assert desk.clock.time() - (session.info.phase_since or 0.0) == pytest.approx(21)
    desk.clock.move(7)
    shown = desk.show(session, shown, Judged.SUCCESS, turn=3)
    assert session.info.phase_since == desk.clock.time()
    desk.clock.move(7)
    desk.show(session, shown, Judged.THINKING, turn=4)
    assert session.info.phase_since == desk.clock.time()


def _found(state: Judged) -> Finding:
    return Finding(state=state, confidence=0.9, rule="screen")


def test_another_silence_counts_for_judges_that_have_begun(desk: Desk) -> None:
    session = desk.begin()
    desk.rules.apply(Settings(silence_timeout=11.0))
    assert desk.judged[session].judge.book.profile.silence_seconds == 11.0


def test_a_bell_is_forgotten_once_its_session_was_seen(desk: Desk) -> None:
    session = desk.begin("bash")
    session.run.called_at = desk.clock.time()
    desk.phases.update(session)
    assert session.info.phase is Condition.ATTENTION
    desk.clock.move(1)
    session.run.seen_at = desk.clock.time()
    desk.phases.update(session)
    assert session.info.phase is not Condition.ATTENTION


def test_a_draft_counts_as_listening_until_silence_has_gone_by(desk: Desk) -> None:
    session = desk.begin("bash")
    desk.print(session, b"$ ")
    desk.clock.move(30)
    assert session.info.phase is Condition.IDLE
    desk.judges.composing(session)
    assert session.info.phase is Condition.LISTENING
    desk.clock.move(4.9)
    assert session.info.phase is Condition.LISTENING
    desk.clock.move(0.3)
    assert session.info.phase is Condition.IDLE


def test_an_agent_in_a_shell_is_named_once_its_process_is_seen(desk: Desk) -> None:
    """Codex says that it rests a quarter of a second after its start; no verdict follows that."""
    desk.rules.book = loading.load(paths.shipped("config")).book
    session = desk.begin("bash")
    desk.print(session, b"$ ")
    desk.judges.typed(session, "codex\r")
    desk.print(session, b"codex\r\n\x1b]7501;state=idle:app=codex\x07\x1b[2J\x1b[HOpenAI Codex\r\n")
    desk.clock.move(10)
    assert (session.info.judge_profile, session.info.phase) == ("shell", Condition.IDLE)
    process = {"pid": 9, "comm": "codex", "st": "S", "wchan": "ep_poll", "sys": "232 0x0"}
    seen = {"fg": 9, "icanon": False, "echo": False, "procs": [process]}
    desk.judges.activity(session, json.dumps(seen))
    assert session.info.judge_profile == "codex"
    published = len(desk.published)
    desk.judges.activity(session, json.dumps(seen))
    assert len(desk.published) == published


def test_a_title_does_not_take_the_place_of_the_question_that_was_read(desk: Desk) -> None:
    desk.rules.book = loading.load(paths.shipped("config")).book
    session = desk.begin("gemini")
    title = "✋  Action Required (kotatsu)"
    session.change(title=title)
    desk.print(session, f"\x1b]0;{title}\x07".encode())
    desk.print(session, DIALOG.encode())
    desk.clock.move(2)
    assert session.info.phase is Condition.ATTENTION
    assert "Allow execution" in session.info.summary
    desk.print(session, b"\x1b[2J\x1b[H" + "".join(DIALOG.splitlines(True)[3:]).encode())
    desk.clock.move(2)
    assert session.info.phase is Condition.ATTENTION
    assert "Allow execution" in session.info.summary


DIALOG: Final = """\
? Shell  touch tested\r
Allow execution of [Shell]?\r
\r
● 1. Allow once\r
  2. Allow for this session\r
  3. No, suggest changes (esc)\r
"""
