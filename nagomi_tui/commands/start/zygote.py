"""The zygote: has the front end loaded, and forks a child for each `nagomi` that is started.

Started by the supervisor, and ends with it: standard input is a pipe that nobody writes into. It
has one thread, since a fork takes no other along, and sleeps while nobody comes.

`nagomi_tui/commands/start/client.py` is what the user starts; it lends its terminal to the child
(`nagomi_tui/commands/start/front_end.py`) and waits. Whatever is in the way of that, the front end
starts in the process that the user started.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
import sys
import threading
import time
from typing import Final

from nagomi_tui.system.platforms import LINUX

assert LINUX

from nagomi_tui.system import folders, paths  # noqa: E402
from nagomi_worker.runtime.files import Busy, FileLock  # noqa: E402
from nagomi_worker.wire import trust  # noqa: E402 (nothing elsewhere)

_MODULES: Final = (
    "nagomi_tui.cli", "nagomi_tui.api.client", "nagomi_tui.api.launch", "nagomi_tui.commands.start.front_end",
    "nagomi_tui.view.app.application",
    "psutil",
    # What our modules and Textual load only when they run.
    "hashlib", "secrets", "wcwidth",
    "textual.drivers.headless_driver", "textual.layouts.factory", "textual.layouts.horizontal",
    "textual.layouts.stream", "textual.pilot", "textual.scrollbar",
)  # fmt: skip
_LIFELINE: Final = 0
_LOCK_PATIENCE: Final = 5.0
_BACKLOG: Final = 16
_GENTLY: Final = 10
"""Of 19: how nice the thread is that loads the modules."""
_FULL_SECONDS: Final = 0.5
_LOOK_MS: Final = 600_000
"""How often it looks whether somebody has removed its socket."""


def main() -> int:
    """Serve until the supervisor ends, or what is loaded is no longer what is installed."""
    gc.disable()
    _load_gently()
    loaded = Loaded()
    lock = FileLock(paths.make_private(paths.state_folder()) / paths.ZYGOTE_LOCK)
    try:
        lock.take(patience=_LOCK_PATIENCE)
    except Busy:
        return 1
    except OSError as exc:
        sys.exit(f"nagomi: the zygote's lock cannot be taken: {exc}")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    with _listener() as listener:
        while _is_asked(listener) and loaded.is_current():
            _serve(listener, lock)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(folders.zygote_socket())
        paths.remove_empty_places()
    return 0


def _load_gently() -> None:
    """Load the front end without being in anybody's way.

    Only a thread can be nice for a while: nobody but root may take that back.
    """
    loading = threading.Thread(target=_load)
    loading.start()
    loading.join()


def _load() -> None:
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _GENTLY)
    for name in _MODULES:
        importlib.import_module(name)
    from rich.cells import cell_len

    cell_len("和み")  # a table that is loaded when it is first looked into


class Loaded:
    """The files that were loaded, as they were at that time.

    A folder changes with each file that is replaced in it, as installers do; our own files may
    also have been edited.
    """

    def __init__(self) -> None:
        files = [file for module in list(sys.modules.values()) if (file := _file_of(module))]
        own = os.path.dirname(os.path.dirname(paths.__file__))
        around = {os.path.dirname(file) for file in files}
        self._places = sorted(around | {file for file in files if file.startswith(own)})
        self._found = self._look()

    def is_current(self) -> bool:
        """Tell whether the same would be loaded now."""
        return self._look() == self._found

    def _look(self) -> list[tuple[int, int, int]]:
        return [_stamp(place) for place in self._places]


def _file_of(module: object) -> str:
    return getattr(module, "__file__", None) or ""


def _stamp(place: str) -> tuple[int, int, int]:
    try:
        found = os.stat(place)
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


def _listener() -> socket.socket:
    """Return the socket, in place of one whose owner is dead: ours is the lock."""
    paths.make_socket_folder()
    path = folders.zygote_socket()
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
    finally:
        os.umask(before)
    listener.listen(_BACKLOG)
    return listener


def _is_asked(listener: socket.socket) -> bool:
    """Wait for a client; false when it is time to end."""
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    waiting.register(_LIFELINE, select.POLLIN)
    while not (ready := dict(waiting.poll(_LOOK_MS))):
        if not os.path.exists(folders.zygote_socket()):
            return False
    return _LIFELINE not in ready


def _serve(listener: socket.socket, lock: FileLock) -> None:
    try:
        peer, _ = listener.accept()
    except OSError:  # no file is free for it; whoever waits loses patience and goes on alone
        time.sleep(_FULL_SECONDS)
        return
    with peer, contextlib.suppress(OSError):
        trust.check_peer(peer)
        if os.fork() == 0:
            listener.close()
            lock.release()
            from nagomi_tui.commands.start import front_end

            front_end.become(peer)


if __name__ == "__main__":
    sys.exit(main())
