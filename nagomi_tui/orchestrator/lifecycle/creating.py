"""Creates sessions, with the worker, name, number and environment that each gets."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.masking import REDACTED, mask
from nagomi_tui.orchestrator.guard.folder import set_up
from nagomi_tui.orchestrator.lifecycle.checks import check_profile, check_size
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions.branch import Branch
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions import places
from nagomi_tui.sessions.names import propose, tidy, unique
from nagomi_tui.sessions.places import telling
from nagomi_tui.sessions.session import GUARD, LOCAL, GuardStanding, Session
from nagomi_tui.system.environment import usual_shell
from nagomi_tui.terminal.engine import LEAST_COLUMNS
from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.orchestrator.hands import FarWorkers
    from nagomi_tui.orchestrator.judging.judges import Judges
    from nagomi_tui.orchestrator.lifecycle.checks import Probing
    from nagomi_tui.orchestrator.lifecycle.launcher import Launcher
    from nagomi_tui.orchestrator.runtime.requests import Requester
    from nagomi_tui.orchestrator.sessions.store import Store
    from nagomi_tui.orchestrator.sessions.table import SessionTable
    from nagomi_tui.settings.model import Settings


class Creating:
    """Creates sessions; of one whose command does not start, nothing is left."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        sessions: SessionTable,
        launcher: Launcher,
        *,
        hands: FarWorkers,
        probing: Probing,
        judges: Judges,
        recent: RecentCommands,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._launcher = launcher
        self._hands = hands
        self._probing = probing
        self._judges = judges
        self._recent = recent

    async def create(self, who: Requester, spec: SessionSpec) -> SessionRuntime:
        """Start a new session.

        Raises:
            Refusal: it cannot be started; nothing is left of it.
        """
        is_local = spec.worker_id == LOCAL
        check_size(spec.cols, spec.rows)
        if is_local:
            cmd = spec.cmd.strip() or self._shell(who)
            await self._probing.folder(spec.cwd)
        else:
            cmd = spec.cmd.strip() or places.COMMAND
            spec = await self._far(spec)
        if spec.agent:
            check_profile(spec.agent, self._judges.profiles)
        if way := spec.env.get(GUARD, ""):
            await set_up(way, cmd, spec.cwd)
        branch = Branch(spec.cwd) if is_local else None
        if branch is not None:
            await branch.look()
        session = SessionRuntime(self._new_session(spec, cmd))
        session.env_names = tuple(sorted(spec.env))
        session.branch = branch
        session.guarded = bool(way)
        session.change(
            branch=branch.name if branch else "",
            guard=GuardStanding() if way else None,
            guard_unheard=way == "hook",
        )
        self._sessions.add(session)
        try:
            order = await self._launcher.order(session, who, spec.env)
            await self._launcher.start(session, who, order)
        except BaseException:
            self._judges.forget(session)
            self._sessions.remove(session)
            raise
        if cmd != places.COMMAND:
            self._recent.remember(cmd)
        return session

    async def _far(self, spec: SessionSpec) -> SessionSpec:
        """Return what is to run on a hand, in the hand's folder where none is named.

        Raises:
            Refusal: there is no such hand, or what is asked for is only to be had here.
        """
        hand = await self._hands.hand(spec.worker_id)
        if spec.env.get(GUARD):
            sentence = translatable(
                "A guard holds projects of this machine only, none on {name}. "
                "Start it here (worker `local`), or without a guard."
            )
            raise Refusal("bad_request", sentence, name=hand.name)
        return msgspec.structs.replace(spec, cwd=spec.cwd or hand.folder or "~")

    def _new_session(self, spec: SessionSpec, cmd: str) -> Session:
        taken = {session.name for session in self._sessions.infos}
        session_id = str(uuid.uuid4())
        asked = tidy(spec.name)
        name = (
            unique(asked, taken)
            if asked
            else propose(
                cwd=telling(spec.cwd, spec.worker_id),
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
            cwd=spec.cwd,
            worker_id=spec.worker_id,
            agent=spec.agent,
            character_id=spec.character or self._settings().character,
            cols=max(spec.cols, LEAST_COLUMNS),
            rows=spec.rows,
            created_at=time.time(),
        )

    def _shell(self, who: Requester) -> str:
        """Return the command of a session that names none."""
        return self._settings().shell or usual_shell(who.env)


class SessionSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever asks for a session wants of it; what is left out is chosen for them."""

    cmd: str
    """Run by a shell; without it the user's own shell runs."""
    cwd: str
    env: Mapping[str, str] = {}
    """Added to the environment of whoever asks."""
    name: str = ""
    agent: str = ""
    character: str = ""
    worker_id: str = "local"
    cols: int = 120
    rows: int = 30


_MOST: Final = 50
_BEGINNING: Final = 4096
"""Characters of a command by which it is named, and of the longest that is offered again.

One of two megabytes would be masked for seconds, and nobody else be answered meanwhile.
"""


class RecentCommands:
    """Remembers commands, the latest first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.commands: tuple[str, ...] = ()

    def recall(self) -> None:
        """Load the stored commands."""
        kept = self._store.fact("recent", list[str]) or ()
        self.commands = tuple(cmd for cmd in kept if REDACTED not in cmd)

    def remember(self, cmd: str) -> None:
        """Put a command that was started at the front."""
        if len(cmd) > _BEGINNING:
            return
        others = [known for known in self.commands if known != cmd]
        self.commands = (cmd, *others)[:_MOST]
        # What masking would change cannot be run again, so it is offered in this life only.
        self._store.keep_fact("recent", [known for known in self.commands if mask(known) == known])
