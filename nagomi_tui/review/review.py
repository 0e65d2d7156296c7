"""One review: what has changed since when, the comments on it, and what is done to it. It blocks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.review import acting
from nagomi_tui.review.comments import Notebook, Notes
from nagomi_tui.review.snapshots import Loaded, Since, Snapshots, find
from nagomi_tui.system.git import GitFault
from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from nagomi_tui.review.model import FileChange, Hunk, Side

NOTHING_SINCE: Final = {
    "uncommitted": translatable("There is nothing to compare with."),
    "turn": translatable("No turn of an agent has begun here since nagomi knows this folder."),
    "base": translatable("It is not known where this branch has left another one."),
}
"""Why there is nothing to compare with."""
ELSEWHERE: Final = translatable("{name} runs on {hand}; run `nagomi diff` there, in its folder.")
"""What is said of a session on another machine."""


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
        self.page: Page | None = None

    def load(self, since: Since | None = None) -> Page:
        """Look at the files as they are now; without `since`, at what is not committed, else since the base.

        Raises:
            GitFault: there is nothing to look at or to compare with, or git does not answer.
            OSError: the state folder cannot be written.
        """
        # The head, the branch and the settings may be others by now.
        snapshots = self._snapshots = Snapshots(find(self._folder))
        loaded = self._loaded(snapshots, since or "uncommitted")
        if since is None and not loaded.changes.files:
            against = snapshots.against("base")
            later = snapshots.load("base", against) if against else loaded
            loaded = later if later.changes.files else loaded
        notes = Notebook(snapshots).anchor(loaded.changes)
        self.page = Page(loaded, notes)
        return self.page

    def _loaded(self, snapshots: Snapshots, since: Since) -> Loaded:
        against = snapshots.against(since, self._session_id)
        if against is None:
            raise GitFault("nothing to compare with", NOTHING_SINCE[since])
        return snapshots.load(since, against)

    def again(self) -> Page:
        """Look again at what is shown.

        Raises:
            GitFault: as `load`.
            OSError: as `load`.
        """
        return self.load(self.page.loaded.since if self.page else None)

    def whole(self, one: FileChange) -> FileChange:
        """Return a file with its content, however large it is.

        Raises:
            GitFault: git does not answer.
        """
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
        """Discard a file or a hunk, and look again; see `acting.discard`."""
        acting.discard(self._git, self._book, self._page.loaded.changes, one, hunk)
        return self.again()

    def undo(self) -> tuple[str, Page]:
        """Take the last discarding back, and look again; see `acting.undo`."""
        name = acting.undo(self._git, self._book)
        return name, self.again()

    def commit(self, files: Sequence[FileChange], message: str) -> tuple[str, Page]:
        """Commit files, and look again; see `acting.commit`."""
        made = acting.commit(self._git, files, message)
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
