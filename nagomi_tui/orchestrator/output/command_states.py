"""Handles the start and end of a session's command, as its worker tells them."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.session.session import State
from nagomi_tui.orchestrator.workers.faults import told_fault
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.history.transcripts import Transcripts
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.runtime.throttle import Throttle
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.publisher import Publisher
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.terminals.screens import ScreenMaker
    from nagomi_worker.wire import protocol

_ERROR_SECONDS: Final = 5.0


class CommandStates:
    """Notes that a command was started, has ended, or failed to start."""

    def __init__(
        self,
        tell: Tell,
        publisher: Publisher,
        judges: Judges,
        *,
        phases: Phases,
        screens: ScreenMaker,
        transcripts: Transcripts,
        throttle: Throttle,
    ) -> None:
        self._tell = tell
        self._publisher = publisher
        self._judges = judges
        self._phases = phases
        self._screens = screens
        self._transcripts = transcripts
        self._throttle = throttle

    def started(self, session: SessionRuntime, message: protocol.Started) -> None:
        """Handle the start of the command."""
        pid = message.pid if session.info.is_local else None
        session.change(state=State.RUNNING, pid=pid, started_at=time.time())
        session.run.settled.set()
        session.run.rebuilt.set()
        self._judges.begin(session, session.screen(self._screens))
        self._publisher.publish(session)

    def ended(self, session: SessionRuntime, message: protocol.Exit) -> None:
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
            self._phases.see_if_in_front(session)
        self._transcripts.read_soon(session)
        if message.stopped:
            run.ended_with_worker = not run.stopped
            run.stopped = True
            self._judges.stopped(session)
        self._judges.ended(session, message.exit_code, message.signal)
        self._phases.update(session)
        self._publisher.publish(session)
        session.wake_watchers()
        if message.left:
            names = ", ".join(f"{left.command} ({left.pid})" for left in message.left[:5])
            sentence = translatable("{name} has ended; what it started runs on: {names}.")
            self._tell("info", sentence, name=session.info.name, names=names)

    def failed(self, session: SessionRuntime, message: protocol.Error) -> None:
        """Handle a failure of the worker to start the command, or to carry out another order."""
        fault = told_fault(message.message, message.sentence, message.values)
        if session.info.state is State.STARTING:
            session.run.start_fault = fault
            session.run.settled.set()
            return
        tell = partial(
            self._tell, "error", "{name}: {message}", name=session.info.name, message=fault
        )
        self._throttle.call((session, "error"), tell, every=_ERROR_SECONDS, burst=3)
