"""Comments are found again after a new turn, what is discarded comes back, and commits hold what was seen."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.review.comments import Notebook, Notes, is_seen, message, to_send
from nagomi_tui.review.review import commit, discard, undo
from nagomi_tui.review.snapshots import Snapshots, find
from nagomi_tui.system.git import GitFault
from nagomi_tui.text.words import of
from tests.helpers.repository import git, hook, repository

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.review.model import Changes, FileChange

CODE = "".join(f"line {number}\n" for number in range(1, 41))


class Bench:
    """A repository with a review of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.snapshots = Snapshots(find(root))
        self.notebook = Notebook(self.snapshots)

    def changes(self) -> Changes:
        self.snapshots = Snapshots(find(self.root))
        self.notebook = Notebook(self.snapshots)
        against = self.snapshots.against("uncommitted")
        assert against is not None
        return self.snapshots.load("uncommitted", against).changes

    def one(self, name: str) -> tuple[Changes, FileChange]:
        changes = self.changes()
        found = changes.find(name.encode())
        assert found is not None
        return changes, found


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    root = repository(tmp_path / "project", code=CODE, other="kept\n")
    git(root, "config", "user.name", "Test")
    git(root, "config", "user.email", "test@example.org")
    return Bench(root)


def _edit(root: Path, before: str, after: str, name: str = "code") -> None:
    text = (root / name).read_bytes().decode()
    assert before in text
    (root / name).write_bytes(text.replace(before, after).encode())


# --- comments


def _comment(bench: Bench, text: str = "why?", row: int = 4) -> None:
    _, one = bench.one("code")
    bench.notebook.add(one, one.hunks[0], "new", range(row, row + 1), text)


def test_a_comment_follows_its_lines_to_another_place(bench: Bench) -> None:
    _edit(bench.root, "line 20\n", "changed 20\n")
    _comment(bench)
    (made,) = bench.notebook.read().comments
    assert (made.place, made.lines) == ("code:20", ["changed 20"])
    assert made.before == ["line 17", "line 18", "line 19"]
    _edit(bench.root, "line 1\n", "new 1\nnew 2\nline 1\n")
    (found,) = bench.notebook.anchor(bench.changes()).comments
    assert (found.first, found.standing) == (22, "draft")


def test_of_equal_lines_the_one_with_the_same_surroundings_counts(bench: Bench) -> None:
    _edit(bench.root, "line 20\n", "}\n")
    _comment(bench)
    _edit(bench.root, "line 3\n", "}\nline 3\n")
    _edit(bench.root, "line 21\n", "line 21\n}\n")
    (found,) = bench.notebook.anchor(bench.changes()).comments
    assert found.first == 21


def test_a_comment_whose_lines_are_gone_is_lost_with_its_text(bench: Bench) -> None:
    _edit(bench.root, "line 20\n", "changed 20\n")
    _comment(bench)
    _edit(bench.root, "changed 20\n", "")
    (found,) = bench.notebook.anchor(bench.changes()).comments
    assert (found.standing, found.text, found.lines) == ("lost", "why?", ["changed 20"])
    assert "+changed 20" in found.hunk
    _edit(bench.root, "line 21\n", "changed 20\nline 21\n")
    (found,) = bench.notebook.anchor(bench.changes()).comments
    assert found.standing == "draft"


@pytest.mark.requirement("G-12")
@pytest.mark.parametrize(
    ("before", "after", "standing"),
    [
        ("changed 20\n", "better\n", "touched"),
        ("line 21\n", "line 21, too\n", "touched"),
        ("line 1\n", "line one\n", "open"),
    ],
)
def test_what_was_sent_is_open_until_the_agent_touches_it(
    bench: Bench, before: str, after: str, standing: str
) -> None:
    _edit(bench.root, "line 20\n", "changed 20\n")
    _comment(bench)
    (sent,) = to_send(bench.notebook.read())
    bench.notebook.sent([sent.number], "claude")
    assert to_send(bench.notebook.read()) == []
    (found,) = bench.notebook.anchor(bench.changes()).comments
    assert (found.standing, found.sent_to) == ("open", "claude")
    _edit(bench.root, before, after)
    (found,) = bench.notebook.anchor(bench.changes()).comments
    assert found.standing == standing


def test_comments_on_removed_lines_and_ranges_and_their_message(bench: Bench) -> None:
    _edit(bench.root, "line 20\nline 21\n", "20\n21\n22\n")
    _, one = bench.one("code")
    bench.notebook.add(one, one.hunks[0], "old", range(3, 5), "these were right")
    bench.notebook.add(one, one.hunks[0], "new", range(5, 8), "name them\nbetter")
    notes = bench.notebook.anchor(bench.changes())
    assert [one.standing for one in notes.comments] == ["draft", "draft"]
    told = message(to_send(notes), of("en").say)
    assert told.startswith("Review of your changes: 2 comments.")
    assert "1. code:20-21 (removed lines)\n   > line 20\n   > line 21\n   these were right" in told
    assert "2. code:20-22\n   > 20\n   > 21\n   > 22\n   name them\n   better" in told
    with pytest.raises(GitFault, match="no line"):
        bench.notebook.add(one, one.hunks[0], "old", range(5, 8), "nothing there")


def test_a_comment_is_edited_and_removed(bench: Bench) -> None:
    _edit(bench.root, "line 20\n", "changed 20\n")
    _comment(bench)
    assert bench.notebook.edit(1, "because").comments[0].text == "because"
    assert bench.notebook.edit(1, " ").comments == []


def test_names_that_are_not_utf8_carry_comments(bench: Bench) -> None:
    (bench.root / os.fsdecode(b"\xff")).write_text("x\n")
    changes = bench.changes()
    one = changes.find(b"\xff")
    assert one is not None
    bench.notebook.add(one, one.hunks[0], "new", range(1), "odd")
    bench.notebook.mark_seen(one, seen=True)
    (found,) = bench.notebook.anchor(bench.changes()).comments
    assert (found.path, found.standing, found.place) == (b"\xff", "draft", "\\xff:1")


def test_a_file_is_seen_until_it_changes(bench: Bench) -> None:
    _edit(bench.root, "line 20\n", "changed 20\n")
    _, one = bench.one("code")
    assert is_seen(bench.notebook.mark_seen(one, seen=True), one)
    assert not is_seen(bench.notebook.mark_seen(one, seen=False), one)
    bench.notebook.mark_seen(one, seen=True)
    _edit(bench.root, "line 21\n", "changed 21\n")
    _, one = bench.one("code")
    assert not is_seen(bench.notebook.read(), one)


def test_a_broken_file_of_comments_is_a_sentence(bench: Bench) -> None:
    bench.changes()
    bench.snapshots.shadow.folder.with_suffix(".json").write_text("{")
    with pytest.raises(GitFault) as caught:
        bench.notebook.read()
    assert "Move the file away" in caught.value.sentence


# --- discarding


def _contents(root: Path) -> dict[str, tuple[int, bytes]]:
    found = (path for path in sorted(root.rglob("*")) if ".git" not in path.parts)
    return {
        str(path.relative_to(root)): (
            path.lstat().st_mode,
            os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes(),
        )
        for path in found
        if path.is_symlink() or not path.is_dir()
    }


@pytest.mark.requirement("G-13")
@pytest.mark.parametrize("kind", ["changed", "new", "removed", "renamed", "mode", "link", "ends"])
def test_a_file_is_discarded_and_comes_back(bench: Bench, kind: str) -> None:
    root = bench.root
    name = "code"
    if kind == "changed":
        _edit(root, "line 20\n", "changed 20\n")
    elif kind == "new":
        name = "new/deep/file"
        (root / "new/deep").mkdir(parents=True)
        (root / name).write_text("hours of work\n")
    elif kind == "removed":
        (root / "code").unlink()
    elif kind == "renamed":
        name = "moved"
        (root / "code").rename(root / "moved")
        _edit(root, "line 20\n", "changed 20\n", "moved")
    elif kind == "mode":
        (root / "code").chmod(0o755)
    elif kind == "link":
        (root / "code").unlink()
        (root / "code").symlink_to("/etc/passwd")
    else:
        (root / "code").write_bytes(CODE.replace("\n", "\r\n").encode())
    index = (root / ".git/index").read_bytes()
    worked = _contents(root)
    changes, one = bench.one(name)
    discard(bench.snapshots, bench.notebook, one)
    assert bench.changes().files == []
    assert (root / "code").read_text() == CODE
    assert not (root / "new").exists()
    assert undo(bench.snapshots, bench.notebook) == name
    assert _contents(root) == worked
    assert (root / ".git/index").read_bytes() == index
    with pytest.raises(GitFault, match="nothing"):
        undo(bench.snapshots, bench.notebook)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_hunk_is_discarded_and_the_others_stay(bench: Bench, end: str) -> None:
    root = bench.root
    if end == "\r\n":
        (root / ".gitattributes").write_text("* text=auto\n")
        (root / "code").write_bytes(CODE.replace("\n", end).encode())
    _edit(root, f"line 5{end}", f"five{end}5b{end}")
    _edit(root, f"line 20{end}line 21{end}", "")
    _edit(root, f"line 35{end}", f"line 35{end}more{end}")
    worked = (root / "code").read_bytes()
    changes, one = bench.one("code")
    assert len(one.hunks) == 3
    discard(bench.snapshots, bench.notebook, one, one.hunks[1])
    text = (root / "code").read_bytes().decode()
    assert f"line 19{end}line 20{end}line 21{end}line 22{end}" in text
    assert f"five{end}5b{end}" in text and f"more{end}" in text
    undo(bench.snapshots, bench.notebook)
    assert (root / "code").read_bytes() == worked


def test_a_hunk_at_the_end_without_a_line_end(bench: Bench) -> None:
    (bench.root / "code").write_text(CODE.rstrip("\n"))
    changes, one = bench.one("code")
    discard(bench.snapshots, bench.notebook, one, one.hunks[0])
    assert (bench.root / "code").read_text() == CODE


def test_what_has_changed_meanwhile_is_not_discarded(bench: Bench) -> None:
    _edit(bench.root, "line 20\n", "changed 20\n")
    changes, one = bench.one("code")
    _edit(bench.root, "line 1\n", "the user's own\n")
    for hunk in (None, one.hunks[0]):
        with pytest.raises(GitFault) as caught:
            discard(bench.snapshots, bench.notebook, one, hunk)
        assert "has changed since" in caught.value.sentence
    assert "the user's own" in (bench.root / "code").read_text()


def test_an_undo_leaves_what_was_written_after_the_discarding(bench: Bench) -> None:
    _edit(bench.root, "line 20\n", "changed 20\n")
    changes, one = bench.one("code")
    discard(bench.snapshots, bench.notebook, one)
    _edit(bench.root, "line 1\n", "the user's own\n")
    with pytest.raises(GitFault) as caught:
        undo(bench.snapshots, bench.notebook)
    kept = str(caught.value.values["blob"]).encode()
    assert "has changed since" in caught.value.sentence
    (data,) = bench.snapshots.contents(kept)
    assert data is not None and b"changed 20" in data


def test_nothing_is_discarded_through_a_link_out_of_the_project(
    bench: Bench, tmp_path: Path
) -> None:
    (bench.root / "folder").mkdir()
    (bench.root / "folder/file").write_text("ours\n")
    changes, one = bench.one("folder/file")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/file").write_text("ours\n")
    (bench.root / "folder/file").unlink()
    (bench.root / "folder").rmdir()
    (bench.root / "folder").symlink_to(tmp_path / "outside")
    with pytest.raises(GitFault):
        discard(bench.snapshots, bench.notebook, one)
    assert (tmp_path / "outside/file").read_text() == "ours\n"


# --- committing


def test_chosen_files_are_committed_and_others_stay(bench: Bench) -> None:
    root = bench.root
    _edit(root, "line 20\n", "changed 20\n")
    (root / "fresh").write_text("new\n")
    (root / "-odd *").write_text("new\n")
    (root / "other").unlink()
    (root / "left").write_text("not yet\n")
    (root / "staged").write_text("for later\n")
    git(root, "add", "staged")
    hook(root, "pre-commit", "touch hook-ran")
    changes = bench.changes()
    chosen = [one for one in changes.files if one.name not in ("left", "staged")]
    made = commit(bench.snapshots, chosen, "Say what\n\nAnd why.")
    assert git(root, "rev-parse", "HEAD").strip() == made
    assert git(root, "log", "-1", "--format=%B").strip() == "Say what\n\nAnd why."
    shown = git(root, "show", "--format=", "--name-status", "HEAD").splitlines()
    assert sorted(shown) == ["A\t-odd *", "A\tfresh", "D\tother", "M\tcode"]
    assert (root / "hook-ran").exists()
    assert git(root, "diff", "--cached", "--name-only").strip() == "staged"


def test_what_a_hook_leaves_running_is_neither_waited_for_nor_ended(bench: Bench) -> None:
    hook(bench.root, "post-commit", "echo said; sleep 50 & echo $! > left-running")
    _edit(bench.root, "line 20\n", "changed 20\n")
    began = time.monotonic()
    commit(bench.snapshots, bench.changes().files, "Change a line")
    assert time.monotonic() - began < 40
    os.kill(int((bench.root / "left-running").read_text()), signal.SIGKILL)


def test_a_rename_is_committed_whole(bench: Bench) -> None:
    (bench.root / "code").rename(bench.root / "moved")
    commit(bench.snapshots, bench.changes().files, "Move it")
    assert git(bench.root, "status", "--porcelain") == ""


def test_a_commit_that_a_hook_refuses_leaves_the_index_as_it_was(bench: Bench) -> None:
    (bench.root / "fresh").write_text("new\n")
    hook(bench.root, "pre-commit", "echo not like this >&2; exit 1")
    with pytest.raises(GitFault, match="not like this"):
        commit(bench.snapshots, bench.changes().files, "x")
    assert git(bench.root, "status", "--porcelain") == "?? fresh\n"


@pytest.mark.skipif(os.getuid() != 0, reason="only root mounts a disk that is full")
def test_on_a_full_disk_nothing_is_discarded_and_later_edits_stay(
    bench: Bench, tmp_path: Path
) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place))
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        bench.root = repository(place / "root", code="line\n" * 100_000)
        (bench.root / "code").write_text("edited\n")
        changes, one = bench.one("code")
        with suppress(OSError), (place / "full").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        with pytest.raises(GitFault, match="No space left"):
            discard(bench.snapshots, bench.notebook, one)
        assert (bench.root / "code").read_text() == "edited\n"
        assert bench.notebook.read().discarded == []
    finally:
        subprocess.run(("umount", "-l", str(place)), check=True)


def test_a_discarding_that_was_broken_off_is_taken_back_only_where_nothing_is_newer(
    bench: Bench,
) -> None:
    (bench.root / "code").write_text("edited\n")
    changes, one = bench.one("code")
    discard(bench.snapshots, bench.notebook, one)

    def broken_off(notes: Notes) -> None:
        notes.discarded[-1].files[0].left = ""

    bench.notebook.change(broken_off)
    (bench.root / "code").write_text("newer\n")
    with pytest.raises(GitFault, match="changed"):
        undo(bench.snapshots, bench.notebook)
    assert (bench.root / "code").read_text() == "newer\n"
    (bench.root / "code").write_text("edited\n")
    assert undo(bench.snapshots, bench.notebook) == "code"


def test_a_folder_in_place_of_a_file_is_not_discarded_with_what_is_in_it(bench: Bench) -> None:
    (bench.root / ".git/info").mkdir(exist_ok=True)
    (bench.root / ".git/info/exclude").write_text("secret\n")
    (bench.root / "code").unlink()
    (bench.root / "code").mkdir()
    (bench.root / "code/secret").write_text("mine\n")
    changes, one = bench.one("code")
    with pytest.raises(GitFault) as caught:
        discard(bench.snapshots, bench.notebook, one)
    assert "is a folder now" in caught.value.sentence
    assert (bench.root / "code/secret").read_text() == "mine\n"


def test_a_commit_that_fails_leaves_what_was_staged_of_a_new_file(bench: Bench) -> None:
    hook(bench.root, "pre-commit", "exit 1")
    (bench.root / "new").write_text("staged\n")
    git(bench.root, "add", "new")
    (bench.root / "new").write_text("later\n")
    with pytest.raises(GitFault):
        commit(bench.snapshots, bench.changes().files, "message")
    assert git(bench.root, "show", ":new") == "staged\n"
    assert (bench.root / "new").read_text() == "later\n"


def test_a_file_behind_a_filter_is_discarded_as_git_checks_it_out(bench: Bench) -> None:
    git(bench.root, "config", "filter.large.clean", "sed s/content/pointer/")
    git(bench.root, "config", "filter.large.smudge", "sed s/pointer/content/")
    (bench.root / ".gitattributes").write_text("large filter=large\n")
    (bench.root / "large").write_text("content 1\n")
    git(bench.root, "add", ".")
    git(bench.root, "commit", "-qm", "large")
    (bench.root / "large").write_text("content 2\n")
    changes, one = bench.one("large")
    with pytest.raises(GitFault) as caught:
        discard(bench.snapshots, bench.notebook, one, one.hunks[0])
    assert "discard the whole file" in caught.value.sentence
    discard(bench.snapshots, bench.notebook, one)
    assert (bench.root / "large").read_text() == "content 1\n"
    assert git(bench.root, "status", "--porcelain") == ""
    undo(bench.snapshots, bench.notebook)
    assert (bench.root / "large").read_text() == "content 2\n"


def test_a_lock_left_behind_and_a_merge_are_sentences(bench: Bench) -> None:
    _edit(bench.root, "line 20\n", "changed 20\n")
    changes = bench.changes()
    (bench.root / ".git/index.lock").touch()
    with pytest.raises(GitFault) as caught:
        commit(bench.snapshots, changes.files, "x")
    assert "remove that file" in caught.value.sentence
    assert str(caught.value.values["lock"]).endswith(".git/index.lock")
    (bench.root / ".git/index.lock").unlink()
    (bench.root / ".git/MERGE_HEAD").write_text(git(bench.root, "rev-parse", "HEAD"))
    with pytest.raises(GitFault) as caught:
        commit(bench.snapshots, changes.files, "x")
    assert caught.value.values["what"] == "merge"


def test_the_first_commit(tmp_path: Path) -> None:
    root = repository(tmp_path / "unborn")
    git(root, "config", "user.name", "Test")
    git(root, "config", "user.email", "test@example.org")
    (root / "first").write_text("x\n")
    bench = Bench(root)
    commit(bench.snapshots, bench.changes().files, "First")
    assert git(root, "log", "--format=%s").strip() == "First"
