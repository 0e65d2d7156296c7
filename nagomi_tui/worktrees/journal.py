"""One thing at a time is done to a repository's worktrees, and none stays half done.

Whoever changes something holds the lock of the repository, and notes beforehand which steps bring it
to an end: forward, or back to how it was. Each step can be done again where it was done before. So
whoever holds the lock next does what a process that was killed has left.

The lock stays held until the last git command that was begun under it has ended.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.words import Said
from nagomi_tui.worktrees import git
from nagomi_tui.worktrees.repository import HEADS, Repository, changes, commit_of
from nagomi_worker.runtime import files as lock_files

PATIENCE: Final = 60.0
"""Seconds for which another change to the same repository is waited for."""
_READERS_PATIENCE: Final = 1.0
"""Seconds for which one who only looks waits for another change, or for what one has left."""
_TICK: Final = 0.02
"""Seconds by which a file system's clock may be behind."""
_PENDING: Final = "pending.json"


RECORD: Final = "record.json"
ADMIN: Final = "git"


class Kept(msgspec.Struct, frozen=True):
    """A worktree that was taken away and can be brought back."""

    folder: str
    """Where it was."""
    aside: str
    """Where its files are."""
    admin: str
    """The name of its registration."""
    since: float
    ref: str = ""
    """The branch that was deleted with it."""
    commit: str = ""


def kept_folder(common: Path) -> Path:
    """Return the folder with what is kept of worktrees that were taken away."""
    return folder_of(common) / "removed"


def aside_folder(folder: str) -> Path:
    """Return the folder beside a worktree in which its files are kept, on the same file system."""
    return Path(folder).parent / ".nagomi-removed"


class SetAside(msgspec.Struct, frozen=True, tag="set_aside"):
    """Take a worktree away so that it can be brought back for a time.

    Its folder is renamed to one beside it, and its registration goes into the folder of nagomi's.
    """

    name: str
    """The name under which it is kept."""
    folder: str
    ref: str = ""
    """A branch to be deleted, too, if it is still at `commit`."""
    commit: str = ""

    def do(self, work: Work) -> None:
        """Do it.

        Raises:
            OSError: a folder cannot be renamed; then both are where they were.
            Fault: git does not answer.
        """
        kept = kept_folder(work.common) / self.name
        aside = aside_folder(self.folder) / self.name
        admin = Repository(work.common).registered_at(self.folder)
        if admin is not None:
            _pin(work, admin, self.name, self.ref)
            kept.mkdir(parents=True, exist_ok=True)
            record = Kept(self.folder, str(aside), admin.name, time.time(), self.ref, self.commit)
            files.write(kept / RECORD, as_bytes(record))
        if os.path.lexists(self.folder) and (kept / RECORD).exists():
            aside.parent.mkdir(exist_ok=True)
            os.rename(self.folder, aside)
        if admin is not None:
            try:
                os.rename(admin, kept / ADMIN)
            except OSError:
                if os.path.lexists(aside):
                    os.rename(aside, self.folder)
                raise
        if self.ref:
            ran = work.run(work.common, "update-ref", "-d", self.ref, self.commit)
            if ran.code and commit_of(work.common, self.ref) == self.commit:
                git.sound(ran)
        for left in (self.folder, os.path.dirname(self.folder)):
            with contextlib.suppress(OSError):
                os.rmdir(left)


_PINS: Final = "refs/nagomi/removed"
"""Below it, by the names under which worktrees are kept, what only those have."""
_MOST_PINNED: Final = 200
"""Newest entries of a worktree's reflog whose commits are kept."""
_OBJECT: Final = re.compile(r"[0-9a-f]{40,64}")


def _pin(work: Work, admin: Path, name: str, ref: str) -> None:
    """Keep git from pruning what only a worktree has that is set aside: its index, and commits of its reflog.

    Once its registration is moved away nothing else names them; neither does the branch `ref`, which
    goes, too.
    """
    told: list[str] = []
    for file in ("HEAD", "ORIG_HEAD", "logs/HEAD"):
        with contextlib.suppress(OSError):
            lines = files.read(admin / file).decode("utf-8", "replace").splitlines()
            told += [word for line in lines[-_MOST_PINNED:] for word in line.split(" ")[:2]]
    names = dict.fromkeys(
        one for one in (*told, commit_of(work.common, ref)) if _OBJECT.fullmatch(one)
    )
    given = "".join(f"{one}^{{commit}}\n" for one in names if one.strip("0")).encode()
    found = git.run(work.common, "cat-file", "--batch-check=%(objectname)", given=given).text
    commits = [one for one in found.splitlines() if _OBJECT.fullmatch(one)]
    known = (f"--exclude={ref.removeprefix(HEADS)}", "--branches", "--tags", "--remotes")
    lost = git.output(work.common, "rev-list", *commits, "--not", *known) if commits else ""
    only = [one for one in commits if one in lost]
    tree = git.run(work.common, "write-tree", env={"GIT_INDEX_FILE": str(admin / "index")}).text
    if not only and (not commits or tree in _trees(work.common, commits)):
        return
    tree = tree or git.output(work.common, "hash-object", "-t", "tree", "-w", "--stdin")
    parents = [word for one in only for word in ("-p", one)]
    made = work.run(
        work.common, *git.OURS, "commit-tree", *parents, "-m", f"Kept of {name}", tree, check=True
    )
    work.run(work.common, "update-ref", f"{_PINS}/{_ref_name(name)}", made.text, check=True)


def _trees(folder: Path, commits: Iterable[str]) -> set[str]:
    given = "".join(f"{one}^{{tree}}\n" for one in commits).encode()
    told = git.run(folder, "cat-file", "--batch-check=%(objectname)", given=given).text
    return set(told.splitlines())


def unpin(work: Work, name: str) -> None:
    """Let go of what was kept of a worktree that is back, or gone for good."""
    work.run(work.common, "update-ref", "-d", f"{_PINS}/{_ref_name(name)}")


def _ref_name(name: str) -> str:
    """Return a name of a worktree as a part of a reference's name, which not every one can be."""
    return hashlib.sha256(os.fsencode(name)).hexdigest()[:32]


class BringBack(msgspec.Struct, frozen=True, tag="bring_back"):
    """Put a worktree back where it was before it was set aside."""

    name: str
    admin: str
    """The name of its registration from now on."""
    record: Kept

    def do(self, work: Work) -> None:
        """Do it.

        Raises:
            OSError: a folder cannot be renamed.
            Fault: git does not answer.
        """
        record = self.record
        kept, target = kept_folder(work.common) / self.name, work.common / "worktrees" / self.admin
        if record.ref:
            ran = work.run(work.common, "update-ref", record.ref, record.commit, "0" * 40)
            if ran.code and not commit_of(work.common, record.ref):
                git.sound(ran)
        if os.path.lexists(record.aside) and not os.path.lexists(record.folder):
            os.makedirs(os.path.dirname(record.folder), exist_ok=True)
            os.rename(record.aside, record.folder)
        if (kept / ADMIN).exists() and not target.exists():
            target.parent.mkdir(exist_ok=True)
            os.rename(kept / ADMIN, target)
        if self.admin != record.admin:
            named = b"gitdir: " + os.fsencode(target) + b"\n"
            files.write(Path(record.folder, ".git"), named, mode=0o644)
        if not (kept / ADMIN).exists():
            unpin(work, self.name)
            shutil.rmtree(kept, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(record.aside))


class AbortRebase(msgspec.Struct, frozen=True, tag="abort_rebase"):
    """Take a rebase of a worktree back that is under way."""

    folder: str
    git_dir: str
    ref: str
    """The branch, or nothing where the head was detached."""
    commit: str
    """Where it was before."""

    def do(self, work: Work) -> None:
        """Do it."""
        states = [os.path.join(self.git_dir, one) for one in REBASES]
        found = [one for one in states if os.path.isdir(one)]
        if found and all(map(_is_whole, found)):
            self._drop_written()
            work.run(self.folder, "rebase", "--abort", seconds=git.LONG_SECONDS, check=True)
            return
        # Where git was ended while it wrote down what it was to do, it has done nothing yet, and
        # cannot abort it.
        if git.answer(self.folder, "rev-parse", "HEAD") != self.commit:
            work.run(
                self.folder, "reset", "--keep", self.commit, seconds=git.LONG_SECONDS, check=True
            )
        for one in found:
            shutil.rmtree(one)

    def _drop_written(self) -> None:
        """Remove files that git has written and not yet noted in the index: it would take them for the user's.

        What is not a version of the branch's own, or the beginning of one, stays.
        """
        for one in changes(self.folder):
            path = Path(self.folder, one.name)
            if one.kind != "?" or path.is_symlink() or not path.is_file():
                continue
            told = git.answer(
                self.folder, "log", "--format=", "--raw", "--no-abbrev", "--no-renames", self.commit,
                "--", f":(top,literal){one.name}",
            )  # fmt: skip
            blobs = {words[3] for line in told.splitlines() if len(words := line.split()) > 3}
            if any(_begins(self.folder, one.name, blob) for blob in blobs if blob.strip("0")):
                path.unlink()


def _begins(folder: str, name: str, blob: str) -> bool:
    """Return whether a file holds what a blob gives in a work tree, or the beginning of that."""
    whole = git.run(folder, "cat-file", "--filters", f"--path={name}", blob).out
    return whole.startswith(Path(folder, name).read_bytes())


def _is_whole(state: str) -> bool:
    """Return whether git has written down all that it needs to take a rebase back."""
    try:
        return all(
            os.path.getsize(os.path.join(state, name))
            for name in ("head-name", "onto", "orig-head")
        )
    except OSError:
        return False


class Advance(msgspec.Struct, frozen=True, tag="advance"):
    """Move a branch that is checked out from one commit to a later one, with the files there."""

    folder: str
    git_dir: str
    ref: str
    old: str
    new: str

    def do(self, work: Work) -> None:
        """Do it, or take back what a git that was killed has done of it.

        Raises:
            Fault: git says no; then all is as it was.
        """
        if git.output(self.folder, "rev-parse", self.ref) != self.old:
            return
        if work.left_behind:
            self._tidy(work)
            return
        ran = work.run(
            self.folder, "-c", "merge.verifySignatures=false", "merge", "--ff-only", "--quiet",
            "--no-stat", "--no-autostash", "--no-overwrite-ignore", self.new,
            seconds=git.LONG_SECONDS,
        )  # fmt: skip
        if ran.code:
            files_named = [line.strip() for line in ran.err.splitlines() if line.startswith("\t")]
            names = f" {', '.join(files_named[:5])}" if files_named else ""
            raise git.Fault("git says: {reason}", reason=f"{ran.reason}{names}")

    def _tidy(self, work: Work) -> None:
        """Bring index and files to one of both commits: git writes the files first, then the index."""
        # The user's own changes are in none of these, or git would not have begun.
        names = git.changed_names(self.folder, self.old, self.new)
        staged = git.run(
            self.folder, "diff-index", "--cached", "--name-only", "-z", "--no-renames", self.new,
            check=True,
        ).names  # fmt: skip
        if names and not {*staged} & {*names}:
            work.run(work.common, "update-ref", self.ref, self.new, self.old, check=True)
            return
        old, new = (git.entries(self.folder, one, names) for one in (self.old, self.new))
        here = git.on_disk(self.folder, names)
        back = [
            name
            for name in names
            if not git.same(here.get(name), old.get(name))
            and (name not in here or self._is_part(name, here[name], new.get(name)))
        ]
        for name in back:
            if name not in old:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(self.folder, name))
        work.check_out(self.folder, [name for name in back if name in old])

    def _is_part(self, name: str, here: git.Entry, entry: git.Entry | None) -> bool:
        """Return whether a file is the new one, or the beginning of it that was written."""
        if entry is None or here.mode != "100644":
            return git.same(here, entry)
        return _begins(self.folder, name, entry.blob)


class Carry(msgspec.Struct, frozen=True, tag="carry"):
    """Take uncommitted changes out of a worktree once they have arrived in another one.

    What has changed again since stays; the files that are taken out are kept for a time.
    """

    folder: str
    keep: str
    """Where the files are kept."""
    head: str
    tree: str
    """The tree with the changes."""
    names: tuple[str, ...]

    def do(self, work: Work) -> None:
        """Do it.

        Raises:
            Fault: git says no.
            OSError: a file cannot be moved.
        """
        if work.run(self.folder, "cat-file", "-e", self.tree).code:
            return  # Both have them, which loses nothing.
        was, now = (git.entries(self.folder, one, self.names) for one in (self.head, self.tree))
        here = git.on_disk(self.folder, self.names)
        taken = []
        for name in self.names:
            path = os.path.join(self.folder, name)
            if not git.same(here.get(name), now.get(name)):
                is_kept = name not in now or os.path.lexists(os.path.join(self.keep, name))
                if is_kept and self._is_torn(name, here.get(name), was.get(name)):
                    os.unlink(path)
                    taken.append(name)
                elif git.same(here.get(name), was.get(name)) or name not in here:
                    taken.append(name)
                continue
            if name in now:
                target = os.path.join(self.keep, name)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.move(path, target)
                if name not in was:
                    files.remove_empty(os.path.dirname(path), self.folder)
            taken.append(name)
        if taken:
            work.run(
                self.folder, "--literal-pathspecs", "reset", "--quiet", self.head,
                "--pathspec-from-file=-", "--pathspec-file-nul", given=git.given(taken),
                check=True,
            )  # fmt: skip
        missing = [
            name
            for name in taken
            if name in was and not os.path.lexists(os.path.join(self.folder, name))
        ]
        work.check_out(self.folder, missing)

    def _is_torn(self, name: str, here: git.Entry | None, was: git.Entry | None) -> bool:
        """Return whether a git that was killed has only begun to write a file."""
        if here is None or was is None or here.mode != "100644" or git.same(here, was):
            return False
        return _begins(self.folder, name, was.blob)


Step: TypeAlias = SetAside | BringBack | AbortRebase | Advance | Carry
REBASES: Final = ("rebase-merge", "rebase-apply")


class _Pending(msgspec.Struct, frozen=True):
    what: str
    """What is done, as one says it: `create`, `merge` and so on."""
    began: float
    steps: tuple[Step, ...]


class Work:
    """What is done under the lock of one repository."""

    def __init__(self, common: Path, lock: int) -> None:
        self.common = common
        self.left_behind = False
        """Whether steps are done that a process has left which was killed."""
        self._lock = lock
        self._began = 0.0

    @property
    def _pending(self) -> Path:
        return folder_of(self.common) / _PENDING

    def run(
        self, folder: Path | str, *arguments: str, given: bytes = b"",
        seconds: float = git.SECONDS, env: Mapping[str, str] | None = None, check: bool = False,
    ) -> git.Ran:  # fmt: skip
        """Run a git command that may write; the lock stays held as long as it runs."""
        return git.run(
            folder, *arguments, given=given, seconds=seconds, env=env, lock=self._lock, check=check
        )

    def note(self, what: str, *steps: Step) -> None:
        """Note what is to be done should this process not go on.

        Raises:
            OSError: it cannot be written.
        """
        self._began = time.time()
        files.write(self._pending, as_bytes(_Pending(what, self._began, steps)))

    def do(self) -> None:
        """Do the steps that are noted, and note nothing any more.

        Raises:
            Fault, OSError: one cannot be done; they stay noted.
        """
        pending = self._read()
        if pending is not None:
            self._began = pending.began
            if self.left_behind:
                self._drop_stale_locks()
            for step in pending.steps:
                step.do(self)
        self.done()

    def done(self) -> None:
        """Note nothing any more: all is done."""
        self._pending.unlink(missing_ok=True)

    def finish(self) -> None:
        """Do what a process has left that was killed."""
        try:
            self.left_behind = True
            self.do()
        except (git.Fault, OSError) as exc:
            raise git.Fault(
                "Something that was broken off before cannot be brought to its end: {reason}",
                reason=said(exc),
            ) from exc
        finally:
            self.left_behind = False

    def _read(self) -> _Pending | None:
        try:
            text = files.read(self._pending)
        except FileNotFoundError:
            return None
        try:
            return from_builtins(json.loads(text), _Pending)
        except (ValueError, msgspec.ValidationError) as exc:
            raise git.Fault(
                "{path} cannot be read: {reason}", path=self._pending, reason=exc
            ) from exc

    def check_out(self, folder: str, names: Sequence[str]) -> None:
        """Write files anew as the index has them."""
        if names:
            self.run(
                folder, "checkout-index", "--force", "--index", "-z", "--stdin",
                given=git.given(names), seconds=git.LONG_SECONDS, check=True,
            )  # fmt: skip

    def _drop_stale_locks(self) -> None:
        """Remove the locks of git that one of ours has left which was killed."""
        places = (
            self.common.glob("*.lock"),
            self.common.glob("worktrees/*/*.lock"),
            self.common.glob("refs/**/*.lock"),
        )
        for path in (one for place in places for one in place):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime >= self._began - _TICK and not _is_open(path):
                    path.unlink()


def _is_open(path: Path) -> bool:
    """Return whether a git that runs has a file open."""
    import psutil

    for process in psutil.process_iter(["name"]):
        with contextlib.suppress(psutil.Error):
            if process.info["name"].startswith("git") and os.fspath(path) in {
                one.path for one in process.open_files()
            }:
                return True
    return False


def folder_of(common: Path) -> Path:
    """Return the folder of nagomi's in that of a repository."""
    return common / "nagomi"


@contextlib.contextmanager
def locked(repository: Repository) -> Iterator[Work]:
    """Hold the lock of a repository, and finish first what was left there.

    Raises:
        Fault: another process holds it for longer than that, or the folder cannot be written.
    """
    folder = folder_of(repository.common)
    lock = lock_files.FileLock(folder / "lock")
    try:
        folder.mkdir(exist_ok=True)
        lock.take(patience=PATIENCE)
    except lock_files.Busy as exc:
        raise git.Fault(
            "Another process is changing worktrees of {repository}; try again when it is done.",
            repository=repository.common,
        ) from exc
    except OSError as exc:
        raise git.Fault(
            "{folder} cannot be written: {reason}.",
            folder=folder,
            reason=exc.strerror,
        ) from exc
    try:
        work = Work(repository.common, lock.fileno())
        work.finish()
        yield work
    except OSError as exc:
        raise git.Fault(
            "The system refused: {reason} ({path}).",
            reason=exc.strerror or exc, path=exc.filename or folder,
        ) from exc  # fmt: skip
    finally:
        lock.release()


def recover(repository: Repository) -> None:
    """Finish what was left by a process that was killed, unless another one works there."""
    if not (folder_of(repository.common) / _PENDING).exists():
        return
    lock = lock_files.FileLock(folder_of(repository.common) / "lock")
    with contextlib.suppress(lock_files.Busy, OSError):
        lock.take(patience=_READERS_PATIENCE)
        try:
            Work(repository.common, lock.fileno()).finish()
        finally:
            lock.release()


def as_bytes(value: Any) -> bytes:
    """Return a value as JSON, in which names may stand that are no UTF-8."""
    return json.dumps(msgspec.to_builtins(value), indent=1).encode("ascii")


def said(exc: Exception) -> Said | str:
    """Return why something failed, to be put into a sentence."""
    if isinstance(exc, git.Fault):
        return exc.said
    if isinstance(exc, OSError) and exc.strerror:
        return f"{exc.strerror} ({exc.filename})" if exc.filename else exc.strerror
    return str(exc)
