"""Notices files that change while agents discuss, shows these changes, and undoes them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import BoundedSemaphore
from typing import Final, NamedTuple, TypeVar

import anyio

from nagomi_tui.agents.registry import as_read
from nagomi_tui.api import messages
from nagomi_tui.guard.decide.documents import Mode
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import Broken, read_config, read_state
from nagomi_tui.guard.watch import Change, TreeWatch, Undone, watch
from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.history.reviews import NOTHING, Changes, made_plain
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines
from nagomi_tui.system.git import GitFault
from nagomi_tui.text.cells import printable
from nagomi_tui.text.words import translatable

EVERY_SECONDS: Final = 2.0
"""The least time between two looks at one project."""
_REST: Final = 5.0
"""A look is followed by a pause of so many times its own length."""
_FAULT_SECONDS: Final = 30.0
"""The pause after a look that failed."""
_SECONDS: Final = 60.0
"""How long a look may take."""
_ASKED_SECONDS: Final = 20.0
"""How long a user is let wait."""
_AT_ONCE: Final = 2
_NAMED: Final = 5
"""Most files that are named in one sentence."""
_AFTER: Final = frozenset(
    {
        "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Stop", "StopFailure", "SubagentStop",
    }
)  # fmt: skip
"""Events of a hook after which a project is looked at."""
_TOLD: Final = translatable(
    "Something has changed in {folder} that nobody approved: {paths}. The agents there should only "
    "discuss: {names}. The guard's dialog shows it, and u there undoes it, as does `nagomi guard "
    "undo`. If it was you, leave it as it is."
)
_UNAPPROVED: Final = translatable(
    "Something has changed in its project while it should only discuss; nobody approved that."
)
_CHANGED: Final = translatable(
    "The change has become another meanwhile; look at it again. Nothing was undone."
)
_Found = TypeVar("_Found")
_log = logging.getLogger(__name__)


class Noticed(NamedTuple):
    """A change that no approval covers, and when it was noticed, in seconds since the epoch."""

    change: Change
    at: float


class _Place:
    """A project whose agents discuss."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.sessions: Sequence[SessionRuntime] = ()
        self.began = False
        """There is a state to compare with."""
        self.asked = True
        self.busy = False
        self.next = 0.0
        """When it may be looked at again, on the monotonic clock."""
        self.fault = ""
        """Why it could not be looked at last time."""
        self.noticed: Noticed | None = None
        self.named: frozenset[str] = frozenset()
        """Files that the user was told of."""


class Unapproved:
    """Compares projects with what they were when discussion began, after each tool call and turn."""

    def __init__(self, settings: Callable[[], Settings], audience: Audience) -> None:
        self._settings = settings
        self._audience = audience
        self._places: dict[Project, _Place] = {}
        self._slots = BoundedSemaphore(_AT_ONCE)
        self._asked_slots = BoundedSemaphore(_AT_ONCE)
        self._wanted = anyio.Event()

    async def run(self) -> None:
        """Look at projects as they are asked for, for ever."""
        async with anyio.create_task_group() as tasks:
            while True:
                self._wanted = anyio.Event()
                now = time.monotonic()
                waiting = [p for p in self._places.values() if p.asked and not p.busy]
                for place in waiting:
                    if place.next <= now:
                        place.busy, place.asked = True, False
                        tasks.start_soon(self._look, place)
                later = (place.next - now for place in waiting if place.asked)
                with anyio.move_on_after(min(later, default=_SECONDS)):
                    await self._wanted.wait()

    def follow(self, guarded: Mapping[Project, Sequence[SessionRuntime]]) -> None:
        """Begin where discussion begins, and forget where it ends; `guarded` are all projects."""
        on = self._settings().guard_watch
        discussing = {p: found for p, found in guarded.items() if on and _discuss(found)}
        for project in [project for project in self._places if project not in discussing]:
            del self._places[project]
        for project, sessions in discussing.items():
            if project not in self._places:
                self._places[project] = _Place(project)
                self._wanted.set()
            self._places[project].sessions = sessions

    def heard(self, event: messages.Hook) -> None:
        """Look at a session's project, if an agent there has used a tool, or ended its turn."""
        if as_read(event.agent, event.payload).get("hook_event_name") not in _AFTER:
            return
        for place in self._places.values():
            if any(session.session_id == event.session for session in place.sessions):
                place.asked = True
                self._wanted.set()

    def noticed(self, session: SessionRuntime) -> Noticed | None:
        """Return the change in a session's project; None while nothing was noticed."""
        place = self._place(session)
        return place.noticed if place else None

    def reason(self, session: SessionRuntime) -> tuple[str, messages.EvidenceDetail] | None:
        """Return a sentence on the change, to be translated, and the evidence for it."""
        if (found := self.noticed(session)) is None:
            return None
        return _UNAPPROVED, messages.EvidenceDetail(
            source="guard",
            says="changed",
            age_s=round(max(0.0, time.time() - found.at), 1),
            rule="unapproved-change",
            text=mask(named(found.change.paths)),
        )

    async def diff(self, session: SessionRuntime) -> Changes:
        """Return the change as git shows it, masked and bounded.

        Raises:
            Refusal: git does not tell.
        """
        place = self._place(session)
        if place is None or place.noticed is None:
            return NOTHING
        change = place.noticed.change
        return await self._in_time(place, lambda tree: made_plain(tree.diff(change).splitlines()))

    async def undo(self, session: SessionRuntime, seen: str) -> Undone:
        """Put back what was changed, if that is what the user has `seen`; empty for the last.

        Raises:
            Refusal: nothing was noticed, or something else, or it cannot be put back.
        """
        place = self._place(session)
        if place is None or place.noticed is None:
            sentence = translatable("Nothing that nobody approved was noticed in {name}'s project.")
            raise Refusal("refused", sentence, name=session.info.name)
        change = place.noticed.change
        if seen not in ("", change.after):
            raise Refusal("refused", _CHANGED)
        undone = await self._in_time(place, lambda tree: _undo(tree, place.project, change))
        if undone is None:
            raise Refusal("refused", _CHANGED)
        place.noticed, place.named, place.asked = None, frozenset(), True
        self._wanted.set()
        for one in place.sessions:
            self._audience.publish_soon(one)
        return undone

    # --- steps

    def _place(self, session: SessionRuntime) -> _Place | None:
        for place in self._places.values():
            if any(one.session_id == session.session_id for one in place.sessions):
                return place
        return None

    async def _look(self, place: _Place) -> None:
        begun, pause = time.monotonic(), EVERY_SECONDS if place.began else 0.0
        work = partial(_looked, place.project, begin=not place.began)
        try:
            found = await deadlines.run(work, seconds=_SECONDS, slots=self._slots)
        except (GitFault, Broken, OSError, ValueError) as exc:
            if str(exc) != place.fault:
                _log.warning("%s cannot be compared: %s", place.project.root, mask(str(exc)))
            place.fault, pause = str(exc), _FAULT_SECONDS
            # Without a state to compare with, no event is waited for.
            place.asked |= not place.began
        else:
            place.began, place.fault = True, ""
            self._take(place, found)
        finally:
            place.busy = False
            now = time.monotonic()
            place.next = now + max(pause, _REST * (now - begun))
            self._wanted.set()

    def _take(self, place: _Place, change: Change | None) -> None:
        if self._places.get(place.project) is not place:
            return
        before = place.noticed
        if change is None:
            place.noticed = None
        elif before is None or before.change != change:
            place.noticed = Noticed(change, time.time())
        if place.noticed == before:
            return
        paths = change.paths if change else ()
        if not place.named.issuperset(paths):
            names = ", ".join(session.info.name for session in place.sessions)
            folder = named((str(place.project.root),))
            self._audience.tell("error", _TOLD, folder=folder, paths=named(paths), names=names)
        place.named = frozenset(paths)
        for session in place.sessions:
            self._audience.publish_soon(session)

    async def _in_time(self, place: _Place, work: Callable[[TreeWatch], _Found]) -> _Found:
        try:
            return await deadlines.run(
                lambda: work(_tree(place.project)),
                seconds=_ASKED_SECONDS,
                slots=self._asked_slots,
            )
        except TimeoutError as exc:
            raise Refusal("busy", "git did not answer in time.") from exc
        except (GitFault, Broken, OSError, ValueError) as exc:
            reason = mask(str(exc).partition("\n")[0])
            raise Refusal("refused", "git says: {reason}", reason=reason) from exc


def named(paths: Sequence[str]) -> str:
    """Return the first of some files' names, for a sentence."""
    shown = ", ".join(map(printable, as_text(paths[:_NAMED])))
    return f"{shown}, … ({len(paths)})" if len(paths) > _NAMED else shown


def as_text(paths: Sequence[str]) -> tuple[str, ...]:
    """Return files' names as JSON can hold them, whatever bytes they are of."""
    return tuple(path.encode("utf-8", "replace").decode() for path in paths)


def _discuss(sessions: Sequence[SessionRuntime]) -> bool:
    """Tell whether a project's sessions, which share its guard, are in discussion."""
    standing = sessions[0].info.guard
    return standing is not None and standing.mode == Mode.DISCUSSION.value and not standing.bypassed


def _tree(project: Project) -> TreeWatch:
    found = watch(project, read_config(project))
    if found is None:
        raise GitFault(f"{project.root} is no git repository")
    return found


def _looked(project: Project, *, begin: bool) -> Change | None:
    """Begin, or return what has changed, unless an approval came meanwhile."""
    tree = watch(project, read_config(project))
    if tree is None:
        return None
    if begin:
        tree.begin()
        return None
    change = tree.look()
    return change if _is_discussed(project) else None


def _undo(tree: TreeWatch, project: Project, change: Change) -> Undone | None:
    """Undo a change, unless an approval came meanwhile."""
    return tree.undo(change) if _is_discussed(project) else None


def _is_discussed(project: Project) -> bool:
    """Tell whether the guard lets nothing be written; a state that nobody can read is discussion."""
    try:
        state = read_state(project).state
    except Broken:
        return True
    return state.mode is Mode.DISCUSSION and not state.flags.bypass_mode
