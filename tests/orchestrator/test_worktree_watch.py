"""Which worktrees conflict is told once to front ends: real git, and the notice on its way to them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, cast

import pytest

from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.worktrees import WorktreeWatch
from nagomi_tui.sessions.session import Session, State
from nagomi_tui.sessions.standing import changes_of
from nagomi_tui.settings.model import Settings
from nagomi_tui.worktrees.creating import Wish, make
from nagomi_tui.worktrees.merging import merge
from nagomi_tui.worktrees.repository import at, find
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.orchestrator.runtime.requests import Refusal


class Watch:
    """Follows the worktrees in which sessions are, for one front end."""

    is_front_end = has_greeted = True

    def __init__(self, *trees: Path) -> None:
        self.told: list[str] = []
        self.settings = Settings()
        self.sessions = [
            SessionRuntime(
                Session(
                    session_id=tree.name, number=number, name=tree.name, cmd="sh", cwd=str(tree),
                    state=State.RUNNING,
                )
            )
            for number, tree in enumerate(trees, 1)
        ]  # fmt: skip
        self.all = self.sessions
        audience = Audience({cast("Any", self)}, cast("Any", None), cast("Any", None))
        self._watch = WorktreeWatch(
            cast("Any", self), audience, lambda _: True, lambda: self.settings
        )

    def tell(self, _kind: str, said: Refusal) -> None:
        self.told.append(str(said))

    async def requests(self) -> list[str]:
        """Return what each session's line says of its branch's pull request."""
        await self._watch.find_requests()
        told = (changes_of(one.info) for one in self.sessions)
        return ["".join(word for word in words if word[0] == "#") for words in told]

    async def look(self) -> tuple[str, ...]:
        """Return which branches each session's worktree meets."""
        for session in self.sessions:
            await self._watch.look(session, anew=True)
        await self._watch.find_conflicts()
        return tuple(
            ",".join(one.info.worktree.meets) for one in self.sessions if one.info.worktree
        )


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.org")
    root = repository(tmp_path / "root", code="1\n2\n3\n", other="o\n")
    one, two = (make(Wish(str(root), name)).worktree.path for name in ("one", "two"))
    return one, two


@pytest.mark.requirement("G-7")
@pytest.mark.anyio
async def test_a_conflict_is_told_once_and_again_only_after_it_was_over(
    trees: tuple[Path, Path],
) -> None:
    one, two = trees
    watch = Watch(*trees)
    assert await watch.look() == ("", "") and watch.told == []
    (one / "code").write_text("1\none\n3\n")
    (two / "code").write_text("1\ntwo\n3\n")
    assert await watch.look() == ("two", "one")
    assert await watch.look() == ("two", "one")
    assert watch.told == ["one and two conflict in code (`nagomi worktree list`)."]
    git(two, "checkout", "-q", "code")
    assert await watch.look() == ("", "") and len(watch.told) == 1
    (two / "code").write_text("1\ntwo\n3\n")
    assert await watch.look() == ("two", "one") and len(watch.told) == 2


@pytest.mark.requirement("G-7")
@pytest.mark.anyio
async def test_what_was_merged_meets_those_that_have_not_left_with_it(
    trees: tuple[Path, Path],
) -> None:
    one, two = trees
    for tree in trees:
        (tree / "code").write_text(f"1\n{tree.name}\n3\n")
        git(tree, "commit", "-qam", tree.name)
    watch = Watch(two)
    assert await watch.look() == ("",)
    merge(find(one), at(one), keep=True)
    assert await watch.look() == ("main",)
    assert await watch.look() == ("main",)
    assert watch.told == ["two and main conflict in code (`nagomi worktree list`)."]
    (find(one).place / "other").write_text("mine\n")
    (two / "other").write_text("theirs\n")
    await watch.look()
    assert len(watch.told) == 1


@pytest.mark.anyio
async def test_pull_requests_stand_behind_branches_only_where_they_are_wanted(
    trees: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    common = {"isDraft": False, "isCrossRepository": False, "url": ""}
    rows: list[dict[str, Any]] = [
        {"number": 7, "headRefName": "one", "state": "OPEN", "mergeable": "CONFLICTING",
         "statusCheckRollup": [{"conclusion": "SUCCESS"}], **common},
        {"number": 9, "headRefName": "two", "state": "MERGED", "mergeable": "UNKNOWN",
         "statusCheckRollup": [{"conclusion": "FAILURE"}], **common},
    ]  # fmt: skip
    (tmp_path / "rows").write_text(json.dumps(rows))
    gh = tmp_path / "bin/gh"
    gh.parent.mkdir()
    gh.write_text(f"#!/bin/sh\necho >> {tmp_path}/asked\ncat {tmp_path}/rows\n")
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{gh.parent}:{os.environ['PATH']}")
    git(tmp_path / "root", "remote", "add", "origin", "https://github.com/x/y.git")
    watch = Watch(*trees)
    await watch.look()
    assert await watch.requests() == ["", ""] and not (tmp_path / "asked").exists()
    watch.settings = Settings(worktree_requests=True)
    for _ in range(2):  # what was asked counts for a while
        assert await watch.requests() == ["#7✓⚠", "#9⇒"]
        await watch.look()
    assert (tmp_path / "asked").read_text() == "\n"
    watch.settings = Settings()
    assert await watch.requests() == ["", ""]
