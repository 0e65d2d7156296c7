"""What has changed in a repository, found with real git; nothing in the repository itself changes."""

from __future__ import annotations

import hashlib
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.review import snapshots as snapshots_module
from nagomi_tui.review.model import as_unified
from nagomi_tui.review.review import Review
from nagomi_tui.review.snapshots import STORED_BYTES, UNTRACKED, Snapshots, find
from nagomi_tui.system.files import write
from nagomi_tui.system.git import GitFault
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.review.model import FileChange
    from nagomi_tui.review.snapshots import Loaded, Since


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "a\nproject", code="one\ntwo\nthree\n", other="kept\n")


def _load(root: Path, since: Since = "uncommitted", session: str = "") -> Loaded:
    snapshots = Snapshots(find(root))
    against = snapshots.against(since, session)
    assert against is not None
    return snapshots.load(since, against)


def _files(root: Path, since: Since = "uncommitted") -> dict[str, FileChange]:
    return {one.name: one for one in _load(root, since).changes.files}


def _repository(root: Path) -> dict[str, bytes]:
    found = (path for path in sorted((root / ".git").rglob("*")) if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


@pytest.mark.requirement("G-11")
def test_every_kind_of_change_is_found_and_the_repository_stays_as_it_was(root: Path) -> None:
    (root / "bytes").write_bytes(b"\0\1")
    (root / "tool").write_text("#!/bin/sh\n")
    (root / "link").symlink_to("code")
    git(root, "add", ".")
    git(root, "commit", "-qm", "second")
    (root / "code").write_text("one\n2\nthree\n")
    (root / "bytes").write_bytes(b"\0\1\2")
    (root / "tool").chmod(0o755)
    (root / "link").unlink()
    (root / "link").symlink_to("other")
    git(root, "mv", "other", "renamed")
    (root / "new").mkdir()
    (root / "new/file").write_text("fresh\n")
    before = _repository(root)
    found = _files(root)
    assert _repository(root) == before
    assert {name: one.status for name, one in found.items()} == {
        "bytes": "M", "code": "M", "link": "M", "new/file": "A", "renamed": "R", "tool": "M",
    }  # fmt: skip
    assert found["bytes"].kind == "binary"
    assert found["tool"].mode_change == "100644 → 100755"
    assert found["link"].is_link
    assert found["renamed"].old_path == b"other"
    assert (found["code"].added, found["code"].removed) == (1, 1)
    (hunk,) = found["code"].hunks
    assert hunk.lines == [" one", "-two", "+2", " three"]
    assert list(hunk.numbers()) == [(1, 1), (2, 0), (0, 2), (3, 3)]
    told = list(as_unified(_load(root).changes))
    assert "rename from other" in told and "+fresh" in told and "old mode 100644" in told


def test_staged_or_not_and_committed_meanwhile(root: Path) -> None:
    (root / "code").write_text("staged\n")
    git(root, "add", "code")
    (root / "code").write_text("later\n")
    assert "+later" in _files(root)["code"].hunks[0].lines
    git(root, "commit", "-qm", "the staged one")
    assert _files(root)["code"].hunks[0].lines == ["-staged", "+later"]
    git(root, "commit", "-qam", "all")
    assert _files(root) == {}


def test_a_change_of_the_same_size_at_the_same_time_is_seen(root: Path) -> None:
    for turn in range(5):
        (root / "code").write_text(f"one\ntw{turn}\nthree\n")
        git(root, "commit", "-qam", "again")
        (root / "code").write_text(f"one\nTW{turn}\nthree\n")
        assert f"+TW{turn}" in _files(root)["code"].hunks[0].lines


def test_since_a_turn(root: Path) -> None:
    snapshots = Snapshots(find(root))
    assert snapshots.against("turn", "s-1") is None
    (root / "code").write_text("by the user\n")
    snapshots.mark_turn("s-1", 1)
    (root / "code").write_text("by the user\nby the agent\n")
    (root / "fresh").write_text("x\n")
    snapshots.mark_turn("s-2", 1)
    found = {one.name: one for one in _load(root, "turn", "s-1").changes.files}
    assert found.keys() == {"code", "fresh"}
    assert found["code"].hunks[0].lines == [" by the user", "+by the agent"]
    assert _files(root, "turn") == {}


def test_a_turn_begins_with_the_enter_that_was_typed(root: Path) -> None:
    """An agent may write before it is seen at work."""
    snapshots = Snapshots(find(root))
    for at in (5.0, 7.0):
        (root / "code").write_text(f"entered at {at}\n")
        snapshots.mark_entered("s-1", at)
    (root / "code").write_text("by the agent\n")
    snapshots.mark_turn("s-1", 1, 7.0)
    (code,) = _load(root, "turn", "s-1").changes.files
    assert code.hunks[0].lines == ["-entered at 7.0", "+by the agent"]

    snapshots.mark_entered("s-1", 9.0)
    (root / "code").write_text("by the user, long after\n")
    snapshots.mark_turn("s-1", 2)
    assert _load(root, "turn", "s-1").changes.files == []
    snapshots.mark_turn("s-1", 3, 9.0)
    assert _load(root, "turn", "s-1").changes.files == []


def test_many_may_look_for_the_first_time_at_once(root: Path) -> None:
    place = find(root)
    with ThreadPoolExecutor(8) as pool:
        trees = list(pool.map(lambda _: Snapshots(place).now(), range(8)))
    assert len(set(trees)) == 1


def test_since_the_base(root: Path) -> None:
    assert Snapshots(find(root)).against("base") is None
    git(root, "switch", "-qc", "topic")
    (root / "code").write_text("on topic\n")
    git(root, "commit", "-qam", "topic")
    git(root, "switch", "-q", "main")
    (root / "other").write_text("on main\n")
    git(root, "commit", "-qam", "main goes on")
    git(root, "switch", "-q", "topic")
    (root / "fresh").write_text("not committed\n")
    found = _load(root, "base")
    assert found.against.name.startswith("main@")
    assert {one.name for one in found.changes.files} == {"code", "fresh"}


def test_unborn_branch_and_detached_head(tmp_path: Path, root: Path) -> None:
    unborn = repository(tmp_path / "unborn")
    (unborn / "first").write_text("x\n")
    assert _files(unborn)["first"].status == "A"
    assert find(unborn).branch == "main" and find(unborn).head == ""
    git(root, "switch", "-q", "--detach")
    (root / "code").write_text("x\n")
    assert _load(root).against.name.startswith("HEAD@")


def test_what_git_is_in_the_middle_of_is_told(root: Path) -> None:
    git(root, "switch", "-qc", "topic")
    (root / "code").write_text("topic\n")
    git(root, "commit", "-qam", "topic")
    git(root, "switch", "-q", "main")
    (root / "code").write_text("main\n")
    git(root, "commit", "-qam", "main")
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "rebase", "topic")
    assert find(root).under_way == "rebase"
    assert any("<<<<<<<" in line for line in _files(root)["code"].hunks[0].lines)


def test_names_that_are_not_utf8_or_odd(root: Path) -> None:
    odd = [b"\xff\xfe name", b"a\tb", b"-dash", b"*", b":(top)x", "日本語".encode(), b'q"uote']
    for name in odd:
        (root / os.fsdecode(name)).write_text("x\n")
    found = _load(root).changes.files
    assert {one.path for one in found} == set(odd)
    assert all(one.hunks[0].lines == ["+x"] for one in found)
    assert {one.name for one in found} >= {"\\xff\\xfe name", "日本語"}


def test_no_program_of_the_repository_runs(root: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    for key in (
        "core.fsmonitor", "filter.evil.clean", "filter.evil.process", "filter.evil.smudge",
        "diff.evil.textconv", "diff.evil.command", "diff.external", "core.pager",
    ):  # fmt: skip
        git(root, "config", key, str(program))
    (root / ".gitattributes").write_text("* filter=evil diff=evil\n")
    (root / ".git/hooks").mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction"):
        (root / ".git/hooks" / hook).write_text(program.read_text())
        (root / ".git/hooks" / hook).chmod(0o755)
    (root / "code").write_text("changed\n")
    assert "+changed" in _files(root)["code"].hunks[0].lines
    Snapshots(find(root)).mark_turn("s", 1)
    assert not ran.exists()


def test_line_ends_are_compared_as_the_project_says(root: Path) -> None:
    (root / ".gitattributes").write_text("* text=auto\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "ends")
    (root / "code").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    assert _files(root) == {}


def test_large_files_are_told_and_not_kept(root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.truncate(STORED_BYTES + 1)
    (root / "long").write_text("a line\n" * 200_000)
    found = _files(root)
    assert found["huge"].kind == "large" and found["huge"].hunks == []
    assert found["long"].kind == "large" and found["long"].folds
    snapshots = Snapshots(find(root))
    stored = sum(
        path.stat().st_size for path in snapshots.shadow.folder.rglob("*") if path.is_file()
    )
    assert stored < 1024 * 1024
    changes = _load(root).changes
    whole = snapshots.compare(changes.before, changes.after, b"long", large=True)
    assert whole.files[0].added == 200_000


def test_of_many_files_the_first_are_read_and_all_are_named(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        (root / f"f{number:02}").write_text("long line\n" * 20)
    monkeypatch.setattr(snapshots_module, "_FIRST_BYTES", 800)
    review = Review(root)
    review.most_files = 12
    assert all(one.loaded for one in review.load().loaded.changes.files)
    review.most_files = 11
    files = review.load().loaded.changes.files
    loaded = [one.loaded for one in files]
    assert len(files) == 12 and 0 < sum(loaded) < 12 and loaded == sorted(loaded, reverse=True)
    assert files[-1].folds and review.whole(files[-1]).added == 20
    (root / "code").write_text("changed\n")
    review.close()
    with pytest.raises(GitFault, match="closed"):
        review.load()


def test_a_file_that_git_lfs_keeps_has_changed_only_where_its_content_has(root: Path) -> None:
    """Its filter does not run, so that its pointer is read."""
    (root / "large").write_text("content\n")
    digest = hashlib.sha256(b"content\n").hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 8\n"
    git(root, "config", "filter.lfs.clean", f"printf '{pointer}'")
    (root / ".gitattributes").write_text("large filter=lfs\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "large")
    (root / ".git/lfs").mkdir()
    os.utime(root / "large", (1, 1))
    assert _files(root) == {}
    (root / "large").write_text("another\n")
    assert list(_files(root)) == ["large"]


def test_too_many_untracked_files_are_left_out_and_counted(root: Path) -> None:
    (root / "many").mkdir()
    for number in range(UNTRACKED + 3):
        (root / f"many/{number:05d}").touch()
    found = _load(root)
    assert len(found.changes.files) == UNTRACKED
    assert found.left_out == 3


def test_submodules_and_repositories_inside(root: Path, tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", file="x\n")
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    git(root, "commit", "-qm", "with a submodule")
    (root / "sub/file").write_text("changed inside\n")
    assert _files(root) == {}
    git(root / "sub", "commit", "-qam", "inside")
    repository(root / "nested", file="x\n")
    found = _files(root)
    assert found["sub"].kind == "submodule"
    assert "nested" not in found


def test_a_lock_that_was_left_behind_does_not_matter(root: Path) -> None:
    (root / ".git/index.lock").touch()
    (root / "code").write_text("changed\n")
    assert "code" in _files(root)
    (Snapshots(find(root)).shadow.folder / "working.lock").touch()
    (root / "code").write_text("changed again\n")
    assert "+changed again" in _files(root)["code"].hunks[0].lines


def test_an_index_in_two_parts(root: Path) -> None:
    git(root, "update-index", "--split-index")
    (root / "code").write_text("changed\n")
    (root / "fresh").write_text("x\n")
    assert _files(root).keys() == {"code", "fresh"}


def test_what_cannot_be_read_is_left_out(root: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("the superuser can read everything")
    (root / "secret").write_text("x\n")
    (root / "secret").chmod(0)
    (root / "code").write_text("changed\n")
    assert _files(root).keys() == {"code"}


def test_what_nagomi_is_writing_just_now_is_left_out(root: Path) -> None:
    write(root / "kept", b"x")
    (root / ".kept.1-2.nagomi").write_text("half of it")
    assert _files(root).keys() == {"kept"}


def test_a_worktree_has_its_own(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", str(tmp_path / "tree: 2"), "-b", "topic")
    (tmp_path / "tree: 2/code").write_text("in the worktree\n")
    (root / "other").write_text("in the first\n")
    assert _files(tmp_path / "tree: 2").keys() == {"code"}
    assert _files(root).keys() == {"other"}


@pytest.mark.parametrize("kind", ["none", "bare", "missing"])
def test_what_is_no_working_folder_is_a_sentence(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / kind
    if kind == "bare":
        git(tmp_path, "init", "-q", "--bare", str(folder))
    elif kind == "none":
        folder.mkdir()
    with pytest.raises(GitFault) as caught:
        find(folder)
    assert str(folder) in caught.value.sentence.format(**caught.value.values)


def test_without_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(GitFault) as caught:
        find(root)
    assert caught.value.sentence == "git is not installed."


def test_of_a_diff_too_long_to_be_read_at_once_all_is_counted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("aa", "bb", "cc"):
        (root / name).write_text("a line of some length\n" * 100)
    monkeypatch.setattr("nagomi_tui.review.snapshots.DIFF_BYTES", 4000)
    found = _files(root)
    assert [one.added for one in found.values()] == [100, 100, 100]
    assert [one.loaded for one in found.values()] == [True, False, False]
    snapshots, changes = Snapshots(find(root)), _load(root).changes
    monkeypatch.setattr("nagomi_tui.review.snapshots.DIFF_BYTES", 10**6)
    (whole,) = snapshots.compare(changes.before, changes.after, b"cc", large=True).files
    assert len(whole.hunks[0].lines) == 100
