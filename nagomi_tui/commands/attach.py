"""Plain `nagomi` and `nagomi attach`: open the workplace, starting what does not run yet."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from nagomi_tui.api.command_client import ask, connected, named
from nagomi_tui.commands.parser import Commands, add, add_session
from nagomi_tui.commands.start import splash
from nagomi_tui.system import folders, loading
from nagomi_tui.system.console import failure, program, say, tr
from nagomi_tui.system.outcome import CommandError, Exit

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection

_FIRST_SECONDS = 10.0


def register(commands: Commands) -> None:
    opener = add(
        commands,
        "attach",
        lambda arguments: run(arguments.session),
        tr("open the workplace, as `nagomi` alone does, with this session in front"),
    )
    add_session(opener, nargs="?", default="")


def run(session: str = "") -> int:
    """Attach a front end, and say on leaving that everything runs on.

    `session` names the one that is to be in front; "" leaves that to the front end.
    """
    _need_terminal()
    try:
        first = _prepare()
        in_front = _id_of(session) if session else ""
        with loading.kept():
            from nagomi_tui.view.app.application import run_app
            from nagomi_tui.view.driver import starter
    except BaseException:
        splash.hide()
        raise
    reason = run_app(welcome=first and _is_to_be_welcomed(), session=in_front)
    if reason == "reload":
        starter.current.start_anew()  # from what is installed now
    elif reason == "detach":
        _say_farewell()
    else:
        say(tr("nagomi has ended."))
    return int(Exit.OK)


def _id_of(session: str) -> str:
    from nagomi_tui.api.messages import Find

    return ask(Find(id=0, session=named(session))).session_id


def _need_terminal() -> None:
    """Refuse where the workplace cannot be shown."""
    streams = (sys.stdin, sys.stdout)
    if any(stream is None or not stream.isatty() for stream in streams):
        raise failure(
            "the workplace needs a terminal, and there is none here; "
            "`nagomi new`, `ls`, `send` and `capture` work without one."
        )
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise failure(
            "this terminal cannot place text (TERM is `{term}`).", term=os.environ.get("TERM", "")
        )


def _is_to_be_welcomed() -> bool:
    from nagomi_tui.system import paths

    return os.environ.get("NAGOMI_WELCOME", "") != "0" and not paths.welcomed_file().exists()


def _prepare() -> bool:
    """Start the orchestrator, refuse to nest, and give an empty workplace its first session.

    Return whether it was empty.

    The lock keeps two front ends that start together from making two first sessions.
    """
    from nagomi_tui.system import paths
    from nagomi_worker.runtime.files import Busy, FileLock

    with connected(start=True) as connection:
        _refuse_nesting(connection)
        if connection.welcome.sessions:
            return False
    lock = FileLock(paths.state_folder() / "first.lock")
    try:
        lock.take(patience=_FIRST_SECONDS)
    except (Busy, OSError):
        return False
    try:
        with connected() as connection:
            if connection.welcome.sessions:
                return False
            _create_first(connection)
            return True
    finally:
        lock.release()


def _refuse_nesting(connection: Connection) -> None:
    """Refuse inside a session of this very workplace; another one may be opened in it."""
    own = os.environ.get("NAGOMI_SESSION_ID", "")
    for session in connection.welcome.sessions:
        if session.session_id == own:
            raise failure(
                "this is session {number} of the workplace itself; use its keys, or "
                "`nagomi new`, `nagomi ls` and the other commands, which work here.",
                number=session.number,
            )


def _create_first(connection: Connection) -> None:
    """Start the user's shell in this folder, at the size of this terminal."""
    from nagomi_tui.api.messages import Create

    cols, rows = os.get_terminal_size(1)
    connection.request(
        Create(
            id=0,
            cmd="",
            cwd=folders.here(),
            cols=min(max(cols, 1), 1000),
            rows=min(max(rows, 1), 500),
        )
    )


def _say_farewell() -> None:
    """Say in one line what goes on, and how to come back."""
    try:
        with connected() as connection:
            running = sum(
                session.state in ("starting", "running") for session in connection.welcome.sessions
            )
    except CommandError:
        say(tr("nagomi has ended."))
        return
    say(
        tr(
            "Everything runs on (sessions: {count}). `{program}` brings you back.",
            count=running,
            program=program(),
        )
    )
