"""Reminders: what a user wants to be told and when, read from plain words, and how it is told.

A condition is a time, or something that a session comes to. Times are seconds since the epoch.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

import msgspec

from nagomi_tui.sessions.session import Condition, Session, has_ended
from nagomi_tui.text.patterns import lazy
from nagomi_tui.text.words import Said, translatable

Until: TypeAlias = Literal[
    "time", "exit", "failure", "success", "done", "attention", "idle", "silence", "output"
]
Outcome: TypeAlias = Literal["", "met", "ended", "gone", "replaced"]

WORDS_LIMIT: Final = 500
"""Most characters of what is to be told."""
LONGEST: Final = 366 * 86400.0
LATE: Final = 60.0
"""Seconds after which a time that was missed, as by a machine that slept, is told as late."""
_MOST_TIMES: Final = 1000

STANDING: Final[dict[str, frozenset[Condition]]] = {
    "failure": frozenset({Condition.ERROR, Condition.ENDED_EARLY, Condition.LOST}),
    "success": frozenset({Condition.SUCCESS, Condition.ENDED_WELL}),
    "attention": frozenset({Condition.ATTENTION}),
}
STANDING["done"] = STANDING["failure"] | STANDING["success"]
STANDING["idle"] = STANDING["done"] | {Condition.IDLE, Condition.LISTENING, Condition.STOPPED}


class Reminder(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be told, and when. All text is masked."""

    number: int = 0
    words: str = ""
    """What the user is told; empty for no more than what happened."""
    until: Until = "time"
    session: str = ""
    """The id of the session that is watched; empty for a time."""
    name: str = ""
    """That session as it was called last: its number and name."""
    at: float = 0.0
    """When a time is due."""
    clock: bool = False
    """`at` is a time of day, which a clock that is set does not move; else a delay."""
    pattern: str = ""
    """The regular expression of a line for `output`."""
    seconds: float = 0.0
    """Seconds without output for `silence`."""
    times: int = 1
    """How many turns have to end so."""
    counted: int = 0
    """How many have."""
    turn: str = ""
    """The turn that was counted last."""
    line: int | None = None
    """For `output`, the first line that counts: what stood there before does not."""
    made_at: float = 0.0
    conversation: str = ""
    """The id of the agent's conversation it was set in, which is told, too; empty for none."""
    outcome: Outcome = ""
    """How it came to be told: the condition was met, or can be met no more."""
    found: str = ""
    """The line that matched."""
    told_at: float | None = None
    written: bool = False
    """It stands in its conversation."""


class BadWhen(ValueError):
    """Words that say no time and nothing of a session."""


class When(msgspec.Struct, frozen=True, kw_only=True):
    """A condition as it was read; `session` is what the user calls it."""

    until: Until
    session: str = ""
    at: float = 0.0
    clock: bool = False
    pattern: str = ""
    seconds: float = 0.0
    times: int = 1


# --- reading

_SPAN: Final = lazy(
    r"(\d+(?:\.\d+)?)\s*(?:(s|secs?|seconds?|秒)|(m|mins?|minutes?|分)|(h|hrs?|hours?|時間)|(d|days?|日))"
    r"(?:間|後)?(?=$|[\s\d,]|and\b)[\s,]*(?:and\s+)?",
    re.IGNORECASE,
)
_UNITS: Final = (1.0, 60.0, 3600.0, 86400.0)
_CLOCK: Final = lazy(
    r"(?:(?P<day>today|tomorrow|今日|明日|\d{4}-\d{1,2}-\d{1,2})[\sT]*(?:の|at\s+)?)?"
    r"(?:(?P<hour>\d{1,2})(?::|時)(?P<minute>\d{2})?(?:分)?(?:\s*(?P<half>[ap])\.?m\.?)?"
    r"|(?P<bare>\d{1,2})\s*(?P<part>[ap])\.?m\.?)(?:に)?",
    re.IGNORECASE,
)
_BEFORE: Final = lazy(r"^(?:when|if|once|as soon as|that)\s+", re.IGNORECASE)
_TIMES: Final = lazy(r"\s+(?:(once)|(twice)|(thrice|three times)|(\d{1,4})\s*(?:times|x))$", re.I)
_COMES_TO: Final[tuple[tuple[Until, str], ...]] = (
    ("failure", r"(?:has\s+)?(?:fails?|failed|breaks|broken)"),
    ("success", r"(?:has\s+)?(?:succeeds?|succeeded|pass(?:es)?|passed)"),
    ("done", r"(?:(?:is|are|has)\s+)?(?:done|finish(?:es)?|finished|ready|complete[sd]?)"),
    ("exit", r"(?:has\s+)?(?:ends?|ended|exits?|exited|stops?|stopped|dies)"),
    (
        "attention",
        r"(?:asks?|waits?|is waiting|needs? (?:me|you|input|an answer))(?: for (?:me|you))?",
    ),
    ("idle", r"(?:(?:is|are)\s+)?(?:idle|at rest)"),
)
_SESSION: Final = tuple(
    (until, lazy(rf"(?P<session>\S.*?)\s+{words}", re.IGNORECASE)) for until, words in _COMES_TO
)
_SILENT: Final = lazy(
    r"(?P<session>\S.*?)\s+(?:(?:is|are|goes|has been)\s+)?(?:quiet|silent|still)(?:\s+for)?\s+(?P<span>.+)",
    re.IGNORECASE,
)
_SAYS: Final = lazy(
    r"(?P<session>\S.*?)\s+(?:says|prints|shows|outputs)\s+(?P<pattern>.+)", re.IGNORECASE
)


def seconds_in(text: str) -> float | None:
    """Return the seconds of a duration such as `90s`, `1h 30m` or `20 minutes`; None for others."""
    at, total = 0, 0.0
    while at < len(text):
        found = _SPAN.match(text, at)
        if found is None:
            return None
        unit = next(index for index, given in enumerate(found.groups()[1:]) if given)
        total += float(found[1]) * _UNITS[unit]
        at = found.end()
    return total if 0 < total <= LONGEST else None


def read_when(text: str, now: float) -> When:
    """Read a condition: `20m`, `at 17:00`, `tomorrow 9:00`, `3 fails twice`, `build says ERROR` …

    A time of day is the next one, in the local time zone.

    Raises:
        BadWhen: it is none of these.
    """
    words = unicodedata.normalize("NFKC", text).strip()
    if (delay := seconds_in(re.sub(r"^(?:in|after)\s+", "", words, flags=re.I))) is not None:
        return When(until="time", at=now + delay)
    if (at := _clock_in(re.sub(r"^at\s+", "", words, flags=re.I), now)) is not None:
        return When(until="time", at=at, clock=True)
    found = _read_session(_BEFORE.sub("", text.strip(), count=1))
    number = unicodedata.normalize("NFKC", found.session)
    return msgspec.structs.replace(found, session=number) if number.isdecimal() else found


def _clock_in(text: str, now: float) -> float | None:
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    hour, minute = int(found["hour"] or found["bare"]), int(found["minute"] or 0)
    half = (found["half"] or found["part"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    today = datetime.fromtimestamp(now)
    day = (found["day"] or "").lower()
    try:
        due = today.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if day in ("tomorrow", "明日"):
            due += timedelta(days=1)
        elif day not in ("", "today", "今日"):
            year, month, date = map(int, day.split("-"))
            due = due.replace(year=year, month=month, day=date)
        elif not day and due.timestamp() <= now:
            due += timedelta(days=1)
    except (ValueError, OverflowError):
        return None
    at = due.timestamp()
    return at if now < at <= now + LONGEST else None


def _read_session(words: str) -> When:
    if found := _SAYS.fullmatch(words):
        return When(until="output", session=found["session"], pattern=found["pattern"])
    if (found := _SILENT.fullmatch(words)) and (span := seconds_in(found["span"])) is not None:
        return When(until="silence", session=found["session"], seconds=span)
    times = 1
    if counted := _TIMES.search(words):
        _, twice, thrice, number = counted.groups()
        times = 2 if twice else 3 if thrice else int(number or 1)
        words = words[: counted.start()]
    for until, pattern in _SESSION:
        found = pattern.fullmatch(words)
        if found and 1 <= times <= _MOST_TIMES and (times == 1 or until not in ("exit", "idle")):
            return When(until=until, session=found["session"], times=times)
    raise BadWhen(words)


def split(arguments: list[str], now: float) -> tuple[str, str]:
    """Divide the words of a command line into condition and what is to be told, which may be empty.

    The condition is the longest beginning that can be read as one; an expression is one argument.

    Raises:
        BadWhen: it begins with no condition.
    """
    for last in range(len(arguments), 0, -1):
        when = " ".join(arguments[:last])
        try:
            found = read_when(when, now)
        except BadWhen:
            continue
        if found.until == "output" and last > 1 and found.pattern != arguments[last - 1].strip():
            continue
        return when, " ".join(arguments[last:])
    raise BadWhen(" ".join(arguments))


# --- saying

_AHEAD: Final[dict[str, str]] = {
    "exit": translatable("when {session} ends"),
    "failure": translatable("when {session} fails"),
    "success": translatable("when {session} succeeds"),
    "done": translatable("when {session} is done"),
    "attention": translatable("when {session} waits for you"),
    "idle": translatable("when {session} is idle"),
    "silence": translatable("when {session} is quiet for {seconds:g} s"),
    "output": translatable("when {session} says `{pattern}`"),
}
_MET: Final[dict[str, str]] = {
    "exit": translatable("{session} has ended"),
    "failure": translatable("{session} has failed"),
    "success": translatable("{session} has succeeded"),
    "done": translatable("{session} is done"),
    "attention": translatable("{session} waits for you"),
    "idle": translatable("{session} is idle"),
    "silence": translatable("{session} is quiet for {seconds:g} s"),
    "output": translatable("{session} says: {found}"),
}
_MISSED: Final[dict[str, str]] = {
    "ended": translatable("{session} has ended, so that this cannot happen any more: {condition}"),
    "gone": translatable("{session} is gone, so that this cannot happen any more: {condition}"),
    "replaced": translatable(
        "{session} is gone, and another session has its name; this was about the former: {condition}"
    ),
}


def condition(reminder: Reminder) -> Said:
    """Return when it is told, as a part of a sentence."""
    if reminder.until == "time":
        return Said(translatable("at {clock}"), {"clock": clock(reminder.at, reminder.made_at)})
    return _counted(Said(_AHEAD[reminder.until], _values(reminder)), reminder)


def telling(reminder: Reminder) -> Said:
    """Return the sentence by which it is told: what happened, and the user's words."""
    what, words = _happened(reminder), reminder.words
    if what is None:
        said = Said("{words}", {"words": words})
    elif words:
        said = Said(translatable("{what}: {words}"), {"what": what, "words": words})
    else:
        said = what
    told_at = reminder.told_at or 0.0
    if reminder.until == "time" and told_at - reminder.at > LATE:
        due = clock(reminder.at, told_at)
        return Said(
            translatable("{what} (late: it was due at {clock})"), {"what": said, "clock": due}
        )
    return said


def listed(reminder: Reminder) -> Said:
    """Return an open reminder as a line of a list."""
    values = {"number": reminder.number, "condition": condition(reminder), "words": reminder.words}
    if not reminder.words:
        return Said(translatable("{number}: {condition}"), values)
    return Said(translatable("{number}: {condition}: {words}"), values)


def _happened(reminder: Reminder) -> Said | None:
    """Return what happened; None for a time whose words say enough."""
    if reminder.until == "time":
        if reminder.words:
            return None
        return Said(translatable("It is {clock}"), {"clock": clock(reminder.at, reminder.at)})
    if reminder.outcome in _MISSED:
        values = {"session": reminder.name, "condition": condition(reminder)}
        return Said(_MISSED[reminder.outcome], values)
    return _counted(Said(_MET[reminder.until], _values(reminder)), reminder)


def _counted(said: Said, reminder: Reminder) -> Said:
    if reminder.times == 1:
        return said
    return Said(translatable("{what} ({times} times)"), {"what": said, "times": reminder.times})


def _values(reminder: Reminder) -> dict[str, object]:
    return {
        "session": reminder.name,
        "seconds": reminder.seconds,
        "pattern": reminder.pattern,
        "found": reminder.found,
    }


def clock(at: float, now: float) -> str:
    """Return a time of day, with the date if it is another than that of `now`."""
    then = datetime.fromtimestamp(at)
    same_day = then.date() == datetime.fromtimestamp(now).date()
    return then.strftime("%H:%M" if same_day else "%Y-%m-%d %H:%M")


# --- what a session comes to


def turn_of(session: Session) -> str:
    """Return what tells a session's turns apart, those of an earlier run of its command, too."""
    return f"{session.started_at} {session.turn}"


def counted(reminder: Reminder, turn: str) -> Reminder:
    """Return the reminder after a turn that ended as it says; a turn counts once."""
    if reminder.turn == turn:
        return reminder
    return msgspec.structs.replace(reminder, turn=turn, counted=reminder.counted + 1)


def missed(reminder: Reminder, session: Session) -> bool:
    """Tell whether a session has ended in another way than the one that is waited for.

    One that is to fail twice goes on with the next run of its command.
    """
    if not has_ended(session) or reminder.times > 1:
        return False
    standing = STANDING.get(reminder.until)
    return standing is not None and session.condition not in standing
