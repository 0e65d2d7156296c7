"""Rebuilds a session's terminal from its checkpoint and the output after it."""

from __future__ import annotations

import base64
import binascii
from dataclasses import KW_ONLY, dataclass
from typing import Final

from nagomi_tui.orchestrator.history.transcripts import Transcripts
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.output.checkpoints import Checkpoints
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.run import Ledger, Replay
from nagomi_tui.orchestrator.sessions.screens import FALLBACK, Screen, ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.views.scheduler import FrameScheduler
from nagomi_tui.terminal.cuts import LineEditing
from nagomi_tui.terminal.engine import EngineError
from nagomi_tui.text.words import translatable
from nagomi_worker.wire import protocol

_MARKS: Final = 8
"""Marks of a shell that are kept: those around the end of its last command."""
DRAWN_BYTES: Final = 256 * 1024
"""Bytes at the end of a replay that a slow engine draws in full, too."""


@dataclass(eq=False)
class Rebuilding:
    """Handles a worker's messages from `attached` until the end of the replay."""

    screens: ScreenMaker
    checkpoints: Checkpoints
    judges: Judges
    _: KW_ONLY
    scheduler: FrameScheduler
    audience: Audience
    transcripts: Transcripts

    def begin(self, session: SessionRuntime, attached: protocol.Attached) -> None:
        run = session.run
        run.replay = Replay(attached, [], [])
        self.judges.drop(session)
        if attached.resumed:
            self._end_at(session, run.offset)  # nothing may have been printed meanwhile
            return
        run.drop_screen()  # the output does not go on where the last line broke
        run.offset = 0
        run.ledger, run.light = Ledger(), None

    def checkpoint(self, session: SessionRuntime, message: protocol.Checkpoint) -> None:
        """Restore the terminal once the last part of its snapshot has come."""
        run = session.run
        replay = run.replay
        if replay is None:
            return
        replay.parts.append(message.data)
        if message.more:
            return
        run.offset = message.offset
        session.change(cols=message.cols, rows=message.rows)
        if (screen := self._restored(session, message, "".join(replay.parts))) is not None:
            run.screen = screen
            session.change(engine=screen.version)
        if screen is None or screen.version != message.engine_version:
            run.ledger.needs_base = True
        self._end_at(session, message.offset)

    def replayed(
        self, session: SessionRuntime, replay: Replay, screen: Screen, data: bytes
    ) -> None:
        """Apply old output: nothing of it rings, and queries are not answered twice."""
        run = session.run
        attached = replay.attached
        old = attached.next_offset - run.offset > DRAWN_BYTES
        replies, events = screen.feed(data, old=old)
        marks = (event for event in events if event.kind == "command")
        replay.marks = (*replay.marks, *marks)[-_MARKS:]
        if replies and run.offset > attached.reply_offset and _awaited(attached, run.offset):
            replay.replies.append((run.offset, replies))
        if run.offset in attached.lights:
            self.checkpoints.found(session)
        self._end_at(session, run.offset)

    def resized(self, session: SessionRuntime, message: protocol.Resized) -> None:
        """Resize the terminal at this point of the replay.

        Outside of one, this is the answer to a size that was asked for. The terminal has it already,
        or a later one, whose own answer does not come where nothing was printed in between.
        """
        run = session.run
        if run.replay is None and run.asked_size is not None:
            return
        session.change(cols=message.cols, rows=message.rows)
        session.screen(self.screens).resize(message.cols, message.rows)
        if run.replay is not None:
            run.offset = max(run.offset, message.offset)
            self._end_at(session, run.offset)

    def _restored(
        self, session: SessionRuntime, last: protocol.Checkpoint, text: str
    ) -> Screen | None:
        """Return the screen of a checkpoint; None if only the bytes after it can be shown."""
        if session.run.snapshot_distrusted:
            return None
        native = not last.engine_version.startswith(FALLBACK)
        try:
            return self.screens.restored(
                session.session_id,
                version=last.engine_version,
                data=base64.b64decode(text),
                size=(last.cols, last.rows),
                as_pyte=session.run.distrusted and native,
            )
        except (EngineError, binascii.Error):
            sentence = translatable(
                "What {name} had shown before cannot be read by this version; "
                "it shows what comes from now on."
            )
            self.audience.tell("info", sentence, name=session.info.name)
            return None

    def _end_at(self, session: SessionRuntime, offset: int) -> None:
        """End the replay if everything up to its end was applied."""
        run = session.run
        replay = run.replay
        if replay is None or offset < replay.attached.next_offset:
            return
        run.replay = None
        screen = session.screen(self.screens)
        actual = (replay.attached.cols, replay.attached.rows)
        wanted = run.asked_size or actual
        if run.link is not None and wanted != actual:
            # Asked for during the replay, or over a connection that broke.
            cols, rows = wanted
            run.link.send(protocol.Resize(session_id=session.session_id, cols=cols, rows=rows))
        if screen.size != wanted:
            screen.resize(*wanted)
        session.change(cols=wanted[0], rows=wanted[1], title=screen.title)
        run.acked = offset
        run.unsaved = max(1, offset - replay.attached.first_offset)
        for asked_at, replies in replay.replies:
            session.reply(replies, asked_at)
        run.rebuilt.set()
        run.editing = LineEditing(reads=screen.modes.bracketed_paste)
        self.judges.resume(session, screen, replay.marks)
        self.scheduler.start_over(session)
        self.audience.publish(session)
        self.transcripts.read_soon(session)
        session.wake_watchers()
        if run.ledger.needs_base or run.distrusted:
            run.ledger.needs_base = True
            self.checkpoints.want_whole(session)


def _awaited(attached: protocol.Attached, offset: int) -> bool:
    """Return whether an unanswered query at an offset still waits for its reply.

    It does if it is recent, or if no orchestrator has seen it and nothing was printed since.
    """
    if offset > attached.fresh_offset:
        return True
    unheard = attached.unheard_offset
    return unheard is not None and unheard < offset == attached.next_offset
