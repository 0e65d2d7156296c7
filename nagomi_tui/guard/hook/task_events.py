"""The tasks' part of hook events: the current task, and the branch that a file is on."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.guard.tasks import loading, templates, tour, transcripts
from nagomi_tui.guard.tasks.folder import tasks_folder
from nagomi_tui.guard.tasks.git import checkout_of

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.branches import Checkout
    from nagomi_tui.guard.decide.events import Decision, ToolUse
    from nagomi_tui.guard.decide.state import Protocol
    from nagomi_tui.guard.files.project import Project

_GIT_SECONDS: Final = 1.2
"""Seconds that git may take of the two in which the hook must decide."""
_NEW_SESSION: Final = ("startup", "clear")


def checkout(project: Project, relative: str) -> Checkout:
    """Return what is checked out where a file lies (DC-22).

    Raises:
        Unknown: it cannot be told, or not in time.
    """
    return checkout_of(project, relative, _GIT_SECONDS)


def template(project: Project, protocol: Protocol) -> str:
    """Return the text of a protocol (DC-18)."""
    return templates.protocol_template(project, protocol)


def edited(project: Project, use: ToolUse, done: Decision) -> Decision:
    """Update the state if the current task's own file was edited (D-42)."""
    state, told = loading.followed(project, use.targets, done.state, _now())
    return _with(msgspec.structs.replace(done, state=state), *told, tells_user=True)


def began(project: Project, source: str, done: Decision) -> Decision:
    """Tell a new session its current task, or the open tasks if there is none (DC-34, DC-41)."""
    if source not in _NEW_SESSION:
        return done
    transcripts.remove(project)
    told: list[str] = []
    if tasks_folder(project).is_dir():
        state, opening = loading.opening(project, done.state, _now())
        done, told = msgspec.structs.replace(done, state=state), [opening]
    if number := done.state.own.chapter:
        told.append(tour.chapter(number))
    return _with(done, *told)


def for_subagent(
    project: Project, transcript: str, session_id: str, kind: str, done: Decision
) -> Decision:
    """Write the conversation into files for a new subagent (DC-35); a failure does not stop it."""
    try:
        transcripts.prepare(project, transcript, session_id, kind, time.time())
    except OSError as exc:
        notice = f"The conversation was not laid out for the subagent {kind}: {exc}"
        return msgspec.structs.replace(done, notices=(*done.notices, notice))
    return done


def _with(done: Decision, *told: str, tells_user: bool = False) -> Decision:
    notices = (*done.notices, *told) if tells_user else done.notices
    return msgspec.structs.replace(done, context=(*done.context, *told), notices=notices)


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
