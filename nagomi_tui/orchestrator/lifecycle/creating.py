"""Creates sessions, with the worker, name, number and environment that each gets."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Final

import msgspec
from anyio.abc import TaskGroup

from nagomi_tui.api.messages import Acted, Create
from nagomi_tui.judge.next_steps import risk_of
from nagomi_tui.judge.verdict import Risk, Verdict
from nagomi_tui.masking import REDACTED, mask
from nagomi_tui.orchestrator.guard.gate import only_reads
from nagomi_tui.orchestrator.guard.watch import set_up
from nagomi_tui.orchestrator.hands import FarWorkers
from nagomi_tui.orchestrator.input.sender import InputSender
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.lifecycle.launcher import Launcher, check_profile, check_size
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.orchestrator.sessions.audience import Tell
from nagomi_tui.orchestrator.sessions.session import Branch, FinishedTurn, SessionRuntime
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.sessions import places
from nagomi_tui.sessions.names import propose, tidy, unique
from nagomi_tui.sessions.session import GUARD, LOCAL, GuardStanding, Session
from nagomi_tui.settings.model import Settings
from nagomi_tui.system.environment import usual_shell
from nagomi_tui.terminal.engine import LEAST_COLUMNS
from nagomi_tui.text.cells import visible
from nagomi_tui.text.words import of, translatable

_MOST: Final = 50
_BEGINNING: Final = 4096
"""Characters of a command by which it is named, and of the longest that is offered again.

One of two megabytes would be masked for seconds, and nobody else be answered meanwhile.
"""


@dataclass(eq=False)
class Creating:
    """Creates sessions; of one whose command does not start, nothing is left."""

    settings: Callable[[], Settings]
    sessions: SessionTable
    launcher: Launcher
    _: KW_ONLY
    hands: FarWorkers
    judges: Judges
    store: Store

    def __post_init__(self) -> None:
        self.recent: tuple[str, ...] = ()
        """Commands that were started, the latest first."""

    def recall(self) -> None:
        """Load the stored commands."""
        kept = self.store.fact("recent", list[str]) or ()
        self.recent = tuple(cmd for cmd in kept if REDACTED not in cmd)

    def _remember(self, cmd: str) -> None:
        """Put a command that was started at the front."""
        if len(cmd) > _BEGINNING:
            return
        others = [known for known in self.recent if known != cmd]
        self.recent = (cmd, *others)[:_MOST]
        # What masking would change cannot be run again, so it is offered in this life only.
        self.store.keep_fact("recent", [known for known in self.recent if mask(known) == known])

    async def create(self, who: Requester, wanted: Create) -> SessionRuntime:
        """Start a new session.

        Raises:
            Refusal: it cannot be started; nothing is left of it.
        """
        is_local = wanted.worker_id == LOCAL
        check_size(wanted.cols, wanted.rows)
        if is_local:
            cmd = wanted.cmd.strip() or self.settings().shell or usual_shell(who.env)
            await self.launcher.check_folder(wanted.cwd)
        else:
            cmd = wanted.cmd.strip() or places.COMMAND
            wanted = await self._far(wanted)
        if wanted.agent:
            check_profile(wanted.agent, self.judges.profiles)
        if way := wanted.env.get(GUARD, ""):
            await set_up(way, cmd, wanted.cwd)
        branch = Branch(wanted.cwd) if is_local else None
        if branch is not None:
            await branch.look()
        session = SessionRuntime(self._new_session(wanted, cmd))
        session.env_names = tuple(sorted(wanted.env))
        session.branch = branch
        session.guarded = bool(way)
        session.change(
            branch=branch.name if branch else "",
            guard=GuardStanding() if way else None,
            guard_unheard=way == "hook",
        )
        self.sessions.add(session)
        try:
            order = await self.launcher.order(session, who, wanted.env)
            await self.launcher.start(session, who, order)
        except BaseException:
            self.judges.forget(session)
            self.sessions.remove(session)
            raise
        if cmd != places.COMMAND:
            self._remember(cmd)
        return session

    async def _far(self, wanted: Create) -> Create:
        """Return what is to run on a hand, in the hand's folder where none is named.

        Raises:
            Refusal: there is no such hand, or what is asked for is only to be had here.
        """
        hand = await self.hands.hand(wanted.worker_id)
        if wanted.env.get(GUARD):
            sentence = translatable(
                "A guard holds projects of this machine only, none on {name}. "
                "Start it here (worker `local`), or without a guard."
            )
            raise Refusal("bad_request", sentence, name=hand.name)
        return msgspec.structs.replace(wanted, cwd=wanted.cwd or hand.folder or "~")

    def _new_session(self, wanted: Create, cmd: str) -> Session:
        taken = {session.name for session in self.sessions.infos}
        session_id = str(uuid.uuid4())
        asked = tidy(wanted.name)
        name = (
            unique(asked, taken)
            if asked
            else propose(
                cwd=places.telling(wanted.cwd, wanted.worker_id),
                cmd=mask(places.plainly(cmd[:_BEGINNING])),
                session_id=session_id,
                taken=taken,
            )
        )
        return Session(
            session_id=session_id,
            number=0,
            name=name,
            cmd=cmd,
            cwd=wanted.cwd,
            worker_id=wanted.worker_id,
            agent=wanted.agent,
            character_id=wanted.character or self.settings().character,
            cols=max(wanted.cols, LEAST_COLUMNS),
            rows=wanted.rows,
            created_at=time.time(),
        )


_RAN: Final = translatable("In {name} ran by itself what only reads: {command}")
_NOBODY: Final = Requester(words=of("en"))


@dataclass(eq=False)
class NextSteps:
    """Runs next steps: what the user chooses, with its risk computed again; by itself what only reads.

    Such a step is typed at the prompt of a shell that no guard holds; one after each turn of the user.
    """

    tasks: TaskGroup
    settings: Callable[[], Settings]
    sessions: SessionTable
    creating: Creating
    _: KW_ONLY
    sender: InputSender
    judges: Judges
    tell: Tell

    def __post_init__(self) -> None:
        self._ran: dict[str, int] = {}
        """By session: the turn after which a step ran, whose own turn is followed by none."""

    async def act(
        self,
        who: Requester,
        session: SessionRuntime,
        command: str,
        *,
        sure: bool = False,
        anew: bool = False,
        only_here: bool = False,
    ) -> Acted:
        """Run a command at the shell's prompt, or `anew` in a session in the same folder.

        A session that has ended is followed by a new one, unless it may run `only_here`.

        Raises:
            Refusal: it is risky and the user is not `sure`, or a program is in front.
        """
        given, command = command, command.strip()
        if not command or not command.isprintable():
            sentence = translatable("This command cannot be run from here: {command}")
            raise Refusal("bad_request", sentence, command=visible(given))
        risk = risk_of(command)
        if risk is not Risk.LOW and not sure:
            sentence = translatable("`{command}` does more than read; it was not run.")
            raise Refusal("risky", sentence, command=visible(command))
        anew = anew or not (session.running or only_here)
        if not anew:
            await self.sender.asking.look(session)
            if not self.sender.asking.at_prompt(session):
                sentence = translatable(
                    "{name} is not at a shell's prompt; the command can run in a new session."
                )
                raise Refusal("busy", sentence, name=session.info.name)
            self.sender.send_text(who, session, command, enter=True)
            return Acted(session_id=session.session_id, risk=risk, new=False)
        made = await self.creating.create(
            who,
            Create(
                id=0,
                cmd=command,
                cwd=session.info.here,
                worker_id=session.info.worker_id,
                cols=session.info.cols,
                rows=session.info.rows,
            ),
        )
        return Acted(session_id=made.session_id, risk=risk, new=True)

    # --- what only reads

    def turn_over(self, finished: FinishedTurn) -> None:
        """Run what the rules propose after a turn that has ended, or stands still."""
        done = finished.done
        after = self._ran.get(done.session)
        if after is not None and done.turn <= after + 1:
            return  # that turn is told again, or this one was the step's
        self._ran.pop(done.session, None)
        if not self.settings().run_reading_steps or done.quiet:
            return
        commands, session = harmless(done.verdict), self.sessions.get(done.session)
        if commands and session is not None and session.info.guard is None:
            self._ran[done.session] = done.turn
            self.tasks.start_soon(self._run, session, commands)

    async def _run(self, session: SessionRuntime, commands: Sequence[str]) -> None:
        for command in commands:
            if await only_reads(session, command) and session.info.guard is None:
                break
        else:
            self._ran.pop(session.session_id, None)
            return
        try:
            await self.act(_NOBODY, session, command, only_here=True)
        except Refusal:
            self._ran.pop(session.session_id, None)  # a program is in front, or something is typed
        else:
            self.judges.keep_failure(session)
            self.tell("info", _RAN, name=session.info.name, command=command)


def harmless(verdict: Verdict) -> list[str]:
    """Return the commands of the steps of low risk."""
    commands = (action.command for action in verdict.next_actions)
    return [one for one in commands if one and risk_of(one) is Risk.LOW]
