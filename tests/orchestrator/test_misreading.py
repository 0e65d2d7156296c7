"""That an agent is not understood any more is told once a session, kept, and recorded if agreed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from nagomi_tui.doctor import workplace
from nagomi_tui.judge import misread
from nagomi_tui.judge.evidence import Corrected, Says, Source
from nagomi_tui.judge.verdict import State
from nagomi_tui.orchestrator.judging.outcomes import Misreading
from nagomi_tui.settings.model import Settings
from tests.helpers.judge_story import Story, said, screen

if TYPE_CHECKING:
    from pathlib import Path

FIELD = ("─" * 20, "❯ ", "─" * 20, "  ? for shortcuts")


class Room:
    """Stands for sessions, the audience and the traces."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.traced: list[str] = []
        self.path = "/traces/claude.cast"

    def tell(self, kind: str, sentence: str, /, **values: object) -> None:
        self.told.append(sentence.format(**values))

    def switch(self, session: object, action: str) -> Any:
        self.traced.append(action)
        return self


@pytest.fixture
def misread_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """A judge of Claude Code 2.1.400 whom its user has corrected."""
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path))
    story = Story("claude")
    story.tell(said(Source.TITLE, Says.REST, 1.0))
    story.tell(screen(1.0, "  Claude Code v2.1.400", *FIELD))
    story.until(3.0)
    story.judge.feed(Corrected(4.0, State.ATTENTION))
    return story


@pytest.mark.parametrize("agreed", [True, False])
def test_it_is_told_once_and_recorded_if_the_user_agreed(misread_one: Story, agreed: bool) -> None:
    room, session = Room(), Room()
    settings = Settings(keep_misread=agreed)
    part = Misreading(lambda: settings, cast("Any", room), cast("Any", room))
    for _ in range(2):
        part.look(cast("Any", session), misread_one.judge)
    assert len(room.told) == 1 and "Claude Code 2.1.400" in room.told[0]
    assert room.traced == (["on"] if agreed else [])
    kept = misread.kept()["claude"]
    assert kept.version == "2.1.400" and kept.trace == (room.path if agreed else "")
    (check,) = workplace.agent_checks()
    assert check.label == "Claude Code 2.1.400" and check.result == "warning"
    assert (room.path in check.remedy) is agreed
    misread.forget("claude")
    assert workplace.agent_checks() == []


def test_with_other_rules_only_that_agent_is_forgotten(misread_one: Story) -> None:
    part = Misreading(Settings, cast("Any", Room()), cast("Any", Room()))
    part.look(cast("Any", Room()), misread_one.judge)
    noted = misread.kept()["claude"]
    misread.keep("codex", noted)
    misread.forget("claude")
    assert misread.kept() == {"codex": noted}


def test_what_fits_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path))
    room, story = Room(), Story("claude")
    story.tell(screen(1.0, *FIELD))
    part = Misreading(Settings, cast("Any", room), cast("Any", room))
    part.look(cast("Any", Room()), story.judge)
    assert room.told == [] and misread.kept() == {}
