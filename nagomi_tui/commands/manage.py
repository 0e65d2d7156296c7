"""`nagomi detach`, `reload`, `quit`, `uninstall` and `doctor`."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any, Final

from nagomi_tui import __version__
from nagomi_tui.api.client import Connection, Gone
from nagomi_tui.api.command_client import connected
from nagomi_tui.api.launch import is_served, is_starting, is_supervised, workers_left
from nagomi_tui.api.messages import Quit, Reload, Status
from nagomi_tui.commands.parser import Commands, add, add_flag, add_json, add_verb
from nagomi_tui.system import paths
from nagomi_tui.system.console import complain, confirm, failure, say, say_json, tr
from nagomi_tui.system.outcome import CommandError, Exit

_END_SECONDS: Final = 20.0
_RELOAD_SECONDS: Final = 60.0
_PAUSE: Final = 0.05


def register(commands: Commands) -> None:
    add_verb(commands, "detach")
    add_verb(commands, "reload", reload)
    ender = add_verb(commands, "quit", quit_all)
    add_flag(ender, "--yes", help=tr("do not ask"))
    remover = add(commands, "uninstall", uninstall, tr("end nagomi and remove what it left"))
    add_flag(remover, "--yes", help=tr("do not ask"))
    add_flag(remover, "--data", help=tr("settings and session records too"))


def reload(arguments: Namespace) -> None:
    """Replace the orchestrator by the installed version and wait until that one serves."""
    with connected() as connection:
        before = connection.welcome.pid
        with contextlib.suppress(Gone):
            connection.request(Reload(id=0), timeout=_RELOAD_SECONDS)
    version = _await_successor(before)
    say(tr("nagomi {version} serves now; the sessions ran on.", version=version))
    if version != __version__:
        complain(
            tr(
                "this command is nagomi {ours}, and the workplace was started by another installation, "
                "which is {theirs}. Update that one, or `nagomi quit` and start the workplace by this one.",
                ours=__version__,
                theirs=version,
            )
        )


def _await_successor(before: int) -> str:
    """Return the version of the orchestrator that took over from process `before`.

    It is started here where the supervisor has died, which was to start it.
    """
    deadline = time.monotonic() + _RELOAD_SECONDS
    while time.monotonic() < deadline:
        alone = not is_supervised()
        with contextlib.suppress(CommandError), connected(start=alone) as connection:
            if connection.welcome.pid != before:
                return connection.welcome.version
        time.sleep(_PAUSE)
    raise failure("the new orchestrator does not serve yet; the sessions still run.")


def quit_all(arguments: Namespace) -> int:
    """End all sessions, the workers and the orchestrator, after asking."""
    with connected(start=_is_coming()) as connection:
        if not confirm(_question(connection), yes=arguments.yes):
            say(tr("Nothing was ended."))
            return int(Exit.FAILED)
        _end(connection)
    return int(Exit.OK)


def _is_coming() -> bool:
    """Tell whether one is to be waited for: it starts just now, or workers need one to end them."""
    return not is_served() and (is_starting() or workers_left() > 0)


def _question(connection: Connection) -> str:
    running = sum(
        session.state in ("starting", "running") for session in connection.welcome.sessions
    )
    return tr("End nagomi? Sessions that run: {count}.", count=running)


def _end(connection: Connection) -> None:
    """Ask the residents to end, and return when none of them is left."""
    pids = sorted(set(connection.request(Status(id=0)).pids) - {os.getpid()})
    with contextlib.suppress(Gone):
        connection.request(Quit(id=0), timeout=_END_SECONDS)
    left = _await_end(pids)
    if left:
        raise failure(
            "these processes of nagomi have not ended: {pids}; `nagomi quit` tries again.",
            pids=left,
        )


def _await_end(pids: list[int]) -> str:
    """Return the processes that still live when the patience is over, as a list to read."""
    deadline = time.monotonic() + _END_SECONDS
    left = [pid for pid in pids if _lives(pid)]
    while left and time.monotonic() < deadline:
        time.sleep(_PAUSE)
        left = [pid for pid in left if _lives(pid)]
    return ", ".join(map(str, left))


def _lives(pid: int) -> bool:
    """Tell whether a process runs; one that is only not yet reaped does not."""
    import psutil

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def uninstall(arguments: Namespace) -> int:
    """End nagomi, remove its sockets (and with `--data` all else), say how the rest goes."""
    from nagomi_tui.agents.hooks import files

    places = paths.socket_places()
    if arguments.data:
        places += [paths.state_folder(), paths.config_folder()]
    hooks = files.left()
    if any(change.form == "guard" for change in hooks):
        from nagomi_tui.commands.guard.project import user_only

        user_only("nagomi uninstall")
    named = [
        *(str(place) for place in places if place.exists()),
        *(tr("the hooks in {path}", path=one.path) for one in hooks),
    ]
    shown = ", ".join(named) or "-"
    question = tr("End nagomi with all its sessions, and remove {places}?", places=shown)
    if not confirm(question, yes=arguments.yes):
        say(tr("Nothing was ended."))
        return int(Exit.FAILED)
    _end_if_running()
    for _ in hooks:
        # One file may hold hooks of both kinds, and is another one after the first.
        for change in files.left()[:1]:
            files.carry_out(change)
    for place in places:
        _remove(place)
    say(tr("nagomi's residents are gone. To remove the program: {command}", command=removal()))
    return int(Exit.OK)


def _end_if_running() -> None:
    try:
        with connected(start=_is_coming()) as connection:
            _end(connection)
    except CommandError as exc:
        if exc.code != Exit.NOBODY:
            raise


def _remove(place: Path) -> None:
    def refuse(function: Any, path: str, exc_info: Any) -> None:
        if not isinstance(exc_info[1], FileNotFoundError):
            raise failure("{path} could not be removed.", path=path) from exc_info[1]

    shutil.rmtree(place, onerror=refuse)


def removal() -> str:
    """Return the command that removes the package, by the way it was installed."""
    prefix = sys.prefix.replace(os.sep, "/")
    if "/uv/tools/" in prefix:
        return "uv tool uninstall nagomi-tui"
    if "/pipx/" in prefix:
        return "pipx uninstall nagomi-tui"
    return f"{sys.executable} -m pip uninstall nagomi-tui"


def register_doctor(commands: Commands) -> None:
    add_json(add(commands, "doctor", doctor, tr("check what nagomi needs, and explain it")))


def doctor(arguments: Namespace) -> int:
    """Report on the machine, the terminal and the residents; fail if something needed lacks."""
    gc.disable()  # nothing that is loaded from here on becomes garbage before the process ends
    from nagomi_tui.doctor import as_json, as_text, examine

    report = examine()
    if arguments.json:
        say_json(as_json(report))
    else:
        on_screen = sys.stdout is not None and sys.stdout.isatty()
        say(as_text(report, shutil.get_terminal_size().columns if on_screen else 0))
    gc.freeze()  # the interpreter looks for garbage at its end even so: a tenth of all the time
    return int(Exit.OK if report.usable else Exit.FAILED)
