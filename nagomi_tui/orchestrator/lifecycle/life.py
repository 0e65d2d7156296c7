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
from nagomi_tui.orchestrator.sessions.live import Live
from nagomi_tui.terminal.engine import LEAST_COLUMNS
from nagomi_tui.words import mark
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

    async def create(self, who: Requester, spec: SessionSpec) -> Live:
        """Start a new session.

        Raises:
            Refusal: it cannot be started; nothing is left of it.
        """
        cmd = spec.cmd.strip() or self._shell(who)
        check_size(spec.cols, spec.rows)
        await self._probing.folder(spec.cwd)
        if spec.worker_id != _LOCAL:
            sentence = mark("There is no worker `{worker}`.")
            raise Refusal("bad_request", sentence, worker=spec.worker_id)
        branch = Branch(spec.cwd)
        await branch.look()
        live = Live(self._new_session(spec, cmd))
        live.env_names = tuple(sorted(spec.env))
        live.branch = branch
        live.change(branch=live.branch.name)
        self._sessions.add(live)
        try:
            await self._start(live, who.env, spec.env)
        except BaseException:
            self._drop(live)
            raise
        self._recent.remember(cmd)
        return live

    async def restart(
        self, who: Requester, live: Live, cmd: str = "", *, fresh: bool = False
    ) -> bool:
        """Stop the session if it runs, and start its command, or another, under its id.

        An agent goes on with the conversation that it had, unless it is to be `fresh`; tell
        whether it does.

        Raises:
            Refusal: it cannot be started, or its command is not known.
        """
        check_command(live.info, cmd.strip())
        await self._probing.folder(live.info.cwd)
        if live.running:
            await self.stop(live)
        self._leave_worker(live)
        await self._transcripts.settle(live)
        self._judges.cease(live)
        before = live.info
        if fresh:
            live.conversation = None
        live.begin_anew()
        if cmd.strip():
            live.change(cmd=cmd.strip(), cmd_masked=False)
        resumed = resuming(live.info.cmd, live.conversation)
        live.change(
            state=State.STARTING,
            exit_code=None,
            signal=None,
            ended_at=None,
            summary="",
            title="",
            engine="",
        )
        try:
            await self._start(live, who.env, {}, cmd=resumed)
        except BaseException:
            live.info = before
            live.run.seen_at = time.time()
            self._phases.update(live)
            self._publisher.publish(live)
            raise
        return resumed is not None

    async def stop(self, live: Live) -> None:
        """End the session's whole process tree; return when nothing of it is left.

        Raises:
            Refusal: it did not end in time.
        """
        if live.info.state is State.RUNNING and live.run.link is None:
            sentence = mark(
                "The worker of {name} cannot be reached; nagomi goes on looking for it."
            )
            raise Refusal("refused", sentence, name=live.info.name)
        if not live.running or live.run.link is None:
            return
        live.run.stopped = True
        self._judges.stopped(live)
        live.run.link.send(protocol.StopSession(session_id=live.session_id))
        with anyio.move_on_after(_STOP_SECONDS):
            await live.run.ended.wait()
        if not live.run.ended.is_set():
            raise Refusal(
                "refused",
                mark("{name} has not ended yet; it is still being stopped."),
                name=live.info.name,
            )

    async def remove(self, live: Live, *, history: bool = False) -> None:
        """Take an ended session off the list, with what it printed if `history`.

        Raises:
            Refusal: it still runs.
        """
        if live.running:
            raise Refusal("refused", mark("{name} still runs; stop it first."), name=live.info.name)
        if not history:
            await self._transcripts.settle(live)
        elif not await self._transcripts.forget(live):
            sentence = mark("The history of {name} cannot be removed now.")
            raise Refusal("internal", sentence, name=live.info.name)
        self._leave_worker(live)
        self._showing.forget(live)
        if live.run.screen:
            live.run.screen.close()
            live.run.screen = None
        self._drop(live)

    def rename(self, live: Live, name: str) -> None:
        """Give the session another name.

        Raises:
            Refusal: the name is empty or taken.
        """
        name = tidy(name)
        if not name:
            raise Refusal("bad_request", mark("A name cannot be empty."))
        if any(other.name == name for other in self._sessions.infos if other is not live.info):
            raise Refusal("refused", mark("Another session is called {name}."), name=name)
        if live.change(name=name):
            self._publisher.publish(live)
            self._transcripts.read_soon(live)

    # --- steps

    def _drop(self, live: Live) -> None:
        self._judges.forget(live)
        self._sessions.remove(live)

    async def _start(
        self,
        live: Live,
        env: Mapping[str, str],
        added: Mapping[str, str],
        *,
        cmd: str | None = None,
    ) -> None:
        whole = self._surroundings.child_env(env, added)
        start = self._with_integration(cmd or live.info.cmd, whole)
        order = protocol.StartSession(
            session_id=live.session_id,
            cmd=start.cmd,
            cwd=live.info.cwd,
            env=whole | start.env,
            cols=live.info.cols,
            rows=live.info.rows,
        )
        await self._probing.program(order)
        link = await self._workers.choose(self._settings().pool_size)
        live.run.link, live.run.worker = link, link.name
        link.sessions.add(live.session_id)
        self._publisher.publish(live)
        link.send(order)
        with anyio.move_on_after(_START_SECONDS):
            await live.run.settled.wait()
        if not live.run.start_fault and live.run.settled.is_set():
            return
        if live.run.start_fault:
            self._leave_worker(live, forget=False)
            raise Refusal("bad_request", "{fault}", fault=mask(live.run.start_fault))
        self._leave_worker(live)
        raise Refusal("internal", mark("The worker did not start the session in time."))

    def _with_integration(self, cmd: str, env: Mapping[str, str]) -> Start:
        """Return how to start the command: a shell with its marks, anything else as it is."""
        if not self._settings().shell_integration:
            return Start(cmd, {})
        return integrated(cmd, env, str(paths.shipped("config") / "shell"))

    def _leave_worker(self, live: Live, *, forget: bool = True) -> None:
        run = live.run
        if run.link is not None:
            if forget:
                run.link.send(protocol.Forget(session_id=live.session_id))
            run.link.sessions.discard(live.session_id)
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
