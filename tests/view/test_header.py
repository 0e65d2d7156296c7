"""A tile's header is exactly as wide as the tile, whatever it has to say."""

from __future__ import annotations

import pytest

from nagomi_tui.sessions.session import (
    PHASES,
    Condition,
    GuardStanding,
    State,
    WorktreeStanding,
)
from nagomi_tui.sessions.standing import badge_words
from nagomi_tui.text.cells import cells
from nagomi_tui.text.words import of
from nagomi_tui.view.screens.header import header
from nagomi_tui.view.screens.state import elapsed
from tests.helpers.fake_orchestrator import session

NAMES = [
    "a",
    "nagomi-claude",
    "ウェブ開発サーバーの様子",
    "👨‍👩‍👧‍👦 family",
    "é" * 40,
    "bad\x1b[31mname",
]


def text(parts: list[object]) -> str:
    return "".join(part.text for part in parts)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("branch", ["", "main", "feature/とても長い枝の名前です"])
@pytest.mark.requirement("NB-19")
def test_a_header_fills_every_width_exactly(name: str, branch: str) -> None:
    one = session(12, name, branch=branch, cwd="/srv/とても/長い/フォルダー/の/名前")
    for width in range(1, 130):
        shown = text(header(one, width, 0.0))  # type: ignore[arg-type]
        assert cells(shown) == width
        assert "\x1b" not in shown


@pytest.mark.requirement("N-41")
def test_what_matters_most_is_kept_in_a_narrow_tile() -> None:
    one = session(3, "nagomi-claude", branch="main", phase=Condition.ATTENTION)
    shown = [text(header(one, width, 0.0)) for width in (100, 50, 30, 24)]  # type: ignore[arg-type]
    assert all(line.startswith(" 3 nagomi-c") for line in shown)
    assert "/srv/work" in shown[0] and "waits for you" in shown[0]
    assert "waits for you" in shown[1] and "main" in shown[1] and "/srv/work" not in shown[1]
    assert "◆ 00:00" in shown[2] and "waits" not in shown[2]
    assert "◆" in shown[3]


def test_what_has_changed_in_a_worktree_stands_behind_its_branch() -> None:
    tree = WorktreeStanding(
        base="main", ahead=2, files=3, added=40, removed=5, ports={"PORT": 3000}, meets=("y",)
    )
    one = session(3, "x", branch="fix", cwd="/srv/x", worktree=tree)
    wide, less, least = [text(header(one, width, 0.0)) for width in (100, 44, 16)]  # type: ignore[arg-type]
    assert " /srv/x fix ⚠ +40 −5 ↑2 :3000 ─" in wide
    assert " /srv/x fix ⚠ ─" in less and "fix" not in least
    for width in range(1, 130):
        assert cells(text(header(one, width, 0.0))) == width  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [24, 32, 40])
def test_a_name_that_does_not_fit_has_all_that_the_sign_of_its_badge_leaves(width: int) -> None:
    made = [session(n, f"nagomi-frontend-refactoring-claude-{n}", branch="main") for n in (1, 2)]
    first, second = [text(header(one, width, 60.0)) for one in made]  # type: ignore[arg-type]
    assert first.startswith(" 1 nagomi-") and first.endswith("aude-1 ─ · ")
    assert first[3:] != second[3:]
    whole = text(header(made[0], 44, 60.0))  # type: ignore[arg-type]
    assert whole.startswith(f" 1 {made[0].name} ") and whole.endswith(" · ")


@pytest.mark.requirement("F-10")
def test_the_guard_is_told_before_the_badge_and_outlasts_its_word() -> None:
    guard = GuardStanding(mode="implementation", done=2, total=5)
    one = session(3, "nagomi-claude", branch="main", phase=Condition.RUNNING, guard=guard)
    shown = [text(header(one, width, 0.0)) for width in (100, 52, 44, 28)]  # type: ignore[arg-type]
    assert "▸ implement 2/5 ● working" in shown[0] and "▸ implement 2/5 ● working" in shown[1]
    assert "▸ implement 2/5 ●" in shown[2] and "working" not in shown[2]
    assert "▸ 2/5 ●" in shown[3]
    for width in range(1, 130):
        assert cells(text(header(one, width, 0.0))) == width  # type: ignore[arg-type]


@pytest.mark.requirement("F-10")
def test_a_proposal_is_counted_and_a_bypass_is_named() -> None:
    for guard, said in (
        (GuardStanding(proposed=3), "◇ discuss ?3"),
        (GuardStanding(), "◇ discuss"),
        (GuardStanding(bypassed=True), "▽ unguarded"),
    ):
        one = session(3, "a", guard=guard)
        assert said in text(header(one, 100, 0.0))  # type: ignore[arg-type]


@pytest.mark.requirement("N-140")
def test_every_state_has_a_shape_and_a_word_of_its_own() -> None:
    made = [session(1, "a", phase=phase) for phase in PHASES]
    made += [
        session(1, "a", state=State.EXITED, exit_code=0),
        session(1, "a", state=State.EXITED, exit_code=1, phase=Condition.ERROR),
        session(1, "a", state=State.LOST, phase=Condition.ERROR),
    ]
    looks = {(one.condition.shape, badge_words(one, of("en").say)) for one in made}
    assert len(looks) == len(made)
    assert {("▲", "failed"), ("▲", "failed (1)")} < looks


@pytest.mark.requirement("NB-18")
def test_a_stopped_session_is_not_called_a_failure() -> None:
    stopped = session(1, "a", state=State.EXITED, signal=15).condition
    assert (stopped.word, stopped.color) == ("stopped", "muted")


@pytest.mark.requirement("N-43")
def test_the_time_is_for_how_long_it_has_been_so() -> None:
    values = {"started_at": 0.0, "last_input_at": 20.0, "last_output_at": 130.0}
    working = session(1, "a", phase=Condition.RUNNING, phase_since=100.0, **values)
    waiting = session(1, "a", phase=Condition.ATTENTION, phase_since=100.0, **values)
    ended = session(1, "a", state=State.EXITED, ended_at=200.0, phase_since=100.0, **values)
    assert elapsed(working, 190.0) == 90.0
    assert elapsed(session(1, "a", **values), 30.0) == 30.0
    assert elapsed(ended, 230.0) == 30.0
    assert elapsed(waiting, 219.0) == 119.0
