"""The pool of local workers: found again, started when needed, given up when dead."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
from anyio.abc import SocketStream, TaskGroup

from nagomi_tui.api.launch import AT_LIMIT, NO_PROCESS, resident_env
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.workers.link import Heard, WorkerLink
from nagomi_tui.system import files, paths, sockets
from nagomi_tui.text.words import translatable
from nagomi_worker.runtime import process
from nagomi_worker.runtime.files import lock_path, locked_path, sweep
from nagomi_worker.wire import protocol, trust

_log = logging.getLogger(__name__)
_PREFIX: Final = "w-"
_START_SECONDS: Final = 10.0
_GREET_SECONDS: Final = 5.0
_PAUSE: Final = 0.01


class Workers:
    """Every local worker that is connected."""

    def __init__(
        self,
        tasks: TaskGroup,
        heard: Heard,
        *,
        lost: Callable[[WorkerLink], None],
        found_again: Callable[[WorkerLink], Awaitable[None]],
    ) -> None:
        """`found_again` gets a new connection to a worker that still runs."""
        self._tasks = tasks
        self._heard, self._lost, self._found_again = heard, lost, found_again
        self._links: dict[str, WorkerLink] = {}
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._starting = anyio.Lock()
        self._ending = False
        self._silent: set[str] = set()
        """Names of workers that hang; their sockets are left alone until they answer."""
        self._trying: set[str] = set()
        """Names of workers that are being connected to, since they take one connection at a time."""
        self._garbled: set[str] = set()
        """Names of workers whose raw output could not be told from lines; they send it in lines now."""
        self._one_less = anyio.Event()

    @property
    def links(self) -> tuple[WorkerLink, ...]:
        return tuple(self._links.values())

    async def adopt(self) -> None:
        """Connect to every running worker, wherever it was started; remove the sockets of dead ones."""
        for path in _places_of_workers():
            await self._find(path)

    async def search(self) -> None:
        """Connect to workers that have made their sockets anew."""
        async with self._starting:
            found = [link for path in _places_of_workers() if (link := await self._find(path))]
        for link in found:
            await self._found_again(link)

    async def _find(self, path: Path) -> WorkerLink | None:
        if path.name in self._links or path.name in self._silent or path.name in self._trying:
            return None
        link = await self._connect(path)
        if link is None and path.name not in self._silent:
            sweep(path)
        return link

    async def choose(self, size: int, *, able: str = "") -> WorkerLink:
        """Return the worker with the fewest sessions, or a new one while the pool has room.

        It has the capability `able`, which those of an older version may lack.

        Raises:
            Refusal: no worker could be started.
        """
        async with self._starting:
            links = [one for one in self._links.values() if not able or able in one.capabilities]
            best = min(links, key=lambda link: len(link.sessions), default=None)
            if best is None or (best.sessions and len(self._links) < size):
                best = await self._started()
            return best

    async def end(self) -> None:
        """End every worker, one that is just starting included; return when none is left."""
        async with self._starting:
            self._ending = True
            for link in self._links.values():
                link.send(protocol.Quit())
            while self._links:
                await self._one_less.wait()

    async def _started(self) -> WorkerLink:
        if self._ending:
            raise Refusal("refused", "nagomi is just ending.")
        path = paths.make_socket_folder() / f"{_PREFIX}{secrets.token_hex(4)}"
        try:
            child = await anyio.to_thread.run_sync(_spawn, path)
        except OSError as exc:
            _log.warning("no worker: %s", exc)
            raise _not_started(exc) from exc
        self._children[path.name] = child
        with anyio.move_on_after(_START_SECONDS):
            while child.poll() is None:
                if path.exists() and (link := await self._connect(path)):
                    return link
                await anyio.sleep(_PAUSE)
        raise _not_started()

    async def _connect(self, path: Path) -> WorkerLink | None:
        """Connect to a worker and greet it; return None where nobody answers.

        One that is just dying takes a connection and drops it without a word.
        """
        self._trying.add(path.name)
        try:
            if (stream := await _reach(path)) is None:
                return None
            link = WorkerLink(path.name, stream, self._heard, raw=path.name not in self._garbled)
            self._tasks.start_soon(self._run, link, path)
            with anyio.move_on_after(_GREET_SECONDS):
                await link.greeted.wait()
        finally:
            self._trying.discard(path.name)
        if not link.greeted.is_set():
            _log.warning("worker %s does not greet", path.name)
            self._silent.add(path.name)
            self._tasks.start_soon(self._await_greeting, link)
            return None
        if link.closed:
            return None
        self._links[path.name] = link
        return link

    async def _await_greeting(self, link: WorkerLink) -> None:
        """Connect to a worker as soon as it answers: it may have been stopped for a while."""
        await link.greeted.wait()
        self._silent.discard(link.name)
        if not link.closed:
            self._links[link.name] = link
            await self._found_again(link)

    async def _run(self, link: WorkerLink, path: Path) -> None:
        await link.run()
        if link.garbled:
            self._garbled.add(link.name)
        if self._links.get(link.name) is not link:
            return
        del self._links[link.name]
        again = await self._connect(path)
        if again:
            again.sessions = link.sessions
            await self._found_again(again)
            return
        self._reap(link.name)
        sweep(path)
        self._one_less.set()
        self._one_less = anyio.Event()
        self._lost(link)

    def _reap(self, name: str) -> None:
        if child := self._children.pop(name, None):
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(timeout=0.5)


def _not_started(exc: OSError | None = None) -> Refusal:
    if exc is not None and exc.errno in AT_LIMIT:
        return Refusal("internal", NO_PROCESS, reason=exc.strerror)
    sentence = translatable("A worker could not be started; {log} says more.")
    return Refusal("internal", sentence, log=paths.log_file())


def _places_of_workers() -> list[Path]:
    """Return the paths of workers' sockets, and of those whose lock alone is left."""
    found = set()
    for folder in paths.socket_places():
        found |= set(folder.glob(f"{_PREFIX}*"))
        locks = folder.glob(lock_path(folder / f"{_PREFIX}*").name)
        found |= {locked_path(lock) for lock in locks}
    return sorted(found)


async def _reach(path: Path) -> SocketStream | None:
    """Connect to a worker of ours; return None if there is none."""
    try:
        return await sockets.connect(os.fspath(path))
    except trust.Untrusted as exc:
        _log.warning("a worker is left alone: %s", exc)
    except OSError:
        pass
    return None


def _spawn(path: Path) -> subprocess.Popen[bytes]:
    """Start a worker in a process session of its own, so that it outlives us."""
    command = [sys.executable, "-P", "-m", "nagomi_worker", "--socket", os.fspath(path)]
    with files.append(paths.log_file()) as log:
        return process.start(command, env=resident_env(), stderr=log)
