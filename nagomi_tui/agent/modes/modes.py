"""Changes the agent's mode: notes are written, committed and cleared step by step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import anyio
import msgspec

from nagomi_tui.agent.modes.git import Git, commit_file
from nagomi_tui.agent.modes.mode import (
    START,
    AgentMode,
    Allowed,
    BrokenState,
    Kept,
    Thread,
    allowed,
    described,
    in_progress,
    mode_named,
    read_mode,
    snapshot,
    thread_lines,
    write_mode,
)
from nagomi_tui.agent.modes.notes import INNER, TEACHES_INNER, TRACKING, Notes, note_sections
from nagomi_tui.agent.providers.faults import reason_of
from nagomi_tui.agent.providers.interface import Clock, Route
from nagomi_tui.system import files
from nagomi_tui.system.git import GitFault
from nagomi_tui.text.words import Words, translatable
from nagomi_worker.runtime.files import Busy, FileLock

MESSAGE: Final = "chore(inner): snapshot reserved working memory {day}"
AWARENESS_SECONDS: Final = 10.0
"""The longest wait for the workplace's report on its sessions."""


class Step(msgspec.Struct, frozen=True):
    """A step of a mode change: `tracking`, `commit`, `clear` or `mode`; `text` tells its result."""

    name: str
    ok: bool
    text: str


_LOCK_SECONDS: Final = 30.0
"""The longest wait for a mode change by another process."""
_LOCK_PAUSE: Final = 0.05


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent may still ask its model by itself within the hour, and what today cost."""

    requests: int
    requests_left: int
    tokens: int
    tokens_left: int
    whole_at: float
    """When all of it may be used again, in seconds since the epoch; 0 if it may be now."""
    free_at: float
    """When the next request may be made; 0 if now, -1 if never."""
    cost_today: float
    """US dollars, what the user asked included, as far as prices are known."""
    unpriced: int
    """Requests of today whose cost is not known."""
    assumed_today: float
    """US dollars for those, as with the dearest model that is known."""
    cost_per_day: float
    """The most US dollars in a day; 0 for no limit."""
    fault: str = ""
    """Why its last request by itself failed, as a `Cause`; empty if it did not."""
    again_at: float = 0.0
    """When it asks again after that, in seconds since the epoch."""


UNKNOWN: Final = translatable(
    "What {count} of the requests cost is not known; as with the dearest model that is: {assumed}."
)

_FAILED: Final = translatable(
    "Its last request by itself failed: {why}. It tries again at {time} or later."
)


def allowance_lines(allowance: Allowance, words: Words) -> tuple[str, ...]:
    """Return what may still be used, in words."""
    left = words.say(
        "By itself within an hour: {requests_left} of {requests} requests and {tokens_left} of "
        "{tokens} tokens are left.",
        requests_left=allowance.requests_left,
        requests=allowance.requests,
        tokens_left=f"{allowance.tokens_left:,}",
        tokens=f"{allowance.tokens:,}",
    )
    lines = [left]
    if allowance.free_at < 0:
        lines.append(words.gettext("The settings allow no request by itself."))
    elif allowance.free_at:
        lines.append(words.say("That is used up until {time}.", time=_clock(allowance.free_at)))
    if allowance.whole_at and allowance.free_at >= 0:
        lines.append(words.say("It is whole again at {time}.", time=_clock(allowance.whole_at)))
    if allowance.fault:
        again = _clock(allowance.again_at)
        lines.append(words.say(_FAILED, why=reason_of(allowance.fault, words), time=again))
    cost = f"${allowance.cost_today:.4f}"
    if allowance.cost_per_day:
        most = f"${allowance.cost_per_day:g}"
        lines.append(words.say("Today in all: {cost} of at most {most}.", cost=cost, most=most))
    else:
        lines.append(words.say("Today in all: {cost}.", cost=cost))
    if allowance.unpriced:
        lines.append(
            words.say(UNKNOWN, count=allowance.unpriced, assumed=f"${allowance.assumed_today:.4f}")
        )
    return tuple(lines)


def _clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC).astimezone():%H:%M}"


class ModeReport(msgspec.Struct, frozen=True, kw_only=True, rename={"loop_paused": "loopPaused"}):
    """The current mode (MC-3); after a change also the previous one, and each step's result."""

    mode: AgentMode
    description: str
    features: Allowed
    loop_paused: bool
    previous: AgentMode | None = None
    steps: tuple[Step, ...] = ()
    allowance: Allowance | None = None
    """None if the agent does nothing by itself in this process."""

    @property
    def ok(self) -> bool:
        """Tell whether no step has failed."""
        return all(step.ok for step in self.steps)


@dataclass(eq=False)
class Modes:
    """The current mode, and its changes: one at a time, across all processes.

    After an interruption the steps of a change can be repeated.
    """

    notes: Notes
    state: Path
    git: Git
    _: KW_ONLY
    awareness: Callable[[], Awaitable[tuple[Thread, ...]]]
    now: Clock
    words: Words

    def __post_init__(self) -> None:
        self.on_inner: Callable[[], object] = bool
        """Called after the loop has written inner notes."""
        self.fault = ""
        """A sentence for the user if the file with the mode could not be read, else empty."""
        self._changing = anyio.Lock()
        self.allowance: Callable[[], Allowance | None] = lambda: None
        """Returns what the agent may still ask by itself; set by the process in which it does."""
        self.mode: AgentMode = START
        self._load()

    @property
    def allowed(self) -> Allowed:
        return allowed(self.mode)

    def report(self) -> ModeReport:
        return self._report(self.mode)

    def sections(self) -> str:
        """Return the notes that the current mode adds to a question's context; may be empty.

        Raises:
            OSError: the notes cannot be read.
        """
        return note_sections(self.mode, self.notes)

    def loop_prompt(self) -> str:
        """Return how to write inner notes, for the loop's prompt; empty if not allowed (MB-11)."""
        return TEACHES_INNER if self.allowed.inner_writable else ""

    def keep_inner(self, inner: str | None, *, route: Route) -> bool:
        """Write the inner notes, if the mode allows it; return whether they were written.

        Only the loop writes them, not an answer to a question (MB-10). None or blank text is not
        written.

        Raises:
            OSError: the notes cannot be written.
        """
        if route != "loop" or not self.allowed.inner_writable or not (inner or "").strip():
            return False
        self.notes.write_inner(inner or "")
        self.on_inner()
        return True

    async def change(self, to: str) -> ModeReport:
        """Change the mode, and return when all steps are done; the current mode has none (MB-14).

        The mode itself is stored last, so that a change that was interrupted can be repeated from
        its beginning. A failed step is reported, and does not stop the change. A cancelled caller
        does not stop it either.

        Raises:
            InvalidMode: there is no such mode.
        """
        wanted = mode_named(to)
        with anyio.CancelScope(shield=True):
            async with self._changing:
                report = await self._change_alone(wanted)
        return report

    async def _change_alone(self, to: AgentMode) -> ModeReport:
        lock = FileLock(self.state.with_name(f"{self.state.name}.lock"))
        try:
            self.state.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            await _acquire(lock)
        except (Busy, OSError) as exc:
            return self._report(self.mode, (self._not_alone(exc),))
        try:
            self._load()
            return await self._change(to)
        finally:
            lock.release()

    async def _change(self, to: AgentMode) -> ModeReport:
        previous = self.mode
        if to == previous:
            return self._report(previous)
        steps = await self._steps(previous, to)
        return self._report(previous, (*steps, self._keep(to)))

    def _keep(self, to: AgentMode) -> Step:
        try:
            write_mode(self.state, Kept(mode=to, changed_at=self.now()))
        except OSError as exc:
            sentence = translatable("The agent's mode could not be kept: {reason}")
            return self._step("mode", False, sentence, reason=exc)
        self.mode = to
        return self._step("mode", True, translatable("The agent's mode is {mode} now."), mode=to)

    async def _steps(self, previous: AgentMode, to: AgentMode) -> tuple[Step, ...]:
        """Carry out the steps of the change from one mode to another, and return their results.

        A failed step raises nothing: its result has `ok` False. Many changes have no steps.
        """
        if (previous, to) == ("autonomous", "reserved"):
            return (await self._capture(previous),)
        return await self._commit_and_clear() if to == "autonomous" else ()

    def _step(self, name: str, ok: bool, sentence: str, **values: object) -> Step:
        """Return the result of a step, with `sentence` in the user's language."""
        return Step(name, ok, self.words.say(sentence, **values))

    async def _capture(self, previous: AgentMode) -> Step:
        threads, why = await self._threads()
        try:
            tasks = in_progress(self.notes.next_steps())
        except OSError as exc:
            tasks, why = None, str(exc)
        text = snapshot(threads, tasks, captured=self.now(), previous=previous)
        try:
            self.notes.write_tracking(text)
        except OSError as exc:
            sentence = translatable("The tracking notes could not be written: {reason}")
            return self._step("tracking", False, sentence, reason=exc)
        if why:
            sentence = translatable("The tracking notes are not complete: {reason}")
            return self._step("tracking", False, sentence, reason=why)
        sentence = translatable("What the agent was following is in {path}.")
        return self._step("tracking", True, sentence, path=TRACKING)

    async def _threads(self) -> tuple[tuple[str, ...] | None, str]:
        """Return a line for each active thread, and an empty reason.

        If the workplace does not report its sessions, return None and the reason.
        """
        try:
            with anyio.fail_after(AWARENESS_SECONDS):
                return thread_lines(await self.awareness()), ""
        except Exception as exc:  # no error may stop the mode change; the step reports it
            late = self.words.gettext(translatable("the workplace does not answer"))
            return None, str(exc) or late

    async def _commit_and_clear(self) -> tuple[Step, ...]:
        try:
            content = self._content()
        except OSError as exc:
            sentence = translatable("The inner notes cannot be read: {reason}")
            return (self._step("commit", False, sentence, reason=exc),)
        if not content.strip():
            sentence = translatable("There are no inner notes to commit.")
            return (self._step("commit", True, sentence),)
        committed = await self._commit(content)
        if committed.ok:
            return committed, self._clear(content)
        sentence = translatable("The inner notes are kept, since they are not committed.")
        return committed, self._step("clear", False, sentence)

    def _content(self) -> bytes:
        try:
            return files.read(self.notes.inner_path)
        except FileNotFoundError:
            return b""

    async def _commit(self, content: bytes) -> Step:
        message = MESSAGE.format(day=datetime.fromtimestamp(self.now(), UTC).date())
        try:
            done = await commit_file(self.git, self.notes.folder, INNER, content, message)
        except GitFault as fault:
            sentence = translatable("The inner notes were not committed. {reason}")
            reason = self.words.say(fault.sentence, **fault.values)
            return self._step("commit", False, sentence, reason=reason)
        sentence = (
            translatable("The inner notes are committed ({commit}).")
            if done.made
            else translatable("The inner notes were committed before ({commit}).")
        )
        return self._step("commit", True, sentence, commit=done.commit[:12])

    def _clear(self, committed: bytes) -> Step:
        """Empty the inner notes, if the file still has the content that was committed."""
        try:
            if self._content() != committed:
                sentence = translatable("The inner notes are kept, since they changed meanwhile.")
                return self._step("clear", False, sentence)
            files.write(self.notes.inner_path, b"")
        except OSError as exc:
            sentence = translatable("The inner notes could not be cleared: {reason}")
            return self._step("clear", False, sentence, reason=exc)
        return self._step("clear", True, translatable("The inner notes are cleared."))

    def _not_alone(self, exc: Busy | OSError) -> Step:
        if isinstance(exc, Busy):
            sentence = translatable("Another program is changing the agent's mode; try again.")
            return self._step("mode", False, sentence)
        sentence = translatable("The agent's mode could not be kept: {reason}")
        return self._step("mode", False, sentence, reason=exc)

    def _load(self) -> None:
        try:
            self.mode = read_mode(self.state, now=self.now).mode
        except BrokenState as broken:
            self.mode = START
            self.fault = self._sentence_on(broken)

    def _sentence_on(self, broken: BrokenState) -> str:
        if broken.aside is None:
            sentence = translatable("The agent's mode cannot be read from {path}: it is calm now.")
            return self.words.say(sentence, path=broken.path)
        sentence = translatable(
            "The agent's mode could not be read: it is calm now. The file is kept as {aside}."
        )
        return self.words.say(sentence, aside=broken.aside)

    def _report(self, previous: AgentMode, steps: tuple[Step, ...] = ()) -> ModeReport:
        return ModeReport(
            mode=self.mode,
            description=described(self.mode, self.allowed),
            features=self.allowed,
            loop_paused=not self.allowed.loop_runs,
            previous=previous if steps else None,
            steps=steps,
            allowance=self.allowance(),
        )


async def _acquire(lock: FileLock) -> None:
    with anyio.move_on_after(_LOCK_SECONDS):
        while True:
            try:
                lock.take()
                return
            except Busy:
                await anyio.sleep(_LOCK_PAUSE)
    raise Busy
