"""500 times what is done to a worktree is killed with -9 at any moment, alone or with its git."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from nagomi_tui.worktrees.creating import Wish, make
from nagomi_tui.worktrees.journal import locked
from nagomi_tui.worktrees.merging import merge
from nagomi_tui.worktrees.model import HOWS
from nagomi_tui.worktrees.removing import undo
from nagomi_tui.worktrees.repository import at, find
from tests.helpers.killing import ROOT
from tests.helpers.repository import git, repository

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.timeout(3600)

KILLS = 500
_LATEST = 1.2
"""When the last kills come, as a multiple of the time that all of it takes on this machine."""
_CODE = {
    "create": "from nagomi_tui.worktrees.creating import Wish, make; make(Wish({root!r}, 'x', with_changes=True))",
    "merge": "from nagomi_tui.worktrees.merging import merge; merge(find({root!r}), at({tree!r}), how={how!r})",
    "remove": "from nagomi_tui.worktrees.removing import remove; remove(find({root!r}), Path({tree!r}), tuple, force=True)",
}
_BEFORE = "from pathlib import Path; from nagomi_tui.worktrees.repository import at, find; "


@pytest.fixture(autouse=True)
def author(monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "test@example.org")


def test_nothing_is_lost_whenever_it_is_killed(
    tmp_path: Path, dice: random.Random, seen: Callable[[str], None]
) -> None:
    """The next call finishes it or takes it back: each file is where it was or where it was to go."""
    killed = 0
    latest = {what: _LATEST * _seconds(tmp_path / what, what) for what in sorted(_CODE)}
    for number in range(KILLS):
        what, how = dice.choice(sorted(_CODE)), dice.choice(HOWS)
        root = _prepared(tmp_path / str(number), what)
        tree = root.parent / "root.worktrees/x"
        held = _status(root if what == "create" else tree)
        old = git(root, "rev-parse", "main")
        seconds = dice.uniform(0.05, latest[what])
        killed += _killed(_code(root, what, how), seconds, with_git=dice.random() < 0.6)
        with locked(find(root)):
            pass
        if what == "create":
            assert _status(tree if tree.exists() else root) == held, number
            assert not tree.exists() or _status(root) == "", number
        elif what == "merge":
            assert (_status(root), _status(tree)) == (" M f3\n", ""), number
            if git(root, "rev-parse", "main") == old:
                merge(find(root), at(tree), how=how)
            assert (root / "added").exists() and (root / "f3").read_text() == "mine\n"
        else:
            if not tree.exists():
                undo(find(root))
            assert _status(tree) == held, number
        assert git(root, "fsck", "--no-dangling") == ""
        shutil.rmtree(root.parent)
    assert killed > KILLS // 3
    seen(f"{killed} of {KILLS} killed before they were done")


def _code(root: Path, what: str, how: str) -> str:
    tree = root.parent / "root.worktrees/x"
    return _BEFORE + _CODE[what].format(root=str(root), tree=str(tree), how=how)


def _seconds(folder: Path, what: str) -> float:
    """Return how long it takes where nothing is killed."""
    code = _code(_prepared(folder, what), what, HOWS[0])
    began = time.monotonic()
    assert not _killed(code, 60, with_git=False)
    took = time.monotonic() - began
    shutil.rmtree(folder)
    return took


def _prepared(folder: Path, what: str) -> Path:
    """Make a repository in which something is to be done."""
    many = {f"f{number}": f"{number}\n" * 2000 for number in range(40)}
    root = repository(folder / "root", first="1\n")
    _write(root, many)
    git(root, "add", ".")
    git(root, "commit", "-qm", "many")
    changed = {name: f"changed {text}" for name, text in many.items() if int(name[1:]) % 2 == 0}
    if what == "create":
        _write(root, {**changed, "new": "new\n" * 1000})
        (root / "f39").unlink()
        return root
    tree = make(Wish(str(root), "x")).worktree.path
    _write(tree, {**changed, "added": "a\n" * 5000})
    if what == "merge":
        git(tree, "add", ".")
        git(tree, "commit", "-qm", "ours")
        _write(root, {"f1": "theirs\n"})
        git(root, "commit", "-qam", "theirs")
        _write(root, {"f3": "mine\n"})
    return root


def _killed(code: str, seconds: float, *, with_git: bool) -> bool:
    """Run code for some seconds; return whether it was killed before it had ended."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "worker")))}
    with subprocess.Popen([sys.executable, "-c", code], env=env) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return False
        below = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        for one in below if with_git else ():
            with contextlib.suppress(psutil.Error):
                one.kill()
    return True


def _write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text)


def _status(folder: Path) -> str:
    return git(folder, "status", "--porcelain", "-uall")
