"""The list of worktrees and the switch for a new one: real repositories, driven by keys."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api.messages import Create
from nagomi_tui.worktrees import project
from nagomi_tui.worktrees.repository import find
from tests.helpers.app_pilot import Visit, visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
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
            await here.sees("Review of topic")


async def test_what_changes_something_is_done_by_a_command_that_asks(
    root: Path, topic: Path
) -> None:
    with FakeOrchestrator(session(1, "one", cwd=str(root))) as server:
        async with visit(server) as here:
            for keys, command in (
                ("m", f"nagomi worktree merge {topic}"),
                ("s", f"nagomi worktree merge --squash {topic}"),
                ("g", "nagomi worktree gone"),
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
            for key, title in (("x", "Remove the worktree"), ("b", "Rebase the worktree")):
                for answer in ("enter", "y"):
                    await here.leader("1")
                    await here.leader("W")
                    await here.sees("topic  ")
                    await here.press("down", key)
                    await here.sees(title)
                    await here.press(answer)
                    await here.misses(title)
            await here.until(lambda: len(server.told(Create)) == asked + 2)
            assert [one.cmd for one in server.told(Create)[asked:]] == [
                f"nagomi worktree remove {topic}", f"nagomi worktree rebase {topic}",
            ]  # fmt: skip


async def test_sessions_in_a_worktree_are_stopped_with_its_removal(root: Path, topic: Path) -> None:
    with FakeOrchestrator(session(1, "agent", cwd=str(topic))) as server:
        async with visit(server) as here:
            await here.leader("W")
            await here.sees("topic  ")
            await here.press("x")
            await here.sees("Stop its sessions and remove the worktree topic?", "In it: 1 agent.")
            await here.press("y")
            await here.until(lambda: bool(server.told(Create)))
            assert server.told(Create)[-1].cmd == f"nagomi worktree remove --stop {topic}"


async def test_a_folder_without_a_repository_is_said(tmp_path: Path) -> None:
    with FakeOrchestrator(session(1, "one", cwd=str(tmp_path))) as server:
        async with visit(server) as here:
            await here.leader("W")
            await here.sees("Enter to open", "repository")
            await here.press("m", "enter", "escape")
            await here.misses("Enter to open")
            assert not server.told(Create)


# --- the dialog of a new session


@asynccontextmanager
async def asked_for_one(
    server: FakeOrchestrator, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Visit]:
    """Open the dialog with a command, and switch the worktree on."""
    async with visit(server, size) as here:
        await here.leader("c")
        await here.sees("New session")
        await here.type("cat")
        await here.press("tab", "tab")
        await here.press("ctrl+a", "ctrl+k")
        await here.type("Fix it")
        await here.press("tab", "right")
        yield here


def _begun(server: FakeOrchestrator) -> Create:
    return next(one for one in server.heard if isinstance(one, Create) and one.cmd == "cat")


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_a_session_begins_in_a_worktree_whose_branch_its_name_proposes(
    root: Path, size: tuple[int, int]
) -> None:
    with FakeOrchestrator(session(1, "main", cwd=str(root))) as server:
        async with asked_for_one(server, size) as here:
            await here.sees("fix-it", "new at main (")
            await here.press("enter")
            await here.until(lambda: any(isinstance(one, Create) for one in server.heard))
            tree = root.parent / "project.worktrees/fix-it"
            assert (_begun(server).cwd, _begun(server).name) == (str(tree), "Fix it")
            assert git(root, "branch", "--format=%(refname:short)").split() == ["fix-it", "main"]


async def test_a_branch_and_a_base_can_be_written_and_changes_come_along(root: Path) -> None:
    (root / "code").write_text("mine\n")
    with FakeOrchestrator(session(1, "main", cwd=str(root))) as server:
        async with asked_for_one(server) as here:
            await here.press("right")
            await here.sees("comes along: code")
            await here.press("tab", "ctrl+a", "ctrl+k")
            await here.type("a..b")
            await here.sees("No branch can be called a..b.")
            await here.press("ctrl+a", "ctrl+k")
            await here.type("other")
            await here.press("tab")
            await here.type("main")
            await here.press("enter")
            await here.until(lambda: any(isinstance(one, Create) for one in server.heard))
            tree = root.parent / "project.worktrees/other"
            assert _begun(server).cwd == str(tree)
            assert (tree / "code").read_text() == "mine\n" and (
                root / "code"
            ).read_text() == "one\n"


@pytest.mark.parametrize("yes", [True, False])
async def test_the_set_up_of_a_repository_is_read_before_it_runs(root: Path, yes: bool) -> None:
    (root / "nagomi.toml").write_text("[worktree]\nsetup = ['make ready']\n")
    git(root, "add", "nagomi.toml")
    git(root, "commit", "-qm", "Rules")
    with FakeOrchestrator(session(1, "main", cwd=str(root))) as server:
        async with asked_for_one(server) as here:
            await here.sees("Run there: setup: make ready (you will be asked)")
            await here.press("enter")
            await here.sees("setup: make ready", "Approve and run")
            assert not [one for one in server.heard if isinstance(one, Create)]
            await here.press("y" if yes else "enter")
            await here.until(lambda: any(isinstance(one, Create) for one in server.heard))
            first = next(one for one in server.heard if isinstance(one, Create))
            tree = root.parent / "project.worktrees/fix-it"
            assert ("make ready" in first.cmd) is yes and first.cwd == str(tree)
            assert project.is_approved(find(root).common, project.read(tree)) is yes
