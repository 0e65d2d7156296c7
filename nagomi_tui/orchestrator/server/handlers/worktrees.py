"""Handles requests about reviews and git worktrees, in threads: git may take its time, and a folder be dead."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final, TypeVar

from nagomi_tui.api import messages
from nagomi_tui.masking import mask, mask_lines
from nagomi_tui.orchestrator.history.reviews import read
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.server.dispatch import Asker, Group
from nagomi_tui.orchestrator.sessions.table import SessionTable, naming
from nagomi_tui.system import deadlines
from nagomi_tui.worktrees import figures, merging, project, removing
from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.looks import Inside, inside
from nagomi_tui.worktrees.repository import at, find, short

_Value = TypeVar("_Value")
_TEARS_DOWN: Final = "The repository has tear-down commands, which `nagomi worktree remove` runs where they are approved."
_AT_ONCE: Final = 4
_SECONDS: Final = 60.0
_MERGE_SECONDS: Final = 600.0
_MOST_FILES: Final = 1000


class RepositoryRequests(Group):
    """Tells how worktrees stand, merges them, and tells what has changed where sessions work."""

    def __init__(self, sessions: SessionTable) -> None:
        self._sessions = sessions
        self._slots = BoundedSemaphore(_AT_ONCE)

    async def list_all(
        self, client: Asker, request: messages.ListWorktrees
    ) -> messages.WorktreeList:
        here = inside(self._sessions.infos)
        found = await self._in_thread(
            lambda: figures.survey(find(request.folder), here), request.folder, _SECONDS
        )
        return messages.WorktreeList(worktrees=found)

    async def merge(
        self, client: Asker, request: messages.MergeWorktree
    ) -> messages.WorktreeMerged:
        """Merge a worktree, and take it away if that is safe."""
        work = partial(_merged, request, lambda: inside(self._sessions.infos))
        return await self._in_thread(work, request.folder, _MERGE_SECONDS)

    async def review(self, client: Asker, request: messages.ReviewSession) -> messages.Reviewed:
        """Say what has changed, and what the user has to say of it."""
        session = await self._sessions.find(request.session)
        info = session.info
        hand = "" if info.is_local else info.worker_id
        found = await read(info.here, info.session_id, request.since or None, request.path, hand)
        loaded, notes = found.page.loaded, found.page.notes
        files = loaded.changes.files
        return messages.Reviewed(
            **naming(session),
            root=mask(str(loaded.place.root)),
            since=loaded.since,
            against=mask(loaded.against.name),
            added=loaded.changes.added,
            removed=loaded.changes.removed,
            files=tuple(
                messages.ReviewedFile(
                    path=mask(one.name),
                    status=one.status,
                    kind=one.kind,
                    added=one.added,
                    removed=one.removed,
                )  # fmt: skip
                for one in files[:_MOST_FILES]
            ),
            lines=found.shown.lines,
            left_out=found.shown.left_out,
            comments=tuple(
                messages.ReviewComment(
                    place=mask(one.place),
                    side=one.side,
                    lines=tuple(mask_lines(one.lines)),
                    text="\n".join(mask_lines(one.text.split("\n"))),
                    standing=one.standing,
                )  # fmt: skip
                for one in notes.comments
            ),
        )

    async def _in_thread(self, work: Callable[[], _Value], folder: str, seconds: float) -> _Value:
        if not folder.startswith("/"):
            raise Refusal("bad_request", "`{folder}` is no absolute path.", folder=folder)
        try:
            return await deadlines.run(work, seconds=seconds, slots=self._slots)
        except Fault as exc:
            raise Refusal("refused", exc.said.message, **exc.said.values) from exc
        except TimeoutError as exc:
            raise Refusal("busy", "git takes too long in {folder}.", folder=folder) from exc


def _merged(
    request: messages.MergeWorktree, sessions: Callable[[], tuple[Inside, ...]]
) -> messages.WorktreeMerged:
    """Merge, and take the worktree away; return what that has come to.

    Raises:
        Fault: it cannot be merged.
    """
    repository, worktree = find(request.folder), at(request.folder)
    try:
        done = merging.merge(
            repository, worktree, into=request.into, how=request.how, keep=request.keep
        )
    except merging.Conflict as exc:
        return messages.WorktreeMerged(
            merged=False, branch=exc.source, target=exc.target, conflicts=exc.names
        )
    why: tuple[str, ...] = ()
    if not request.keep and project.read(worktree.path).teardown:
        why = (_TEARS_DOWN,)
    elif not request.keep:
        try:
            removing.remove(repository, Path(worktree.path), sessions)
        except removing.Unsafe as exc:
            why = tuple(map(str, exc.reasons))
    return messages.WorktreeMerged(
        merged=True, branch=worktree.title, target=short(done.preview.target),
        commit=done.commit, kept=request.keep or bool(why), why=why,
    )  # fmt: skip
