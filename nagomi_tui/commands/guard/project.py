"""Shared by the guard's commands: the project, its files, and the check that the user calls."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from datetime import datetime

from nagomi_tui.guard.decide.documents import Config, Mode, State
from nagomi_tui.guard.decide.events import Decision
from nagomi_tui.guard.files.project import Project, find
from nagomi_tui.guard.files.state import (
    Broken,
    Busy,
    Editing,
    EditingConfig,
    edit_config,
    edit_state,
    read_config,
    read_state,
)
from nagomi_tui.system.console import complain, failure, say, tr
from nagomi_tui.system.outcome import CommandError, Exit


def here() -> Project:
    """Return the project of the current folder."""
    try:
        return find(os.getcwd(), os.environ)
    except FileNotFoundError as exc:
        raise failure("the current folder is gone.") from exc


def _known() -> Project:
    """Return the project of the current folder, to write there what is the guard's."""
    project = here()
    if not project.is_known:
        raise failure(
            "no agent was ever guarded in {folder}; `nagomi guard install` begins that.",
            folder=project.root,
        )
    return project


def now() -> str:
    """Return the time as the state keeps it."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def user_only(what: str) -> None:
    """Refuse to go on unless the user is proved to call, in a terminal outside nagomi.

    Args:
        what: the command, as it is typed.

    Raises:
        CommandError: it cannot be proved that a user calls.
    """
    from nagomi_tui.guard.caller import doubt

    if found := doubt():
        reason = tr(found.message, **found.values)
        raise failure(
            "only the user may run `{what}`, and it cannot be told that you are: {reason}. "
            "Run it in a new window of your terminal, outside nagomi; or say the phrase in the "
            "agent's prompt, or approve in nagomi.",
            what=what,
            reason=reason,
        )


def reach() -> tuple[bool, str]:
    """Return whether agents may be guarded in this folder, and a sentence on which are, and where."""
    from nagomi_tui.guard.install import hooks

    return hooks.reach(here(), os.getcwd())


def state_now() -> State:
    """Return the state; what is to be told of it goes to stderr."""
    try:
        loaded = read_state(here())
    except Broken as exc:
        raise failure("the guard's state cannot be read: {reason}", reason=f"{exc}.") from exc
    for notice in (*loaded.notices, *loaded.unknown):
        complain(notice)
    return loaded.state


def config_now() -> Config:
    try:
        return read_config(here())
    except Broken as exc:
        raise failure("the guard's settings cannot be read: {reason}", reason=f"{exc}.") from exc


def complain_of_settings() -> None:
    """Say on stderr what is wrong with the settings, where the guard can therefore decide nothing."""
    try:
        config_now()
    except CommandError as exc:
        complain(tr("{fault} No tool may run until that is mended.", fault=exc))


@contextlib.contextmanager
def changing_state() -> Iterator[Editing]:
    """Give the state to be changed, and save it."""
    try:
        with edit_state(_known()) as editing:
            for notice in editing.notices:
                complain(notice)
            yield editing
    except Busy as exc:
        raise CommandError(_busy()) from exc


@contextlib.contextmanager
def changing_config() -> Iterator[EditingConfig]:
    """Give the settings to be changed, and save them."""
    config_now()  # A broken file is the user's to mend: nothing is saved over it.
    try:
        with edit_config(_known()) as editing:
            yield editing
    except Busy as exc:
        raise CommandError(_busy()) from exc


def wait_until_read_only() -> None:
    """Where the mode is discussion, wait until no strict session of the project can write to it.

    Raises:
        CommandError: one still can; the sentence says which file is open.
    """
    from nagomi_tui.api.client import RequestFailed
    from nagomi_tui.api.command_client import connected
    from nagomi_tui.api.messages import GuardDiscuss, ListSessions

    if state_now().mode is not Mode.DISCUSSION:
        return
    try:
        with connected() as connection:
            for one in connection.request(ListSessions(id=0)).sessions:
                if one.strict and find(one.cwd, {}).root == here().root:
                    connection.request(GuardDiscuss(id=0, session=one.session_id))
                    return
    except CommandError as exc:
        if isinstance(exc.__cause__, RequestFailed):
            raise
        if exc.code != Exit.NOBODY:
            complain(str(exc))


def told(decision: Decision) -> int:
    """Print what a decision says, and return the command's code."""
    if decision.denied:
        say(decision.denied)
        return 1
    for line in decision.context:
        say(line)
    return 0


def _busy() -> str:
    return tr("another process is changing the guard's files; nothing was changed. Try it again.")
