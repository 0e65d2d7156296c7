"""Searches lines for a user's pattern in a process of its own, which alone a slow pattern hangs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio.streams.buffered import BufferedByteReceiveStream

from nagomi_tui.orchestrator.runtime import matcher
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from anyio.abc import Process

    Search = Callable[[Sequence[str]], Awaitable[int | None]]
    """Returns the index of the first line that matches, or None."""

_SIMPLE: Final = re.compile(r"[^*+?{(]{0,500}")
"""A pattern without repeats and groups, which is quick enough to be searched for here."""
_SECONDS: Final = 10.0
"""Seconds after which a matcher is given up; it gives up sooner unless the machine is busy."""
_ANSWER_BYTES: Final = 64 * 1024


@asynccontextmanager
async def matching(pattern: str) -> AsyncIterator[Search]:
    """Yield a search for a pattern.

    Raises:
        Refusal: the pattern is no regular expression; or, during a search, takes too long.
    """
    if _SIMPLE.fullmatch(pattern):
        yield _here(pattern)
        return
    program = [sys.executable, "-I", "-S", matcher.__file__]
    async with await anyio.open_process(program, stderr=subprocess.DEVNULL) as process:
        try:
            there = _There(process, pattern)
            await there.begin()
            yield there.search
        finally:
            if process.returncode is None:
                process.kill()


def _here(pattern: str) -> Search:
    try:
        compiled = re.compile(pattern)
    except re.error as exc:
        raise _broken(pattern, str(exc)) from exc

    async def search(lines: Sequence[str]) -> int | None:
        return next((at for at, line in enumerate(lines) if compiled.search(line)), None)

    return search


class _There:
    """A search in a process of its own."""

    def __init__(self, process: Process, pattern: str) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._in, self._out = process.stdin, BufferedByteReceiveStream(process.stdout)
        self._pattern = pattern

    async def begin(self) -> None:
        """Start the process, and have it compile the pattern."""
        if fault := await self._ask(self._pattern):
            raise _broken(self._pattern, fault)

    async def search(self, lines: Sequence[str]) -> int | None:
        """Return the index of the first line that matches, or None."""
        found: int | None = await self._ask(list(lines)) if lines else None
        return found

    async def _ask(self, value: object) -> Any:
        try:
            with anyio.fail_after(_SECONDS):
                await self._in.send(json.dumps(value).encode() + b"\n")
                return json.loads(await self._out.receive_until(b"\n", _ANSWER_BYTES))
        except (TimeoutError, anyio.BrokenResourceError, anyio.IncompleteRead) as exc:
            sentence = translatable("`{pattern}` takes too long to look for; make it simpler.")
            raise Refusal("bad_request", sentence, pattern=self._pattern) from exc


def _broken(pattern: str, reason: str) -> Refusal:
    sentence = translatable("`{pattern}` is no regular expression: {reason}.")
    return Refusal("bad_request", sentence, pattern=pattern, reason=reason)
