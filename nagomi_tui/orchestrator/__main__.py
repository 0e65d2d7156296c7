"""`python -m nagomi_tui.orchestrator`: takes the lock, and serves until it is asked to leave."""

from __future__ import annotations

import argparse
import contextlib
import gc
import logging
import os
import sys
from typing import Final

import anyio

from nagomi_tui.orchestrator.resident.stuck import BUSY, QUIT
from nagomi_tui.orchestrator.runtime import log
from nagomi_tui.system import loading, paths
from nagomi_tui.system.platforms import WINDOWS
from nagomi_worker.runtime.files import Busy, FileLock

_LOCK_PATIENCE: Final = 3.0
EXIT_RELOAD: Final = 75
_SWITCH_SECONDS: Final = 0.0001
"""Seconds for which a thread may keep the event loop from running."""
_GC_THRESHOLDS: Final = (20_000, 20, 20)


def main() -> int:
    """Return 0 after a quit, 75 for a reload."""
    parser = argparse.ArgumentParser(prog="nagomi-orchestrator")
    parser.add_argument("--heartbeat", type=int, default=-1)
    parser.add_argument("--after", default="")
    options = parser.parse_args()
    lock = FileLock(paths.state_folder() / paths.ORCHESTRATOR_LOCK)
    before = lock.stamped()  # to load the rest takes long enough for a quit
    with loading.kept():
        from nagomi_tui.orchestrator.resident.orchestrator import Orchestrator
    if WINDOWS and options.heartbeat == 1:
        options.heartbeat = _taken_from_stdout()
    log.write_to(paths.log_file())
    paths.make_private(paths.state_folder())
    try:
        lock.take(patience=_LOCK_PATIENCE)
    except Busy:
        _say(options.heartbeat, BUSY)
        return 0
    except OSError as exc:
        logging.getLogger(__name__).error("the lock cannot be taken: %s", exc)
        return 1
    if lock.was_stamped(before):  # the user has quit while we waited
        _say(options.heartbeat, QUIT)
        return 0
    if not WINDOWS:
        from nagomi_worker.runtime import inherited

        inherited.raise_limit()  # each hand takes two files
    _settle()
    orchestrator = Orchestrator(lock, pipe=options.heartbeat, after=options.after)
    reason = anyio.run(orchestrator.run)
    if reason == "quit":
        paths.remove_sockets()
    orchestrator.say_goodbye(reason)
    return EXIT_RELOAD if reason == "reload" else 0


def _settle() -> None:
    """Keep garbage collection and the threads that write to disk from delaying the echo of a key."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.set_threshold(*_GC_THRESHOLDS)


def _taken_from_stdout() -> int:
    """Return the pipe to the supervisor, which no child of ours shall keep open in our place."""
    pipe = os.dup(1)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
    return pipe


def _say(pipe: int, word: bytes) -> None:
    if pipe >= 0:
        with contextlib.suppress(BrokenPipeError):  # the supervisor has died
            os.write(pipe, word)


if __name__ == "__main__":
    sys.exit(main())
