"""The line to a hand, from its command's start until a worker speaks.

Where a socket can be these it is; on Windows the command has pipes, and bytes are carried between.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import anyio
import anyio.abc
from anyio.abc import TaskGroup

from nagomi_tui.api.launch import resident_env
from nagomi_tui.hands import faults, master
from nagomi_tui.hands import faults as said
from nagomi_tui.hands.bringing import Ended, bring, far_command
from nagomi_tui.hands.hand import BadHand, Hand, not_started
from nagomi_tui.system import files, paths
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.system.sockets import stream_of
from nagomi_tui.text.words import Said, translatable

_OPEN_SECONDS: Final = 60.0
"""Seconds until the worker must have spoken: where it is missing, it is sent meanwhile."""
_GREETING: Final = b'{"type":"hello",'
"""How a worker's first line begins; what a login prints comes before it."""
_BANNER_BYTES: Final = 1024 * 1024
_LINES: Final = 20
_WORDS_SECONDS: Final = 0.3
"""Seconds for which the last words of a command that has ended are waited for."""
_END_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 0.01
_GONE: Final = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)
_ROOT: Final = os.path.abspath(os.sep)


class Line:
    """One run of a hand's command; its owner ends it with `close`."""

    def __init__(
        self,
        hand: Hand,
        ours: socket.socket,
        process: anyio.abc.Process,
        theirs: socket.socket | None = None,
    ) -> None:
        self.hand = hand
        self.socket = ours
        """The next byte to be read from it is the worker's, once `greeted` has returned."""
        self.plain = False
        """The worker was sent, and runs there without compiled modules."""
        self._process = process
        self._theirs = theirs
        """The other end of our socket, where the command has pipes."""
        self._stderr = b""
        """The last words on stderr."""
        self._silent = anyio.Event()
        """Set when nothing more will come on stderr."""

    async def listen(self) -> None:
        """Keep what the command says on stderr, and carry all else, until no more comes."""
        async with anyio.create_task_group() as tasks:
            if self._theirs is not None:
                tasks.start_soon(_carry, self._theirs, self._process)
            await self._hear()

    async def _hear(self) -> None:
        assert self._process.stderr is not None
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for piece in self._process.stderr:
                self._stderr = said.last_of(self._stderr + piece)
        self._silent.set()

    async def greeted(self) -> None:
        """Skip what a login prints, until the next byte is the worker's.

        Raises:
            BadHand: no worker has spoken; the sentence says why.
        """
        skipped = 0
        with anyio.move_on_after(_OPEN_SECONDS):
            while True:
                await anyio.wait_readable(self.socket)
                found = self.socket.recv(65536, socket.MSG_PEEK)
                if not found:
                    raise await self.fault()
                at = found.find(_GREETING)
                if at >= 0:
                    self.socket.recv(at)
                    return
                skipped += len(self.socket.recv(max(0, len(found) - len(_GREETING) + 1)))
                if skipped > _BANNER_BYTES:
                    sentence = translatable("{name} prints without end when it is logged in to.")
                    raise BadHand(sentence, name=self.hand.name)
                await anyio.sleep(_LOOK_SECONDS)
        raise await self.fault()

    async def fault(self, also: Sequence[str] = ()) -> BadHand:
        """Return why the line has ended, or is of no use; `also` are lines that it said on stdout."""
        with anyio.move_on_after(_WORDS_SECONDS):
            await self._process.wait()
            await self._silent.wait()
        lines = [*also, *said.lines_of(self._stderr)][-_LINES:]
        return faults.sentence_of(self.hand, lines, self._process.returncode)

    async def close(self) -> None:
        """End the command: it sees the end of its input first, and is killed if it stays."""
        self.socket.close()
        with anyio.CancelScope(shield=True):
            for end in (None, self._process.terminate, self._process.kill):
                if end is not None:
                    with suppress(ProcessLookupError):
                        end()
                with anyio.move_on_after(_END_SECONDS):
                    await self._process.wait()
                    break
            await self._process.aclose()


async def start(hand: Hand, words: Sequence[str], env: Mapping[str, str]) -> Line:
    """Run `words` there; the other end of the line's socket leads to its stdin and stdout.

    On Windows nothing passes before the line's `listen` runs. The command gets `env` beside our own environment.

    Raises:
        BadHand: the hand's own command cannot be started.
    """
    ours, theirs = socket.socketpair()
    end = subprocess.PIPE if by_pipes() else theirs.fileno()
    options: dict[str, Any] = {}
    command = master.through(hand).there(words)
    if not WINDOWS:
        from nagomi_worker.runtime import inherited

        options["start_new_session"] = True
        command = inherited.with_given_limit(command)
    try:
        process = await anyio.open_process(
            command,
            stdin=end,
            stdout=end,
            stderr=subprocess.PIPE,
            cwd=_ROOT,
            env={**resident_env(), **env},
            **options,
        )
    except OSError as exc:
        ours.close()
        theirs.close()
        if isinstance(exc, FileNotFoundError):
            sentence = translatable(
                "There is no program `{program}` here, which {name} is reached by."
            )
            raise BadHand(sentence, program=hand.command[0], name=hand.name) from exc
        raise not_started(hand.command[0], exc) from exc
    ours.setblocking(False)
    if by_pipes():
        return Line(hand, ours, process, theirs)
    theirs.close()
    return Line(hand, ours, process)


def by_pipes() -> bool:
    """Tell whether a socket cannot be a command's stdin here."""
    return WINDOWS


async def _carry(theirs: socket.socket, process: anyio.abc.Process) -> None:
    """Carry bytes between a socket and a command's pipes; the end of either side ends the other."""
    stream = await stream_of(theirs)
    assert process.stdin is not None and process.stdout is not None
    async with stream, anyio.create_task_group() as tasks:
        tasks.start_soon(_pour, stream, process.stdin)
        with suppress(*_GONE):
            async for piece in process.stdout:
                await stream.send(piece)
            tasks.cancel_scope.cancel()


async def _pour(source: anyio.abc.ByteReceiveStream, into: anyio.abc.ByteSendStream) -> None:
    with suppress(*_GONE):
        async for piece in source:
            await into.send(piece)
    await into.aclose()


_FILE: Final = "workplace"
_log = logging.getLogger(__name__)


async def open_line(hand: Hand, env: Mapping[str, str], tasks: TaskGroup) -> Line:
    """Return the line to the worker there, whose hello is the next that is read from its socket.

    The command gets `env` beside our own environment; its last words are kept by one of `tasks`.
    The worker is started where none runs, and outlives the line.

    Raises:
        BadHand: no worker was reached; the sentence says why.
    """
    arguments = ["--stdio", "--resident", "--workplace", _mark(hand)]
    words = [*hand.program, *arguments] if hand.program else far_command()
    line = await start(hand, words, env)
    tasks.start_soon(line.listen)
    try:
        if not hand.program:
            await _bring(line, arguments)
        await line.greeted()
    except BaseException:
        await line.close()
        raise
    return line


async def _bring(line: Line, arguments: Sequence[str]) -> None:
    """Have the worker run that goes over the line itself where no cache there has it.

    Raises:
        BadHand: it cannot.
    """
    try:
        running = await bring(line.socket, arguments)
    except Ended as exc:
        raise await line.fault(exc.said) from exc
    except BadHand as exc:
        sentence = translatable("{name}: {fault}")
        fault = Said(exc.message, exc.values)
        raise BadHand(sentence, name=line.hand.name, fault=fault) from exc
    line.plain = running.plain
    _log.info("%s: %s", line.hand.name, running)


def _mark(hand: Hand) -> str:
    """Return what tells the hand's worker from others: of other workplaces, and of other hands."""
    return f"{workplace_mark()}-{hand.mark}"


def workplace_mark() -> str:
    """Return what tells this workplace from all others that reach the same host."""
    path = paths.make_private(paths.state_folder()) / _FILE
    try:
        if found := files.read_text(path).strip():
            return found
    except FileNotFoundError:
        pass
    made = secrets.token_hex(4)
    files.write(path, made.encode() + b"\n")
    return made
