"""How the command of a session begins and ends, as its worker tells it."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.session.session import State
from nagomi_tui.orchestrator.output.screen import screen_of
from nagomi_tui.words import mark

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.history.transcripts import Transcripts
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.runtime.throttle import Throttle
    from nagomi_tui.orchestrator.sessions.audience import Audience
    from nagomi_tui.orchestrator.sessions.live import Live
    from nagomi_tui.orchestrator.sessions.publisher import Publisher
    from nagomi_tui.orchestrator.terminals.screens import ScreenMaker
    from nagomi_worker.wire import protocol

_ERROR_SECONDS: Final = 5.0


class CommandStates:
    """Takes down that a command was started, has ended, or could not be served."""

    def __init__(
        self,
        audience: Audience,
        publisher: Publisher,
        judges: Judges,
        *,
        phases: Phases,
        screens: ScreenMaker,
        transcripts: Transcripts,
        throttle: Throttle,
    ) -> None:
        self._audience = audience
        self._publisher = publisher
        self._judges = judges
        self._phases = phases
        self._screens = screens
        self._transcripts = transcripts
        self._throttle = throttle

    def started(self, live: Live, message: protocol.Started) -> None:
        """The worker has started the command."""
        live.change(state=State.RUNNING, pid=message.pid, started_at=time.time())
        live.run.settled.set()
        live.run.rebuilt.set()
        self._judges.begin(live, screen_of(self._screens, live))
        self._publisher.publish(live)

    def ended(self, live: Live, message: protocol.Exit) -> None:
        """The command has ended, and all that it printed was taken in."""
        run = live.run
        if live.info.state is State.EXITED and run.ended.is_set():
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
        run.settled.set()
        run.ended.set()
        if not known:
            self._audience.see_if_focused(live)
        self._transcripts.read_soon(live)
        self._judges.ended(live, message.exit_code, message.signal)
        self._phases.update(live)
        self._publisher.publish(live)
        live.wake_watchers()
        if message.left:
            names = ", ".join(f"{left.command} ({left.pid})" for left in message.left[:5])
            sentence = mark("{name} has ended; what it started runs on: {names}.")
            self._audience.tell("info", sentence, name=live.info.name, names=names)

    def failed(self, live: Live, message: protocol.Error) -> None:
        """The worker cannot start the command, or do what it was told for the session."""
        if live.info.state is State.STARTING:
            live.run.start_fault = message.message
            live.run.settled.set()
            return
        told = {"name": live.info.name, "message": message.message}
        tell = partial(self._audience.tell, "error", "{name}: {message}", **told)
        self._throttle.call((live, "error"), tell, every=_ERROR_SECONDS, burst=3)
