"""Waits for a session: until it ends, is quiet, or says something."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import anyio

from nagomi_tui.api.messages import Waited
from nagomi_tui.orchestrator.runtime.matching import matching

if TYPE_CHECKING:
    from nagomi_tui.core.text.screen import Row
    from nagomi_tui.orchestrator.runtime.matching import Search
    from nagomi_tui.orchestrator.sessions.live import Live
    from nagomi_tui.orchestrator.terminals.screens import Screen

Reason: TypeAlias = Literal["exit", "silence", "output", "timeout"]
Until: TypeAlias = Literal["exit", "silence", "output"]
_LOOK_PAUSE: Final = 0.03
_MOST_LINES: Final = 2000


async def wait(
    live: Live,
    until: Until = "exit",
    *,
    pattern: str = "",
    silence: float = 3.5,
    timeout: float | None = None,
) -> Waited:
    """Return how the wait ended: by what it was for, by the session's end, or by `timeout` seconds.

    For `output` that is a line that matches `pattern`, for `silence` so many seconds without any.

    Raises:
        Refusal: the pattern is no regular expression, or takes too long.
    """
    line = ""
    reason: Reason = "timeout"
    with anyio.move_on_after(timeout):
        if until == "output":
            async with matching(pattern) as search:
                reason, line = await _until_output(live, search)
        elif until == "silence":
            reason = await _until_silence(live, silence)
        else:
            await live.run.ended.wait()
            reason = "exit"
    return Waited(reason=reason, exit_code=live.info.exit_code, line=line)


async def _until_silence(live: Live, silence: float) -> Reason:
    began = time.time()
    while True:
        if live.run.ended.is_set():
            return "exit"
        quiet_since = max(live.run.output_at or 0.0, live.run.typed_at or 0.0) or began
        left = quiet_since + silence - time.time()
        if left <= 0:
            return "silence"
        with anyio.move_on_after(left):
            await live.run.ended.wait()


async def _until_output(live: Live, search: Search) -> tuple[Reason, str]:
    """Look at the lines since the last input, then at each new one; an end is an answer too."""
    await live.run.rebuilt.wait()
    start = live.run.turn_line
    while True:
        changed = anyio.Event()
        live.watchers.append(changed)
        ended = live.run.ended.is_set() and not live.run.backlog
        if live.run.screen is not None:
            looked = live.run.screen.bounds[1] + live.run.screen.cursor.y - 1
            lines, said = _lines(live, live.run.screen, start)
            found = await search(said)
            if found is not None:
                return "output", lines[found]
            start = max(start, looked)
        if ended:
            return "exit", ""
        await changed.wait()
        await anyio.sleep(_LOOK_PAUSE)


def _lines(live: Live, screen: Screen, start: int) -> tuple[list[str], list[str]]:
    """Return the lines from `start` on, and the same without the echo of what was typed."""
    first, top, last = screen.bounds
    stop = last + 1 if live.info.exit_code is not None else top + screen.cursor.y + 1
    if screen.modes.alt_screen:
        start, stop = top, last + 1
    start = max(first, start, stop - _MOST_LINES)
    echoed = live.run.typed_text.strip() if start <= live.run.turn_line else ""
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
