"""Commits of the notes alone, by real git, in every state that a repository can be in."""

from __future__ import annotations

import re
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio
import psutil
import pytest

from nagomi_tui.agent.modes.git import DETACHED, Committed, Git, commit_file
from nagomi_tui.system.git import GitFault
from tests.helpers.repository import git, hook, repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

PATH = "memory/inner-notes.md"
CONTENT = b"- the build is red\n"
MESSAGE = "chore(inner): snapshot reserved working memory 2026-02-25"


def _notes(folder: Path, content: bytes = CONTENT) -> Path:
    path = folder / PATH
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return folder


async def _commit(folder: Path, program: Git | None = None) -> Committed:
    content = (folder / PATH).read_bytes()
    return await commit_file(program or Git(), folder, PATH, content, MESSAGE)


@contextmanager
def _fails(said: str) -> Iterator[None]:
    with pytest.raises(GitFault) as caught:
        yield
    assert re.search(said, caught.value.sentence.format(**caught.value.values))


def _in_head(folder: Path) -> bytes:
    return git(folder, "show", f"HEAD:./{PATH}").encode()


def _is_clean(folder: Path) -> bool:
    return git(folder, "status", "--porcelain", "--", PATH) == ""


@pytest.mark.requirement("M-11", "MC-8")
async def test_the_file_is_committed(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    done = await _commit(folder)
    assert done.made and done.commit == git(folder, "rev-parse", "HEAD").strip()
    assert _in_head(folder) == CONTENT and _is_clean(folder)
    assert git(folder, "log", "-1", "--format=%s").strip() == MESSAGE
    assert git(folder, "show", "--name-only", "--format=").split() == [PATH]


@pytest.mark.requirement("MB-3")
async def test_what_head_has_already_is_not_committed_again(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    first = await _commit(folder)
    again = await _commit(folder)
    assert again == Committed(first.commit, made=False)
    assert git(folder, "rev-list", "--count", "HEAD").strip() == "2"


@pytest.mark.requirement("MB-4")
async def test_what_the_user_has_staged_stays_staged(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello", other="a"))
    (folder / "new").write_text("staged")
    (folder / "other").write_text("staged")
    git(folder, "add", "new", "other")
    (folder / "other").write_text("and changed")
    before = git(folder, "status", "--porcelain", "--", "new", "other")
    for content in (CONTENT, b"the second\n"):  # not known to git, and known
        await _commit(_notes(folder, content))
        assert git(folder, "show", "--name-only", "--format=").split() == [PATH]
        assert git(folder, "status", "--porcelain", "--", "new", "other") == before
    assert before == "A  new\nMM other\n"


@pytest.mark.requirement("MB-4")
async def test_a_first_commit_takes_the_file_alone(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path))
    (folder / "new").write_text("staged")
    git(folder, "add", "new")
    await _commit(folder)
    assert git(folder, "ls-tree", "-r", "--name-only", "HEAD").split() == [PATH]
    assert git(folder, "status", "--porcelain") == "A  new\n"


@pytest.mark.requirement("MB-4")
async def test_an_ignored_path_is_committed(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, **{".gitignore": "memory/\n*.md\n"}))
    await _commit(folder)
    assert _in_head(folder) == CONTENT
    await _commit(_notes(folder, b"the second\n"))
    assert _in_head(folder) == b"the second\n"


@pytest.mark.requirement("MB-4")
async def test_a_commit_on_a_detached_head_is_kept_by_a_name(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    git(folder, "checkout", "-q", "--detach")
    done = await _commit(folder)
    git(folder, "checkout", "-q", "main")
    git(folder, "reflog", "expire", "--expire=now", "--all")
    git(folder, "gc", "-q", "--prune=now")
    assert git(folder, "show", f"{DETACHED}/{done.commit}:{PATH}").encode() == CONTENT


@pytest.mark.requirement("MB-4")
async def test_on_a_branch_no_other_name_is_made(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    await _commit(folder)
    assert git(folder, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]


@pytest.mark.requirement("MB-4")
async def test_a_folder_within_a_repository_of_the_user_works(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello") / "agent")
    await _commit(folder)
    assert git(tmp_path, "show", "--name-only", "--format=").split() == [f"agent/{PATH}"]


@pytest.mark.requirement("MB-4")
async def test_without_a_repository_it_is_told(tmp_path: Path) -> None:
    folder = _notes(tmp_path)
    with _fails("is in no git repository"):
        await _commit(folder)


@pytest.mark.requirement("MB-4")
async def test_without_a_folder_or_git_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _fails("does not exist"):
        await commit_file(Git(), tmp_path / "none", PATH, b"x", MESSAGE)
    with _fails("git is not installed"):
        monkeypatch.setenv("PATH", str(tmp_path))
        await commit_file(Git(), tmp_path, PATH, b"x", MESSAGE)


@pytest.mark.requirement("MB-4")
async def test_without_an_identity_the_agent_signs_as_itself(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    git(folder, "config", "user.useConfigOnly", "true")
    await _commit(folder)
    assert git(folder, "log", "-1", "--format=%an").strip() == "nagomi"
    git(folder, "config", "user.name", "Alex")
    git(folder, "config", "user.email", "alex@example.org")
    await _commit(_notes(folder, b"the second\n"))
    assert git(folder, "log", "-1", "--format=%an <%ce>").strip() == "Alex <alex@example.org>"


@pytest.mark.requirement("MB-4")
async def test_a_signature_that_would_ask_is_not_made(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path / "r", README="hello"))
    asked = tmp_path / "asked"
    program = tmp_path / "gpg"
    program.write_text(f"#!/bin/sh\necho > {asked}\nsleep 60\n")
    program.chmod(0o755)
    git(folder, "config", "commit.gpgSign", "true")
    git(folder, "config", "gpg.program", str(program))
    await _commit(folder, Git(seconds=5))
    assert _in_head(folder) == CONTENT and not asked.exists()


@pytest.mark.requirement("MB-4")
async def test_another_git_that_ends_in_time_is_waited_for(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    lock = folder / ".git" / "index.lock"
    lock.touch()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_unlock, lock)
        await _commit(folder)
    assert _in_head(folder) == CONTENT


async def _unlock(lock: Path) -> None:
    await anyio.sleep(0.3)
    lock.unlink()


@pytest.mark.requirement("MB-4")
async def test_a_lock_that_stays_is_told_and_left(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    lock = folder / ".git" / "index.lock"
    lock.touch()
    with _fails(r"index\.lock; remove that file if none is running"):
        await _commit(folder)
    assert lock.exists()
    lock.unlink()
    assert git(folder, "status", "--porcelain") == "?? memory/\n"
    assert (await _commit(folder)).made


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg"])
@pytest.mark.requirement("MB-4")
async def test_a_hook_that_refuses_is_told_and_the_index_is_as_before(
    tmp_path: Path, name: str
) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    hook(folder, name, "echo 'not today' >&2; exit 1")
    with _fails("git says: not today"):
        await _commit(folder)
    assert git(folder, "status", "--porcelain") == "?? memory/\n"


@pytest.mark.requirement("MB-4")
async def test_hooks_are_left_out_where_the_user_says_so(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    hook(folder, "pre-commit", "exit 1")
    hook(folder, "commit-msg", "exit 1")
    assert (await _commit(folder, Git(hooks=False))).made


@pytest.mark.requirement("MB-4")
async def test_a_hook_that_blocks_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path / "r", README="hello"))
    pids = tmp_path / "pids"
    hook(folder, "pre-commit", f"sleep 300 & echo $! $$ > {pids}; wait")
    began = time.monotonic()
    with _fails("a hook may be waiting"):
        await _commit(folder, Git(seconds=2))
    assert time.monotonic() - began < 60
    assert [pid for pid in pids.read_text().split() if _runs(int(pid))] == []
    assert not (folder / ".git" / "index.lock").exists()
    assert git(folder, "status", "--porcelain") == "?? memory/\n"


def _runs(pid: int) -> bool:
    """Tell whether a process still runs a while after it was killed."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return False
        except psutil.NoSuchProcess:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.requirement("MB-4")
async def test_a_hook_that_blocks_after_the_commit_takes_nothing_back(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    hook(folder, "post-commit", "sleep 300")
    assert (await _commit(folder, Git(seconds=3))).made
    assert _in_head(folder) == CONTENT


@pytest.mark.requirement("MB-4")
async def test_what_a_hook_leaves_running_is_not_waited_for(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path / "r", README="hello"))
    hook(folder, "post-commit", f"sleep 60 & echo $! > {tmp_path}/pid")
    try:
        with anyio.fail_after(30):
            assert (await _commit(folder, Git(seconds=50))).made
    finally:
        psutil.Process(int((tmp_path / "pid").read_text())).kill()


@pytest.mark.requirement("MB-4")
async def test_a_hook_cannot_ask_anybody(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path / "r", README="hello"))
    hook(folder, "pre-commit", f"read answer; env > {tmp_path}/env; tty >> {tmp_path}/env; true")
    await _commit(folder)
    seen = (tmp_path / "env").read_text()
    assert "GIT_TERMINAL_PROMPT=0" in seen and "not a tty" in seen


@pytest.mark.requirement("MB-4")
async def test_the_environment_names_no_other_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other", README="other")
    folder = _notes(repository(tmp_path / "own", README="own"))
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    await _commit(folder)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert _in_head(folder) == CONTENT and not (tmp_path / "index").exists()
    assert git(other, "rev-list", "--count", "HEAD").strip() == "1"


@pytest.mark.requirement("MB-4")
async def test_during_a_merge_it_is_told_and_the_merge_goes_on(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path, README="hello"))
    git(folder, "checkout", "-q", "-b", "side")
    (folder / "README").write_text("side")
    git(folder, "commit", "-q", "-a", "-m", "side")
    git(folder, "checkout", "-q", "main")
    (folder / "README").write_text("main")
    git(folder, "commit", "-q", "-a", "-m", "main")
    with pytest.raises(subprocess.CalledProcessError):
        git(folder, "merge", "side")
    with _fails("partial commit during a merge"):
        await _commit(folder)
    assert git(folder, "status", "--porcelain") == "AA README\n?? memory/\n".replace("AA", "UU")


@pytest.mark.requirement("MB-3")
async def test_a_filter_of_the_path_is_no_difference(tmp_path: Path) -> None:
    folder = _notes(
        repository(tmp_path, **{".gitattributes": "*.md text eol=crlf\n"}), b"a\r\nb\r\n"
    )
    assert (await _commit(folder)).made
    assert _in_head(folder) == b"a\nb\n"
    assert not (await _commit(folder)).made


@pytest.mark.requirement("MB-3")
async def test_a_link_in_the_files_place_is_not_taken_for_its_content(tmp_path: Path) -> None:
    folder = repository(tmp_path / "r", README="hello")
    (tmp_path / "elsewhere.md").write_bytes(CONTENT)
    (folder / "memory").mkdir()
    (folder / PATH).symlink_to(tmp_path / "elsewhere.md")
    with _fails("is not what the file holds"):
        await _commit(folder)


@pytest.mark.requirement("MB-4")
async def test_cancelling_ends_git(tmp_path: Path) -> None:
    folder = _notes(repository(tmp_path / "r", README="hello"))
    hook(folder, "pre-commit", f"echo $$ > {tmp_path}/pid; sleep 300")
    began = time.monotonic()
    with anyio.move_on_after(2):
        await _commit(folder, Git(seconds=60))
    assert time.monotonic() - began < 30, "its own deadline was not waited for"
    assert not _runs(int((tmp_path / "pid").read_text()))
