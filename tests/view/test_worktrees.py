"""The list of worktrees and the switch for a new one: real repositories, driven by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api.messages import Create
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", code="one\n")


@pytest.fixture
def topic(root: Path) -> Path:
    """A worktree with a commit of its own."""
    folder = root.parent / "topic"
    git(root, "worktree", "add", "-q", "-b", "topic", str(folder))
    (folder / "code").write_text("one\ntwo\n")
    git(folder, "commit", "-qam", "two")
    return folder


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_each_worktree_is_listed_and_one_is_gone_to(
    root: Path, topic: Path, size: tuple[int, int]
) -> None:
    git(root, "worktree", "add", "-q", "-b", "other", str(root.parent / "other"))
    (root.parent / "other/code").write_text("one\nanother\n")
    sessions = session(1, "one", cwd=str(root)), session(2, "two", cwd=str(topic))
    with FakeOrchestrator(*sessions) as server:
        async with visit(server, size) as here:
            await here.leader("W")
            await here.sees("main  session 1", "1 file +1 −0", "session 2", "1 not committed")
            await here.sees("⚠ topic and other conflict in code", "u undo", "Esc to close")
            await here.press("j", "j", "enter")
            await here.until(lambda: here.app.parts.state.current.number == 2)
            await here.leader("W")
            await here.sees("topic  ")
            await here.press("d")
            await here.sees("Review of main")


async def test_what_changes_something_is_done_by_a_command_that_asks(
    root: Path, topic: Path
) -> None:
    with FakeOrchestrator(session(1, "one", cwd=str(root))) as server:
        async with visit(server) as here:
            for keys, command in (
                ("m", f"nagomi worktree merge {topic}"),
                ("s", f"nagomi worktree merge --squash {topic}"),
                ("b", f"nagomi worktree rebase {topic}"),
                ("u", "nagomi worktree undo"),
            ):
                await here.leader("W")
                await here.sees("topic  ")
                await here.press("down", keys)
                await here.until(
                    lambda want=command: (
                        server.told(Create)[-1:] and server.told(Create)[-1].cmd == want
                    )
                )
                assert server.told(Create)[-1].cwd == str(root)
                await here.leader("1")
            asked = len(server.told(Create))
            for key in ("enter", "y"):
                await here.leader("1")
                await here.leader("W")
                await here.sees("topic  ")
                await here.press("down", "x")
                await here.sees("Remove the worktree topic?")
                await here.press(key)
                await here.misses("Remove the worktree topic?")
            await here.until(lambda: len(server.told(Create)) > asked)
            assert [one.cmd for one in server.told(Create)[asked:]] == [
                f"nagomi worktree remove {topic}"
            ]


async def test_a_folder_without_a_repository_is_said(tmp_path: Path) -> None:
    with FakeOrchestrator(session(1, "one", cwd=str(tmp_path))) as server:
        async with visit(server) as here:
            await here.leader("W")
            await here.sees("Enter to open", "repository")
            await here.press("m", "enter", "escape")
            await here.misses("Enter to open")
            assert not server.told(Create)


@pytest.mark.parametrize(("typed", "branch"), [("", "project-make"), ("fix/a", "fix/a")])
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_session_begins_in_a_worktree_of_its_own(
    root: Path, typed: str, branch: str, size: tuple[int, int]
) -> None:
    with FakeOrchestrator(session(1, "one", cwd=str(root))) as server:
        async with visit(server, size) as here:
            await here.leader("c")
            await here.sees("New session", "Worktree")
            await here.type("make")
            await here.press("tab", "tab", "tab", "right")
            await here.sees("branch: project-make")
            await here.press("tab")
            await here.type(typed)
            await here.press("enter")
            await here.until(lambda: server.told(Create))
            asked = server.told(Create)[0]
            assert (asked.cmd, asked.name) == ("make", branch)
            assert git(root, "-C", asked.cwd, "branch", "--show-current").strip() == branch


async def test_lines_of_the_repository_come_first_once_they_are_approved(root: Path) -> None:
    from nagomi_tui.worktrees import project
    from nagomi_tui.worktrees import repository as found

    (root / "nagomi.toml").write_text('[worktree]\nsetup = ["make ready"]\n')
    git(root, "add", ".")
    git(root, "commit", "-qm", "set-up")
    with FakeOrchestrator(session(1, "one", cwd=str(root))) as server:
        async with visit(server, (120, 36)) as here:
            await here.leader("c")
            await here.sees("New session")
            await here.press("tab", "tab", "tab", "right", "enter")
            await here.sees("commands that you have not")
            assert not server.told(Create)
            assert "worktree" not in git(root, "branch", "--list")
            project.approve(found.find(root).common, project.read(root))
            await here.press("enter")
            await here.until(lambda: server.told(Create))
            first = server.told(Create)[0]
            assert "make ready" in first.cmd
            assert len(server.told(Create)) == 1
            begun = next(one for one in server.sessions.values() if one.number == 2)
            server.change(begun.session_id, state="exited", exit_code=0)
            await here.until(lambda: len(server.told(Create)) == 2)
            assert server.told(Create)[1].cwd == first.cwd
