"""What a worker says of a session, taken in: output into the terminal, ends into the state."""

from __future__ import annotations

import base64
import binascii
import time
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.session.session import State
from nagomi_tui.orchestrator.alerts.utterances import Utterances
from nagomi_tui.orchestrator.sessions.ledger import Ledger
from nagomi_tui.orchestrator.sessions.live import Replay
from nagomi_tui.orchestrator.terminals.screens import FALLBACK, EngineError
from nagomi_tui.orchestrator.workers.output_batch import Printed
from nagomi_tui.words import mark
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.orchestrator.resident.workplace import Workplace
    from nagomi_tui.orchestrator.sessions.live import Live
    from nagomi_tui.orchestrator.terminals.checkpoints import Checkpoints
    from nagomi_tui.orchestrator.terminals.screens import Screen
    from nagomi_tui.orchestrator.workers.output_batch import Said

ACK_BYTES: Final = 16 * 1024
_MUCH: Final = 16
"""Chunks of a session that wait: more than the window of one among several holds."""
_ERROR_SECONDS: Final = 5.0
DRAWN_BYTES: Final = 256 * 1024
"""The end of a replay that is drawn in full by a slow engine too."""


class Intake:
    """Carries out what workers say, in its order."""

    def __init__(self, place: Workplace, checkpoints: Checkpoints) -> None:
        self._place = place
        self._utterances = Utterances(place)
        self._checkpoints = checkpoints

    def take(self, live: Live, batch: Sequence[Said]) -> None:
        """Take in one message of a session, or a batch of nothing but output."""
        if outputs := [message for message in batch if isinstance(message, Printed)]:
            self._output(live, outputs)
            return
        for message in batch:
            self._take(live, message)

    def _take(self, live: Live, message: Said) -> None:
        match message:
            case protocol.Attached():
                live.replay = Replay(message, [], [])
                live.ledger, live.light, live.judged = Ledger(), None, None
            case protocol.Checkpoint():
                self._checkpoint(live, message)
            case protocol.Resized():
                self._resized(live, message)
            case protocol.Phase():
                self._place.judges.activity(live, message.detail or "")
            case protocol.Started():
                self._started(live, message)
            case protocol.Exit():
                self._exit(live, message)
            case protocol.Error():
                self._error(live, message)
            case _:
                pass

    # --- output

    def _output(self, live: Live, outputs: Sequence[Printed]) -> None:
        data = b"".join([output.data for output in outputs])
        screen = self._screen(live)
        offset = outputs[-1].offset
        live.offset = offset if offset is not None else live.offset + len(data)
        live.ledger.printed(len(data), chunks=sum(len(output.sizes) for output in outputs))
        if live.replay is not None:
            self._replayed(live, live.replay, screen, data)
            return
        replies, events = self._place.judges.feed(live, screen, data)
        self._place.painter.touch(live)
        if live.hot:
            self._place.painter.rush(live)
        self._place.judges.settle(live)
        self._place.traces.printed(live, data, events)
        self._acknowledge(live, len(outputs))
        if replies:
            self._reply(live, replies, live.offset)
        live.printed_at = time.time()
        self._checkpoints.printed(live, len(data))
        self._place.transcripts.printed(live)
        if events:
            self._utterances.heard(live, events)
        if live.watchers:
            live.wake_watchers()

    def _acknowledge(self, live: Live, taken: int) -> None:
        """Let the worker go on; not so often while much waits, since each ack wakes it."""
        waiting = sum(
            len(message.sizes)
            for message in islice(live.backlog, taken, taken + _MUCH)
            if isinstance(message, Printed)
        )
        due = ACK_BYTES if waiting < _MUCH else 4 * ACK_BYTES
        if live.link is not None and live.offset - live.acked >= due:
            live.acked = live.offset
            live.link.send(protocol.Ack(session_id=live.session_id, offset=live.offset))

    def _reply(self, live: Live, replies: bytes, offset: int) -> None:
        if live.link is not None and live.running:
            text = replies.decode("utf-8", "replace")
            live.link.send(
                protocol.SendInput(session_id=live.session_id, text=text, reply_offset=offset)
            )

    # --- rebuilding

    def _screen(self, live: Live) -> Screen:
        if live.screen is None:
            engine = FALLBACK if live.distrusted else ""
            live.screen = self._place.screens.new(
                live.session_id, live.info.cols, live.info.rows, engine=engine
            )
            live.change(engine=live.screen.version)
        return live.screen

    def _checkpoint(self, live: Live, message: protocol.Checkpoint) -> None:
        replay = live.replay
        if replay is None:
            return
        replay.parts.append(message.data)
        if message.more:
            return
        live.offset = message.offset
        live.change(cols=message.cols, rows=message.rows)
        if (screen := self._restored(live, message, "".join(replay.parts))) is not None:
            live.screen = screen
            live.change(engine=screen.version)
        if screen is None or screen.version != message.engine_version:
            live.ledger.needs_base = True
        self._end_replay_at(live, message.offset)

    def _restored(self, live: Live, last: protocol.Checkpoint, text: str) -> Screen | None:
        """Return the screen of a checkpoint; None where only the bytes after it can be shown."""
        if live.snapshot_distrusted:
            return None
        screens = self._place.screens
        native = not last.engine_version.startswith(FALLBACK)
        make = screens.rewritten if live.distrusted and native else screens.restored
        try:
            return make(
                live.session_id,
                version=last.engine_version,
                data=base64.b64decode(text),
                size=(last.cols, last.rows),
            )
        except (EngineError, binascii.Error):
            sentence = mark(
                "What {name} had shown before cannot be read by this version; "
                "it shows what comes from now on."
            )
            self._place.tell("info", sentence, name=live.info.name)
            return None

    def _replayed(self, live: Live, replay: Replay, screen: Screen, data: bytes) -> None:
        attached = replay.attached
        old = attached.next_offset - live.offset > DRAWN_BYTES
        replies, _ = screen.feed(data, old=old)
        if replies and live.offset > attached.reply_offset and _awaited(attached, live.offset):
            replay.replies.append((live.offset, replies))
        if live.offset in attached.lights:
            self._checkpoints.found(live)
        self._end_replay_at(live, live.offset)

    def _resized(self, live: Live, message: protocol.Resized) -> None:
        live.change(cols=message.cols, rows=message.rows)
        self._screen(live).resize(message.cols, message.rows)
        if live.replay is not None:
            live.offset = max(live.offset, message.offset)
            self._end_replay_at(live, live.offset)

    def _end_replay_at(self, live: Live, offset: int) -> None:
        replay = live.replay
        if replay is None or offset < replay.attached.next_offset:
            return
        live.replay = None
        screen = self._screen(live)
        wanted = (replay.attached.cols, replay.attached.rows)
        if screen.size != wanted:
            screen.resize(*wanted)
        live.change(cols=wanted[0], rows=wanted[1], title=screen.title)
        live.acked = offset
        live.unsaved = max(1, offset - replay.attached.first_offset)
        for asked_at, replies in replay.replies:
            self._reply(live, replies, asked_at)
        live.rebuilt.set()
        self._place.judges.resume(live, screen)
        for view in live.views:
            view.start_over()
        self._place.painter.touch(live)
        self._place.publish(live)
        live.wake_watchers()
        if live.ledger.needs_base or live.distrusted:
            live.ledger.needs_base = True
            self._checkpoints.want_whole(live)

    # --- beginning and end

    def _started(self, live: Live, message: protocol.Started) -> None:
        live.change(state=State.RUNNING, pid=message.pid, started_at=time.time())
        live.settled.set()
        live.rebuilt.set()
        self._place.judges.begin(live, self._screen(live))
        self._place.publish(live)

    def _exit(self, live: Live, message: protocol.Exit) -> None:
        if live.info.state is State.EXITED and live.ended.is_set():
            return
        known = live.info.state is State.EXITED and live.info.ended_at
        ended_at = live.info.ended_at if known else time.time()
        live.change(
            state=State.EXITED,
            pid=None,
            exit_code=message.exit_code,
            signal=message.signal,
            ended_at=ended_at,
        )
        live.settled.set()
        live.ended.set()
        if not known:
            self._place.see_if_focused(live)
        self._place.transcripts.printed(live)
        self._place.judges.ended(live, message.exit_code, message.signal)
        self._place.judge(live)
        self._place.publish(live)
        live.wake_watchers()
        if message.left:
            names = ", ".join(f"{left.command} ({left.pid})" for left in message.left[:5])
            sentence = mark("{name} has ended; what it started runs on: {names}.")
            self._place.tell("info", sentence, name=live.info.name, names=names)

    def _error(self, live: Live, message: protocol.Error) -> None:
        if live.info.state is State.STARTING:
            live.start_fault = message.message
            live.settled.set()
            return
        told = {"name": live.info.name, "message": message.message}
        tell = partial(self._place.tell, "error", "{name}: {message}", **told)
        self._place.throttle.call((live, "error"), tell, every=_ERROR_SECONDS, burst=3)


def _awaited(attached: protocol.Attached, offset: int) -> bool:
    """Tell whether a query at an offset, which nobody has answered, still waits for its answer.

    It does where it is young, or where nobody has seen it and nothing was printed since.
    """
    if offset > attached.fresh_offset:
        return True
    unheard = attached.unheard_offset
    return unheard is not None and unheard < offset == attached.next_offset
