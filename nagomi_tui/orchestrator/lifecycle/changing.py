"""Stops, restarts, renames and removes sessions, which stay on the list until they are removed."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass
from typing import Final

import anyio

from nagomi_tui.agents.resume import resuming
from nagomi_tui.orchestrator.history.transcripts import Transcripts
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.lifecycle.launcher import Launcher, check_command, leave_worker
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.orchestrator.views.showing import Showing
from nagomi_tui.sessions.names import tidy
from nagomi_tui.sessions.session import State
from nagomi_tui.text.words import translatable
from nagomi_worker.wire import protocol

STOP_SECONDS: Final = 30.0


@dataclass(eq=False)
class Changing:
    """What users do to sessions that there are; who is forgotten is forgotten by all parts.

    `patience` is how long, in seconds, an end is waited for.
    """

    sessions: SessionTable
    launcher: Launcher
    audience: Audience
    _: KW_ONLY
    transcripts: Transcripts
    showing: Showing
    judges: Judges
    patience: float = STOP_SECONDS

    async def stop(self, session: SessionRuntime) -> None:
        """End the session's whole process tree; return when nothing of it is left.

        Raises:
            Refusal: its worker cannot be reached, or it did not end in time.
        """
        if session.info.state is State.RUNNING and session.run.link is None:
            sentence = translatable(
                "The worker of {name} cannot be reached; nagomi goes on looking for it."
            )
            raise Refusal("refused", sentence, name=session.info.name)
        if not session.running or session.run.link is None:
            return
        session.run.stopped = True
        self.judges.stopped(session)
        session.run.link.send(protocol.StopSession(session_id=session.session_id))
        with anyio.move_on_after(self.patience):
            await session.run.ended.wait()
        if not session.run.ended.is_set():
            raise Refusal(
                "refused",
                "{name} has not ended yet; it is still being stopped.",
                name=session.info.name,
            )

    async def restart(
        self, who: Requester, session: SessionRuntime, cmd: str = "", *, fresh: bool = False
    ) -> bool:
        """Stop the session if it runs, and start its command, or another, under its id.

        An agent goes on with the conversation that it had, unless it is to be `fresh`; tell
        whether it does. A command that does not start leaves the session as it was.

        Raises:
            Refusal: it cannot be started, or its command is not known.
        """
        check_command(session.info, cmd.strip())
        if session.info.is_local:
            await self.launcher.check_folder(session.info.cwd)
        command = cmd.strip() or session.info.cmd
        resumed = _resumed(session, command, fresh=fresh)
        order = await self.launcher.order(session, who, {}, cmd=resumed or command)
        if session.running:
            await self.stop(session)
            if resumed != (resumed := _resumed(session, command, fresh=fresh)):
                order = await self.launcher.order(session, who, {}, cmd=resumed or command)
        leave_worker(session)
        await self.transcripts.settle(session)
        self.judges.cease(session)
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
            await self.launcher.start(session, who, order)
        except BaseException:
            session.info = before
            session.run.rebuilt.set()  # its screen is gone, and nobody is to wait for it
            session.run.ended.set()
            session.run.seen_at = time.time()
            self.judges.phases.update(session)
            self.audience.publish(session)
            raise
        return resumed is not None

    def rename(self, session: SessionRuntime, name: str) -> None:
        """Give the session another name.

        Raises:
            Refusal: the name is empty or taken.
        """
        name = tidy(name)
        if not name:
            raise Refusal("bad_request", "A name cannot be empty.")
        if any(other.name == name for other in self.sessions.infos if other is not session.info):
            raise Refusal("refused", "Another session is called {name}.", name=name)
        if session.change(name=name):
            self.audience.publish(session)
            self.transcripts.read_soon(session)

    def set_character(self, session: SessionRuntime, character: str) -> None:
        """Give the session another character; which there are, front ends and commands know.

        Raises:
            Refusal: no character was named.
        """
        if not character.strip():
            raise Refusal("bad_request", "No character was named.")
        if session.change(character_id=character.strip()):
            self.audience.publish(session)

    def keep_size(self, session: SessionRuntime, keep: bool) -> None:
        """Bind the session's size to what it is, or have it take the size of its view again."""
        if session.change(size_kept=keep):
            self.audience.publish(session)
            if not keep:
                self.showing.fit(session)

    async def remove(self, session: SessionRuntime, *, history: bool = False) -> None:
        """Take an ended session off the list, with what it printed if `history`.

        Raises:
            Refusal: it still runs, its hand is away, or its history cannot be deleted now.
        """
        if session.running:
            raise Refusal("refused", "{name} still runs; stop it first.", name=session.info.name)
        if session.run.worker and session.run.link is None and not session.info.is_local:
            # Its worker would list it again.
            sentence = translatable(
                "{worker} cannot be reached; remove {name} when it is back, or remove the hand."
            )
            values = {"worker": session.info.worker_id, "name": session.info.name}
            raise Refusal("refused", sentence, **values)
        if not history:
            await self.transcripts.settle(session)
        elif not await self.transcripts.forget(session):
            sentence = translatable("The history of {name} cannot be removed now.")
            raise Refusal("internal", sentence, name=session.info.name)
        leave_worker(session)
        self.showing.forget(session)
        session.run.drop_screen()
        self.judges.forget(session)
        self.sessions.remove(session)


def _resumed(session: SessionRuntime, command: str, *, fresh: bool) -> str | None:
    return resuming(command, None if fresh else session.conversation)
