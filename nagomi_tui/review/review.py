"""One review: what has changed since when, the comments on it, and what is done to it. It blocks."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from nagomi_tui.review.comments import Discarded, Notebook, Notes, Put
from nagomi_tui.review.git import ask
from nagomi_tui.review.model import FileChange, Hunk, Side
from nagomi_tui.review.snapshots import MANY, Loaded, Since, Snapshots, find
from nagomi_tui.system import files
from nagomi_tui.system.git import GitFault, environment, run_git, users_environment
from nagomi_tui.text.words import translatable

NOTHING_SINCE: Final = {
    "uncommitted": translatable("There is nothing to compare with."),
    "turn": translatable("No turn of an agent has begun here since nagomi knows this folder."),
    "base": translatable("It is not known where this branch has left another one."),
}
"""Why there is nothing to compare with."""


class Page(NamedTuple):
    """What a review shows at one time."""

    loaded: Loaded
    notes: Notes


class Review:
    """The review of the working folder that a folder lies in; `session_id` tells whose turns count."""

    def __init__(self, folder: Path | str, session_id: str = "") -> None:
        self._folder = folder
        self._session_id = session_id
        self._snapshots: Snapshots | None = None
        self._closed = False
        self.page: Page | None = None
        self.most_files = MANY
        """Of more changed files only the first are read, and others when they are asked for."""
        self.progress = 0, 0
        """How many changed files were read, and how many there are to be read."""

    def load(self, since: Since | None = None) -> Page:
        """Look at the files as they are now; without `since`, at what is not committed, else since the base.

        Raises:
            GitFault: there is nothing to look at or to compare with, or git does not answer.
            OSError: the state folder cannot be written.
        """
        # The head, the branch and the settings may be others by now.
        snapshots = self._snapshots = Snapshots(find(self._folder), self._note_progress)
        snapshots.most_files = self.most_files
        loaded = self._loaded(snapshots, since or "uncommitted")
        if since is None and not loaded.changes.files:
            against = snapshots.against("base")
            later = snapshots.load("base", against) if against else loaded
            loaded = later if later.changes.files else loaded
        self.progress = 0, 0
        notes = Notebook(snapshots).anchor(loaded.changes)
        self.page = Page(loaded, notes)
        return self.page

    def _loaded(self, snapshots: Snapshots, since: Since) -> Loaded:
        against = snapshots.against(since, self._session_id)
        if against is None:
            raise GitFault("nothing to compare with", NOTHING_SINCE[since])
        return snapshots.load(since, against)

    def again(self) -> Page:
        """Look again at what is shown."""
        return self.load(self.page.loaded.since if self.page else None)

    def close(self) -> None:
        """Have what is still being read end soon; nothing is asked any more."""
        self._closed = True

    def _note_progress(self, done: int, all_of: int) -> None:
        if self._closed:
            raise GitFault("closed", "The review was closed.")
        self.progress = done, all_of

    def whole(self, one: FileChange) -> FileChange:
        """Return a file with its content, however large it is."""
        changes = self._page.loaded.changes
        paths = dict.fromkeys((one.old_path, one.path))
        found = self._git.compare(changes.before, changes.after, *paths, large=True)
        return found.find(one.path) or one

    def comment(self, one: FileChange, hunk: Hunk, side: Side, lines: range, text: str) -> Notes:
        """Add a comment; see `Notebook.add`."""
        return self._noted(self._book.add(one, hunk, side, lines, text))

    def edit(self, number: int, text: str) -> Notes:
        """Give a comment another text, or remove it; see `Notebook.edit`."""
        return self._noted(self._book.edit(number, text))

    def sent(self, numbers: Sequence[int], name: str) -> Notes:
        """Note that comments were sent; see `Notebook.sent`."""
        return self._noted(self._book.sent(numbers, name))

    def mark_seen(self, one: FileChange, *, seen: bool) -> Notes:
        """Note that a file was seen; see `Notebook.mark_seen`."""
        return self._noted(self._book.mark_seen(one, seen=seen))

    def discard(self, one: FileChange, hunk: Hunk | None = None) -> Page:
        """Discard a file or a hunk, and look again; see `discard`."""
        discard(self._git, self._book, one, hunk)
        return self.again()

    def undo(self) -> tuple[str, Page]:
        """Take the last discarding back, and look again; see `undo`."""
        name = undo(self._git, self._book)
        return name, self.again()

    def commit(self, files: Sequence[FileChange], message: str) -> tuple[str, Page]:
        """Commit files, and look again; see `commit`."""
        made = commit(self._git, files, message)
        return made, self.again()

    def place_of(self, one: FileChange) -> Path:
        """Return where a file lies."""
        return self._page.loaded.place.root / os.fsdecode(one.path)

    # --- steps

    @property
    def _page(self) -> Page:
        if self.page is None:
            raise GitFault("not loaded")
        return self.page

    @property
    def _git(self) -> Snapshots:
        if self._snapshots is None:
            raise GitFault("not loaded")
        return self._snapshots

    @property
    def _book(self) -> Notebook:
        return Notebook(self._git)

    def _noted(self, notes: Notes) -> Notes:
        self.page = Page(self._page.loaded, notes)
        return notes


_MOST_BYTES: Final = 256 * 1024 * 1024
_MOST_DISCARDED: Final = 100
_COMMIT_SECONDS: Final = 120.0
"""How long a commit may take, hooks included."""
_CHANGED: Final = translatable(
    "{path} has changed since you looked at it; look again. Nothing was done."
)


def discard(
    snapshots: Snapshots, notebook: Notebook, one: FileChange, hunk: Hunk | None = None
) -> Notes:
    """Put a file, or one hunk of it, back to what it was before; what is lost by it is kept.

    Raises:
        GitFault: it has changed meanwhile, or cannot be put back; nothing was done.
        OSError: a file cannot be written.
    """
    if one.kind == "submodule":
        sentence = translatable("{path} is a repository of its own; discard its changes there.")
        raise GitFault("submodule", sentence, path=one.name)
    tree, _ = snapshots.now()
    after = ("", "") if one.status == "D" else (one.new_mode, one.after)
    if snapshots.entry(tree, one.path) != after:
        raise GitFault("changed", _CHANGED, path=one.name)
    paths = [one.path] if hunk or one.status != "R" else [one.path, one.old_path]
    if one.status == "R" and hunk is None and snapshots.entry(tree, one.old_path) != ("", ""):
        raise GitFault("changed", _CHANGED, path=one.name)
    before = [_kept(snapshots, path) for path in paths]
    # It is on the disk what is taken away before anything is.
    record = Discarded(one.name, time.time(), before)
    notebook.change(lambda notes: _remember(snapshots, notes, record))
    was = [_digest(snapshots.place.root, put.path) for put in before]
    done = False
    try:
        if hunk is not None:
            _take_back(snapshots, one, hunk)
        else:
            _put_back(snapshots, one)
        done = True
    except OSError as exc:
        raise _not_written(one.name, exc) from exc
    finally:
        for put in before:
            put.left = _digest(snapshots.place.root, put.path)
        stays = done or [put.left for put in before] != was

        def settle(notes: Notes) -> None:
            notes.discarded[-1:] = [record] if stays else []

        notes = notebook.change(settle)
    return notes


def undo(snapshots: Snapshots, notebook: Notebook) -> str:
    """Take the last discarding back, and return which file that was.

    Raises:
        GitFault: there is none, or its files have changed since.
        OSError: a file cannot be written.
    """
    notes = notebook.read()
    if not notes.discarded:
        raise GitFault("nothing", "Nothing was discarded here.")
    last = notes.discarded[-1]
    for put in last.files:
        if _digest(snapshots.place.root, put.path) not in (put.left, _kept_digest(snapshots, put)):
            sentence = translatable(
                "{path} has changed since; it stays. What was discarded is kept as {blob} in {folder}."
            )
            raise GitFault(
                "changed", sentence, path=last.what, blob=put.blob or "-",
                folder=snapshots.shadow.folder,
            )  # fmt: skip
    contents = snapshots.contents(*(put.blob.encode() or b"?" for put in last.files))
    for put, data in zip(last.files, contents, strict=True):
        try:
            _restore(snapshots.place.root, put, data)
        except OSError as exc:
            raise _not_written(os.fsdecode(put.path), exc) from exc
    notebook.change(lambda notes: notes.discarded.pop())
    return last.what


def _not_written(path: str, exc: OSError) -> GitFault:
    sentence = translatable("{path} cannot be written: {reason}.")
    return GitFault(str(exc), sentence, path=path, reason=exc.strerror or exc)


def commit(snapshots: Snapshots, changed: Sequence[FileChange], message: str) -> str:
    """Commit these files as they are, hooks included, and return the new commit; the rest stays as it is.

    Raises:
        GitFault: git refuses, as in the middle of a rebase, or does not end in time.
    """
    root = snapshots.place.root
    if under_way := snapshots.place.under_way:
        sentence = translatable("A {what} is under way in {folder}; finish or abort it first.")
        raise GitFault("under way", sentence, what=under_way, folder=root)
    # What is staged already stays as it is staged, should the commit fail.
    staged = set(ask(root, "ls-files", "-z").split(b"\0"))
    fresh = b"".join(
        one.path + b"\0" for one in changed if one.path not in staged and one.status != "D"
    )
    paths = dict.fromkeys(path for one in changed for path in (one.path, one.old_path))
    listed = ("--pathspec-from-file=-", "--pathspec-file-nul")
    if fresh:
        _as_user(root, "add", "--force", "--intent-to-add", *listed, given=fresh)
    try:
        given = b"".join(path + b"\0" for path in paths)
        _as_user(root, "commit", "--quiet", "--only", f"--message={message}", *listed, given=given)
    except GitFault:
        if fresh:
            with contextlib.suppress(GitFault):
                _as_user(root, "reset", "--quiet", *listed, given=fresh)
        raise
    return find(root).head


# --- discarding


def _kept(snapshots: Snapshots, path: bytes) -> Put:
    """Keep a file as it is now, byte by byte, and return what puts it back."""
    place = _place(snapshots.place.root, path)
    try:
        found = os.lstat(place)
    except FileNotFoundError:
        return Put(path, "", "", "")
    if stat.S_ISLNK(found.st_mode):
        mode, data = "120000", os.fsencode(os.readlink(place))
    elif stat.S_ISDIR(found.st_mode):
        sentence = translatable("{path} is a folder now; move it away first. Nothing was done.")
        raise GitFault("folder", sentence, path=os.fsdecode(path))
    elif found.st_size > _MOST_BYTES:
        sentence = translatable("{path} is too large to be kept, so it is not discarded.")
        raise GitFault("large", sentence, path=os.fsdecode(path))
    else:
        mode, data = f"{found.st_mode & 0o7777 | 0o100000:o}", files.read(place, _MOST_BYTES)
    blob = snapshots.shadow.run("hash-object", "-w", "--no-filters", "--stdin", given=data)
    return Put(path, mode, blob.decode().strip(), "")


def _remember(snapshots: Snapshots, notes: Notes, record: Discarded) -> None:
    """Note a discarding, with references that keep its contents from being pruned."""
    notes.discarded.append(record)
    while len(notes.discarded) > _MOST_DISCARDED:
        for put in notes.discarded.pop(0).files:
            if put.blob:
                snapshots.shadow.run("update-ref", "-d", f"refs/discarded/{put.blob}")
    for put in record.files:
        if put.blob:
            snapshots.shadow.run("update-ref", f"refs/discarded/{put.blob}", put.blob)


def _put_back(snapshots: Snapshots, one: FileChange) -> None:
    """Put a whole file back to what it was, or leave it whole as it is."""
    root = snapshots.place.root
    if one.status not in "AC":
        place, mode = _place(root, one.old_path), int(one.old_mode, 8)
        data = _checked_out(snapshots, one)
        if _written(place, data, mode, 0o644):
            found = stat.S_IMODE(os.stat(place).st_mode)
            runs = found | (found & 0o444) >> 2 if mode & 0o100 else found & ~0o111
            os.chmod(place, runs)
    if one.path != one.old_path or one.status in "AC":
        _remove(root, one.path)


def _checked_out(snapshots: Snapshots, one: FileChange) -> bytes:
    """Return what git would write of a file of a tree.

    Raises:
        GitFault: git, or a filter of the user's, fails.
    """
    root, is_link = snapshots.place.root, one.old_mode == "120000"
    own = None if is_link or not _has_filter(root, one.old_path) else _filtered(root, one)
    if own is not None:
        return own
    named = () if is_link else ("--filters", f"--path={os.fsdecode(one.old_path)}")
    with snapshots.locked():
        return snapshots.shadow.run("cat-file", *(named or ("blob",)), one.before)


def _has_filter(root: Path, path: bytes) -> bool:
    """Tell whether git changes a file by a program of the user's, as it does for Git LFS."""
    told = ask(root, "check-attr", "-z", "filter", "--", os.fsdecode(path))
    return told.split(b"\0")[2:3] not in ([b"unspecified"], [b"unset"], [])


def _filtered(root: Path, one: FileChange) -> bytes | None:
    """Return what the user's git would check out of a file that was committed; None if it was not.

    Raises:
        GitFault: its filter fails.
    """
    code, _, _ = run_git(["cat-file", "-e", one.before], cwd=root, env=environment(), seconds=10.0)
    if code:
        return None
    return _as_user(
        root, "cat-file", "--filters", f"--path={os.fsdecode(one.old_path)}", one.before
    )


def _take_back(snapshots: Snapshots, one: FileChange, hunk: Hunk) -> None:
    """Put the lines of one hunk back, and leave the rest of the file."""
    if one.is_link or one.status not in "MR" or _has_filter(snapshots.place.root, one.path):
        sentence = translatable("A part of {path} cannot be discarded; discard the whole file.")
        raise GitFault("whole", sentence, path=one.name)
    place = _place(snapshots.place.root, one.path)
    before, after = snapshots.contents(one.before.encode(), one.after.encode())
    data = files.read(place, _MOST_BYTES)
    lines = _lines(data)
    shown = _lines(after or b"")
    if before is None or [line.rstrip(b"\r\n") for line in lines] != [
        line.rstrip(b"\r\n") for line in shown
    ]:
        raise GitFault("changed", _CHANGED, path=one.name)
    end = b"\r\n" if lines and lines[0].endswith(b"\r\n") else b"\n"
    start = hunk.old - 1 if hunk.old_count else hunk.old
    back = [
        line.rstrip(b"\r\n") + (end if line.endswith(b"\n") else b"")
        for line in _lines(before)[start : start + hunk.old_count]
    ]
    first = hunk.new - 1 if hunk.new_count else hunk.new
    rest = lines[first + hunk.new_count :]
    if rest and back and not back[-1].endswith(b"\n"):
        back[-1] += end
    files.write(Path(place), b"".join([*lines[:first], *back, *rest]))


def _lines(data: bytes) -> list[bytes]:
    """Return the lines with their ends, which are line feeds alone, as for git."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _restore(root: Path, put: Put, data: bytes | None) -> None:
    place = _place(root, put.path)
    if not put.mode:
        _remove(root, put.path)
        return
    if data is None:
        sentence = translatable("What was discarded of {path} is not kept any more.")
        raise GitFault("gone", sentence, path=os.fsdecode(put.path))
    mode = int(put.mode, 8)
    if _written(place, data, mode, mode & 0o777):
        os.chmod(place, mode & 0o7777)


def _written(place: str, data: bytes, mode: int, permissions: int) -> bool:
    """Write a file, or a symbolic link if git's `mode` says so; tell whether it is a file."""
    is_link = stat.S_ISLNK(mode)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if is_link or os.path.islink(place):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)
    if is_link:
        os.symlink(os.fsdecode(data), place)
    else:
        files.write(Path(place), data, mode=permissions)
    return not is_link


def _remove(root: Path, path: bytes) -> None:
    """Remove a file, then its folders as far as they are empty."""
    place = _place(root, path)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(place)
    files.remove_empty(os.path.dirname(place), os.path.realpath(root))


def _digest(root: Path, path: bytes) -> str:
    """Return what tells a file's type and content apart."""
    place = _place(root, path)
    try:
        if os.path.islink(place):
            return "link:" + hashlib.sha256(os.fsencode(os.readlink(place))).hexdigest()
        return hashlib.sha256(files.read(place, _MOST_BYTES)).hexdigest()
    except FileNotFoundError:
        return "none"


def _kept_digest(snapshots: Snapshots, put: Put) -> str:
    """Return the digest of what is kept of a file: where a discarding was broken off, it may be there yet."""
    if not put.mode:
        return "none"
    data = snapshots.contents(put.blob.encode())[0] or b""
    kind = "link:" if stat.S_ISLNK(int(put.mode, 8)) else ""
    return kind + hashlib.sha256(data).hexdigest()


def _place(root: Path, path: bytes) -> str:
    """Return where a file of the project lies.

    Raises:
        GitFault: a symbolic link leads out of the project.
    """
    place = os.path.join(os.fsencode(os.path.realpath(root)), path)
    folder = os.path.dirname(place)
    if os.path.realpath(folder) != folder:
        sentence = translatable("{path} lies behind a symbolic link; nothing was done.")
        raise GitFault("link", sentence, path=os.fsdecode(path))
    return os.fsdecode(place)


# --- committing


def _as_user(root: Path, *arguments: str, given: bytes = b"") -> bytes:
    """Run git as the user would, with their hooks and identity, but without asking for anything."""
    env = users_environment() | {"GIT_LITERAL_PATHSPECS": "1"}
    code, out, fault = run_git(
        arguments, cwd=root, env=env, given=given, seconds=_COMMIT_SECONDS, hooks=True
    )
    if code == 0:
        return out
    if "index.lock" in fault and "exists" in fault:
        lock = next(
            (part for part in fault.split("'") if part.endswith("index.lock")), "index.lock"
        )
        sentence = translatable(
            "Another git process holds {lock}; remove that file if none is running."
        )
        raise GitFault(fault, sentence, lock=lock)
    raise GitFault(fault or out.decode("utf-8", "replace").strip() or f"exit code {code}")
