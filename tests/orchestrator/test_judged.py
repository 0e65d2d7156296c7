"""What is typed is judged a moment later, yet before whatever follows it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.judge.evidence import Key, Typed
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.known import Rulebook
from nagomi_tui.judge.line_rules import Profile
from nagomi_tui.orchestrator.judging.session_judge import SessionJudge
from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.terminal.cuts import LineEditing

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.judge.evidence import Event
    from nagomi_tui.judge.judge import Change
    from nagomi_tui.orchestrator.sessions.screens import Screen


class Listening(Judge):
    """A judge that keeps what it hears."""

    def __init__(self) -> None:
        super().__init__("sh", Rulebook(Profile()), at=time.monotonic())
        self.heard: list[Event] = []

    def feed(self, event: Event) -> Change | None:
        self.heard.append(event)
        return super().feed(event)

    @property
    def keys(self) -> list[Key]:
        """What was typed, as far as it has heard."""
        return [event.key for event in self.heard if isinstance(event, Typed)]


@pytest.fixture
def screen(tmp_path: Path) -> Screen:
    return ScreenMaker(CrashMarker(tmp_path / "mark")).new("s" * 36, 80, 24)


@pytest.fixture
def judged(screen: Screen) -> SessionJudge:
    return SessionJudge(Listening(), screen, lambda _change: None)


def judge_of(judged: SessionJudge) -> Listening:
    assert isinstance(judged.judge, Listening)
    return judged.judge


def test_text_is_judged_when_somebody_says_so(judged: SessionJudge) -> None:
    judged.typed(Key.TEXT, time.monotonic())
    judged.typed(Key.TEXT, time.monotonic())
    assert judge_of(judged).keys == []
    judged.catch_up()
    judged.catch_up()
    assert judge_of(judged).keys == [Key.TEXT, Key.TEXT]


@pytest.mark.parametrize("key", [Key.ENTER, Key.ESCAPE, Key.INTERRUPT])
def test_keys_that_mean_something_are_judged_at_once_and_after_the_text(
    judged: SessionJudge, key: Key
) -> None:
    judged.typed(Key.TEXT, time.monotonic())
    judged.typed(key, time.monotonic())
    assert judge_of(judged).keys == [Key.TEXT, key]


@pytest.mark.parametrize(
    "output",
    [b"\x1b]777;notify;Claude Code;It asks\x07", b"$ \x1b[?2004h", b"a line\r\n"],
    ids=["notice", "line editor", "a look"],
)
def test_an_answer_is_judged_before_the_question_that_it_led_to(
    judged: SessionJudge, screen: Screen, output: bytes
) -> None:
    now = time.monotonic()
    judged.typed(Key.TEXT, now)
    for piece in LineEditing().pieces(output):
        _, events = screen.feed(piece.data)
        judged.hear(piece, events, now)
    judged.settle(now)
    heard = judge_of(judged).heard
    assert isinstance(heard[0], Typed)
    assert len(heard) > 1
    assert [event.at for event in heard] == sorted(event.at for event in heard)


def test_time_does_not_pass_a_typed_text_by(judged: SessionJudge) -> None:
    judged.typed(Key.TEXT, time.monotonic())
    judged.pass_time(time.monotonic())
    assert judge_of(judged).keys == [Key.TEXT]
