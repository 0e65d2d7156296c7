"""Joins a session to the worker that holds it, and takes over the worker's state of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from nagomi_tui.core.masking import mask
from nagomi_tui.core.session.session import LOCAL, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.sessions.roles import Listed, Managed
    from nagomi_tui.orchestrator.workers.link import WorkerLink
    from nagomi_worker.wire.values import SessionState


class OpenTraces(Protocol):
    """The traces that are being recorded."""

    def end(self, session: Managed) -> None:
        """Close the trace of a session, where there is one."""


class Joining:
    """Takes over the state of a worker's sessions; their screens are rebuilt later."""

    def __init__(
        self, traces: OpenTraces, phases: Phases, publish: Callable[[Listed], object]
    ) -> None:
        self._traces = traces
        self._phases = phases
        self._publish = publish

    def join(self, session: Managed, link: WorkerLink, state: SessionState) -> None:
        """Set the session to the state that its worker tells.

        It has no screen yet, unless the worker can go on where the line has broken.
        """
        self._traces.end(session)
        run = session.run
        if run.screen is not None and not _goes_on(session, link, state):
            run.screen.close()
            run.screen = None
        run.drop_backlog()
        run.link, run.worker = link, link.name
        run.output_at = session.info.last_output_at or 0.0
        ended = state.exit_code is not None
        session.change(
            state=State.EXITED if ended else State.RUNNING,
            pid=None if ended or link.worker_id != LOCAL else state.pid,
            worker_id=link.worker_id,
            away_since=None,
            exit_code=state.exit_code,
            signal=state.signal,
            cols=state.cols,
            rows=state.rows,
        )
        if _is_whole(session.info, state.cmd):
            session.change(cmd=state.cmd, cmd_masked=False)
        if ended:
            session.change(ended_at=session.info.ended_at or time.time())
            run.ended.set()
        run.settled.set()
        run.inputs.taken(state.typed)
        run.inputs.parts.extend(part for part in state.parts if part not in run.inputs.parts)
        for order in run.inputs.unsure:
            link.send(order)
        self._phases.update(session)
        self._publish(session)


def _goes_on(session: Managed, link: WorkerLink, state: SessionState) -> bool:
    """Return whether the output may go on in the screen that the session has."""
    run = session.run
    return link.resumes and run.worker == link.name and 0 < run.offset <= state.next_offset


def _is_whole(recorded: Session, cmd: str) -> bool:
    """Return whether the worker's command is the unmasked form of the one in the record.

    It may also be another command, by which an agent has resumed its conversation.
    """
    return bool(cmd) and (not recorded.cmd or (recorded.cmd_masked and mask(cmd) == recorded.cmd))
