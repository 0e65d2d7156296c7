"""Reminders: which words are read as which condition, and how it is said."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
import pytest

from nagomi_tui.sessions import reminding
from nagomi_tui.sessions.reminding import BadWhen, Reminder, read_when, seconds_in, split
from nagomi_tui.sessions.session import Session, State
from nagomi_tui.text.words import of

NOW = datetime(2026, 11, 28, 13, 0).timestamp()


def day(*moment: int) -> float:
    return datetime(2026, *moment).timestamp()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("20m", 1200), ("90s", 90), ("1h30m", 5400), ("1h 30m", 5400), ("in 20 minutes", 1200),
        ("1.5h", 5400), ("2 hours and 5 minutes", 7500), ("1d", 86400), ("20分", 1200),
        ("1時間30分後", 5400), ("２０ｍ", 1200), ("after 3 sec", 3), ("366d", 366 * 86400),
    ],
)  # fmt: skip
def test_a_delay_is_read(text: str, seconds: float) -> None:
    found = read_when(text, NOW)
    assert (found.until, found.at, found.clock) == ("time", NOW + seconds, False)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("at 17:00", day(11, 28, 17, 0)), ("17:00", day(11, 28, 17, 0)),
        ("at 5pm", day(11, 28, 17, 0)), ("5:30 p.m.", day(11, 28, 17, 30)),
        ("at 12am", day(11, 29, 0, 0)), ("9:00", day(11, 29, 9, 0)), ("13:00", day(11, 29, 13, 0)),
        ("tomorrow 17:00", day(11, 29, 17, 0)), ("tomorrow at 9:00", day(11, 29, 9, 0)),
        ("2026-12-24 18:00", day(12, 24, 18, 0)), ("17時", day(11, 28, 17, 0)),
        ("明日の9時30分", day(11, 29, 9, 30)), ("１７：００", day(11, 28, 17, 0)),
        ("at 1am", day(11, 29, 1, 0)), ("12pm", day(11, 29, 12, 0)), ("today 13:01", day(11, 28, 13, 1)),
        ("2027-11-29 13:00", datetime(2027, 11, 29, 13, 0).timestamp()),
    ],
)  # fmt: skip
def test_a_time_of_day_is_the_next_one(text: str, at: float) -> None:
    found = read_when(text, NOW)
    assert (found.until, found.at, found.clock) == ("time", at, True)


@pytest.mark.parametrize(
    ("text", "until", "session", "more"),
    [
        ("when 3 fails", "failure", "3", {}), ("tests fail twice", "failure", "tests", {"times": 2}),
        ("if tests has failed 3 times", "failure", "tests", {"times": 3}),
        ("3 fails 1000 times", "failure", "3", {"times": 1000}),
        ("3 passes", "success", "3", {}), ("my build is done", "done", "my build", {}),
        ("build finishes", "done", "build", {}), ("3 asks", "attention", "3", {}),
        ("claude waits for me", "attention", "claude", {}), ("3 needs me", "attention", "3", {}),
        ("3 ends", "exit", "3", {}), ("3 is idle", "idle", "3", {}),
        ("3 is quiet for 5m", "silence", "3", {"seconds": 300.0}),
        ("3 silent 90s", "silence", "3", {"seconds": 90.0}),
        ("once 3 says BUILD (OK|failed)", "output", "3", {"pattern": "BUILD (OK|failed)"}),
        ("３ fails", "failure", "3", {}), ("3 says （はい）", "output", "3", {"pattern": "（はい）"}),
    ],
)  # fmt: skip
def test_what_a_session_comes_to_is_read(
    text: str, until: str, session: str, more: dict[str, Any]
) -> None:
    found = read_when(text, NOW)
    assert (found.until, found.session) == (until, session)
    assert {name: getattr(found, name) for name in more} == more


@pytest.mark.parametrize(
    "text",
    ["", " ", "foo", "3", "fails", "at 25:00", "at 5", "13pm", "0m", "400d", "today 9:00",
     "0am", "367d", "today 13:00", "2027-11-29 13:01", "3 fails 1001 times",
     "2026-02-30 09:00", "2020-01-01 09:00", "3 fails 0 times", "3 ends twice", "3 is quiet for ever",
     "17:00 tea", "20m tea"],
)  # fmt: skip
def test_what_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(BadWhen):
        read_when(text, NOW)
    assert seconds_in(text) is None


@pytest.mark.parametrize(
    ("line", "when", "words"),
    [
        (["20m", "stretch"], "20m", "stretch"),
        (["at", "17:00", "look", "at", "3"], "at 17:00", "look at 3"),
        (["when", "3", "fails", "twice", "say so"], "when 3 fails twice", "say so"),
        (["when", "3", "is", "done"], "when 3 is done", ""),
        (["when", "3", "says", "all green", "deploy it"], "when 3 says all green", "deploy it"),
        (["1h", "30m", "tea"], "1h 30m", "tea"),
        (["3 says all green"], "3 says all green", ""),
        (["3 says all green", "deploy"], "3 says all green", "deploy"),
    ],
)
def test_a_command_line_begins_with_its_condition(line: list[str], when: str, words: str) -> None:
    assert split(line, NOW) == (when, words)


def test_a_command_line_without_a_condition_is_refused() -> None:
    with pytest.raises(BadWhen):
        split(["look", "at", "3"], NOW)


def reminder(**fields: Any) -> Reminder:
    return Reminder(number=4, made_at=NOW, name="3 tests", **fields)


def said(one: Reminder, language: str = "en") -> str:
    found = reminding.telling(one) if one.told_at else reminding.listed(one)
    return of(language).say(found.message, **found.values)


def test_a_reminder_is_said_in_words() -> None:
    at = day(11, 28, 17, 0)
    time_of_day = reminder(until="time", at=at, words="look at 3")
    assert said(time_of_day) == "4: at 17:00: look at 3"
    assert said(msgspec.structs.replace(time_of_day, told_at=at + 1)) == "look at 3"
    assert said(msgspec.structs.replace(time_of_day, told_at=at + 60)) == "look at 3"
    late = msgspec.structs.replace(time_of_day, told_at=at + 61)
    assert said(late) == "look at 3 (late: it was due at 17:00)"
    late = msgspec.structs.replace(time_of_day, told_at=at + 3600)
    assert said(late) == "look at 3 (late: it was due at 17:00)"
    next_day = msgspec.structs.replace(time_of_day, told_at=at + 86400)
    assert said(next_day) == "look at 3 (late: it was due at 2026-11-28 17:00)"
    twice = reminder(until="failure", times=2)
    assert said(twice) == "4: when 3 tests fails (2 times)"
    met = msgspec.structs.replace(twice, told_at=at, outcome="met", words="say so")
    assert said(met) == "3 tests has failed (2 times): say so"
    gone = msgspec.structs.replace(met, outcome="gone", words="", times=1)
    assert said(gone).startswith("3 tests is gone") and said(gone).endswith("when 3 tests fails")


@pytest.mark.parametrize("until", [one for one in reminding._AHEAD])
def test_each_condition_has_its_sentences_in_both_languages(until: Any) -> None:
    ahead = reminder(until=until, pattern="x", seconds=5)
    sentences = {
        said(msgspec.structs.replace(ahead, told_at=told, outcome=outcome), language)
        for language in ("en", "ja")
        for told, outcome in ((None, ""), (NOW, "met"), (NOW, "ended"), (NOW, "replaced"))
    }
    assert len(sentences) == 8 and all("3 tests" in sentence for sentence in sentences)


def test_a_turn_counts_once() -> None:
    one = reminder(until="failure", times=2)
    once = reminding.counted(one, "1 1")
    assert once.counted == 1 and reminding.counted(once, "1 1") is once
    assert reminding.counted(once, "1 2").counted == 2


def test_a_session_that_ended_otherwise_is_missed_unless_its_next_run_may_count() -> None:
    ended = Session(
        session_id="s", number=3, name="tests", cmd="make", cwd="/", state=State.EXITED, exit_code=0
    )
    assert reminding.missed(reminder(until="failure"), ended)
    assert reminding.missed(reminder(until="attention"), ended)
    assert not reminding.missed(reminder(until="done"), ended)
    assert not reminding.missed(reminder(until="failure", times=2), ended)
    running = msgspec.structs.replace(ended, state=State.RUNNING, exit_code=None)
    assert not reminding.missed(reminder(until="failure"), running)
