"""What `nagomi ls` prints on a terminal, at several widths."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from nagomi_tui.api import printing
from nagomi_tui.api.messages import whole
from nagomi_tui.api.where import meant_by
from nagomi_tui.sessions.session import Condition, State, WorktreeStanding
from nagomi_tui.text.cells import cells
from nagomi_tui.text.words import of
from tests.helpers.fake_orchestrator import session

FOLDER = "/srv/some/company/projects/frontend"
ASKS = session(
    1, "frontend-refactoring", phase=Condition.ATTENTION, waits=True,
    summary="Go on with the migration?", cwd=FOLDER,
)  # fmt: skip
FAILED = session(
    12, "api", state=State.EXITED, exit_code=1, phase=Condition.ERROR, waits=True,
    summary="KeyError: one", cwd=FOLDER,
)  # fmt: skip


def table(width: int, language: str = "en") -> list[str]:
    found = [whole(ASKS), whole(FAILED)]
    return printing.table(found, of(language), width=width, home="/root").splitlines()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("width", [80, 120])
def test_what_a_session_asks_has_room_before_its_folder_and_name(width: int, language: str) -> None:
    asks, failed = table(width, language)
    assert asks.endswith("Go on with the migration?")
    assert failed.endswith("KeyError: one")
    assert max(map(cells, (asks, failed))) <= width


def test_a_folder_is_cut_at_its_beginning_and_left_out_last() -> None:
    assert FOLDER in table(0)[0] and FOLDER in table(140)[0]
    assert "/projects/frontend" in table(110)[0] and FOLDER not in table(110)[0]
    assert "frontend-refactoring" in table(80)[0] and "…" not in table(80)[0]
    assert table(60)[0].startswith("  1  frontend-…  waits for you")


def test_the_branch_and_changes_of_a_worktree_stand_where_the_width_allows_it() -> None:
    tree = WorktreeStanding(
        ahead=2, files=3, added=12, removed=4, ports={"PORT": 3001}, meets=("b",)
    )
    found = [whole(replace(ASKS, branch="fix-login", worktree=tree)), whole(FAILED)]
    told = "  fix-login ⚠ +12 −4 ↑2 :3001  Go on with the migration?"
    for width, is_told in ((0, True), (160, True), (120, False), (80, False)):
        asks, failed = printing.table(found, of("en"), width=width, home="/root").splitlines()
        assert (told in asks) is is_told and asks.endswith("Go on with the migration?"), width
        assert failed.endswith("KeyError: one")
        assert not width or max(map(cells, (asks, failed))) <= width


def test_who_was_not_looked_at_since_it_failed_is_marked() -> None:
    seen = session(12, "api", state=State.EXITED, exit_code=1, phase=Condition.ERROR)
    assert "  failed (1)*  " in table(0)[1]
    assert "*" not in printing.table([whole(seen), whole(ASKS)], of("en"), width=0, home="/root")


def test_who_waits_is_chosen_as_the_bar_counts_it() -> None:
    seen = session(3, "seen", phase=Condition.ERROR)
    done = session(4, "done", phase=Condition.SUCCESS, waits=True)
    every = (ASKS, FAILED, seen, done)

    def chosen(term: str) -> list[str]:
        return [one.name for one in every if meant_by(term)(one)]

    assert chosen("is:waits") == ["frontend-refactoring", "api"]
    assert chosen("is:unseen") == ["api", "done"]
    assert chosen("is:failed") == ["api", "seen"]
