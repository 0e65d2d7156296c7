"""Works with worktrees on a disk of 1 MiB that is full, or read-only: `python -m tests.worktrees.disk_faults`.

It is run where `tests.helpers.dead_mount` has mounted that disk, and says for each case which sentence
was told. An assertion ends it where something was lost.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui.worktrees.creating import Wish, make
from nagomi_tui.worktrees.figures import survey
from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.journal import locked
from nagomi_tui.worktrees.merging import merge, rebase
from nagomi_tui.worktrees.removing import remove, undo
from nagomi_tui.worktrees.repository import at, find
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    from collections.abc import Callable

DEEDS: Final[dict[str, Callable[[Path, Path], object]]] = {
    "create": lambda root, _: make(Wish(str(root), "y")),
    "carry": lambda root, _: make(Wish(str(root), "y", with_changes=True)),
    "merge": lambda root, tree: merge(find(root), at(tree)),
    "squash": lambda root, tree: merge(find(root), at(tree), how="squash"),
    "rebase": lambda root, tree: merge(find(root), at(tree), how="rebase"),
    "onto": lambda root, tree: rebase(find(root), at(tree)),
    "remove": lambda root, tree: remove(find(root), tree, tuple, force=True, with_branch=True),
    "undo": lambda root, _: undo(find(root)),
}


def main(disk: Path, deeds: list[str], free: list[int]) -> None:
    """Try deeds on a disk with so many KiB free, or on a read-only one."""
    for deed in deeds or list(DEEDS):
        if not free:
            _read_only(disk, deed)
        for one in free:
            _full(disk, deed, one)


def _full(disk: Path, deed: str, free: int) -> None:
    root, tree = prepared(disk, deed)
    before = _held(root, tree)
    filler = disk / "filler"
    _fill(filler, free * 1024)
    said = _told(deed, root, tree)
    filler.unlink()
    with locked(find(root)):
        pass
    _nothing_lost(deed, root, tree, before)
    print(deed, free, said)
    _emptied(disk)


def _read_only(disk: Path, deed: str) -> None:
    root, tree = prepared(disk, deed)
    before = _held(root, tree)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    said = _told(deed, root, tree)
    assert said.startswith("Fault:"), (deed, said)
    assert len(survey(find(root))) == len(find(root).worktrees())
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert _held(root, tree) == before, deed
    print(deed, said)
    _emptied(disk)


def prepared(disk: Path, deed: str) -> tuple[Path, Path]:
    """Make a repository with a worktree that has something to be lost."""
    many = {f"f{number}": f"{number}\n" * 400 for number in range(8)}
    root = repository(disk / "root", a="1\n", **many)
    tree = make(Wish(str(root), "x")).worktree.path
    if deed in ("create", "carry"):
        (root / "a").write_text("mine\n" * 300)
        (root / "new").write_bytes(os.urandom(6000))
    elif deed in ("remove", "undo"):
        (tree / "a").write_text("mine\n")
        (tree / "new").write_text("new\n")
        if deed == "undo":
            remove(find(root), tree, tuple, force=True, with_branch=True)
    else:
        (tree / "new").write_bytes(os.urandom(12000))
        (tree / "f1").write_text("ours\n" * 900)
        git(tree, "add", ".")
        git(tree, "commit", "-qm", "ours")
        (root / "f2").write_text("theirs\n" * 500)
        git(root, "commit", "-qam", "theirs")
        (root / "f3").write_text("mine\n")
    return root, tree


def _held(root: Path, tree: Path) -> tuple[object, ...]:
    folders = [one for one in (root, tree) if one.exists()]
    files = {
        path: path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }
    return git(root, "for-each-ref"), [git(one, "status", "--porcelain") for one in folders], files


def _nothing_lost(deed: str, root: Path, tree: Path, before: tuple[object, ...]) -> None:
    now = _held(root, tree)
    assert git(root, "fsck", "--no-dangling") == ""
    if now == before:
        return
    if deed in ("create", "carry"):
        made = root.parent / "root.worktrees/y"
        assert made.is_dir(), (deed, git(root, "worktree", "list"))
        if deed == "carry":
            here = made if git(root, "status", "--porcelain") == "" else root
            assert git(here, "status", "--porcelain") == before[1][0]  # type: ignore[index]
        return
    if deed in ("remove", "undo"):
        if not tree.exists():
            undo(find(root))
        told = git(tree, "status", "--porcelain")
        assert told == " M a\n?? new\n", told
        return
    if deed == "onto":
        assert git(tree, "rev-parse", "HEAD~1") == git(root, "rev-parse", "main")
    else:
        assert (root / "new").read_bytes() == (tree / "new").read_bytes()
        assert git(root, "diff", "--stat", "main", "--", "new", "f1") == ""
    assert git(root, "status", "--porcelain") == " M f3\n"
    assert git(tree, "status", "--porcelain") == ""


def _told(deed: str, root: Path, tree: Path) -> str:
    try:
        DEEDS[deed](root, tree)
    except Fault as exc:
        assert "\n" not in str(exc)
        return f"Fault: {exc}"
    return "done"


def _fill(path: Path, left: int) -> None:
    """Leave so many bytes free."""
    room = os.statvfs(path.parent)
    size = room.f_bavail * room.f_bsize - left
    with path.open("wb", buffering=0) as file:
        while size > 0:
            try:
                size -= file.write(b"x" * min(size, 65536))
            except OSError:
                return


def _emptied(disk: Path) -> None:
    for one in disk.iterdir():
        shutil.rmtree(one)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2].split(), [int(one) for one in sys.argv[3].split()])
