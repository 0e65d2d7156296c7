"""Keeps reminders on disk, watches what they wait for, and tells them: no model is asked for that.

A time is a time of day, so that it is due although the machine slept; a delay goes along with a clock
that is set. What is told is told in a notice, in the bar of each front end, in the digest of whoever
is away, and by the resident agent in the conversation in which it was set.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import msgspec
from anyio.abc import TaskGroup

from nagomi_tui.api import messages
from nagomi_tui.masking import mask
from nagomi_tui.orchestrator.calling.alerts import Alerts
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.runtime.timers import Clock, JumpWatch, next_pulse
from nagomi_tui.orchestrator.server.agent import ResidentAgent
from nagomi_tui.orchestrator.sessions import waiting
from nagomi_tui.orchestrator.sessions.audience import Audience, Client
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.sessions import reminding
from nagomi_tui.sessions.reminding import BadWhen, Reminder, counted, missed, read_when, turn_of
from nagomi_tui.sessions.session import State, has_ended
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines, files
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import LANGUAGES, Words, language_from, of, translatable

_log = logging.getLogger(__name__)
FILE: Final = "reminders.json"
"""The name of the file in the state folder."""
MOST: Final = 100
"""Most reminders that are open at a time."""
MOST_TOLD: Final = 30
"""Reminders that are remembered after they were told."""
_MOST_FOUND: Final = 200
_LOOK_SECONDS: Final = 1.0
_SETTLED: Final = 5.0
"""Seconds after input by which a session shows what became of it, if anything does."""
_WRITE_SECONDS: Final = 10.0
_RETRY_SECONDS: Final = 30.0
_TURNS: Final = frozenset({"failure", "success", "done", "attention"})
_BAD_WHEN: Final = translatable(
    "`{when}` is neither a time nor something that a session comes to. Say for example `20m`, "
    "`at 17:00`, `tomorrow 9:00`, `when 3 fails`, `when 3 fails twice`, `when 3 is done`, "
    "`when 3 asks`, `when 3 ends`, `when 3 is quiet for 5m` or `when 3 says REGEX`."
)
_SECRET: Final = translatable("The expression holds a secret, which is not kept; leave it out.")
_TOO_MANY: Final = translatable("There are {count} reminders already; cancel some first.")
_NOT_KEPT: Final = translatable(
    "The reminder is not set, since it cannot be kept on disk: {reason}. Make room or mend the "
    "folder, then set it again."
)
_NOT_WRITTEN: Final = translatable(
    "Reminders cannot be written ({reason}), so one may be told twice. They are written as soon as "
    "that is possible again."
)
_NO_SUCH: Final = translatable("There is no open reminder {number}; `nagomi remind` lists them.")
_DAMAGED: Final = translatable(
    "The file with the reminders could not be read, so they are lost. It is kept as {path}."
)
_UNREADABLE: Final = translatable("The file with the reminders, {path}, cannot be read: {reason}.")


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file."""

    last: int = 0
    """The last number that was given."""
    open: tuple[Reminder, ...] = ()
    told: tuple[Reminder, ...] = ()


@dataclass(eq=False)
class Reminders:
    """All reminders of the workplace."""

    tasks: TaskGroup
    path: Path
    sessions: SessionTable
    settings: Callable[[], Settings]
    _: KW_ONLY
    audience: Audience
    alerts: Alerts
    agent: ResidentAgent
    adopted: anyio.Event
    """Set once it is known which sessions live."""
    clock: Clock = time
    jumps: JumpWatch = field(default_factory=JumpWatch)

    def __post_init__(self) -> None:
        self._last = 0
        self._open: dict[int, Reminder] = {}
        self._told: deque[Reminder] = deque(maxlen=MOST_TOLD)
        self._loaded, self._changed, self._unwritten = anyio.Event(), anyio.Event(), anyio.Event()
        self._writing = anyio.Lock()
        self._quiet: dict[int, tuple[float, float]] = {}
        """For `silence`: the time of the newest output, and since when that is known."""
        self._listening: dict[int, anyio.CancelScope] = {}
        """What looks for the line of an `output`."""
        self._agent_client = 0

    async def run(self) -> None:
        """Load the reminders, and tell each when it is time, for ever."""
        await self._load()
        self._loaded.set()
        await self.adopted.wait()
        self.tasks.start_soon(self._keep_written)
        while True:
            if not self._open:
                self._changed = anyio.Event()
                await self._changed.wait()
                self.jumps.look()
            self.look()
            await next_pulse(_LOOK_SECONDS)

    # --- what is asked

    async def add(self, request: messages.Remind, session: SessionRuntime | None) -> Reminder:
        """Keep a reminder; `session` is the one that its condition names.

        Raises:
            Refusal: it says nothing, there are too many, or the disk does not take it.
        """
        await self._loaded.wait()
        if len(self._open) >= MOST:
            raise Refusal("refused", _TOO_MANY, count=len(self._open))
        now = self.clock.time()
        when = condition_of(request.when, now)
        if when.until == "output":
            if mask(when.pattern) != when.pattern:
                raise Refusal("bad_request", _SECRET)
            async with waiting.matching(when.pattern):
                pass  # it is an expression
        self._last += 1
        added = Reminder(
            number=self._last,
            words=" ".join(mask(request.words).split()),
            until=when.until,
            session=session.session_id if session else "",
            name=_name(session) if session else "",
            at=when.at,
            clock=when.clock,
            pattern=when.pattern,
            seconds=when.seconds,
            times=when.times,
            turn=_turn_that_is_over(session, when) if session else "",
            line=waiting.line_of(session) if session and when.until == "output" else None,
            made_at=now,
            conversation=request.conversation,
        )
        self._open[added.number] = added
        try:
            await self._write()
        except OSError as exc:
            self._open.pop(added.number, None)
            raise Refusal("refused", _NOT_KEPT, reason=exc.strerror or str(exc)) from exc
        self._changed.set()
        return added

    async def cancel(self, number: int) -> Reminder:
        """Drop an open reminder.

        Raises:
            Refusal: there is none, or the disk does not take it.
        """
        await self._loaded.wait()
        if (dropped := self._open.pop(number, None)) is None:
            raise Refusal("not_found", _NO_SUCH, number=number)
        try:
            await self._write()
        except OSError as exc:
            self._open[number] = dropped
            reason = exc.strerror or str(exc)
            raise Refusal("refused", _NOT_WRITTEN, reason=reason) from exc
        self._stop_listening(number)
        return dropped

    async def all(self) -> tuple[tuple[Reminder, ...], tuple[Reminder, ...]]:
        """Return the open ones, the earliest time first, and those that were told, oldest first."""
        await self._loaded.wait()
        named = [self._named(one) for one in self._open.values()]
        return tuple(sorted(named, key=lambda one: (one.at, one.number))), tuple(self._told)

    def written(self, number: int) -> None:
        """Note that a reminder stands in its conversation."""
        for at, one in enumerate(self._told):
            if one.number == number and not one.written:
                self._told[at] = msgspec.structs.replace(one, written=True)
                self._unwritten.set()

    def agent_is_there(self, client: Client) -> None:
        """Send an agent that has come what it has not written into conversations yet."""
        if client.number != self._agent_client:
            self._agent_client = client.number
            for one in self._told:
                if one.conversation and not one.written:
                    _send(client, one)

    # --- looking

    def turn_over(self, finished: FinishedTurn) -> None:
        """Count a turn that has ended or waits, however short it was."""
        state, info = finished.done.verdict.state, finished.session.info
        turn = f"{info.started_at} {finished.done.turn}"
        for one in self._of(finished.session, _TURNS):
            if one.until == state or (one.until == "done" and state in ("failure", "success")):
                self._count(one, turn)

    def _of(self, session: SessionRuntime, kinds: frozenset[str]) -> list[Reminder]:
        return [
            one
            for one in self._open.values()
            if one.session == session.session_id and one.until in kinds
        ]

    def look(self) -> None:
        if moved := self.jumps.look():
            self._move(moved)
        now = self.clock.time()
        for one in tuple(self._open.values()):
            if one.until == "time":
                if now >= one.at:
                    self._tell(one)
                continue
            session = self.sessions.get(one.session)
            if session is None:
                others = (
                    info for info in self.sessions.infos if info.name == one.name.partition(" ")[2]
                )
                self._tell(one, outcome="replaced" if any(others) else "gone")
            elif session.info.state is not State.STARTING:
                self._look_at(one, session)

    def _look_at(self, one: Reminder, session: SessionRuntime) -> None:
        info = session.info
        if one.until == "exit":
            if has_ended(info):
                self._tell(one)
        elif one.until == "silence":
            if self._is_quiet(one, session):
                self._tell(one)
        elif one.until == "output":
            if one.number not in self._listening:
                scope = self._listening[one.number] = anyio.CancelScope()
                self.tasks.start_soon(self._listen, one, session, scope)
        elif _stands(one, session, self.clock.time()):
            self._count(one, turn_of(info))
        elif missed(one, info):
            self._tell(one, outcome="ended")

    def _is_quiet(self, one: Reminder, session: SessionRuntime) -> bool:
        """Tell whether nothing came for long enough; a machine that sleeps is not quiet."""
        newest = max(session.run.output_at or 0.0, session.run.typed_at or 0.0)
        known = self._quiet.get(one.number)
        if known is None or known[0] != newest:
            quiet = max(0.0, self.clock.time() - newest) if newest else 0.0
            quiet = quiet if known is None else min(quiet, _LOOK_SECONDS)
            known = self._quiet[one.number] = (newest, self.clock.monotonic() - quiet)
        return self.clock.monotonic() - known[1] >= one.seconds or has_ended(session.info)

    async def _listen(
        self, one: Reminder, session: SessionRuntime, scope: anyio.CancelScope
    ) -> None:
        """Look for a line, until it is there or the session ends."""
        with scope:
            try:
                async with waiting.matching(one.pattern) as search:
                    session.searches += 1
                    try:
                        reason, line = await waiting.until_output(session, search, one.line)
                    finally:
                        session.searches -= 1
            except Refusal as refusal:
                self.audience.tell_fault(refusal)
                reason, line = "exit", ""
            if one.number in self._open:
                outcome: reminding.Outcome = "met" if reason == "output" else "ended"
                self._tell(one, outcome=outcome, found=mask(line.strip())[:_MOST_FOUND])

    def _stop_listening(self, number: int) -> None:
        self._quiet.pop(number, None)
        if scope := self._listening.pop(number, None):
            scope.cancel()

    def _count(self, one: Reminder, turn: str) -> None:
        """Count a turn, and tell the reminder if it was the last one that is needed."""
        after = counted(one, turn)
        if after is one:
            return
        self._open[one.number] = after
        if after.counted >= after.times:
            self._tell(after)
        else:
            self._unwritten.set()

    def _move(self, seconds: float) -> None:
        """Have delays go along with a clock that was set; times of day stay what they are."""
        for one in tuple(self._open.values()):
            if not one.clock:
                at = one.at + seconds if one.until == "time" else one.at
                moved = msgspec.structs.replace(one, at=at, made_at=one.made_at + seconds)
                self._open[one.number] = moved
                self._unwritten.set()

    # --- telling

    def _tell(self, one: Reminder, *, outcome: reminding.Outcome = "met", found: str = "") -> None:
        """Tell a reminder, which is over by that."""
        told = msgspec.structs.replace(
            self._named(one), told_at=self.clock.time(), outcome=outcome, found=found
        )
        self._open.pop(one.number, None)
        self._stop_listening(one.number)
        self._told.append(told)
        _log.info("reminder %d is told", one.number)
        self._tell_in_all_ways(told)
        self._unwritten.set()

    def _named(self, one: Reminder) -> Reminder:
        """Return it with what its session is called now."""
        session = self.sessions.get(one.session) if one.session else None
        return one if session is None else msgspec.structs.replace(one, name=_name(session))

    # --- the file

    async def _load(self) -> None:
        try:
            data = await deadlines.run(partial(files.read, self.path), seconds=_WRITE_SECONDS)
            kept = from_json(data, Kept)
        except FileNotFoundError:
            return
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
            _log.warning("%s cannot be read: %s", self.path, exc)
            self._put_aside()
            return
        except (OSError, TimeoutError) as exc:
            reason = getattr(exc, "strerror", None) or str(exc) or "no answer"
            self.audience.tell("error", _UNREADABLE, path=self.path, reason=reason)
            return
        self._last = max([kept.last, *(one.number for one in (*kept.open, *kept.told))])
        self._open = {one.number: one for one in kept.open[:MOST]}
        self._told.extend(kept.told)

    def _put_aside(self) -> None:
        aside = self.path.with_name(f"{self.path.stem}.broken-{int(self.clock.time())}.json")
        try:
            self.path.rename(aside)
        except OSError as exc:
            _log.warning("%s stays where it is: %s", self.path, exc)
        self.audience.tell("error", _DAMAGED, path=aside)

    async def _write(self) -> None:
        """Write all reminders as they are now.

        Raises:
            OSError: they cannot be written; the file is as it was.
        """
        async with self._writing:
            kept = Kept(last=self._last, open=tuple(self._open.values()), told=tuple(self._told))
            data = msgspec.json.encode(kept)
            try:
                await deadlines.run(partial(files.write, self.path, data), seconds=_WRITE_SECONDS)
            except TimeoutError as exc:
                raise OSError("the disk does not answer") from exc

    async def _keep_written(self) -> None:
        """Write what has changed, for ever; after a fault, try again from time to time."""
        faulty = False
        while True:
            await self._unwritten.wait()
            self._unwritten = anyio.Event()
            try:
                await self._write()
                faulty = False
            except OSError as exc:
                if not faulty:
                    faulty = True
                    reason = exc.strerror or str(exc)
                    self.audience.tell("error", _NOT_WRITTEN, reason=reason)
                await anyio.sleep(_RETRY_SECONDS)
                self._unwritten.set()

    # --- telling

    def _tell_in_all_ways(self, told: Reminder) -> None:
        said = reminding.telling(told)
        by_language = {code: sentence(told, of(code)) for code in LANGUAGES}
        own = by_language[language_from(os.environ, self.settings().language)]
        if self.audience.front_ends():
            self.audience.tell("info", translatable("Reminder: {what}"), what=said)
        else:
            self.agent.keep((own,))
        self.alerts.reminds(str(told.number), own, by_language)
        for client in (*self.audience.front_ends(), *self.audience.others()):
            _send(client, told)
        if told.conversation:
            self.agent.want()


def _send(client: Client, told: Reminder) -> None:
    client.send(messages.Reminded(reminder=told, said=sentence(told, client.words)))


def sentence(told: Reminder, words: Words) -> str:
    said = reminding.telling(told)
    return words.say(said.message, **said.values)


def standing(one: Reminder, words: Words) -> messages.ReminderStanding:
    """Return a reminder with its sentence: of an open one when it is told, else what was told."""
    said = reminding.listed(one) if one.told_at is None else reminding.telling(one)
    return messages.ReminderStanding(reminder=one, said=words.say(said.message, **said.values))


def condition_of(when: str, now: float) -> reminding.When:
    """Read a condition.

    Raises:
        Refusal: it says nothing.
    """
    try:
        return read_when(when, now)
    except BadWhen as exc:
        raise Refusal("bad_request", _BAD_WHEN, when=when) from exc


def _name(session: SessionRuntime) -> str:
    return mask(f"{session.info.number} {session.info.name}")


def _stands(one: Reminder, session: SessionRuntime, now: float) -> bool:
    """Tell whether a session is as the reminder says, and not only since before it was typed into."""
    info, typed_at = session.info, session.run.typed_at or 0.0
    fresh = (info.phase_since or 0.0) >= typed_at or now - typed_at > _SETTLED
    return (fresh or has_ended(info)) and info.condition in reminding.STANDING[one.until]


def _turn_that_is_over(session: SessionRuntime, when: reminding.When) -> str:
    """Return the present turn if it does not count, since several are to come."""
    if when.times == 1 or session.info.condition not in reminding.STANDING.get(when.until, ()):
        return ""
    return turn_of(session.info)
