"""Waits for a session to end, fall silent, need its user, or print a pattern."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Literal, TypeAlias

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from nagomi_tui.api.messages import Wait, Waited
from nagomi_tui.orchestrator.runtime import matcher
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions.session import Condition
from nagomi_tui.text.sgr import plain
from nagomi_tui.text.words import translatable

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


Until: TypeAlias = Literal["exit", "silence", "output", "attention", "done", "idle", "turn"]
Reason: TypeAlias = Until | Literal["timeout"]
_STANDING: Final[dict[str, frozenset[Condition]]] = {
    "attention": frozenset({Condition.ATTENTION}),
    "done": frozenset({Condition.SUCCESS, Condition.ERROR}),
    "turn": frozenset({Condition.SUCCESS, Condition.ERROR, Condition.ATTENTION}),
    "idle": frozenset({Condition.SUCCESS, Condition.ERROR, Condition.IDLE, Condition.LISTENING}),
}
"""The conditions that end a wait for one of these words."""
_LOOK_PAUSE: Final = 0.03
_MOST_LINES: Final = 2000


async def wait(session: SessionRuntime, wanted: Wait) -> Waited:
    """Wait, and return what ended the wait: its condition, the session's end, or the timeout.

    Raises:
        Refusal: the pattern is no regular expression, or takes too long.
    """
    line = ""
    reason: Reason = "timeout"
    with anyio.move_on_after(wanted.timeout):
        if wanted.until == "output":
            async with matching(wanted.pattern) as search:
                session.searches += 1
                try:
                    since = line_of(session) if wanted.new else None
                    reason, line = await until_output(session, search, since)
                finally:
                    session.searches -= 1
        elif wanted.until in _STANDING:
            reason = await _until_standing(session, wanted.until)
        elif wanted.until == "silence":
            reason = await _until_silence(session, wanted.silence)
        else:
            await session.run.ended.wait()
            reason = "exit"
    return Waited(
        reason=reason,
        exit_code=session.info.exit_code,
        line=line,
        condition=session.info.condition,
    )


async def _until_standing(session: SessionRuntime, until: Until) -> Reason:
    """Wait for a condition; what it was in before the last input does not count."""
    while True:
        changed = anyio.Event()
        session.watchers.append(changed)
        if session.run.ended.is_set():
            return "exit"
        fresh = (session.info.phase_since or 0.0) >= (session.run.typed_at or 0.0)
        if fresh and session.info.condition in _STANDING[until]:
            return until
        await changed.wait()


async def _until_silence(session: SessionRuntime, silence: float) -> Reason:
    last = max(session.run.output_at or 0.0, session.run.typed_at or 0.0) or time.time()
    looked_at = time.monotonic()
    quiet_since = looked_at - max(0.0, time.time() - last)
    while True:
        if session.run.ended.is_set():
            return "exit"
        newest, now = (
            max(session.run.output_at or 0.0, session.run.typed_at or 0.0),
            time.monotonic(),
        )
        if newest not in (last, 0.0):
            # Times of day may jump, and what is new is no older than the last look.
            quiet_since = now - min(max(0.0, time.time() - newest), now - looked_at)
        last, looked_at = newest or last, now
        left = quiet_since + silence - now
        if left <= 0:
            return "silence"
        with anyio.move_on_after(left):
            await session.run.ended.wait()


def line_of(session: SessionRuntime) -> int | None:
    """Return the number of the line that the cursor stands on; None without a screen."""
    screen = session.run.screen
    return None if screen is None else screen.bounds[1] + screen.cursor.y


async def until_output(
    session: SessionRuntime, search: Search, since: int | None
) -> tuple[Reason, str]:
    """Search the lines since the last input, then each new one, until the session ends.

    Lines before `since` do not count.
    """
    await session.run.rebuilt.wait()
    start = max(session.run.turn_line, since or 0)
    while True:
        changed = anyio.Event()
        session.watchers.append(changed)
        ended = session.run.ended.is_set() and not session.run.backlog
        if (screen := session.run.screen) is not None:
            top = screen.bounds[1]
            here = top + screen.cursor.y
            if here < start:  # the screen was cleared, or is drawn anew from above
                start = session.run.turn_line if top <= session.run.turn_line <= here else top
            looked = here - 1
            lines, said = _lines(session, screen, start)
            found = await search(said)
            if found is not None:
                return "output", lines[found]
            start = max(start, looked)
        if ended:
            return "exit", ""
        await changed.wait()
        await anyio.sleep(_LOOK_PAUSE)


def _lines(session: SessionRuntime, screen: Screen, start: int) -> tuple[list[str], list[str]]:
    """Return the lines from `start` on, and the same without the echo of what was typed."""
    first, top, last = screen.bounds
    stop = last + 1 if session.info.exit_code is not None else top + screen.cursor.y + 1
    if screen.modes.alt_screen:
        start, stop = top, last + 1
    start = max(first, start, stop - _MOST_LINES)
    echoed = session.run.typed_text.strip() if start <= session.run.turn_line else ""
    text = plain(screen.lines(start, stop, plain=True), join=True)
    lines = [line.rstrip(" ") for line in text.split("\n")[:-1]]
    said = list(lines)
    at = next((at for at, text in enumerate(lines) if echoed and echoed in text), None)
    if at is not None:
        # A text is echoed once; said again, it was printed.
        said[at] = lines[at].replace(echoed, "", 1)
    return lines, said
