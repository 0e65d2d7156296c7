"""What calls and how: the rules, without a clock."""

from __future__ import annotations

import pytest

from nagomi_tui.alerts import calls
from nagomi_tui.alerts.calls import (  # fmt: skip
    FIRST_PAUSE,
    IN_SIGHT,
    SPACE,
    Call,
    Cooldown,
    Gathering,
    Wishes,
    body,
    kind_of,
    looks,
    strongest,
    title,
    wanted,
)
from nagomi_tui.judge.verdict import State
from nagomi_tui.settings.model import Settings

LOUD = Wishes(sound="sound_file", notice=True)
SILENT = Wishes(sound="off", notice=False)


def call(session: str, kind: str = "failure") -> Call:
    return Call(session=session, name=session, kind=kind, summary="")  # type: ignore[arg-type]


@pytest.mark.requirement("N-48")
def test_only_turns_that_ended_or_need_the_user_call() -> None:
    called = {state: kind_of(state) for state in State}
    assert called == {
        State.FAILURE: "failure", State.ATTENTION: "attention", State.SUCCESS: "success",
        State.RUNNING: None, State.THINKING: None, State.UNKNOWN: None,
    }  # fmt: skip


@pytest.mark.requirement("N-49", "N-53")
def test_success_is_silent_by_default() -> None:
    settings = Settings()
    assert (settings.sound_failure, settings.sound_attention, settings.sound_success) == (
        "sound_file", "sound_file", "off",
    )  # fmt: skip
    assert (settings.notify_failure, settings.notify_attention, settings.notify_success) == (
        True, True, False,
    )  # fmt: skip
    assert (settings.sound_volume, settings.sound_cooldown) == (0.8, 1500)


@pytest.mark.requirement("NB-18")
def test_what_the_user_ended_or_looks_at_does_not_call() -> None:
    assert wanted(LOUD, quiet=False, looked_at=False) == LOUD
    assert wanted(LOUD, quiet=True, looked_at=False) == SILENT
    assert wanted(LOUD, quiet=False, looked_at=True) == SILENT


def test_a_terminal_that_tells_its_focus_is_believed() -> None:
    assert looks(told=True, idle=3600)
    assert looks(told=False, idle=3)
    assert not looks(told=False, idle=20)


@pytest.mark.requirement("N-50")
def test_the_title_names_the_session() -> None:
    assert Settings().notify_title == ""
    assert title("ゆるつく：{つくり名}", "api") == "ゆるつく：api"
    assert title("{name} calls; {other}", "api") == "api calls; {other}"


@pytest.mark.requirement("N-51")
def test_the_body_is_plain_masked_and_at_most_120_characters() -> None:
    assert len(body("あ" * 500)) == 120
    assert body("あ" * 500).endswith("…")
    assert body("one\x1b]52;c;x\x07\ntwo") == "one ]52;c;x two"
    assert "sk-ant-api03" not in body("key: sk-ant-api03-" + "a1B2c3D4" * 11 + "-abcdefAA")


@pytest.mark.requirement("NB-14")
def test_a_kind_is_not_swallowed_by_another() -> None:
    cooldown = Cooldown()
    assert cooldown.lets("failure", now=0.0, seconds=1.5)
    assert cooldown.lets("attention", now=0.1, seconds=1.5)
    assert not cooldown.lets("failure", now=1.4, seconds=1.5)
    assert cooldown.lets("failure", now=1.5, seconds=1.5)
    assert not cooldown.lets("failure", now=2.9, seconds=1.5)


def test_several_calls_are_told_as_one() -> None:
    gathering = Gathering()
    assert gathering.add(call("a"), now=10.0) == FIRST_PAUSE
    gathering.add(call("b", "attention"), now=10.1)
    gathering.add(call("a", "success"), now=10.1)
    told = gathering.take(now=10.15)
    assert [(one.session, one.kind) for one in told] == [("b", "attention"), ("a", "success")]
    assert strongest(told) == "attention"
    assert gathering.add(call("c"), now=10.25) == pytest.approx(SPACE - 0.1)
    gathering.drop("c")
    assert gathering.take(now=11.15) == ()
    assert gathering.add(call("d"), now=20.0) == FIRST_PAUSE


@pytest.mark.requirement("N-48")
def test_what_calls_while_a_notice_is_in_sight_is_told_with_it() -> None:
    def told(gathering: Gathering, session: str, now: float) -> list[str]:
        gathering.add(call(session), now=now)
        return [one.session for one in gathering.take(now=now)]

    gathering = Gathering()
    assert told(gathering, "a", 10.0) == ["a"]
    assert told(gathering, "b", 12.0) == ["a", "b"]
    assert told(gathering, "a", 14.0) == ["b", "a"]
    gathering.drop("b")  # its user has looked at it
    assert told(gathering, "c", 16.0) == ["a", "c"]
    assert told(gathering, "d", 16.0 + IN_SIGHT) == ["d"]


def test_calls_that_are_told_together_share_the_room_of_one_notice() -> None:
    said = [(name, "long words " * 20) for name in "abcdef"]
    for count, room in ((1, 117), (2, 57), (4, 27), (6, 27)):
        parts = calls.together(said[:count]).split(" · ")
        assert [part[0] for part in parts] == [name for name, _ in said[:count]][-4:]
        assert {len(part) for part in parts} <= {room - 1, room}
    assert calls.together([("a", "done"), ("b", "failed")]) == "a: done · b: failed"


@pytest.mark.parametrize(
    ("hours", "clock", "found"),
    [
        ("22:00-07:00", "23:30", True), ("22:00-07:00", "06:59", True),
        ("22:00-07:00", "07:00", False), ("22:00-07:00", "12:00", False),
        ("12:00-13:00", "12:59", True), ("12:00-13:00", "13:00", False),
        ("22:00-07:00", "22:00", True), ("22:00-07:00", "21:59", False),
        ("12:30-13:15", "12:29", False), ("12:30-13:15", "12:30", True),
        ("12:30-13:15", "13:14", True), ("08:00-08:00", "08:00", False), ("08:00-08:00", "09:00", False),
        ("", "12:00", False), ("nonsense", "12:00", False),
    ],
)  # fmt: skip
def test_quiet_hours_may_pass_midnight(hours: str, clock: str, found: bool) -> None:
    hour, minute = map(int, clock.split(":"))
    assert calls.in_hours(hours, hour * 60 + minute) is found


def test_durations() -> None:
    texts = ("1h", "90m", "30s", "2", "x", "0h", "99d", "7d", "0.5 min")
    told = {text: calls.seconds(text) for text in texts}
    assert told == {
        "1h": 3600, "90m": 5400, "30s": 30, "2": 120, "x": None, "0h": None, "99d": None,
        "7d": 604_800, "0.5 min": 30,
    }  # fmt: skip
