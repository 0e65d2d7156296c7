"""The line to a hand: its command runs, and a socket of ours is its stdin and stdout."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.abc

from nagomi_tui.api.launch import resident_env
from nagomi_tui.hands import faults, master, said
from nagomi_tui.hands.hand import BadHand
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nagomi_tui.hands.hand import Hand

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
_ROOT: Final = os.path.abspath(os.sep)


class Line:
    """One run of a hand's command; its owner ends it with `close`."""

    def __init__(self, hand: Hand, ours: socket.socket, process: anyio.abc.Process) -> None:
        self.hand = hand
        self.socket = ours
        """The next byte to be read from it is the worker's, once `greeted` has returned."""
        self._process = process
        self._stderr = b""
        """The last words on stderr."""
        self._silent = anyio.Event()
        """Set when nothing more will come on stderr."""

    async def listen(self) -> None:
        """Keep what the command says on stderr, until it says no more."""
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
    """Run `words` there; its stdin and stdout are the other end of the line's socket.

    The command gets `env` beside our own environment.

    Raises:
        BadHand: the hand's own command cannot be started.
    """
    ours, theirs = socket.socketpair()
    options: dict[str, Any] = {}
    command = master.through(hand).there(words)
    if sys.platform != "win32":
        from nagomi_worker.runtime import open_files

        options["start_new_session"] = True
        command = open_files.with_given_limit(command)
    try:
        process = await anyio.open_process(
            command,
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=subprocess.PIPE,
            cwd=_ROOT,
            env={**resident_env(), **env},
            **options,
        )
    except OSError as exc:
        ours.close()
        if isinstance(exc, FileNotFoundError):
            sentence = translatable(
                "There is no program `{program}` here, which {name} is reached by."
            )
            raise BadHand(sentence, program=hand.command[0], name=hand.name) from exc
        sentence = translatable("`{program}` cannot be started: {reason}.")
        raise BadHand(sentence, program=hand.command[0], reason=exc.strerror) from exc
    finally:
        theirs.close()
    ours.setblocking(False)
    return Line(hand, ours, process)
