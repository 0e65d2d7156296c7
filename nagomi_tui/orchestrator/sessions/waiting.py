"""Waits until a session ends, is silent, prints a line, or stands in a certain way."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

import anyio

from nagomi_tui.api.messages import Waited
from nagomi_tui.core.session.condition import Condition, condition
from nagomi_tui.orchestrator.runtime.matching import matching
from nagomi_tui.orchestrator.sessions.roles import Typable

if TYPE_CHECKING:
    from nagomi_tui.core.text.screen import Row
    from nagomi_tui.orchestrator.runtime.matching import Search
    from nagomi_tui.orchestrator.terminals.readable import ReadableScreen

Reason: TypeAlias = Literal["exit", "silence", "output", "timeout", "attention", "done", "idle"]
Until: TypeAlias = Literal["exit", "silence", "output", "attention", "done", "idle"]
_STANDING: Final[dict[str, frozenset[Condition]]] = {
    "attention": frozenset({Condition.ATTENTION}),
    "done": frozenset({Condition.SUCCESS, Condition.ERROR}),
    "idle": frozenset({Condition.SUCCESS, Condition.ERROR, Condition.IDLE, Condition.LISTENING}),
}
"""The conditions that end a wait for one of these words."""
_LOOK_PAUSE: Final = 0.03
_MOST_LINES: Final = 2000


class Watched(Typable, Protocol):
    """A session that signals output and its end."""

    searches: int
    """How many callers wait for a line: each one must be drawn."""
    watchers: list[anyio.Event]
    """Set, once each, when there is output or the session ends."""


async def wait(
    session: Watched,
    until: Until = "exit",
    *,
    pattern: str = "",
    silence: float = 3.5,
    timeout: float | None = None,
) -> Waited:
    """Wait, and return what ended the wait: its condition, the session's end, or the timeout.

    The condition is a line that matches `pattern`, for `output`; or for `silence`, that many
    seconds without output. `timeout` is in seconds; None waits for ever.

    Raises:
        Refusal: the pattern is no regular expression, or takes too long.
    """
    line = ""
    reason: Reason = "timeout"
    with anyio.move_on_after(timeout):
        if until == "output":
            async with matching(pattern) as search:
                session.searches += 1
                try:
                    reason, line = await _until_output(session, search)
                finally:
                    session.searches -= 1
        elif until in _STANDING:
            reason = await _until_standing(session, until)
        elif until == "silence":
            reason = await _until_silence(session, silence)
        else:
            await session.run.ended.wait()
            reason = "exit"
    return Waited(
        reason=reason,
        exit_code=session.info.exit_code,
        line=line,
        condition=condition(session.info),
    )


async def _until_standing(session: Watched, until: Until) -> Reason:
    """Wait for a condition; what it was in before the last input does not count."""
    while True:
        changed = anyio.Event()
        session.watchers.append(changed)
        if session.run.ended.is_set():
            return "exit"
        fresh = (session.info.phase_since or 0.0) >= (session.run.typed_at or 0.0)
        if fresh and condition(session.info) in _STANDING[until]:
            return until
        await changed.wait()


async def _until_silence(session: Typable, silence: float) -> Reason:
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


async def _until_output(session: Watched, search: Search) -> tuple[Reason, str]:
    """Search the lines since the last input, then each new one, until the session ends."""
    await session.run.rebuilt.wait()
    start = session.run.turn_line
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


def _lines(session: Typable, screen: ReadableScreen, start: int) -> tuple[list[str], list[str]]:
    """Return the lines from `start` on, and the same without the echo of what was typed."""
    first, top, last = screen.bounds
    stop = last + 1 if session.info.exit_code is not None else top + screen.cursor.y + 1
    if screen.modes.alt_screen:
        start, stop = top, last + 1
    start = max(first, start, stop - _MOST_LINES)
    echoed = session.run.typed_text.strip() if start <= session.run.turn_line else ""
    lines = whole_lines(screen.lines(start, stop, plain=True))
    said = list(lines)
    at = next((at for at, text in enumerate(lines) if echoed and echoed in text), None)
    if at is not None:
        # A text is echoed once; said again, it was printed.
        said[at] = lines[at].replace(echoed, "", 1)
    return lines, said


def whole_lines(rows: list[Row]) -> list[str]:
    """Return the text of lines, wrapped rows put together."""
    lines, pieces = [], []
    for row in rows:
        pieces.append("".join(run.text for run in row.runs))
        if not row.wrapped:
            lines.append("".join(pieces).rstrip(" "))
            pieces = []
    return lines + (["".join(pieces).rstrip(" ")] if pieces else [])
