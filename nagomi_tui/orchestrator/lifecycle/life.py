"""The life of sessions: made, started again, stopped, renamed, taken off the list."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Final

import anyio

from nagomi_tui import paths
from nagomi_tui.core.masking import mask
from nagomi_tui.core.session.conversation import resuming
from nagomi_tui.core.session.names import propose, tidy, unique
from nagomi_tui.core.session.session import Session, State
from nagomi_tui.core.session.shell import Start, integrated
from nagomi_tui.orchestrator.lifecycle.checks import check_command, check_size
from nagomi_tui.orchestrator.lifecycle.probing import Probing
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.orchestrator.sessions.git import Branch
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.terminal.engine import LEAST_COLUMNS
from nagomi_tui.words import translatable
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.orchestrator.history.transcripts import Transcripts
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.judging.phases import Phases
    from nagomi_tui.orchestrator.lifecycle.environment import Surroundings
    from nagomi_tui.orchestrator.lifecycle.recent import RecentCommands
    from nagomi_tui.orchestrator.lifecycle.spec import SessionSpec
    from nagomi_tui.orchestrator.runtime.requester import Requester
    from nagomi_tui.orchestrator.sessions.publisher import Publisher
    from nagomi_tui.orchestrator.sessions.table import SessionTable
    from nagomi_tui.orchestrator.views.showing import Showing
    from nagomi_tui.orchestrator.workers.pool import Workers
    from nagomi_tui.settings.model import Settings

_START_SECONDS: Final = 20.0
_STOP_SECONDS: Final = 30.0
_LOCAL: Final = "local"


class Life:
    """Begins and ends sessions."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        sessions: SessionTable,
        publisher: Publisher,
        *,
        workers: Workers,
        surroundings: Surroundings,
        recent: RecentCommands,
        judges: Judges,
        phases: Phases,
        transcripts: Transcripts,
        showing: Showing,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._publisher = publisher
        self._workers = workers
        self._surroundings = surroundings
        self._recent = recent
        self._judges = judges
        self._phases = phases
        self._transcripts = transcripts
        self._showing = showing
        self._probing = Probing()

    async def create(self, who: Requester, spec: SessionSpec) -> SessionRuntime:
        """Start a new session.

        Raises:
            Refusal: it cannot be started; nothing is left of it.
        """
        cmd = spec.cmd.strip() or self._shell(who)
        check_size(spec.cols, spec.rows)
        await self._probing.folder(spec.cwd)
        if spec.worker_id != _LOCAL:
            sentence = translatable("There is no worker `{worker}`.")
            raise Refusal("bad_request", sentence, worker=spec.worker_id)
        branch = Branch(spec.cwd)
        await branch.look()
        session = SessionRuntime(self._new_session(spec, cmd))
        session.env_names = tuple(sorted(spec.env))
        session.branch = branch
        session.change(branch=session.branch.name)
        self._sessions.add(session)
        try:
            await self._start(session, who.env, spec.env)
        except BaseException:
            self._drop(session)
            raise
        self._recent.remember(cmd)
        return session

    async def restart(
        self, who: Requester, session: SessionRuntime, cmd: str = "", *, fresh: bool = False
    ) -> bool:
        """Stop the session if it runs, and start its command, or another, under its id.

        An agent goes on with the conversation that it had, unless it is to be `fresh`; tell
        whether it does.

        Raises:
            Refusal: it cannot be started, or its command is not known.
        """
        check_command(session.info, cmd.strip())
        await self._probing.folder(session.info.cwd)
        if session.running:
            await self.stop(session)
        self._leave_worker(session)
        await self._transcripts.settle(session)
        self._judges.cease(session)
        before = session.info
        if fresh:
            session.conversation = None
        session.begin_anew()
        if cmd.strip():
            session.change(cmd=cmd.strip(), cmd_masked=False)
        resumed = resuming(session.info.cmd, session.conversation)
        session.change(
            state=State.STARTING,
            exit_code=None,
            signal=None,
            ended_at=None,
            summary="",
            title="",
            engine="",
        )
        try:
            await self._start(session, who.env, {}, cmd=resumed)
        except BaseException:
            session.info = before
            session.run.seen_at = time.time()
            self._phases.update(session)
            self._publisher.publish(session)
            raise
        return resumed is not None

    async def stop(self, session: SessionRuntime) -> None:
        """End the session's whole process tree; return when nothing of it is left.

        Raises:
            Refusal: it did not end in time.
        """
        if session.info.state is State.RUNNING and session.run.link is None:
            sentence = translatable(
                "The worker of {name} cannot be reached; nagomi goes on looking for it."
            )
            raise Refusal("refused", sentence, name=session.info.name)
        if not session.running or session.run.link is None:
            return
        session.run.stopped = True
        self._judges.stopped(session)
        session.run.link.send(protocol.StopSession(session_id=session.session_id))
        with anyio.move_on_after(_STOP_SECONDS):
            await session.run.ended.wait()
        if not session.run.ended.is_set():
            raise Refusal(
                "refused",
                translatable("{name} has not ended yet; it is still being stopped."),
                name=session.info.name,
            )

    async def remove(self, session: SessionRuntime, *, history: bool = False) -> None:
        """Take an ended session off the list, with what it printed if `history`.

        Raises:
            Refusal: it still runs.
        """
        if session.running:
            raise Refusal(
                "refused", translatable("{name} still runs; stop it first."), name=session.info.name
            )
        if not history:
            await self._transcripts.settle(session)
        elif not await self._transcripts.forget(session):
            sentence = translatable("The history of {name} cannot be removed now.")
            raise Refusal("internal", sentence, name=session.info.name)
        self._leave_worker(session)
        self._showing.forget(session)
        if session.run.screen:
            session.run.screen.close()
            session.run.screen = None
        self._drop(session)

    def rename(self, session: SessionRuntime, name: str) -> None:
        """Give the session another name.

        Raises:
            Refusal: the name is empty or taken.
        """
        name = tidy(name)
        if not name:
            raise Refusal("bad_request", translatable("A name cannot be empty."))
        if any(other.name == name for other in self._sessions.infos if other is not session.info):
            raise Refusal("refused", translatable("Another session is called {name}."), name=name)
        if session.change(name=name):
            self._publisher.publish(session)
            self._transcripts.read_soon(session)

    # --- steps

    def _drop(self, session: SessionRuntime) -> None:
        self._judges.forget(session)
        self._sessions.remove(session)

    async def _start(
        self,
        session: SessionRuntime,
        env: Mapping[str, str],
        added: Mapping[str, str],
        *,
        cmd: str | None = None,
    ) -> None:
        whole = self._surroundings.child_env(env, added)
        start = self._with_integration(cmd or session.info.cmd, whole)
        order = protocol.StartSession(
            session_id=session.session_id,
            cmd=start.cmd,
            cwd=session.info.cwd,
            env=whole | start.env,
            cols=session.info.cols,
            rows=session.info.rows,
        )
        await self._probing.program(order)
        link = await self._workers.choose(self._settings().pool_size)
        session.run.link, session.run.worker = link, link.name
        link.sessions.add(session.session_id)
        self._publisher.publish(session)
        link.send(order)
        with anyio.move_on_after(_START_SECONDS):
            await session.run.settled.wait()
        if not session.run.start_fault and session.run.settled.is_set():
            return
        if session.run.start_fault:
            self._leave_worker(session, forget=False)
            raise Refusal("bad_request", "{fault}", fault=mask(session.run.start_fault))
        self._leave_worker(session)
        raise Refusal("internal", translatable("The worker did not start the session in time."))

    def _with_integration(self, cmd: str, env: Mapping[str, str]) -> Start:
        """Return how to start the command: a shell with its marks, anything else as it is."""
        if not self._settings().shell_integration:
            return Start(cmd, {})
        return integrated(cmd, env, str(paths.shipped("config") / "shell"))

    def _leave_worker(self, session: SessionRuntime, *, forget: bool = True) -> None:
        run = session.run
        if run.link is not None:
            if forget:
                run.link.send(protocol.Forget(session_id=session.session_id))
            run.link.sessions.discard(session.session_id)
            run.link, run.worker = None, ""

    def _new_session(self, spec: SessionSpec, cmd: str) -> Session:
        taken = {session.name for session in self._sessions.infos}
        session_id = str(uuid.uuid4())
        asked = tidy(spec.name)
        name = (
            unique(asked, taken)
            if asked
            else propose(cwd=spec.cwd, cmd=mask(cmd), session_id=session_id, taken=taken)
        )
        return Session(
            session_id=session_id,
            number=0,
            name=name,
            cmd=cmd,
            cwd=spec.cwd,
            agent=spec.agent,
            character_id=spec.character or self._settings().character,
            cols=max(spec.cols, LEAST_COLUMNS),
            rows=spec.rows,
            created_at=time.time(),
        )

    def _shell(self, who: Requester) -> str:
        """The command of a session that names none."""
        return self._settings().shell or who.env.get("SHELL", "") or "/bin/sh"
