"""Follows how the git worktrees stand that sessions are in, and tells once which of them conflict.

Git runs in threads, for a few worktrees at a time, and only where something may have changed: the
session has printed something, or git has written the index or a commit. So many that rest cost a
`stat` each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final, NamedTuple

import msgspec

from nagomi_tui.orchestrator.runtime.timers import next_pulse
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.sessions.session import RequestStanding, WorktreeStanding
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines, files
from nagomi_tui.text.words import translatable
from nagomi_tui.worktrees import figures
from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.model import Meeting
from nagomi_tui.worktrees.repository import Repository, Worktree, at, short
from nagomi_tui.worktrees.requests import PullRequest, pull_requests

LOOK_SECONDS: Final = 10.0
_RADAR_ROUNDS: Final = 6
"""Looks until conflicts are looked for again, and the base may have moved."""
_SECONDS: Final = 60.0
_MEET: Final = translatable("{one} and {other} conflict in {names} (`nagomi worktree list`).")


class _Seen(NamedTuple):
    """What a session's worktree looked like when git was asked last."""

    stamp: tuple[object, ...]
    worktree: Worktree | None


@dataclass(eq=False)
class WorktreeWatch:
    """Asks git how the worktrees of sessions on this machine stand."""

    sessions: SessionTable
    audience: Audience
    is_shown: Callable[[SessionRuntime], bool]
    settings: Callable[[], Settings]

    def __post_init__(self) -> None:
        self._seen: dict[str, _Seen] = {}
        self._told: set[frozenset[str]] = set()
        """Pairs of worktrees whose conflict was told, until it is over."""
        self._slots = BoundedSemaphore(2)

    async def run(self) -> None:
        """Look for ever."""
        number = 0
        while True:
            await next_pulse(LOOK_SECONDS)
            anew = number % _RADAR_ROUNDS == 0
            for session in self.sessions.all:
                if session.info.is_local and session.running and (anew or self.is_shown(session)):
                    await self.look(session, anew=anew)
            if anew:
                await self.find_conflicts()
                await self.find_requests()
            number += 1

    async def look(self, session: SessionRuntime, *, anew: bool = False) -> None:
        """Note how a session's worktree stands, if something may have changed since."""
        info = session.info
        known = self._seen.get(info.session_id)
        work = partial(_look, info.here, info.last_output_at, known, anew=anew)
        try:
            found = await deadlines.run(work, seconds=_SECONDS, slots=self._slots)
        except (TimeoutError, OSError):
            return
        if found is None:
            return
        self._seen[info.session_id], standing = found
        before = session.info.worktree
        if standing is not None and before is not None:
            standing = msgspec.structs.replace(standing, meets=before.meets, request=before.request)
        if session.info.here == info.here and session.change(worktree=standing):
            self.audience.publish(session)

    def _inside(self) -> tuple[dict[str, list[SessionRuntime]], dict[Path, dict[str, Worktree]]]:
        """Return the sessions in each worktree by its path, and by repository the worktrees."""
        here: dict[str, list[SessionRuntime]] = {}
        trees: dict[Path, dict[str, Worktree]] = {}
        for session in self.sessions.all:
            seen = self._seen.get(session.session_id)
            if seen is not None and seen.worktree is not None and session.running:
                path = os.fspath(seen.worktree.path)
                here.setdefault(path, []).append(session)
                common = seen.worktree.git_dir.parent.parent
                trees.setdefault(common, {})[path] = seen.worktree
        return here, trees

    async def find_requests(self) -> None:
        """Note the pull requests of worktrees with sessions, if the user wants them asked for."""
        wanted = self.settings().worktree_requests
        here, trees = self._inside()
        for common, found in trees.items():
            asked: dict[str, PullRequest] = {}
            if wanted:
                work = partial(pull_requests, Repository(common))
                try:
                    asked = await deadlines.run(work, seconds=_SECONDS, slots=self._slots)
                except (TimeoutError, OSError, Fault):
                    continue
            for path, worktree in found.items():
                one = asked.get(short(worktree.branch))
                for session in here[path]:
                    self._note_request(session, one)

    def _note_request(self, session: SessionRuntime, one: PullRequest | None) -> None:
        standing = session.info.worktree
        request = one and RequestStanding(
            number=one.number, state=one.state, checks=one.checks, conflicts=bool(one.conflicts)
        )
        if standing is not None and standing.request != request:
            session.change(worktree=msgspec.structs.replace(standing, request=request))
            self.audience.publish(session)

    async def find_conflicts(self) -> None:
        """Look which worktrees with sessions conflict, and tell of each pair once."""
        here, trees = self._inside()
        for common, found in trees.items():
            work = partial(_meetings, common, tuple(found.values()))
            try:
                looked_at, met = await deadlines.run(work, seconds=_SECONDS, slots=self._slots)
            except (TimeoutError, OSError, Fault):
                continue
            self._note(found, here, met)
            pairs = {frozenset((one, other.worktree)) for one in met for other in met[one]}
            self._told -= {one for one in self._told if one <= looked_at and one not in pairs}

    def _note(
        self,
        trees: dict[str, Worktree],
        here: dict[str, list[SessionRuntime]],
        met: dict[str, tuple[Meeting, ...]],
    ) -> None:
        for path, worktree in trees.items():
            certain = [one for one in met.get(path, ()) if one.certain]
            for session in here[path]:
                standing = session.info.worktree
                names = tuple(one.branch for one in certain)
                if standing is not None and standing.meets != names:
                    session.change(worktree=msgspec.structs.replace(standing, meets=names))
                    self.audience.publish(session)
            for one in certain:
                pair = frozenset((path, one.worktree))
                if pair not in self._told:
                    self._told.add(pair)
                    branch = short(worktree.branch) or worktree.name
                    names_told = ", ".join(one.names[:3])
                    self.audience.tell(
                        "info", _MEET, one=branch, other=one.branch, names=names_told
                    )


def _look(
    folder: str, output_at: float | None, known: _Seen | None, *, anew: bool
) -> tuple[_Seen, WorktreeStanding | None] | None:
    """Return how a worktree stands, and what that was seen by; None where nothing has changed."""
    worktree = known.worktree if known else None
    stamp = _stamp(folder, output_at, worktree)
    if known is not None and known.stamp == stamp and not (anew and worktree is not None):
        return None
    try:
        worktree = at(folder) if _is_linked(folder) else None
    except Fault:
        worktree = None
    seen = _Seen(_stamp(folder, output_at, worktree), worktree)
    if worktree is None:
        return seen, None
    found = figures.figures(worktree)
    return seen, WorktreeStanding(
        base=found.base, ahead=found.ahead, behind=found.behind, files=found.files,
        added=found.added, removed=found.removed, uncommitted=found.uncommitted, ports=found.ports,
    )  # fmt: skip


def _stamp(folder: str, output_at: float | None, worktree: Worktree | None) -> tuple[object, ...]:
    if worktree is None:
        return (folder,)
    return (
        folder,
        output_at,
        *(files.stamp(worktree.git_dir / name) for name in ("index", "HEAD", "logs/HEAD")),
    )


def _is_linked(folder: str) -> bool:
    """Return whether a folder is in a linked worktree, by the files alone."""
    place = Path(folder)
    for one in (place, *place.parents):
        git = one / ".git"
        if git.is_file():
            return b"/worktrees/" in files.read(git)
        if git.exists():
            return False
    return False


def _meetings(
    common: Path, trees: Sequence[Worktree]
) -> tuple[frozenset[str], dict[str, tuple[Meeting, ...]]]:
    """Return the paths of the worktrees that were looked at, with the main one, and which of them meet."""
    now = {one.path: one for one in Repository(common).worktrees()}
    wanted = {one.path for one in trees}
    looked_at = [one for one in now.values() if one.is_main or one.path in wanted]
    paths = frozenset(os.fspath(one.path) for one in looked_at)
    return paths, figures.meetings(Repository(common), looked_at)
