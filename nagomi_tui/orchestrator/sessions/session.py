"""A session as the orchestrator holds it, with the git branch of its folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Final, NamedTuple

import anyio
import msgspec

from nagomi_tui.agents.resume import Conversation
from nagomi_tui.api import messages
from nagomi_tui.judge.verdict import Advice
from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.sessions.run import Run
from nagomi_tui.orchestrator.sessions.screens import FALLBACK, Screen, ScreenMaker
from nagomi_tui.orchestrator.sessions.store import Record
from nagomi_tui.sessions.names import propose, unique
from nagomi_tui.sessions.session import Session, State, has_ended
from nagomi_tui.system import deadlines
from nagomi_tui.system.decoding import from_json
from nagomi_worker.inside.places import branch_in, find_head
from nagomi_worker.wire import protocol
from nagomi_worker.wire.messages import SessionState

TurnListener = Callable[["FinishedTurn"], None]

_TIMES: Final = (
    "away_since", "phase_since", "created_at", "started_at", "ended_at", "last_output_at",
    "last_input_at",
)  # fmt: skip
_NOTED: Final = (
    "session_id", "number", "name", "cmd", "cmd_masked", "cwd", "agent", "character_id",
    "judge_profile", "created_at", "started_at", "by_program",
)  # fmt: skip


UNSEEN_SECONDS: Final = 0.25
"""Seconds between reads of a session that prints little and that nobody sees."""
_BRANCH_SECONDS: Final = 0.5
"""Seconds for which git's files may be read; a disk that sleeps is asked again later."""


class Branch:
    """The branch of one folder, read from git's own files: one `stat` while nothing has changed."""

    def __init__(self, folder: str, name: str = "") -> None:
        self.name = name
        self.real = folder
        """The folder with symbolic links resolved, once that is known."""
        self._folder = folder
        self._slots = BoundedSemaphore()
        self._head: Path | None = None
        self._stamp = -1
        self._found = False
        self._seen = name

    async def look(self) -> bool:
        """Read the branch again if its file has changed; return whether the name has changed.

        If the folder does not answer, the name stays as it was.
        """
        try:
            await deadlines.run(self._read, seconds=_BRANCH_SECONDS, slots=self._slots)
        except (OSError, ValueError):
            return False
        before, self.name = self.name, self._seen
        return self.name != before

    def _read(self) -> None:
        """Read the files; only one thread does so at a time."""
        if not self._found:
            self.real = os.path.realpath(self._folder)
            self._head = find_head(Path(self._folder))
            self._seen, self._found = "", True
        if self._head is None:
            return
        try:
            stamp = self._head.stat().st_mtime_ns
        except OSError:
            return
        if stamp != self._stamp:
            self._stamp, self._seen = stamp, branch_in(self._head)


class SessionRuntime:
    """One session. `info` is what others see; it is replaced, never changed.

    `run` is replaced when the command is started again.
    """

    def __init__(self, info: Session) -> None:
        self.info = info
        self.run = Run()
        self.listed = False
        """Whether it is on the list; one that is not is not published."""
        self.env_names: tuple[str, ...] = ()
        """Names of the variables that were added to the environment of its creator."""
        self.strict = False
        """Whether the kernel is to hold its project."""
        self.guarded = False
        """Whether its agent is given the guard's hooks at each start."""
        self.rest_seconds = UNSEEN_SECONDS
        """Least seconds between reads while it prints little: as often as it is drawn."""
        self.branch: Branch | None = None
        self.advice: Advice | None = None
        """What the LLM judge has said of it last."""
        self.conversation: Conversation | None = None
        """The conversation of its agent, as told by the agent's hooks; None if none was."""
        self.readers = 0
        """How many callers read its lines; no output is applied meanwhile."""
        self.searches = 0
        """How many callers wait for a line: each one must be drawn."""
        self.watchers: list[anyio.Event] = []
        """Set, once each, when there is output or the session ends."""
        self.typed_by = 0
        """Identity of the requester that typed last; 0 for none in particular."""

    @property
    def session_id(self) -> str:
        """UUID of the session."""
        return self.info.session_id

    @property
    def running(self) -> bool:
        """Whether its command runs, or is being started."""
        return not has_ended(self.info)

    def record(self) -> Record:
        """Return what is stored on disk."""
        return Record(
            session=self.info,
            env_names=self.env_names,
            seen_at=self.run.seen_at,
            moved=self.run.moved,
            stopped=self.run.stopped,
            corrected=self.run.corrected,
            advice=self.advice,
            worker=self.run.worker,
            conversation=self.conversation,
            strict=self.strict,
            guarded=self.guarded,
        )

    def tell_worker(self) -> None:
        """Tell the worker what it does not know yet: the session's note, and how it is to rest."""
        self._note_at_worker()
        self._rest_at_worker()

    def _note_at_worker(self) -> None:
        """Have the worker keep name, folder and command, in case that our records are lost."""
        run, info = self.run, self.info
        if run.link is None or info.state is State.STARTING:
            return
        kept = {name: getattr(info, name) for name in _NOTED}
        noted = (kept, self.env_names, self.conversation, self.strict, self.guarded)
        if noted != run.noted:
            run.noted = noted
            record = Record(
                session=Session(**kept),
                env_names=self.env_names,
                conversation=self.conversation,
                strict=self.strict,
                guarded=self.guarded,
            )
            note = msgspec.json.encode(record).decode()
            run.link.send(protocol.Note(session_id=info.session_id, text=note))

    def pace(self, seconds: float) -> None:
        """Have the worker read it each `seconds` only while it prints little."""
        self.rest_seconds = seconds
        self._rest_at_worker()

    def _rest_at_worker(self) -> None:
        run = self.run
        if run.link is None or self.info.state is not State.RUNNING:
            return
        if run.rest_seconds != self.rest_seconds and "rest" in run.link.capabilities:
            run.rest_seconds = self.rest_seconds
            run.link.send(protocol.Rest(session_id=self.session_id, seconds=self.rest_seconds))

    def screen(self, screens: ScreenMaker) -> Screen:
        """Return its terminal; a new one if it has none."""
        run = self.run
        if run.screen is None:
            engine = FALLBACK if run.distrusted else ""
            run.screen = screens.new(self.session_id, self.info.cols, self.info.rows, engine=engine)
            self.change(engine=run.screen.version)
        return run.screen

    def reply(self, replies: bytes, offset: int | None = None) -> None:
        """Send the terminal's replies to queries in the output before `offset` to the program.

        Reports of what has changed meanwhile answer no output: each is sent.
        """
        if self.run.link is not None and self.running:
            text = replies.decode("utf-8", "replace")
            self.run.link.send(
                protocol.SendInput(session_id=self.session_id, text=text, reply_offset=offset)
            )

    def change(self, **values: Any) -> bool:
        """Replace fields of `info`; return whether any has changed."""
        before = self.info
        self.info = msgspec.structs.replace(before, **values)
        return self.info != before

    def note_times(self) -> None:
        """Put into `info` when it last printed and was typed to: it is not replaced at each output."""
        self.change(
            last_output_at=self.run.output_at or self.info.last_output_at,
            last_input_at=self.run.typed_at or self.info.last_input_at,
        )

    def move_times(self, seconds: float) -> None:
        """Have all times of day go along with a clock that was set by so many seconds."""
        run = self.run
        for name in ("typed_at", "composed_at", "called_at", "noticed_at", "output_at", "seen_at"):
            if at := getattr(run, name):
                setattr(run, name, moved_time(at, seconds))
        told = {name: getattr(self.info, name) for name in _TIMES}
        self.change(**{name: moved_time(at, seconds) for name, at in told.items() if at})
        run.moved += (self.info.started_at or 0.0) - (told["started_at"] or 0.0)
        self.wake_watchers()

    def wake_watchers(self) -> None:
        """Wake all who wait for output or the end."""
        watchers, self.watchers = self.watchers, []
        for watcher in watchers:
            watcher.set()

    def begin_anew(self) -> None:
        """Forget everything of the last run of its command."""
        self.run.drop_screen()
        self.run = Run()
        self.run.heard = False


def from_record(record: Record) -> SessionRuntime:
    session = SessionRuntime(record.session)
    session.env_names, session.conversation = record.env_names, record.conversation
    session.run.worker, session.run.seen_at = record.worker, record.seen_at
    session.run.stopped, session.strict = record.stopped, record.strict
    session.run.moved = record.moved
    session.guarded = record.guarded
    session.run.corrected, session.advice = record.corrected, record.advice
    return session


def from_note(state: SessionState, taken: Collection[str]) -> SessionRuntime:
    """Return a session that a worker holds and no record tells of, by what was noted there.

    Where that cannot be read, its command tells the name; names in `taken` are given already.
    """
    try:
        session = from_record(from_json(state.note, Record))
        session.change(session_id=state.session_id, name=unique(session.info.name, taken))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        name = propose(cwd="", cmd=mask(state.cmd), session_id=state.session_id, taken=taken)
        session = SessionRuntime(
            Session(
                session_id=state.session_id, number=0, name=name, cmd="", cwd="/",
                created_at=time.time(),
            )
        )  # fmt: skip
    session.branch = Branch(session.info.here)
    return session


class FinishedTurn(NamedTuple):
    """A finished turn: `told` in every language, `done` in that of the workplace."""

    session: SessionRuntime
    told: Mapping[str, messages.TurnCompleted]
    done: messages.TurnCompleted
    began: float | None
    """When the turn began, in seconds since the epoch; None if that is not known."""


def moved_time(at: float, seconds: float) -> float:
    """Return a time of day in a clock that was set by so many seconds a moment ago.

    What was noted since then is in the new clock already. Set back, that is what lies in its last
    two minutes.
    """
    now = time.time()
    is_new = at + seconds > now + 1 if seconds > 0 else 0 <= now - at < min(120, -seconds / 2)
    return at if is_new else at + seconds
