"""Starts and stops the HTTP API: its token, its Unix socket and its port on loopback."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import anyio
import anyio.to_thread
from anyio.abc import TaskStatus

from nagomi_tui import __version__
from nagomi_tui.agent.http.bodies import ApiServices, ApiStatus
from nagomi_tui.system import files, paths
from nagomi_tui.system.platforms import WINDOWS
from nagomi_worker.wire import trust

if TYPE_CHECKING:
    from nagomi_tui.agent.http.serving import HttpServer

_BYTES: Final = 32
_LEAST: Final = 32
"""The shortest valid token, in characters; a shorter one is replaced."""
_OTHERS: Final = 0o077


def token_file() -> Path:
    """Where this workplace's token is."""
    return paths.state_folder() / "api.token"


def token(path: Path) -> str:
    """Return the token; make one if there is none, or if other users could read it.

    Raises:
        PlaceError: the file belongs to another user.
        OSError: the file cannot be read or written.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return _made(path)
    if not trust.is_ours(found.st_uid):
        raise paths.PlaceError(
            "{place} belongs to {owner}; have it removed.",
            place=path,
            owner=paths.user_name(found.st_uid),
        )
    if stat.S_IMODE(found.st_mode) & _OTHERS or not stat.S_ISREG(found.st_mode):
        path.unlink()
        return _made(path)
    kept = files.read_text(path).strip()
    return kept if len(kept) >= _LEAST else _made(path)


def _made(path: Path) -> str:
    paths.make_private(path.parent)
    made = secrets.token_urlsafe(_BYTES)
    files.write(path, f"{made}\n".encode())
    path.chmod(0o600)
    return made


_HOST: Final = "127.0.0.1"
_WAITING: Final = 128
"""The listen backlog: connections that the kernel queues until they are accepted."""


class ApiFiles(NamedTuple):
    """The files of the API: its Unix socket, its token, and the TCP port that it used last."""

    socket: Path
    token: Path
    port: Path

    @classmethod
    def of_workplace(cls) -> ApiFiles:
        port = paths.state_folder() / "api.port"
        return cls(paths.socket_folder() / paths.API, token_file(), port)


class Api:
    """Serves the API until it is cancelled."""

    def __init__(self, services: ApiServices, files: ApiFiles) -> None:
        services.status = self.status
        self._services = services
        self._files = files
        self._server: HttpServer | None = None
        self._loading = anyio.Lock()
        self._port: int | None = None
        self._serving = anyio.CancelScope()
        self._base = ""
        self._fault = ""

    def status(self) -> ApiStatus:
        """Return where the API is served."""
        return ApiStatus(version=__version__, base=self._base, fault=self._fault)

    def switch(self, port: int | None) -> None:
        """Serve on this loopback port from now on; 0 for any free port, None for no TCP at all."""
        if port != self._port:
            self._port = port
            self._serving.cancel()

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Serve, from the moment that the task has started; cancelled, it has ended within two seconds, with all streams of events.

        Raises:
            OSError: the Unix socket cannot be made.
        """
        listener = None if WINDOWS else _unix_listener(self._files.socket)
        task_status.started()
        try:
            async with anyio.create_task_group() as tasks:
                if listener is not None:
                    tasks.start_soon(self._serve_called, listener)
                await self._serve_loopback()
        finally:
            self._files.socket.unlink(missing_ok=True)

    async def _serve_loopback(self) -> None:
        try:
            while True:
                with anyio.CancelScope() as self._serving:
                    await self._serve_on(self._port)
        finally:
            # uvicorn waits for its responses, and event streams end only when the log is closed.
            self._services.events.close()

    async def _serve_on(self, port: int | None) -> None:
        self._base = self._fault = ""
        if port is not None:
            try:
                token(self._files.token)
                listener = self._tcp_listener(port)
            except OSError as exc:
                self._fault = exc.strerror or str(exc)
            else:
                await self._serve_tcp(listener)
        await anyio.sleep_forever()

    async def _serve_tcp(self, listener: socket.socket) -> None:
        port = int(listener.getsockname()[1])
        with contextlib.suppress(OSError):
            files.write(self._files.port, f"{port}\n".encode())
        self._base = f"http://{_HOST}:{port}"
        try:
            await self._serve_called(listener, partial(token, self._files.token), port)
        finally:
            self._base = ""

    async def _serve_called(
        self, listener: socket.socket, token: Callable[[], str] | None = None, port: int = 0
    ) -> None:
        """Serve on a socket as soon as somebody calls: the server's code takes some megabytes."""
        with listener:
            await anyio.wait_readable(listener)
            async with self._loading:
                if self._server is None:
                    self._server = await anyio.to_thread.run_sync(self._load)
            await self._server.serve(listener, token, port)

    def _load(self) -> HttpServer:
        from nagomi_tui.agent.http.serving import HttpServer

        return HttpServer(self._services)

    def _tcp_listener(self, port: int) -> socket.socket:
        """Return a socket on the port; for port 0, on the port used last if that is free."""
        if port == 0:
            with contextlib.suppress(OSError, ValueError, OverflowError):
                return _tcp_listener(int(files.read_text(self._files.port)))
        return _tcp_listener(port)


def _tcp_listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return _listening(listener, (_HOST, port))
    except BaseException:
        listener.close()
        raise


def _unix_listener(path: Path) -> socket.socket:
    """Return a socket at the path; the caller holds the agent's lock, so an old one is stale."""
    if WINDOWS:
        raise OSError("there are no Unix sockets on native Windows")
    # It gets its name once it listens, so that nobody who finds it is refused.
    made = path.with_suffix(".new")
    made.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _listening(listener, os.fspath(made))
        made.chmod(0o600)
        made.replace(path)
    except BaseException:
        listener.close()
        made.unlink(missing_ok=True)
        raise
    return listener


def _listening(listener: socket.socket, address: tuple[str, int] | str) -> socket.socket:
    listener.bind(address)
    listener.listen(_WAITING)
    listener.setblocking(False)
    return listener
