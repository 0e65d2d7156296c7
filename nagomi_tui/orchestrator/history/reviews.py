"""Keeps the files of an agent's folder as they are when a turn of it begins, and reads what has changed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final, NamedTuple

import anyio

from nagomi_tui.hands.reviewing import FarReview, review_of
from nagomi_tui.masking import mask, mask_lines
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.review.model import as_unified
from nagomi_tui.review.review import Page
from nagomi_tui.review.snapshots import Since, Snapshots, find
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines
from nagomi_tui.system.git import GitFault
from nagomi_tui.text.cells import printable
from nagomi_tui.text.words import translatable

_SECONDS: Final = 60.0
_AT_ONCE: Final = 2
_MOST_WAITING: Final = 100
_REST: Final = 5.0
"""A folder that took long is left alone for so many times as long."""
_FAULT_SECONDS: Final = 30.0
_ONE_TURN: Final = 1.0
"""Seconds within which it is one turn that is told twice, by a hook and by the judge."""
_log = logging.getLogger(__name__)


_ENTER_SECONDS: Final = 10.0
"""How long after Enter was typed a turn may begin with it."""


class _Begun(NamedTuple):
    hand: str
    """Empty where the session is here."""
    folder: str
    session_id: str
    turn: int | None
    """None where Enter was typed, with which one may begin."""
    entered: float
    """When Enter was typed, in seconds since the epoch; 0 where the turn began by itself."""


class TurnTrees:
    """Takes a snapshot at the beginning of each turn of an agent; on a hand, there.

    It does so where the user lets be kept what sessions print, which is about the same things.
    """

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._send, self._receive = anyio.create_memory_object_stream[_Begun](_MOST_WAITING)
        self._slots = BoundedSemaphore(_AT_ONCE)
        self._entered: dict[str, tuple[float, float]] = {}
        """When Enter was typed last in each session, on the monotonic clock and since the epoch."""
        self._marked: dict[str, float] = {}
        """When the last turn of each session was told, on the monotonic clock."""
        self._not_before: dict[tuple[str, str], float] = {}
        """By hand and folder, when it may be read again, on the monotonic clock."""

    async def run(self) -> None:
        """Take snapshots, for ever."""
        async with anyio.create_task_group() as tasks:
            for _ in range(_AT_ONCE):
                tasks.start_soon(self._work)

    def entered(self, session: SessionRuntime) -> None:
        """Enter was typed, with which a turn may begin: keep the files of the session's agent."""
        if self._keeps(session) and session.info.is_local:  # it would go to a hand at each Enter
            at = time.time()
            self._entered[session.session_id] = time.monotonic(), at
            self._keep_soon(_Begun("", session.info.here, session.session_id, None, at))

    def turn_began(self, session: SessionRuntime, turn: int) -> None:
        """A turn of a session has begun: keep its agent's files."""
        now, key = time.monotonic(), session.session_id
        told_twice = now - self._marked.get(key, -_ONE_TURN) < _ONE_TURN
        if not self._keeps(session) or (told_twice and key not in self._entered):
            return
        self._marked[key] = now
        at, entered = self._entered.pop(key, (0.0, 0.0))
        entered = entered if now - at < _ENTER_SECONDS else 0.0
        hand = "" if session.info.is_local else session.info.worker_id
        self._keep_soon(_Begun(hand, session.info.here, key, turn, entered))

    def _keeps(self, session: SessionRuntime) -> bool:
        info = session.info
        return self._settings().keep_transcripts and bool(info.agent_name)

    def _keep_soon(self, one: _Begun) -> None:
        try:
            self._send.send_nowait(one)
        except anyio.WouldBlock:
            _log.warning("too many turns begin at once; a review of one will not be complete")

    async def _work(self) -> None:
        async with self._receive.clone() as begun:
            async for one in begun:
                await self._keep(one)

    async def _keep(self, one: _Begun) -> None:
        start, place = time.monotonic(), (one.hand, one.folder)
        waits = start < self._not_before.get(place, 0.0)
        if waits and not (one.turn is not None and one.entered):
            return
        pause = 0.0
        try:
            await deadlines.run(partial(_mark, one), seconds=_SECONDS, slots=self._slots)
        except (GitFault, OSError, TimeoutError) as exc:
            # Most often it is no repository, which is nothing to tell of.
            _log.debug("no snapshot of %s: %s", mask(one.folder), mask(str(exc)))
            pause = _FAULT_SECONDS
        took = time.monotonic() - start
        if pause or took > 1.0:
            self._not_before[place] = time.monotonic() + max(pause, _REST * took)


def _mark(one: _Begun) -> None:
    if one.hand:
        with closing(FarReview(one.hand, one.folder, one.session_id)) as review:
            review.mark_turn(one.turn or 0)
        return
    snapshots = Snapshots(find(one.folder))
    if one.turn is None:
        snapshots.mark_entered(one.session_id, one.entered)
    else:
        snapshots.mark_turn(one.session_id, one.turn, one.entered)


LINES: Final = 2000
_WIDEST: Final = 500
"""Characters of a line that are shown."""
_READ_SECONDS: Final = 20.0
"""How long a client is let wait."""
_readers: Final = BoundedSemaphore(4)


class Changes(NamedTuple):
    """Lines as git prints them, and how many more there are."""

    lines: tuple[str, ...]
    left_out: int


NOTHING: Final = Changes((), 0)


class Read(NamedTuple):
    """What has changed, and the same as lines that can be told to anybody."""

    page: Page
    shown: Changes


async def read(
    folder: Path | str, session_id: str = "", since: Since | None = None, path: str = "",
    hand: str = "",
) -> Read:  # fmt: skip
    """Return what has changed where a folder lies, or of one file there; `hand` names a hand's.

    Raises:
        Refusal: it cannot be told.
    """
    work = partial(_read, folder, session_id, since, path, hand)
    try:
        return await deadlines.run(work, seconds=_READ_SECONDS, slots=_readers)
    except TimeoutError as exc:
        raise Refusal("busy", "git did not answer in time.") from exc
    except GitFault as exc:
        values = {name: mask(str(value)) for name, value in exc.values.items()}
        raise Refusal("refused", exc.sentence, **values) from exc
    except OSError as exc:
        sentence = translatable("{path} cannot be read: {reason}.")
        raise Refusal("refused", sentence, path=folder, reason=exc.strerror or exc) from exc


def _read(folder: Path | str, session_id: str, since: Since | None, path: str, hand: str) -> Read:
    with closing(review_of(folder, session_id, hand)) as review:
        page = review.load(since)
    changes = page.loaded.changes
    if path:
        changes.files = [one for one in changes.files if path in (one.name, f"./{one.name}")]
    return Read(page, made_plain(as_unified(changes)))


def made_plain(lines: Iterable[str]) -> Changes:
    """Return a diff as it is shown to others, masked and bounded; it takes its time."""
    known = list(lines)
    # A line is cut when it is masked: half a secret is none that could be told.
    shown = [_cut(printable(line)) for line in mask_lines(known[:LINES])]
    return Changes(tuple(shown), max(0, len(known) - LINES))


def _cut(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]}…"
