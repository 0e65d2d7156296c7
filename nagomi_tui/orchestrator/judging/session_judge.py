"""The judge of one session with its sources of evidence, and the rules that all judges use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import anyio.to_thread
import msgspec

from nagomi_tui.judge import account, loading
from nagomi_tui.judge.evidence import Corrected, Ended, Event, Foreground, Key, Stopped, Typed, View
from nagomi_tui.judge.judge import Change, Judge
from nagomi_tui.judge.known import Finding, Known, Rulebook
from nagomi_tui.judge.line_rules import Profile, asks_secret
from nagomi_tui.judge.program_rules import SUSPICIOUS
from nagomi_tui.judge.resolver import BROKEN_OFF, in_agent
from nagomi_tui.judge.senses.hooks import HookReader
from nagomi_tui.judge.senses.observer import Observer
from nagomi_tui.judge.senses.processes import ProcessReader, sample_of
from nagomi_tui.judge.shown import NEVER
from nagomi_tui.judge.verdict import State, Verdict
from nagomi_tui.masking import mask_line, mask_lines, mask_screen
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.screens import Screen
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions.session import Session
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines, paths
from nagomi_tui.terminal.cuts import Piece
from nagomi_tui.text.rows import ScreenEvent
from nagomi_tui.text.words import translatable


class SessionJudge:
    """A judge and its sources of evidence. Times are monotonic seconds, unless noted otherwise."""

    def __init__(self, judge: Judge, screen: Screen, changed: Callable[[Change], None]) -> None:
        self.judge = judge
        self.rings_at = float("inf")
        """When `pass_time` is scheduled; infinity if it is not."""
        self.first_turn = judge.known.turn.number
        """Number of the turn that it began with, in which nothing was asked of the session yet."""
        self.changed_at = NEVER
        """When the judge last changed its mind, in seconds since the epoch."""
        self.called_for: View | None = None
        """The view of the judge from which the last call was made; None before any."""
        self.marked = ""
        """What the session was last told to show beside its state of work."""
        self.last_foreground: Foreground | None = None
        """What was in the foreground when the session was told by which rules it is read."""
        self._changed = changed
        self._observer = Observer(screen, self._tell)
        self._hooks = HookReader()
        self._processes = ProcessReader()
        self._told = False
        self._late: list[Typed] = []
        """Typed text that the judge was not told of yet."""
        self.unseen_at = float("-inf")
        """When text was last typed without an echo."""
        self._unseen = False
        self._activity = ""
        """The worker's last report on processes during output; the judge gets it with the next look."""

    @property
    def wake_at(self) -> float:
        """When time alone may change something; infinity while it cannot."""
        look = self._observer.due
        return self.judge.wake_at if look is None else min(look, self.judge.wake_at)

    @property
    def asks(self) -> bool:
        """Whether a program asks the user, and has not merely failed."""
        return self.judge.shown.finding.rule != SUSPICIOUS

    @property
    def speaks(self) -> bool:
        """Whether an agent is in the foreground, which reports by more than a bell."""
        return in_agent(self.judge.known, self.judge.book)

    @property
    def reads_secret(self) -> bool:
        """Whether a password or the like is read now."""
        known, book = self.judge.known, self.judge.book
        asked = known.question is not None and asks_secret(book.profile, known.question[1])
        return self._unseen or (asked and not self.speaks)

    @property
    def is_corrected(self) -> bool:
        """Whether the user has corrected the state."""
        return self.judge.known.correction is not None

    @property
    def was_interrupted(self) -> bool:
        """Whether the user interrupted the turn."""
        broken = self.judge.known.turn.interrupted_at is not None
        return broken and self.judge.shown.state in (State.UNKNOWN, State.FAILURE)

    @property
    def was_broken_off(self) -> bool:
        """Whether the user's Ctrl-C has ended the command."""
        return self.judge.shown.finding.rule == BROKEN_OFF

    def hear(
        self, piece: Piece, events: Sequence[ScreenEvent], at: float, rest: float = 0.0
    ) -> None:
        """Hear what the terminal shows, and its events; `settle` is to follow.

        `rest` is for how many seconds its worker may not have read.
        """
        self._observer.rest_seconds = rest
        self._observer.tail_lines = self.judge.book.profile.tail_lines
        self._observer.hear(piece, events, at)

    def settle(self, at: float) -> bool:
        """Look at the screen if it is time to; return whether `wake_at` has changed."""
        self._observer.settle(at)
        told, self._told = self._told, False
        due = self._observer.due
        return told or (due is not None and due < self.rings_at)

    def resume(self, at: float, marks: Sequence[ScreenEvent] = (), *, asked: bool = False) -> None:
        """Begin in the middle of a session that was rebuilt, with the shell's last marks.

        `asked` says that it waited for the user's answer.
        """
        self._observer.resume(at, marks, asked=asked)

    def look(self, at: float) -> None:
        """Read the screen."""
        self._observer.look(at)

    def activity(self, detail: str, at: float) -> None:
        """Handle the worker's report on processes."""
        self._activity = detail
        sample = sample_of(detail, at)
        self._unseen = sample is not None and sample.icanon and not sample.echo
        if self._unseen:
            self.unseen_at = at
        self._observer.refresh(at, last=self.judge.known.foreground is None)
        if self._observer.is_current:
            self._tell_activity(at)

    def hook(self, payload: Mapping[str, Any], at: float) -> None:
        """Handle the JSON that an agent gave its hook."""
        said = self._hooks.read(payload, at)
        if said is not None:
            self._observer.refresh(at)
            self._tell(said)

    def typed(self, key: Key, at: float, count: int = 1) -> None:
        """Handle a key or text of the user, of so many characters.

        The judge is told of mere text when `catch_up` is called or something else happens, so that
        judging does not delay typing.
        """
        if key is Key.TEXT:
            self._late.append(Typed(at, key, count))
        else:
            self._observer.typed(Typed(at, key))

    def catch_up(self) -> None:
        """Tell the judge of all text that was typed."""
        late, self._late = self._late, []
        for typed in late:
            self._note(self.judge.feed(typed))

    def correct(self, state: State, at: float) -> None:
        """Handle the user's correction."""
        self._tell(Corrected(at, state))

    def stopped(self, at: float) -> None:
        """Note that the user ends the session."""
        self._observer.typed(Stopped(at))

    def ended(self, code: int, signal: int | None, at: float) -> None:
        """Handle the end of the command, once all its output is on the screen."""
        self._observer.refresh(at, last=True)
        self._tell(Ended(at, code, signal))

    def pass_time(self, at: float) -> None:
        """Do what is due at this time: read the screen, or let the judge's time pass."""
        self.catch_up()
        due = self._observer.due
        if due is not None and at >= due:
            self._observer.peek(at)
        if at >= self.judge.wake_at:
            self._observer.refresh(at)
            self._note(self.judge.tick(at))

    def _tell(self, event: Event) -> None:
        self._told = True
        self.catch_up()
        self._note(self.judge.feed(event))
        if self._activity and isinstance(event, View):
            self._tell_activity(event.at)

    def _tell_activity(self, at: float) -> None:
        detail, self._activity = self._activity, ""
        sample = sample_of(detail, at) if detail else None
        seen = self._processes.read(sample) if sample is not None else None
        if seen is not None:
            self._tell(seen)

    def _note(self, change: Change | None) -> None:
        if change is not None:
            self._changed(change)


_LOAD_SECONDS: Final = 10.0


class Rules:
    """Holds the rulebook that all judges use."""

    def __init__(
        self,
        judged: Mapping[SessionRuntime, SessionJudge],
        settings: Callable[[], Settings],
        audience: Audience,
    ) -> None:
        """`judged` holds the active judges, by session."""
        self._judged = judged
        self._settings = settings
        self._audience = audience
        self.book = Rulebook(Profile())

    async def load(self) -> None:
        """Load the rules, and report what was left out."""
        try:
            loaded = await deadlines.run(loading.load, seconds=_LOAD_SECONDS)
        except TimeoutError:
            sentence = translatable(
                "{path} does not answer, so only the shipped rules of the judge are used."
            )
            self._audience.tell("error", sentence, path=paths.config_folder())
            loaded = await anyio.to_thread.run_sync(loading.load, paths.shipped("config"))
        self.book = loaded.book
        self.apply(self._settings())
        for problem in loaded.problems:
            self._audience.tell("error", "{problem}", problem=problem)

    def apply(self, settings: Settings) -> None:
        """Use these settings from now on."""
        profile = msgspec.structs.replace(
            self.book.profile, silence_seconds=settings.silence_timeout
        )
        self.book = msgspec.structs.replace(self.book, profile=profile)
        for judged in self._judged.values():
            judged.judge.book = self.book

    def given_up(self, pattern: str) -> None:
        """Report that a rule's pattern took too long and is not used any more."""
        sentence = translatable(
            "A rule of yours takes too long and is not used any more: {pattern}"
        )
        self._audience.tell("error", sentence, pattern=pattern)


_READ: Final = frozenset({State.FAILURE, State.ATTENTION})
"""States for which the lines of the turn are read, and so have to be masked."""


def verdict(judge: Judge, say: Callable[..., str] = str, session: Session | None = None) -> Verdict:
    """Return what is shown in the fixed form of N-85; `say` translates its fixed sentences.

    Without words of a program, the end of `session` is told as its badge is.
    """
    finding = _masked_finding(judge.shown.finding)
    known = _masked_known(judge.known_of_shown, read=finding.state in _READ)
    return account.verdict(finding, known, judge.book, say, session)


def reason(judge: Judge, now: float) -> account.Reason:
    """Return the rule and the evidence behind what is shown."""
    return account.reason(_masked_finding(judge.shown.finding), judge.shown.since, now)


def _masked_finding(finding: Finding) -> Finding:
    masked = (
        msgspec.structs.replace(said, text=_masked(said.text)) if said.text else said
        for said in finding.because
    )
    return msgspec.structs.replace(finding, because=tuple(masked))


def _masked_known(known: Known, *, read: bool) -> Known:
    """Return what is known with a view that holds rows and lines masked, or none of them."""
    question = known.question
    if question is not None:
        question = (question[0], mask_screen([question[1]])[0])
    written = None if known.written is None else mask_screen([known.written])[0]
    return msgspec.structs.replace(
        known,
        view=_masked_view(known.view, read=read),
        closing=_masked_view(known.closing, read=read),
        question=question,
        written=written,
        mark=mask_line(known.mark),
    )


def _masked_view(view: View | None, *, read: bool) -> View | None:
    if view is None:
        return None
    lines = tuple(mask_lines(view.lines)) if read else ()
    rows = tuple(mask_lines(view.rows)) if read else ()
    return msgspec.structs.replace(view, lines=lines, rows=rows, command=mask_line(view.command))


def _masked(text: str) -> str:
    return "\n".join(mask_lines(text.split("\n")))
