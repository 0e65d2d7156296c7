"""How the room stands, as the model is told with each message of the user: what nagomi knows itself.

It goes with the newest message only and is never stored, so that all before it stays the same from
request to request and servers can cache it; within a turn it does not change either. It takes no
more than a small share of the model's window.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

import anyio

from nagomi_tui.agent.context.sizes import tokens_in
from nagomi_tui.agent.modes.mode import in_progress
from nagomi_tui.agent.modes.modes import Modes
from nagomi_tui.agent.modes.notes import escaped
from nagomi_tui.agent.providers.interface import Clock, Mask
from nagomi_tui.agent.tools.interface import ToolFault, Workplace, is_own
from nagomi_tui.agent.tools.toolbox import fenced
from nagomi_tui.agent.turns.questions import QuestionContext
from nagomi_tui.agent.turns.unasked import Spoken, Unasked
from nagomi_tui.api import messages
from nagomi_tui.sessions.session import AT_WORK, Condition, Session, State, has_ended
from nagomi_tui.sessions.standing import needs_user
from nagomi_tui.text.cells import printable
from nagomi_tui.text.words import Words, translatable

SHARE: Final = 0.05
"""The most of the model's window that it takes."""
MOST_TOKENS: Final = 2500
LEAST_TOKENS: Final = 200
MOST_SESSIONS: Final = 40
MOST_ASKING: Final = 6
"""Sessions whose question is read from their screens."""
MOST_REMINDERS: Final = 10
_LINE: Final = 220
_MEMORY: Final = 2000
_SECONDS: Final = 2.0
"""Seconds after which the workplace is not waited for any more."""
_CALLS: Final = frozenset({Condition.ATTENTION, Condition.ERROR})
_FAILURES: Final = frozenset({Condition.ERROR, Condition.ENDED_EARLY, Condition.LOST})
_ABOUT: Final = "nagomi tells this with each message of the user: how all stood when it came."


class Known(NamedTuple):
    """What the workplace has told."""

    sessions: tuple[Session, ...]
    questions: dict[str, str]
    """What the waiting ones ask, by their ids."""
    reminders: messages.ReminderList


class Told(NamedTuple):
    """How the room stands, as the model is told."""

    text: str
    """Empty without anything to tell."""
    names: dict[str, str]
    """The sessions by their ids."""
    foreign: frozenset[str]
    """What of it the user did not say: lines of sessions, found lines, notes, words of its own."""


@dataclass(eq=False)
class Room:
    """Gathers how the room stands, masked."""

    workplace: Workplace
    known: QuestionContext
    modes: Modes
    unasked: Unasked
    _: KW_ONLY
    mask: Mask
    now: Clock = time.time

    async def ask(self) -> Known | None:
        """Return what the workplace knows; None if none runs or it does not answer soon."""
        with anyio.move_on_after(_SECONDS), contextlib.suppress(ToolFault):
            async with self.workplace.connected() as request:
                found = (await request(messages.ListSessions(id=0))).sessions
                reminders = await request(messages.ListReminders(id=0))
                told = tuple(one for one in found if not is_own(one))
                questions = {
                    one.session_id: asked
                    for one in waiting(told)[:MOST_ASKING]
                    if (asked := self._question(await request(_asks(one))))
                }
            return Known(told, questions, reminders)
        return None

    def _question(self, told: messages.OpenStanding) -> str:
        """Return what a session asks with its choices; empty if nothing can be read."""
        if (question := told.question) is None:
            return ""
        choices = ", ".join(
            f"{one.key}: {one.label}" if one.label else one.key for one in question.choices
        )
        return _plain(self.mask(f"{question.text} ({choices})" if choices else question.text))

    def memory(self) -> str:
        """Return what the agent remembers, from its beginning; empty if the file cannot be read."""
        return self.known.memory()[:_MEMORY]

    async def block(
        self, *, since: float, before: Mapping[str, str], conversation: str, limit: int
    ) -> Told:
        """Return how the room stands.

        `since` is when the user last said something, `before` are the sessions of that moment,
        `conversation` is the id of the one that is open, and `limit` the model's window in tokens.
        """
        known, now = await self.ask(), self.now()
        parts = _Parts(max(LEAST_TOKENS, min(MOST_TOKENS, int(limit * SHARE))), self.mask)
        foreign, names = set[str](), dict(before)
        if known is not None:
            ranked = sorted(known.sessions, key=_rank)
            lines = [session_line(one, now, known.questions) for one in ranked]
            reminders = _reminders(known.reminders, since, conversation)
            parts.add("sessions", lines[:MOST_SESSIONS], more=len(lines) - MOST_SESSIONS)
            parts.add("changed_since_last_message", changed(known.sessions, before, since))
            parts.add("reminders", reminders)
            names = {one.session_id: _name(one) for one in known.sessions}
            foreign |= {f"{_name(one)}\0{_asks_of(one, known.questions)}" for one in ranked}
            foreign |= set(reminders)
        said = [_spoken(one) for one in self.unasked.spoken_since(since, besides=conversation)]
        tasks, memory, notes = self._tasks(), self.memory().splitlines(), self.known.notes()
        parts.add("you_said_unasked", said)
        parts.add("tasks", tasks)
        parts.add("memory", memory)
        parts.add_made(notes)
        foreign |= {*said, *tasks, *memory, notes}
        return Told(parts.text(now), names, frozenset(foreign - {""}))

    def _tasks(self) -> Sequence[str]:
        with contextlib.suppress(OSError):
            return in_progress(self.modes.notes.next_steps())
        return ()


class _Parts:
    """Puts parts together as long as they fit; each is between tags that it cannot close (MB-9)."""

    def __init__(self, tokens: int, mask: Mask) -> None:
        self._left = tokens
        self._mask = mask
        self._made: list[str] = []

    def add(self, name: str, lines: Iterable[str], *, more: int = 0) -> None:
        """Add lines; those for which there is no room are counted."""
        kept: list[str] = []
        left_out = max(0, more)
        for line in lines:
            text = escaped(_plain(self._mask(line)))
            cost = tokens_in(text) + 1
            if not text or left_out > max(0, more) or cost > self._left:
                left_out += bool(text)
                continue
            self._left -= cost
            kept.append(text)
        if left_out:
            kept.append(f"… and {left_out} more")
        if kept:
            self._made.append("\n".join([f"<{name}>", *kept, f"</{name}>"]))

    def add_made(self, section: str) -> None:
        """Add a section that has its tags already, if there is room for it."""
        text = self._mask(section)
        if text and tokens_in(text) <= self._left:
            self._left -= tokens_in(text)
            self._made.append(text)

    def text(self, now: float) -> str:
        if not self._made:
            return ""
        when = f"{_local(now):%A %Y-%m-%d %H:%M}"
        return "\n".join([f'<room at="{when}">', _ABOUT, fenced("\n".join(self._made)), "</room>"])


def _asks(one: Session) -> messages.Asks:
    return messages.Asks(id=0, session=one.session_id)


def waiting(sessions: Iterable[Session]) -> list[Session]:
    """Return the sessions that ask their user something, the one that waits longest first."""
    asking = [one for one in sessions if one.condition is Condition.ATTENTION]
    return sorted(asking, key=lambda one: one.phase_since or 0.0)


MOST_GREETED: Final = 9
"""Sessions that a greeting names, each with a key."""
MOST_SAID: Final = 5
_ASKS: Final = translatable("  Alt+{key} · {session} asks: {asks} ({age})")
_FAILED: Final = translatable("  Alt+{key} · {session} has failed: {asks} ({age})")
_WAIT: Final = translatable("{count} wait for you:")
_WAITS: Final = translatable("One waits for you:")
_NOBODY: Final = translatable("Nobody waits for you; at work: {count} of {all}.")
_NEXT: Final = translatable("Reminders: {count}; the next: {said}")
_WHY: Final = translatable("Why has {session} failed?")
_NO_QUESTION: Final = translatable("{session} asks nothing now.")
_CHOICE: Final = translatable("  {key}: {label}")


def greeting(
    known: Known, said: Sequence[str], words: Words, mask: Mask, now: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the user is greeted with, and what its keys begin to say for them.

    These are the sessions that ask or have failed, the reminders, and what was `said` unasked since
    the user's last message.
    """
    failed = [one for one in known.sessions if needs_user(one) and one.condition in _FAILURES]
    callers = [*waiting(known.sessions), *failed][:MOST_GREETED]
    lines, keys = [_heading(known, len(callers), words)], []
    for key, one in enumerate(callers, 1):
        asks = one.condition is Condition.ATTENTION
        unit, count = _age(now - (one.ended_at or one.phase_since or now))
        age = words.say(_AGES[unit], count=count)
        told = mask(known.questions.get(one.session_id) or one.summary or one.title)
        name = mask(_name(one))
        lines.append(
            words.say(_ASKS if asks else _FAILED, key=key, session=name, asks=_plain(told), age=age)
        )
        keys.append(f"/answer {one.number} " if asks else words.say(_WHY, session=name))
    if known.reminders.open:
        first = min(known.reminders.open, key=lambda one: one.reminder.at or float("inf"))
        count = len(known.reminders.open)
        lines.append(words.say(_NEXT, count=count, said=first.said))
    return (*lines, *said[-MOST_SAID:]), tuple(keys)


def _heading(known: Known, count: int, words: Words) -> str:
    if count:
        return words.say(_WAITS) if count == 1 else words.say(_WAIT, count=count)
    at_work = sum(one.phase in AT_WORK for one in known.sessions if not has_ended(one))
    return words.say(_NOBODY, count=at_work, all=len(known.sessions))


def asked_lines(found: messages.OpenStanding, words: Words, mask: Mask) -> tuple[str, ...]:
    """Return what a session asks, with the keys of its choices."""
    question, name = found.question, mask(f"{found.number} {found.name}")
    if question is None:
        return (words.say(_NO_QUESTION, session=name),)
    choices = [words.say(_CHOICE, key=one.key, label=mask(one.label)) for one in question.choices]
    return (f"{name}: {mask(question.text)}", *map(mask, question.details), *choices)


def session_line(one: Session, now: float, questions: Mapping[str, str]) -> str:
    """Return a line on how a session stands, since when, and what it asks."""
    since = one.ended_at if has_ended(one) else one.phase_since
    told = one.condition.word if one.condition is not Condition.ATTENTION else "waits for the user"
    age = f", for {age_of(now - since)}" if since else ""
    unseen = ", not seen by the user yet" if needs_user(one) and one.condition not in _CALLS else ""
    asks = _asks_of(one, questions)
    agent = f" [{one.agent_name}]" if one.agent_name else ""
    return f"- {_name(one)}{agent}: {told}{age}{unseen}" + (f": {asks}" if asks else "")


def _asks_of(one: Session, questions: Mapping[str, str]) -> str:
    """Return what a session asks, or else what it says of itself."""
    return questions.get(one.session_id) or one.summary or one.title


def changed(sessions: Iterable[Session], before: Mapping[str, str], since: float) -> list[str]:
    """Return what became of sessions since then: new ones, those that are gone, and all that rest."""
    lines, here = [], set[str]()
    for one in sessions:
        here.add(one.session_id)
        at = max(one.ended_at or 0.0, one.phase_since or 0.0)
        if before and one.session_id not in before:
            lines.append(f"- {_name(one)} is new")
        elif since and at > since and (one.condition in _CALLS or _is_over(one)):
            lines.append(f"- {_name(one)}: {one.condition.word}")
    return [*lines, *(f"- {name} is gone" for id, name in before.items() if id not in here)]


def _is_over(one: Session) -> bool:
    return has_ended(one) or one.condition is Condition.SUCCESS


def _reminders(found: messages.ReminderList, since: float, conversation: str) -> list[str]:
    told = [
        f"told meanwhile: {one.said}"
        for one in found.told
        if (one.reminder.told_at or 0.0) > since and one.reminder.conversation != conversation
    ]
    return [f"- {line}" for line in (*told, *(one.said for one in found.open[:MOST_REMINDERS]))]


def _spoken(one: Spoken) -> str:
    return f"- {_local(one.at):%H:%M} {one.text}"


def _rank(one: Session) -> tuple[int, float]:
    if one.condition in _CALLS:
        return 0, one.phase_since or 0.0
    order = 3 if one.state is State.SAVED else 2 if has_ended(one) and not one.waits else 1
    return order, -(one.last_output_at or 0.0)


def _name(one: Session) -> str:
    return f"{one.number} {one.name}"


_AGES: Final = {
    "d": translatable("{count} d"),
    "h": translatable("{count} h"),
    "min": translatable("{count} min"),
    "s": translatable("{count} s"),
}


def age_of(seconds: float) -> str:
    """Return a duration in its largest unit."""
    unit, count = _age(seconds)
    return f"{count} {unit}"


def _age(seconds: float) -> tuple[str, int]:
    seconds = max(0.0, seconds)
    for unit, each in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= each:
            return unit, int(seconds // each)
    return "s", int(seconds)


def _plain(text: str) -> str:
    return " ".join(printable(text).split())[:_LINE]


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC).astimezone()
