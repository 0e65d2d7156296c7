"""Starts the orchestrator's supervisor as a background process, unless an orchestrator serves."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from nagomi_tui.api import client
from nagomi_tui.api.messages import hello
from nagomi_tui.system import files, paths
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.words import translatable
from nagomi_worker.runtime import process
from nagomi_worker.runtime.files import Busy, FileLock, is_held

START_SECONDS: Final = 10.0
_PAUSE: Final = 0.02
_CHANGE_SECONDS: Final = 3.0
"""Seconds in which a supervisor has become its new version."""
_LOCK: Final = "launch.lock"
"""Held while an orchestrator is started."""
RESIDENT_LOCKS: Final = (
    "supervisor.lock",
    paths.ORCHESTRATOR_LOCK,
    "agent.lock",
    paths.ZYGOTE_LOCK,
)
_AT_ONCE: Final[int] = getattr(os, "O_NONBLOCK", 0)
NEXT_TRY_SECONDS: Final = 30
"""The longest pause of a supervisor between two starts."""
SUPERVISOR: Final = "nagomi_tui.orchestrator.supervisor"
NO_PROCESS: Final = translatable(
    "The system has no room for another process or file of yours: {reason}. "
    "End some programs, or raise the limit that `ulimit -a` shows."
)
AT_LIMIT: Final = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""The errors of a system, or a user's share of it, that is used up."""

_SESSION_ONLY: Final = ("NAGOMI_SESSION_ID", "TMUX", "TMUX_PANE", "STY", "LINES", "COLUMNS")


def ensure_running(*, timeout: float = START_SECONDS) -> None:
    """Return when the orchestrator serves; start it first if it does not run.

    Raises:
        PlaceError: nagomi's folders cannot be used, or nothing served within `timeout` seconds;
            the message is a sentence for the user.
    """
    # What is wrong with the folders is repaired here if possible, and else reported.
    with contextlib.suppress(paths.PlaceError):
        if is_served():
            return
    paths.make_private(paths.state_folder())
    paths.make_socket_folder()
    lock = FileLock(paths.state_folder() / _LOCK)
    try:
        lock.take(patience=timeout)
    except Busy as exc:
        raise paths.PlaceError("Another start of nagomi does not come to its end.") from exc
    except OSError as exc:
        raise _cannot_write(exc) from exc
    try:
        if not is_served():
            _check_files()
            _start_supervisor()
            _await_service(timeout)
    finally:
        lock.release()


def await_restart(*, timeout: float = START_SECONDS) -> None:
    """Return when the orchestrator serves that a supervisor starts anew; at once where none lives.

    A supervisor that becomes its new version lets its lock go for a moment, while workers run on.

    Raises:
        PlaceError: nothing served within `timeout` seconds.
    """
    began = time.monotonic()
    deadline = began + timeout
    while not is_served(timeout=max(0.1, deadline - time.monotonic())):
        changes = time.monotonic() < began + _CHANGE_SECONDS and workers_left() > 0
        if not (is_supervised() or is_starting() or changes):
            return
        _pause_until(deadline, timeout)


def is_served(*, timeout: float = START_SECONDS) -> bool:
    """Tell whether an orchestrator answers on this workplace's socket.

    An accepted connection is not enough: a dying orchestrator accepts and drops them.

    Raises:
        PlaceError: another user could be answering in its place.
    """
    try:
        peer = client.open_socket()
        client.Connection(peer, hello=hello(), timeout=timeout).close()
    except (client.NotServed, client.Gone, TimeoutError):
        return False
    return True


def is_starting() -> bool:
    """Tell whether a process is just starting an orchestrator."""
    return is_held(paths.state_folder() / _LOCK)


def is_supervised() -> bool:
    """Tell whether a process lives that starts an orchestrator anew."""
    return is_held(paths.state_folder() / RESIDENT_LOCKS[0])


def workers_left() -> int:
    """Return how many workers of this workplace run, with or without an orchestrator."""
    locks = [lock for place in paths.socket_places() for lock in place.glob(".w-*.lock")]
    return sum(is_held(lock) for lock in locks)


def resident_env() -> dict[str, str]:
    """Return the environment for resident processes: ours, without any session's marks."""
    env = {key: value for key, value in os.environ.items() if key not in _SESSION_ONLY}
    env["NAGOMI_DAEMON"] = "1"
    return env


def _start_supervisor() -> None:
    """Start it in a process session of its own; it forks once more and so leaves our tree."""
    command = [sys.executable, "-P", "-m", SUPERVISOR]
    if not (_started_in_scope(command) or _run_detached(command)):
        raise paths.PlaceError(
            "nagomi's supervisor could not be started; {log} says more.", log=paths.log_file()
        )


def _run_detached(command: list[str]) -> bool:
    try:
        with files.append(paths.log_file()) as log:
            started = process.start(command, env=resident_env(), stderr=log)
    except OSError as exc:
        raise _cannot_write(exc) from exc
    if WINDOWS:  # where it cannot fork, and goes on as it is
        return True
    try:
        return started.wait(START_SECONDS) == 0
    except subprocess.TimeoutExpired as exc:
        started.kill()
        started.wait()
        raise paths.PlaceError("nagomi's supervisor did not start in time.") from exc


def _started_in_scope(command: list[str]) -> bool:
    """Start inside a systemd user scope where lingering is on, so that a logout spares it."""
    runner = shutil.which("systemd-run")
    if runner is None or not _lingers():
        return False
    return _run_detached([runner, "--user", "--scope", "--quiet", "--collect", *command])


def _lingers() -> bool:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    user = os.environ.get("USER", "")
    return bool(
        runtime
        and user
        and (Path(runtime) / "systemd" / "private").exists()
        and (Path("/var/lib/systemd/linger") / user).exists()
    )


def _await_service(timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while not is_served(timeout=max(0.1, deadline - time.monotonic())):
        _pause_until(deadline, timeout)


def _pause_until(deadline: float, timeout: float) -> None:
    """Wait a moment for an orchestrator; at the deadline say what becomes of it."""
    if time.monotonic() < deadline:
        time.sleep(_PAUSE)
        return
    _check_files()
    _check_room()
    if is_supervised():
        sentence = translatable(
            "nagomi's orchestrator did not start within {seconds} s. It is tried again "
            "within {pause} s; {log} says what is in the way."
        )
    else:
        sentence = translatable(
            "nagomi's orchestrator did not start within {seconds} s; {log} says more."
        )
    raise paths.PlaceError(
        sentence, seconds=round(timeout), pause=NEXT_TRY_SECONDS, log=paths.log_file()
    )


def _check_files() -> None:
    """Look for what keeps the residents from starting, since they have nobody to tell it to.

    Raises:
        PlaceError: there is something else where one of their files ought to be.
    """
    for path in (paths.log_file(), *map(paths.state_folder().joinpath, RESIDENT_LOCKS)):
        if path.is_dir():
            raise _is_folder(path)
        try:
            os.close(os.open(path, os.O_RDWR | _AT_ONCE))
        except FileNotFoundError:
            if not path.resolve().parent.is_dir():
                raise _is_no_file(path, os.strerror(errno.ENOENT)) from None
        except OSError as exc:
            raise _is_no_file(path, exc.strerror) from exc


def _check_room() -> None:
    """Look whether anything can be written: what the log says then is not to be relied upon.

    Raises:
        PlaceError: it cannot.
    """
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=paths.state_folder()) as file:
            file.write(bytes(65536))
    except OSError as exc:
        raise _cannot_write(exc) from exc


def _is_no_file(path: Path, reason: str | None) -> paths.PlaceError:
    return paths.PlaceError(
        "{place} cannot be opened ({reason}); move it away, or set NAGOMI_HOME to another folder.",
        place=path,
        reason=reason,
    )


def _is_folder(path: Path) -> paths.PlaceError:
    return paths.PlaceError(
        "{place} is a folder, and nagomi needs a file there; move it away, "
        "or set NAGOMI_HOME to another folder.",
        place=path,
    )


def _cannot_write(exc: OSError) -> paths.PlaceError:
    if isinstance(exc, IsADirectoryError):
        return _is_folder(Path(exc.filename))
    if exc.errno in (errno.ELOOP, errno.ENOENT):
        return _is_no_file(Path(exc.filename), exc.strerror)
    if exc.errno in AT_LIMIT:
        return paths.PlaceError(NO_PROCESS, reason=exc.strerror)
    return paths.PlaceError(
        "nagomi cannot write to its folder {folder}: {reason}. "
        "Make room there, or set NAGOMI_HOME to another folder.",
        folder=paths.state_folder(),
        reason=exc.strerror,
    )
