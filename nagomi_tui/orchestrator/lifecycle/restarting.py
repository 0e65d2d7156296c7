"""Starts the command of a session again, under the same id and with the same history."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nagomi_tui.core.session.conversation import resuming
from nagomi_tui.core.session.session import State
from nagomi_tui.orchestrator.lifecycle.checks import check_command
from nagomi_tui.orchestrator.lifecycle.launcher import leave_worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.history.transcripts import Transcripts
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.lifecycle.launcher import Launcher
    from nagomi_tui.orchestrator.lifecycle.probing import Probing
    from nagomi_tui.orchestrator.lifecycle.stopping import Stopping
    from nagomi_tui.orchestrator.runtime.requester import Requester
    from nagomi_tui.orchestrator.sessions.roles import Listed, Managed


class Restarting:
    """Begins new runs of sessions; one that does not start leaves its session as it was."""

    def __init__(
        self,
        stopping: Stopping,
        launcher: Launcher,
        publish: Callable[[Listed], object],
        *,
        probing: Probing,
        transcripts: Transcripts,
        judges: Judges,
        phases: Phases,
    ) -> None:
        self._stopping = stopping
        self._launcher = launcher
        self._publish = publish
        self._probing = probing
        self._transcripts = transcripts
        self._judges = judges
        self._phases = phases

    async def restart(
        self, who: Requester, session: Managed, cmd: str = "", *, fresh: bool = False
    ) -> bool:
        """Stop the session if it runs, and start its command, or another, under its id.

        An agent goes on with the conversation that it had, unless it is to be `fresh`; tell
        whether it does.

        Raises:
            Refusal: it cannot be started, or its command is not known.
        """
        check_command(session.info, cmd.strip())
        if session.info.is_local:
            await self._probing.folder(session.info.cwd)
        command = cmd.strip() or session.info.cmd
        resumed = _resumed(session, command, fresh=fresh)
        order = await self._launcher.order(session, who, {}, cmd=resumed or command)
        if session.running:
            await self._stopping.stop(session)
            if resumed != (resumed := _resumed(session, command, fresh=fresh)):
                order = await self._launcher.order(session, who, {}, cmd=resumed or command)
        leave_worker(session)
        await self._transcripts.settle(session)
        self._judges.cease(session)
        before = session.info
        if fresh:
            session.conversation = None
        session.begin_anew()
        if cmd.strip():
            session.change(cmd=cmd.strip(), cmd_masked=False)
        session.change(
            state=State.STARTING,
            exit_code=None,
            signal=None,
            ended_at=None,
            away_since=None,
            summary="",
            title="",
            folder="",
            engine="",
        )
        try:
            await self._launcher.start(session, who, order)
        except BaseException:
            session.info = before
            session.run.rebuilt.set()  # its screen is gone, and nobody is to wait for it
            session.run.ended.set()
            session.run.seen_at = time.time()
            self._phases.update(session)
            self._publish(session)
            raise
        return resumed is not None


def _resumed(session: Managed, command: str, *, fresh: bool) -> str | None:
    return resuming(command, None if fresh else session.conversation)
