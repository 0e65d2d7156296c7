"""Trees of a working folder as it is now and as it was when turns began, and what differs between them.

Untracked files are in them, by a copy of the user's index: their own index, references and settings
are only read. Every method blocks, each git command with a time limit.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from nagomi_tui.review.git import NO_FILTERS, SETTINGS, Shadow, ask
from nagomi_tui.review.model import LARGE_BYTES, PLACEHOLDER, Changes, FileChange, parsed
from nagomi_tui.system import files
from nagomi_tui.system.git import GitFault, Late, environment, run_git
from nagomi_tui.text.words import translatable
from nagomi_tui.worktrees.repository import SEQUENCE, UNDER_WAY, base_of

Since = Literal["uncommitted", "turn", "base"]
SOURCES: Final[tuple[Since, ...]] = ("uncommitted", "turn", "base")

STORED_BYTES: Final = 16 * 1024 * 1024
"""Larger files are not kept in trees: their size and time stand for them."""
UNTRACKED: Final = 5000
"""Most untracked files that are read; a folder that is not ignored may hold any number."""
DIFF_BYTES: Final = 32 * 1024 * 1024
"""Most that is read of a diff at once; files after that are read when they are looked at."""
MANY: Final = 2000
"""Of more changed files than that only the first are read at once."""
_FIRST_BYTES: Final = 2 * 1024 * 1024
_UNFINISHED: Final = ".*.nagomi"
"""Files that nagomi is writing just now, such as the guard's state."""
_PLACEHOLDERS: Final = 200
_LOCK_SECONDS: Final = 20.0
_SECONDS: Final = 30.0
_BATCH: Final = 4000
"""Files that one git command reads."""
_INDEX: Final = "working"
_POINTER: Final = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n"
)
"""What Git LFS commits in place of a file."""
_POINTER_BYTES: Final = 1024
_TURNS: Final = "refs/turns"
_ENTERED: Final = "refs/entered"
_HEADS: Final = "refs/heads/"
_MOST_TURNS: Final = 60
_PRUNED_SECONDS: Final = 24 * 3600.0
_OWN_SETTINGS: Final = (
    "autocrlf", "eol", "ignorecase", "filemode", "symlinks", "excludesfile", "precomposeunicode",
)  # fmt: skip
"""Settings of the repository that decide what a file's content is; none of them runs a program."""
_DIFF: Final = (
    "diff-tree", "-r", "-z", "--raw", "-M", "-l1000", "--full-index", "--no-color",
    "--no-ext-diff", "--no-textconv",
)  # fmt: skip


class Place(NamedTuple):
    """A repository's working folder."""

    root: Path
    git: Path
    """Where its index and its HEAD are."""
    common: Path
    """The repository that it may share with other working folders."""
    objects: str
    head: str
    """The commit that is checked out; empty while there is none."""
    branch: str
    """Empty on a detached head."""

    @property
    def under_way(self) -> str:
        """What git is in the middle of here, such as `rebase`; empty if in nothing."""
        # Within a sequence of picks git lets one commit.
        found = (what for file, what in UNDER_WAY if (self.git / file).exists())
        return next((what for what in found if what != SEQUENCE), "")


class Against(NamedTuple):
    """What the working folder is compared with."""

    tree: str
    """Object id of a tree or a commit."""
    name: str
    """Such as `main@a1b2c3d`; empty for a turn."""
    at: float = 0.0
    """When a turn began, in seconds since the epoch."""


class Loaded(NamedTuple):
    """What has changed, and what is to be said with it."""

    since: Since
    against: Against
    changes: Changes
    place: Place
    left_out: int
    """How many untracked files were not read."""
    under_way: str = ""
    """What git is in the middle of, such as `rebase`; empty if in nothing."""


def find(folder: Path | str) -> Place:
    """Return the working folder that a folder lies in.

    Raises:
        GitFault: it is in no repository, or in one without working files, or git does not tell.
    """
    # Between the paths, which may hold ends of lines, stands what holds none.
    form = "--show-object-format"
    questions = ("--show-toplevel", form, "--absolute-git-dir", form, "--git-common-dir", form)
    code, out, fault = run_git(
        ["rev-parse", *questions, "HEAD", "--symbolic-full-name", "HEAD"],
        cwd=folder, env=environment(), settings=SETTINGS, seconds=10.0,
    )  # fmt: skip
    told = re.split(r"\n(sha\d+)\n", os.fsdecode(out), maxsplit=3)
    if len(told) < 7:
        raise _nowhere(folder, fault)
    root, _, git, _, common, objects, rest = told
    head, _, ref = rest.rstrip("\n").partition("\n")
    if code:  # HEAD is unborn
        named = ask(folder, "symbolic-ref", "--quiet", "HEAD", codes=(0, 1))
        head, ref = "", os.fsdecode(named).strip()
    branch = ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else ""
    shared = Path(os.path.realpath(os.path.join(os.fspath(folder), common)))
    return Place(Path(root), Path(git), shared, objects, head, branch)


def _nowhere(folder: Path | str, fault: str) -> GitFault:
    folder = os.path.abspath(folder)
    if "not a git repository" in fault:
        return GitFault(fault, "The folder {folder} is in no git repository.", folder=folder)
    if "work tree" in fault:
        sentence = translatable("The repository {folder} has no working files to be looked at.")
        return GitFault(fault, sentence, folder=folder)
    return GitFault(fault or "it said nothing")


class Snapshots:
    """Makes, keeps and compares trees of one working folder.

    Its methods raise `GitFault` where git does not answer, or a tree is gone, and `OSError` where the
    state folder cannot be written.
    """

    def __init__(
        self, place: Place, progress: Callable[[int, int], object] = lambda done, all_of: None
    ) -> None:
        """`progress` hears how many changed files were read of how many; what it raises ends that."""
        self.place = place
        self._progress = progress
        self.most_files = MANY
        """Of more changed files only the first are read; the names of all are."""
        self.shadow = Shadow(
            place.root, place.common, kind="review", attributes=NO_FILTERS,
            settings=_own_settings(place), objects=place.objects,
        )  # fmt: skip

    # --- trees

    def now(self) -> tuple[str, int]:
        """Return the tree of all files as they are, and how many untracked ones are not in it."""
        with self.locked():
            return self._now()

    def mark_entered(self, session_id: str, at: float) -> None:
        """Keep the files as they are now for a turn that may begin with what was entered at `at`."""
        with self.locked():
            tree, _ = self._now()
            self._drop_entered(session_id)
            self.shadow.run("update-ref", f"{_ENTERED}/{session_id}/{_moment(at)}", tree)

    def mark_turn(self, session_id: str, turn: int, entered: float = 0.0) -> None:
        """Keep the files with which a session's turn began: those of what was entered at `entered`, or now's."""
        with self.locked():
            tree = self._drop_entered(session_id).get(_moment(entered))
            at = entered if tree else time.time()
            name = f"{_TURNS}/{_moment(at)}-{session_id}-{turn}"
            self.shadow.run("update-ref", name, tree or self._now()[0])
            for old, _ in self._refs(_TURNS)[:-_MOST_TURNS]:
                self.shadow.run("update-ref", "-d", old)
            self._prune()

    def against(self, since: Since, session_id: str = "") -> Against | None:
        """Return what there is to compare with; None where there is no such thing.

        Of turns it is the session's last one; without a session, the last of any.
        """
        if since == "turn":
            with self.locked():
                turns = self._refs(_TURNS)
            mine = [one for one in turns if session_id in one[0]]
            if not mine:
                return None
            name, tree = mine[-1]
            return Against(tree, "", int(name.rpartition("/")[2].partition("-")[0]) / 1000)
        if since == "base":
            return self._base()
        if not self.place.head:
            with self.locked():
                empty = self.shadow.run("hash-object", "-t", "tree", "-w", "--stdin").decode()
            return Against(empty.strip(), self.place.branch)
        return Against(self.place.head, f"{self.place.branch or 'HEAD'}@{self.place.head[:7]}")

    def load(self, since: Since, against: Against) -> Loaded:
        """Return what has changed against it."""
        tree, left_out = self.now()
        changes = self.compare(against.tree, tree)
        return Loaded(since, against, changes, self.place, left_out, self.place.under_way)

    def compare(self, before: str, after: str, *paths: bytes, large: bool = False) -> Changes:
        """Return what differs between two trees, or between files of them; `large` content too."""
        limit = "512m" if large else str(LARGE_BYTES)
        command = ("-c", f"core.bigFileThreshold={limit}", *_DIFF)
        files = (before, after, *(("--", *map(os.fsdecode, paths)) if paths else ()))
        names = self.shadow.run(*command, *files, seconds=_SECONDS)
        many = names.count(b"\0:") >= self.most_files
        most = len(names) + _FIRST_BYTES if many else DIFF_BYTES
        told = self.shadow.run(*command, "-p", "-U3", *files, seconds=_SECONDS, most=most)
        found = parsed(told, cut=len(told) == most)
        if any(not one.loaded for one in found) and not many:
            counted = parsed(self.shadow.run(*command, "--numstat", *files, seconds=_SECONDS))
            for one, known in zip(found, counted, strict=False):
                one.kind, one.added, one.removed = known.kind, known.added, known.removed
        if not large:
            self._tell_large(found)
        return Changes(before=before, after=after, files=found)

    def contents(self, *names: bytes) -> list[bytes | None]:
        """Return the contents of objects, named as `ID` or `TREE:PATH`; None where there is none."""
        told = self.shadow.run(
            "cat-file", "--batch", given=b"".join(name + b"\n" for name in names)
        )
        found: list[bytes | None] = []
        at = 0
        for _ in names:
            end = told.find(b"\n", at)
            head = told[at:end].split(b" ")
            at = end + 1
            if head[-1].isdigit() and head[-2] == b"blob":
                size = int(head[-1])
                found.append(told[at : at + size])
                at += size + 1
            else:
                found.append(None)
                if head[-1].isdigit():
                    at += int(head[-1]) + 1
        return found

    def entry(self, tree: str, path: bytes) -> tuple[str, str]:
        """Return mode and object id of a path in a tree; both empty where it is not in it."""
        told = self.shadow.run("ls-tree", "-z", tree, "--", os.fsdecode(path))
        if not told:
            return "", ""
        mode, _, object_id = told.partition(b"\t")[0].decode().split(" ")
        return mode, object_id

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the shadow for ourselves."""
        with self.shadow.locked(_LOCK_SECONDS):
            for left in self.shadow.folder.glob("*.lock"):
                left.unlink()  # of a git that was killed: nobody else may be at work here
            yield

    # --- steps

    def _now(self) -> tuple[str, int]:
        try:
            return self._tree()
        except Late:
            raise
        except GitFault:
            # The copy may need what only lies beside the user's index, or objects that are gone.
            self._seed(whole=False)
            return self._tree(seed=False)

    def _tree(self, *, seed: bool = True) -> tuple[str, int]:
        if seed:
            self._seed()
        self.shadow.ignore((), _UNFINISHED)
        told = self.shadow.run(
            "ls-files", "-t", "-m", "-o", "--exclude-standard", "-z", index=_INDEX, seconds=_SECONDS
        )
        wanted, large, left_out = _sorted(self.place.root, told)
        if (self.place.common / "lfs").is_dir():
            same = self._as_in_lfs([*wanted, *large])
            wanted, large = ([one for one in some if one not in same] for some in (wanted, large))
        until = time.monotonic() + _SECONDS
        for first in range(0, len(wanted), _BATCH):
            self._progress(first, len(wanted))
            # What was read stays in the index, so that the next look goes on where this one ends.
            self.shadow.run(
                "update-index", "--add", "--remove", "--replace", "-z", "--stdin",
                given=b"".join(path + b"\0" for path in wanted[first : first + _BATCH]),
                index=_INDEX, seconds=max(until - time.monotonic(), 0.1),
            )  # fmt: skip
        if large:
            self._place_large(large)
        tree = self.shadow.run("write-tree", index=_INDEX).decode().strip()
        files.write(self.shadow.folder / "refs/last", f"{tree}\n".encode())
        return tree, left_out

    def _as_in_lfs(self, names: Sequence[bytes]) -> set[bytes]:
        """Return those that Git LFS keeps elsewhere and that hold what the index says: its filter does not run here."""
        rows = self.shadow.run("ls-files", "--stage", "-z", index=_INDEX).split(b"\0")
        among = set(names)
        blobs = {
            name: head.split(b" ")[1]
            for head, _, name in (row.partition(b"\t") for row in rows)
            if name in among
        }
        told = self.shadow.run(
            "cat-file",
            "--batch-check=%(objectsize)",
            given=b"".join(one + b"\n" for one in blobs.values()),
        )
        short = [
            name
            for name, size in zip(blobs, told.split(b"\n"), strict=False)
            if size.isdigit() and int(size) < _POINTER_BYTES
        ]
        pointers = self.contents(*(blobs[name] for name in short))
        found = set()
        for name, pointer in zip(short, pointers, strict=True):
            if (match := _POINTER.match(pointer or b"")) is None:
                continue
            with (
                contextlib.suppress(OSError),
                open(os.path.join(os.fsencode(self.place.root), name), "rb") as file,
            ):
                if (
                    os.fstat(file.fileno()).st_size == int(match[2])
                    and hashlib.file_digest(file, "sha256").hexdigest() == match[1].decode()
                ):
                    found.add(name)
        return found

    def _seed(self, *, whole: bool = True) -> None:
        """Begin with the user's index, where that is another than last time.

        It is copied with its time: git reads from it which entries it must not trust. Not `whole`,
        its entries are listed anew, so that every file is read.
        """
        theirs, ours = self.place.git / "index", self.shadow.folder / _INDEX
        note = self.shadow.folder / "seed"
        stamp = repr(files.stamp(theirs)).encode()
        if not whole:
            ours.unlink(missing_ok=True)
            listed = ask(self.place.root, "ls-files", "--stage", "-z", seconds=_SECONDS)
            self.shadow.run("update-index", "-z", "--index-info", given=listed, index=_INDEX)
            files.write(note, stamp)
            return
        with contextlib.suppress(OSError):
            if files.read(note) == stamp and ours.exists():
                return
        ours.unlink(missing_ok=True)
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(theirs, ours)
            found = theirs.stat()
            os.utime(ours, ns=(found.st_atime_ns, found.st_mtime_ns))
        files.write(note, stamp)

    def _place_large(self, large: Sequence[bytes]) -> None:
        """Have size and time stand for files that are too large to be kept."""
        rows = []
        for path in large[:_PLACEHOLDERS]:
            with contextlib.suppress(OSError):
                found = os.lstat(os.path.join(os.fsencode(self.place.root), path))
                text = f"{PLACEHOLDER}{found.st_size} bytes, changed at {found.st_mtime_ns}\n"
                blob = self.shadow.run("hash-object", "-w", "--stdin", given=text.encode())
                mode = b"100755" if found.st_mode & 0o100 else b"100644"
                rows.append(mode + b" " + blob.strip() + b"\t" + path + b"\0")
        self.shadow.run("update-index", "-z", "--index-info", given=b"".join(rows), index=_INDEX)

    def _base(self) -> Against | None:
        """Return the commit that the branch began at; None where that is not known or is HEAD's own."""
        base = base_of(self.place.root)
        if base is None or not self.place.head:
            return None
        return Against(base.commit, f"{base.name}@{base.commit[:7]}")

    def _drop_entered(self, session_id: str) -> dict[str, str]:
        """Forget what was kept when Enter was typed; return these trees, by their moments."""
        kept = self._refs(f"{_ENTERED}/{session_id}")
        for name, _ in kept:
            self.shadow.run("update-ref", "-d", name)
        return {name.rpartition("/")[2]: tree for name, tree in kept}

    def _refs(self, below: str) -> list[tuple[str, str]]:
        """Return the references below a name with their trees; those of turns the earliest first."""
        told = self.shadow.run("for-each-ref", "--format=%(refname) %(objectname)", below)
        found = (line.split(" ") for line in told.decode().splitlines())
        return sorted((name, tree) for name, tree in found)

    def _tell_large(self, found: Sequence[FileChange]) -> None:
        """Tell large files from binary ones, for git says of both that they are binary."""
        folded = [one for one in found if one.kind == "binary"]
        if not folded:
            return
        ids = [i for one in folded for i in (one.before, one.after)]
        told = self.shadow.run(
            "cat-file", "--batch-check=%(objectsize)", given="".join(f"{i}\n" for i in ids).encode()
        )
        sizes = [int(line) if line.isdigit() else 0 for line in told.decode().splitlines()]
        for at, one in enumerate(folded):
            if max(sizes[2 * at : 2 * at + 2], default=0) >= LARGE_BYTES:
                one.kind = "large"

    def _prune(self) -> None:
        """Once a day, remove contents that no kept tree holds any more."""
        note = self.shadow.folder / "pruned"
        with contextlib.suppress(OSError):
            if time.time() - note.stat().st_mtime < _PRUNED_SECONDS:
                return
        with contextlib.suppress(GitFault):
            self.shadow.run("prune", "--expire=2.days.ago")
        files.write(note, b"")


def _moment(at: float) -> str:
    """Return milliseconds since the epoch, in names that sort by time."""
    return f"{round(at * 1000):015d}"


def _own_settings(place: Place) -> tuple[str, ...]:
    pattern = rf"^core\.({'|'.join(_OWN_SETTINGS)})$"
    told = ask(place.root, "config", "-z", "--get-regexp", pattern, codes=(0, 1))
    rows = (os.fsdecode(row).partition("\n") for row in told.split(b"\0") if row)
    return tuple(f"{name}={value or 'true'}" for name, _, value in rows)


def _sorted(root: Path, told: bytes) -> tuple[list[bytes], list[bytes], int]:
    """Return the paths to be read, those too large for it, and how many are left out."""
    wanted: dict[bytes, None] = {}
    large: list[bytes] = []
    untracked = left_out = 0
    top = os.fsencode(root)
    for row in told.split(b"\0"):
        tag, path = row[:1], row[2:]
        if not path or path.endswith(b"/") or path in wanted:
            continue
        if tag == b"?":
            untracked += 1
            if untracked > UNTRACKED:
                left_out += 1
                continue
        full = os.path.join(top, path)
        try:
            found = os.lstat(full)
        except OSError:
            if tag != b"?":
                wanted[path] = None
            continue
        is_file = stat.S_ISREG(found.st_mode)
        if is_file and found.st_size > STORED_BYTES:
            large.append(path)
        elif os.access(full, os.R_OK) if is_file else _fits(found):
            wanted[path] = None
    return list(wanted), large, left_out


def _fits(found: os.stat_result) -> bool:
    """Tell whether git can hold it: a link, or a folder in place of a file; no device or socket."""
    return stat.S_ISLNK(found.st_mode) or stat.S_ISDIR(found.st_mode)
