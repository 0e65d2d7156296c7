"""Dispatches workers' messages by their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.workers.output_batch import OutputBatch
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.orchestrator.guard.strict import StrictMode
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.output.command_states import CommandStates
    from nagomi_tui.orchestrator.output.drawing import Drawing
    from nagomi_tui.orchestrator.output.far_programs import FarPrograms
    from nagomi_tui.orchestrator.output.rebuilding import Rebuilding
    from nagomi_tui.orchestrator.sessions.session import SessionRuntime
    from nagomi_tui.orchestrator.workers.output_batch import WorkerMessage


class Intake:
    """Handles workers' messages in order."""

    def __init__(
        self,
        drawing: Drawing,
        rebuilding: Rebuilding,
        states: CommandStates,
        judges: Judges,
        strict: StrictMode,
        programs: FarPrograms,
    ) -> None:
        self._drawing = drawing
        self._rebuilding = rebuilding
        self._states = states
        self._judges = judges
        self._strict = strict
        self._programs = programs

    def take(self, session: SessionRuntime, batch: Sequence[WorkerMessage]) -> None:
        """Handle one message of a session, or a batch of output."""
        if outputs := [message for message in batch if isinstance(message, OutputBatch)]:
            self._drawing.take(session, outputs)
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
            case protocol.Phase():
                self._judges.activity(session, message.detail or "")
            case protocol.Started():
                self._states.started(session, message)
            case protocol.Exit():
                self._states.ended(session, message)
            case protocol.Error():
                self._states.failed(session, message)
            case protocol.Typed():
                session.run.inputs.taken(message.number)
            case protocol.Held():
                self._strict.heard(session, message)
            case protocol.Hook() | protocol.Asked() | protocol.Located():
                self._programs.heard(session, message)
            case _:
                pass
