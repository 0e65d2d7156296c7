"""Stores what sessions print: rendered lines, masked, about a second after they appeared.

Lines are read in the orchestrator's loop, a few at a time, and stored in a thread. The amount
read of each session and the time for all are bounded; a flood leaves a gap.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import anyio
import anyio.to_thread
import msgspec

from nagomi_tui.orchestrator.history.archive import Archive, Turn
from nagomi_tui.orchestrator.history.tracking import Mark, Reading, Tracker
from nagomi_tui.orchestrator.runtime.database import Trouble
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions.anchor import Anchor
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
from nagomi_tui.sessions.transcript import Piece, Screenful, TextRow
from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import translatable

_Position: TypeAlias = tuple[Tracker, Mark]

CADENCE: Final = 1.0
_SHARE: Final = 0.06
"""Largest share of the loop's time that is spent on reading, and of a core on storing floods."""
_QUIET: Final = 0.9
_BUSY: Final = 2.0
"""Seconds between two reads of a session that goes on printing."""
_PRUNE_EVERY: Final = 60.0
_RETRY: Final = 30.0
_SCREEN_EVERY: Final = 5.0
"""Seconds between two times that an alternate screen is stored, which its program redraws."""
_BATCH: Final = 2000
"""Rows after which the rows read are stored, so that many sessions do not fill the memory."""
_SAME_RUN: Final = 0.001
"""Seconds between the starts of two runs that are one: sums of times are not exact."""
_TURNS: Final = 200
_SAVED: Final = 500
"""Most pieces that wait while the history cannot be written."""
_NOT_WRITTEN: Final = translatable(
    "The history of what sessions print cannot be written ({reason}). "
    "Everything works on, and is written when that is possible again."
)
_DAMAGED: Final = translatable(
    "The history of what sessions print was damaged. It is kept as {path}; a new one begins."
)


class Transcripts:
    """Reads all sessions by their trackers, and stores the rows in the archive."""

    def __init__(
        self, path: Path, settings: Callable[[], Settings], on_fault: Callable[[Refusal], None]
    ) -> None:
        self.path = path
        self._archive = Archive(path)
        self._settings = settings
        self._on_fault = on_fault
        self._trouble = Trouble("the history", _NOT_WRITTEN, on_fault)
        self._trackers: dict[str, Tracker] = {}
        self._waiting: dict[str, SessionRuntime] = {}
        self._turns: list[Turn] = []
        self._saved: list[Piece] = []
        """What was read before it was erased, and is not stored yet."""
        self._last_screens: list[Screenful] = []
        """What stood on alternate screens when all programs were about to be ended."""
        self._storing = 0.0
        """Seconds spent on storing since they were last shared out."""
        self._wanted = anyio.Event()
        self._lock = anyio.Lock()
        self._pruned_at = float("-inf")
        self._opened = False

    # --- what others tell

    def read_soon(self, session: SessionRuntime) -> None:
        """Read a session soon: it has printed, ended, or got another name."""
        if session.session_id not in self._waiting:
            self._waiting[session.session_id] = session
            self._wanted.set()

    def turn_over(self, finished: FinishedTurn) -> None:
        """Store the verdict of a finished turn."""
        if finished.session.listed and self._settings().keep_transcripts:
            turn = _stored(finished)
            self._turns = [*self._turns[1 - _TURNS :], turn]
            self._wanted.set()

    def save(self, session: SessionRuntime, *, screen: bool) -> None:
        """Read what a session is about to erase, or to put out of sight by another screen.

        With `screen` it erases what stands there; call `erased` when it has.
        """
        tracker = self._tracker(session)
        if tracker is None or not self._settings().keep_transcripts or not tracker.readable:
            return
        reading, still = tracker.save(time.monotonic(), screen=screen)
        if reading.rows or reading.gap or still:
            self._saved.append(self._made_piece(session, tracker, reading, still, whole=True))
            tracker.told = None
            self.read_soon(session)

    def erased(self, session: SessionRuntime, *, again: bool) -> None:
        """Go on with a session behind what it has erased; `again`, if it prints its text anew."""
        if (tracker := self._tracker(session)) is not None and tracker.readable:
            tracker.erased(again=again)

    def note(self, session: SessionRuntime, *, stood: bool) -> None:
        """Note what stands on a session's screen, which its program is about to draw over.

        With `stood` it has stood there for long enough to be read.
        """
        tracker = self._tracker(session)
        if tracker is not None and tracker.readable and self._settings().keep_transcripts:
            tracker.note(time.monotonic(), stood=stood)

    def missed(self, session: SessionRuntime, lines: int) -> None:
        """Note lines that were erased before they could be read."""
        if lines and (tracker := self._tracker(session)) is not None:
            tracker.missed(lines)

    def pass_over(self, sessions: Sequence[SessionRuntime]) -> None:
        """Skip what was printed until now, since storing was, or is, switched off."""
        for session in sessions:
            if (tracker := self._tracker(session)) is not None:
                tracker.to_the_end()

    def place(self, session: SessionRuntime) -> Anchor | None:
        """Return the anchor of the position in a screen that is about to be resized."""
        tracker = self._trackers.get(session.session_id)
        if tracker is None or tracker.screen is not session.run.screen:
            return None
        self.save(session, screen=False)
        return tracker.place()

    def resized(self, session: SessionRuntime, place: Anchor | None) -> None:
        """Go on at the anchor in a screen that was resized."""
        tracker = self._trackers.get(session.session_id)
        if tracker is not None and place is not None:
            tracker.resized(place)
            self.read_soon(session)

    async def settle(self, session: SessionRuntime) -> None:
        """Store what a session has printed so far, since its screen is about to be freed."""
        async with self._lock:
            self._waiting.pop(session.session_id, None)
            await self._store([session], final=True, at_once=True)
            self._trackers.pop(session.session_id, None)

    async def forget(self, session: SessionRuntime) -> bool:
        """Delete everything stored of a session; return whether that was possible."""
        async with self._lock:
            self._waiting.pop(session.session_id, None)
            self._trackers.pop(session.session_id, None)
            self._saved = [one for one in self._saved if one.session_id != session.session_id]
            return await self._guarded(lambda: self._archive.forget(session.session_id))

    async def keep_screen(self, session: SessionRuntime) -> None:
        """Put the stored alternate screen of a session behind its lines: its program is gone."""
        async with self._lock:
            if await self._open() and self._archive.has_screen(session.session_id):
                await self._guarded(lambda: self._archive.keep_screen(session.session_id))

    def remember_screens(self, sessions: Sequence[SessionRuntime]) -> None:
        """Read the alternate screens of sessions which are to be ended, and may leave them by that."""
        if self._settings().keep_transcripts:
            self._last_screens = [
                self._screenful(session, tracker, tracker.alternate(), final=True)
                for session in sessions
                if session.running and (tracker := self._tracker(session)) and not tracker.readable
            ]

    async def close(self, sessions: Sequence[SessionRuntime]) -> None:
        """Store the rest of these sessions' lines, and close the database."""
        async with self._lock:
            ended = {screen.session_id for screen in self._last_screens}
            for session in sessions:
                screen = session.run.screen
                if session.session_id in ended and screen and screen.modes.alt_screen:
                    screen.leave_alternate()
            await self._store(sessions, at_once=True)
            last = [one for one in self._last_screens if not self._is_kept(one.session_id, one.run)]
            if last and self._opened:
                await self._guarded(lambda: self._archive.write((), (), last))
            self._archive.close()

    async def run(self) -> None:
        """Read and store sessions that have changed, for ever."""
        async with self._lock:
            await self._open()  # what is erased is read at once, from then on
        while True:
            await self._wanted.wait()
            await anyio.sleep(CADENCE)
            self._wanted = anyio.Event()
            async with self._lock:
                sessions, self._waiting = list(self._waiting.values()), {}
                stored = await self._store(sessions) and await self._prune()
                self._ration(sessions)
            if not stored:
                await anyio.sleep(_RETRY)

    # --- steps

    async def _store(
        self, sessions: Sequence[SessionRuntime], *, final: bool = False, at_once: bool = False
    ) -> bool:
        """Read and write what is new; return whether it could be written."""
        if not await self._open() or not await self._write_saved():
            return False
        now = time.monotonic()
        pieces: list[Piece] = []
        screens: list[Screenful] = []
        before: list[_Position] = []
        for session in sessions:
            tracker = self._tracker(session)
            waits = tracker is not None and tracker.due > now and not _is_quiet(session)
            if waits and not at_once:
                self.read_soon(session)
            elif tracker is not None:
                before.append((tracker, tracker.mark()))
                over = final or not session.running
                pieces += await self._piece(session, tracker, now, final=over)
                screens += self._screen(session, tracker, now, final=over, at_once=at_once)
            read = [one.rows for one in pieces] + [one.rows for one in screens]
            if sum(map(len, read)) >= _BATCH:
                if not await self._write(pieces, screens, before):
                    break
                pieces, screens, before = [], [], []
        else:
            if await self._write(pieces, screens, before):
                return True
        for session in sessions:
            if not final:
                self.read_soon(session)
        return False

    async def _write_saved(self) -> bool:
        """Store what was read before it was erased; return whether it could be written."""
        saved, self._saved = self._saved, []
        if not saved or await self._guarded(lambda: self._archive.write(saved, (), ())):
            return True
        self._saved = [*saved, *self._saved][-_SAVED:]
        return False

    async def _write(
        self, pieces: list[Piece], screens: list[Screenful], before: list[_Position]
    ) -> bool:
        """Store what was read; if that fails, reset the trackers to the positions before."""
        turns, self._turns = self._turns, []
        if not pieces and not turns and not screens:
            return True

        def write() -> None:
            began = time.thread_time()
            self._archive.write(pieces, turns, screens)
            self._storing += time.thread_time() - began

        if await self._guarded(write):
            return True
        for tracker, place in before:
            tracker.go_back(place)
        self._turns = [*turns, *self._turns][-_TURNS:]
        return False

    async def _piece(
        self, session: SessionRuntime, tracker: Tracker, now: float, *, final: bool
    ) -> list[Piece]:
        """Return what is new of a session, if there is anything."""
        if not self._settings().keep_transcripts:
            tracker.to_the_end()
            return []
        if not tracker.readable:
            return []
        quiet = final or _is_quiet(session)
        reading = await tracker.read(now, lambda: session.run.screen is tracker.screen, quiet=quiet)
        if reading is None:
            return []
        if not quiet:
            tracker.due = now + _BUSY
            self.read_soon(session)
        # What scrolls by faster than it is read does not stand still.
        flows = reading.gap > 0 and not quiet
        still = () if flows else tracker.still(now, quiet=quiet, final=final)
        told = (still, session.info.name)
        nothing = told == tracker.told or not (quiet or still)
        if nothing and not reading.rows and not reading.gap:
            return []
        tracker.told = told
        return [self._made_piece(session, tracker, reading, still, whole=quiet)]

    @staticmethod
    def _made_piece(
        session: SessionRuntime,
        tracker: Tracker,
        reading: Reading,
        still: tuple[TextRow, ...],
        *,
        whole: bool,
    ) -> Piece:
        lost_place, tracker.lost_place = tracker.lost_place, False
        return Piece(
            session_id=session.session_id, name=session.info.name, run=tracker.run,
            at=session.run.output_at or time.time(), next_line=tracker.next,
            rows=tuple(reading.rows), open=still, whole=whole, gap=reading.gap, lost_place=lost_place,
            width=session.info.cols,
        )  # fmt: skip

    def _screen(
        self, session: SessionRuntime, tracker: Tracker, now: float, *, final: bool, at_once: bool
    ) -> list[Screenful]:
        """Return the alternate screen of a session, if that is new and it is time to store it."""
        stored = self._archive.has_screen(session.session_id)
        if tracker.readable or not self._settings().keep_transcripts:
            # At the end of the machine programs leave it as they are ended.
            return [self._screenful(session, tracker)] if stored and not at_once else []
        if self._is_kept(session.session_id, tracker.run):
            return []
        if not (final or at_once) and now < tracker.told_screen_at + _SCREEN_EVERY:
            self.read_soon(session)
            return []
        screen = self._screenful(session, tracker, tracker.alternate(), final=final)
        told = (screen.rows, screen.name, final)
        if told == tracker.told or not (screen.rows or stored):
            return []
        tracker.told, tracker.told_screen_at = told, now
        return [screen]

    def _screenful(
        self,
        session: SessionRuntime,
        tracker: Tracker,
        rows: tuple[TextRow, ...] = (),
        *,
        final: bool = False,
    ) -> Screenful:
        return Screenful(
            session_id=session.session_id, name=session.info.name, run=tracker.run,
            at=session.run.output_at or time.time(), rows=rows, final=final,
        )  # fmt: skip

    def _is_kept(self, session_id: str, run: float) -> bool:
        """Return whether the alternate screen on which a run has ended is among the lines."""
        story = self._archive.story(session_id)
        return story is not None and story.run == run and story.screen

    def _tracker(self, session: SessionRuntime) -> Tracker | None:
        """Return the session's tracker, or None while its screen is not there."""
        screen = session.run.screen
        if screen is None or screen.is_stored:
            return None
        if session.run.replay is not None or not session.run.rebuilt.is_set():
            return None
        tracker = self._trackers.get(session.session_id)
        if tracker is None or tracker.screen is not screen:
            run, next_line = (session.info.started_at or 0.0) - session.run.moved, 0
            story = self._archive.story(session.session_id)
            if story and abs(story.run - run) < _SAME_RUN:
                run, next_line = story.run, story.next_line
            tracker = self._trackers[session.session_id] = Tracker(screen, run, next_line)
        return tracker

    def _ration(self, sessions: Sequence[SessionRuntime]) -> None:
        """Delay sessions whose reading took long, the longer the more of them there are.

        Those that leave gaps anyway wait for the storing, too: it keeps the event loop waiting.
        """
        trackers = [
            tracker for session in sessions if (tracker := self._trackers.get(session.session_id))
        ]
        total, now = sum(tracker.spent for tracker in trackers), time.monotonic()
        for tracker in trackers:
            if tracker.spent > CADENCE * _SHARE / max(1, len(trackers)):
                storing = self._storing if tracker.floods else 0.0
                tracker.rest(now + (total + storing) / _SHARE)
            tracker.spent = 0.0
        self._storing = 0.0

    async def _open(self) -> bool:
        if not self._opened:
            self._opened = await self._guarded(self._archive.open)
        return self._opened

    async def _prune(self) -> bool:
        """Delete what is too old or too much, a little at a time."""
        now, settings = time.monotonic(), self._settings()
        if now - self._pruned_at < _PRUNE_EVERY:
            return True
        more = False

        def prune() -> None:
            nonlocal more
            more = self._archive.prune(
                days=settings.transcript_days,
                size=settings.transcript_megabytes * 1_000_000,
                now=time.time(),
            )

        done = await self._guarded(prune)
        if not more:
            self._pruned_at = now
        return done

    async def _guarded(self, work: Callable[[], object]) -> bool:
        """Call `work` in a thread; return False for a fault of the disk, which is reported once."""
        try:
            await anyio.to_thread.run_sync(work)
        except (sqlite3.Error, OSError) as exc:
            self._trouble.came(exc)
            return False
        finally:
            if (aside := self._archive.take_aside()) is not None:
                self._on_fault(Refusal("internal", _DAMAGED, path=aside))
        self._trouble.is_over()
        return True


def _stored(finished: FinishedTurn) -> Turn:
    done = finished.done
    return Turn(
        session_id=done.session,
        name=finished.session.info.name,
        turn=done.turn,
        started=finished.began,
        ended=done.at,
        verdict=msgspec.json.encode(done.verdict),
    )


def _is_quiet(session: SessionRuntime) -> bool:
    return time.time() - session.run.output_at >= _QUIET
