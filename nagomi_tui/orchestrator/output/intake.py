"""Carries out the messages of workers, their output first."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import islice
from typing import Final

from nagomi_tui.judge.senses.processes import Sample, sample_of
from nagomi_tui.orchestrator.calling.program_events import ProgramEvents
from nagomi_tui.orchestrator.guard.strict import StrictMode
from nagomi_tui.orchestrator.history.transcripts import Transcripts
from nagomi_tui.orchestrator.judging.hooks import Hooks
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.output.checkpoints import Checkpoints
from nagomi_tui.orchestrator.output.rebuilding import Rebuilding
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.screens import Screen, ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.views.scheduler import FrameScheduler
from nagomi_tui.orchestrator.workers.link import OutputBatch, WorkerMessage, told_fault
from nagomi_tui.sessions.session import State
from nagomi_tui.terminal.cuts import (
    DRAWS_OVER,
    ERASES,
    begun_at_end,
    may_move_rows,
    scrolls_away,
    steers,
)
from nagomi_tui.text.rows import ScreenEvent
from nagomi_tui.text.words import translatable
from nagomi_worker.wire import protocol

_log = logging.getLogger(__name__)
_ERROR_SECONDS: Final = 5.0
_LONGEST_FOLDER: Final = 4096
_LONGEST_BRANCH: Final = 250
ACK_BYTES: Final = 16 * 1024
_MUCH: Final = 16
"""Waiting chunks of a session that count as many: more than the window of one among several."""
_MOST_ERASURES: Final = 8
"""Erasures in a batch before which lines are read: a program that does more shows pictures."""
_MOST_NOTES: Final = 8
"""Times in a batch that the screen is noted before something is drawn over it."""
_NOTES_SHARE: Final = 0.03
"""Largest share of the loop's time that is spent on that, and as many seconds at once."""
_LATELY: Final = 8 * 1024
"""Bytes at the end of a batch in which that is looked for: what is before went by unseen."""
_READABLE: Final = 0.25
"""Seconds without output after which what stands on a screen can have been read."""
_WITHOUT_EDITOR: Final = ("sh", "dash", "ash")
"""Shells that leave the terminal as a killed program has left it, raw perhaps."""


@dataclass(eq=False)
class Intake:
    """Handles workers' messages in order.

    Output feeds the terminal first: whoever hears of it does so after, and no fault of theirs can lose
    any.

    `asked` has a request of a program on a hand answered.
    """

    screens: ScreenMaker
    checkpoints: Checkpoints
    judges: Judges
    _: KW_ONLY
    scheduler: FrameScheduler
    audience: Audience
    alarms: Alarms
    transcripts: Transcripts
    program_events: ProgramEvents
    strict: StrictMode
    hooks: Hooks
    asked: Callable[[protocol.Asked], object]

    def __post_init__(self) -> None:
        self._rebuilding = Rebuilding(
            self.screens, self.checkpoints, self.judges,
            scheduler=self.scheduler, audience=self.audience, transcripts=self.transcripts,
        )  # fmt: skip
        self._room = _NOTES_SHARE
        """Seconds that the loop may still spend on notes; what it has spent comes back with time."""
        self._noted_at = 0.0

    def take(self, session: SessionRuntime, batch: Sequence[WorkerMessage]) -> None:
        """Handle one message of a session, or a batch of output."""
        if outputs := [message for message in batch if isinstance(message, OutputBatch)]:
            self._draw(session, outputs)
            return
        for message in batch:
            self._take(session, message)

    def _take(self, session: SessionRuntime, message: WorkerMessage) -> None:
        match message:
            case protocol.Attached():
                self._rebuilding.begin(session, message)
            case protocol.Checkpoint():
                self._rebuilding.checkpoint(session, message)
            case protocol.Resized():
                self._rebuilding.resized(session, message)
            case protocol.Phase(phase="ending"):
                self._ends_with_worker(session)
            case protocol.Phase():
                self._see_foreground(session, message.detail or "")
                self.judges.activity(session, message.detail or "")
            case protocol.Started():
                self._started(session, message)
            case protocol.Exit():
                self._ended(session, message)
            case protocol.Error():
                self._failed(session, message)
            case protocol.Typed():
                session.run.inputs.taken(message.number)
            case protocol.Held():
                self.strict.heard(session, message)
            # What programs on hands say; a worker that holds a session speaks for that one only.
            case protocol.Hook() if not session.info.is_local:
                self.hooks.heard_there(session, message)
            case protocol.Asked() if not session.info.is_local:
                self.asked(message)
            case protocol.Located() if not session.info.is_local:
                self._located(session, message)
            case _:
                pass

    def _started(self, session: SessionRuntime, message: protocol.Started) -> None:
        """Handle the start of the command."""
        pid = message.pid if session.info.is_local else None
        session.change(state=State.RUNNING, pid=pid, started_at=time.time())
        session.run.settled.set()
        session.run.rebuilt.set()
        self.judges.begin(session, session.screen(self.screens))
        self.audience.publish(session)

    def _ended(self, session: SessionRuntime, message: protocol.Exit) -> None:
        """Handle the end of the command, once all its output was applied."""
        run = session.run
        if session.info.state is State.EXITED and run.ended.is_set():
            return
        known = session.info.state is State.EXITED and session.info.ended_at
        ended_at = session.info.ended_at if known else time.time()
        session.change(
            state=State.EXITED,
            pid=None,
            exit_code=message.exit_code,
            signal=message.signal,
            ended_at=ended_at,
        )
        run.settled.set()
        run.ended.set()
        if not known:
            self.judges.phases.see_if_in_front(session)
        self.transcripts.read_soon(session)
        if message.stopped:
            self._ends_with_worker(session)
        self.judges.ended(session, message.exit_code, message.signal)
        self.judges.phases.update(session)
        self.audience.publish(session)
        session.wake_watchers()
        if message.left:
            names = ", ".join(f"{left.command} ({left.pid})" for left in message.left[:5])
            sentence = translatable("{name} has ended; what it started runs on: {names}.")
            self.audience.tell("info", sentence, name=session.info.name, names=names)

    def _ends_with_worker(self, session: SessionRuntime) -> None:
        """Note that its worker ends a session, of its own accord unless a user has stopped it."""
        session.run.ended_with_worker = session.run.ended_with_worker or not session.run.stopped
        session.run.stopped = True
        self.judges.stopped(session)

    def _failed(self, session: SessionRuntime, message: protocol.Error) -> None:
        """Handle a failure of the worker to start the command, or to carry out another order."""
        fault = told_fault(message.message, message.sentence, message.values)
        if session.info.state is State.STARTING:
            session.run.start_fault = fault
            session.run.settled.set()
            return
        tell = partial(
            self.audience.tell, "error", "{name}: {message}", name=session.info.name, message=fault
        )
        self.alarms.limit((session, "error"), tell, every=_ERROR_SECONDS, burst=3)

    def _located(self, session: SessionRuntime, message: protocol.Located) -> None:
        folder, branch = message.folder, message.branch
        if not (folder.isprintable() and branch.isprintable()) or len(folder) > _LONGEST_FOLDER:
            return
        if session.running and session.change(folder=folder, branch=branch[:_LONGEST_BRANCH]):
            self.audience.publish(session)

    # --- output

    def _draw(self, session: SessionRuntime, outputs: Sequence[OutputBatch]) -> None:
        """Feed the terminal; the echo of a key goes to views before anything else is done."""
        run = session.run
        data = b"".join([output.data for output in outputs])
        screen = session.screen(self.screens)
        offset = outputs[-1].offset
        run.offset = offset if offset is not None else run.offset + len(data)
        run.ledger.add_output(len(data), chunks=sum(len(output.sizes) for output in outputs))
        if run.replay is not None:
            self._rebuilding.replayed(session, run.replay, screen, data)
            return
        replies, events = self._fed(session, screen, data)
        self.scheduler.touch(session)
        if run.hot:
            self.scheduler.rush(session)
        self._acknowledge(session, len(outputs))
        if replies:
            session.reply(replies, run.offset)
        run.output_at = time.time()
        self.judges.settle(session, data, events)
        self.checkpoints.after_output(session, len(data))
        self.transcripts.read_soon(session)
        if events:
            self.program_events.heard(session, events)
        if session.watchers:
            session.wake_watchers()
        if run.lent and run.in_front is not None and run.in_front.shell:
            self._end_left_modes(session, run.in_front)

    def _fed(
        self, session: SessionRuntime, screen: Screen, data: bytes
    ) -> tuple[bytes, list[ScreenEvent]]:
        """Feed the terminal; what its program erases is read for the history before."""
        run = session.run
        tail, run.tail = run.tail, begun_at_end(data)
        text = tail + data
        is_steered = steers(text)
        moves_rows = is_steered and may_move_rows(text)
        notes = self._notes(
            session, text, len(tail), is_steered=is_steered, sets_margins=moves_rows
        )
        if not notes and not moves_rows:
            return self._drawn(session, screen, data)
        replies, at = bytearray(), 0
        events: list[ScreenEvent] = []

        def feed(stop: int) -> None:
            nonlocal at
            while notes and notes[0] <= stop:
                draw(notes.pop(0))
                self._note(session, stood=False)
            draw(stop)

        def draw(stop: int) -> None:
            nonlocal at
            if stop > at:
                part, at = data[at:stop], stop
                answered, said = self._drawn(session, screen, part)
                replies.extend(answered)
                events.extend(said)

        count = 0
        try:
            for found in ERASES.finditer(text) if moves_rows else ():
                begin, end = max(at, found.start() - len(tail)), found.end() - len(tail)
                again = found["what"] == b"3" and bool(session.info.agent)
                if found["what"] == b"3" and self.screens.keeps_history:
                    if again and count and begin == at:
                        self.transcripts.erased(session, again=True)
                    continue
                count += 1
                if count > _MOST_ERASURES:
                    self.transcripts.missed(session, data.count(b"\n", at, begin))
                    feed(end)
                    continue
                feed(begin)
                erases = found["hides"] is None
                self.transcripts.save(session, screen=erases)
                feed(end)
                if erases:
                    self.transcripts.erased(session, again=again)
        except Exception:
            _log.exception("session %s: what it erases was not read before", session.session_id)
        run.tail = begun_at_end(data, at)
        feed(len(data))
        return bytes(replies), events

    def _notes(
        self,
        session: SessionRuntime,
        text: bytes,
        drawn: int,
        *,
        is_steered: bool,
        sets_margins: bool,
    ) -> list[int]:
        """Return where in output the screen is to be noted, since what follows draws over it.

        Such a sequence may begin in the first bytes of `text`, so many of which are `drawn` already.
        """
        run, now = session.run, time.time()
        found = DRAWS_OVER.search(text, max(0, len(text) - _LATELY)) if is_steered else None
        scrolls = run.scrolls_away and b"\n" in text
        if sets_margins:
            run.scrolls_away = scrolls_away(text, did=run.scrolls_away)
        stood = run.stood or now - run.output_at >= _READABLE
        run.stood = stood and found is None and bool(run.tail)
        if found is None and not scrolls:
            return []
        if now - run.noted_at >= _READABLE if scrolls else stood:
            run.noted_at = now
            self._note(session, stood=True)
        if not self._has_room():
            return []
        if found is None:
            return [len(text) - drawn]
        notes: list[int] = []
        at = 0
        while found is not None and len(notes) < _MOST_NOTES:
            if not notes or b"\n" in text[at : found.start()]:
                notes.append(max(0, found.start() - drawn))
            at = found.end()
            found = DRAWS_OVER.search(text, at)
        return notes

    def _has_room(self) -> bool:
        """Tell whether the loop has time for a note of what nobody could read."""
        now = time.monotonic()
        grown = (now - self._noted_at) * _NOTES_SHARE
        self._room, self._noted_at = min(_NOTES_SHARE, self._room + grown), now
        return self._room > 0

    def _note(self, session: SessionRuntime, *, stood: bool) -> None:
        """Note the screen; of what nobody could read only as often as the loop has time for."""
        if not self._has_room() and not stood:
            return
        began = time.thread_time()
        try:
            self.transcripts.note(session, stood=stood)
        except Exception:
            _log.exception("session %s: what it draws over was not noted", session.session_id)
        self._room -= time.thread_time() - began

    def _drawn(
        self, session: SessionRuntime, screen: Screen, data: bytes
    ) -> tuple[bytes, list[ScreenEvent]]:
        """Feed the terminal, and have the session's judge hear of each piece that it shows."""
        replies, events = b"", list[ScreenEvent]()
        for piece in session.run.editing.pieces(data):
            answered, said = screen.feed(piece.data)
            self.judges.hear(session, piece, said)
            replies += answered
            events += said
        return replies, events

    def _see_foreground(self, session: SessionRuntime, detail: str) -> None:
        """End the modes of a killed program once a shell that marks no prompts reads its next line."""
        run = session.run
        if run.replay is not None or (seen := sample_of(detail, 0.0)) is None:
            return
        run.in_front = seen
        if not seen.shell:
            run.lent = True
        elif run.lent:
            self._end_left_modes(session, seen)

    def _end_left_modes(self, session: SessionRuntime, seen: Sample) -> None:
        """End the modes of a killed program where the shell reads a line: its editor pastes in brackets.

        A function of the shell that reads keys does not; it goes on with its modes.
        """
        run = session.run
        if run.screen is None or not self.judges.is_unmarked_shell(session):
            return
        edits = run.screen.modes.bracketed_paste or (seen.icanon and seen.echo)
        if edits or any(one.comm in _WITHOUT_EDITOR for one in seen.procs):
            run.lent = False
            if run.screen.end_left_modes():
                self.scheduler.touch(session)

    def leave_out(self, session: SessionRuntime, output: OutputBatch, lines: int) -> None:
        """Note output that ends so many lines and will have scrolled away unseen."""
        run = session.run
        assert run.screen is not None
        run.screen.skip(output.data, lines)
        run.offset = output.offset if output.offset is not None else run.offset + len(output.data)
        run.ledger.add_output(len(output.data), chunks=len(output.sizes))
        run.unsaved += len(output.data)
        run.output_at = time.time()
        self.judges.leave_out(session, output.data)

    def _acknowledge(self, session: SessionRuntime, taken: int) -> None:
        """Acknowledge output to the worker, less often while much waits, since each ack wakes it."""
        run = session.run
        waiting = sum(
            len(message.sizes)
            for message in islice(run.backlog, taken, taken + _MUCH)
            if isinstance(message, OutputBatch)
        )
        due = ACK_BYTES if waiting < _MUCH else 4 * ACK_BYTES
        if run.link is not None and run.offset - run.acked >= due:
            run.acked = run.offset
            run.link.send(protocol.Ack(session_id=session.session_id, offset=run.offset))
