"""What stands beside a state of work: a failure that a program printed, and an agent's retries."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.orchestrator.judging.explaining import Reasons
from nagomi_tui.sessions.session import Condition
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import of
from tests.helpers.drawn import Drawn
from tests.helpers.judge_story import BOOK
from tests.judge.test_agent_ends import RULE
from tests.orchestrator.test_judges import Desk

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.orchestrator.sessions.session import SessionRuntime


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path))
    desk = Desk(tmp_path)
    desk.rules.book = BOOK
    return desk


def sleeps(desk: Desk, session: SessionRuntime, *, cpu: int = 0, raw: bool = False) -> None:
    """Have the worker see a process that waits for something else than the terminal."""
    wchan = "ep_poll" if raw else "hrtimer_nanosleep"
    process = {"pid": 2, "comm": "serve", "st": "S", "wchan": wchan, "sys": "", "cpu": cpu}
    seen = {"fg": 2, "icanon": not raw, "echo": not raw, "procs": [process]}
    desk.judges.activity(session, json.dumps(seen))


@pytest.mark.parametrize(
    "printed",
    [
        "ERROR: cannot open config; serving anyway",
        "panic: runtime error: index out of range",
        "src/a.ts(3,1): error TS2304: Cannot find name 'x'.\r\n"
        "[10:00:00] Found 3 errors. Watching for file changes.",
    ],
)
@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.requirement("N-76")
def test_a_program_that_fails_and_goes_on_in_silence_gets_a_quiet_mark(
    desk: Desk, printed: str, raw: bool
) -> None:
    session = desk.begin("serve")
    sleeps(desk, session, raw=raw)
    desk.print(session, f"starting\r\n{printed}\r\n".encode())
    desk.clock.move(5)
    assert not session.info.summary.startswith("!")
    desk.clock.move(20)
    assert session.info.summary.startswith("! ")
    assert session.info.summary.split()[1] in printed
    assert session.info.phase is Condition.RUNNING
    assert not desk.turns
    reasons = Reasons(desk.judges, lambda _session: None)
    meaning = reasons.why(session, of("en")).meaning
    assert any("sign of failure" in sentence for sentence in meaning)


@pytest.mark.requirement("N-77")
def test_one_that_printed_nothing_of_failure_gets_none(desk: Desk) -> None:
    session = desk.begin("serve")
    sleeps(desk, session)
    desk.print(session, b"listening on port 80, 0 errors\r\n")
    desk.clock.move(600)
    assert not session.info.summary.startswith("!")


@pytest.mark.requirement("N-72")
def test_the_mark_goes_once_it_works_or_prints_again(desk: Desk) -> None:
    session = desk.begin("serve")
    sleeps(desk, session)
    desk.print(session, b"ERROR: cannot open config\r\n")
    desk.clock.move(20)
    assert session.info.summary.startswith("!")
    desk.print(session, b"a request came\r\n" * 14)
    desk.clock.move(20)
    assert not session.info.summary.startswith("!")
    desk.print(session, b"ERROR: cannot open config\r\n")
    sleeps(desk, session, cpu=10)
    desk.clock.move(9)
    sleeps(desk, session, cpu=500)
    desk.clock.move(5)
    assert not session.info.summary.startswith("!")
    sleeps(desk, session, cpu=500)
    desk.clock.move(20)
    assert session.info.summary.startswith("!")


@pytest.mark.requirement("N-72")
def test_a_longer_silence_may_be_set(desk: Desk) -> None:
    session = desk.begin("serve")
    desk.rules.apply(Settings(silence_timeout=60.0))
    sleeps(desk, session)
    desk.print(session, b"ERROR: cannot open config\r\n")
    desk.clock.move(40)
    assert not session.info.summary.startswith("!")
    desk.clock.move(40)
    assert session.info.summary.startswith("!")


def test_a_secret_in_the_mark_is_masked(desk: Desk) -> None:
    session = desk.begin("serve")
    sleeps(desk, session)
    desk.print(session, b"ERROR: login failed with password=hunter2hunter2\r\n")
    desk.clock.move(20)
    assert session.info.summary.startswith("! ERROR: login failed")
    assert "hunter2" not in session.info.summary


def trying(line: str) -> Drawn:
    """Return an agent at whose field this line counts on for two minutes."""
    agent = Drawn("codex")
    field = "\r\n\r\n› Ask Codex to do anything\r\n\r\n  ? for shortcuts\x1b[2A\r\x1b[2C"
    agent.prints("  >_ OpenAI Codex\r\n\r\n" + field.lstrip("\r\n"), 1.0)
    agent.presses()
    for second in range(120):
        agent.prints("\x1b[H\x1b[J> hello\r\n\r\n" + line.format(second=second) + field, 1.0)
    return agent


def test_an_agent_that_tries_again_for_a_minute_says_so() -> None:
    agent = trying("• Reconnecting... waiting for network ({second}s • esc to interrupt)")
    assert agent.state == "thinking"
    assert agent.judge.known.mark.startswith("↻ • Reconnecting... waiting for network (")


def test_one_that_thinks_as_long_says_nothing() -> None:
    agent = trying("• Working ({second}s • esc to interrupt)")
    assert agent.state == "thinking"
    assert agent.judge.known.mark == ""


def test_its_end_takes_the_words_away() -> None:
    agent = trying("• Reconnecting... waiting for network ({second}s • esc to interrupt)")
    agent.prints(f"\x1b[H\x1b[J> hello\r\n\r\n• Hello.\r\n{RULE}\r\n› Ask Codex\x1b[2G", 3.0)
    assert agent.judge.known.mark == ""
