"""`/work` and `/normal`: what is read from a line, and what is answered without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.agent.overlay import (
    DEFAULT_WORK_OVERLAY_TURNS,
    Overlay,
    WorkCommand,
    changed,
    directive,
    replies,
    usage,
    work_command,
)

USAGE = usage()
_ON_8 = WorkCommand("on", 8, ok=True)
_OFF = WorkCommand("off", ok=True)
_STATUS = WorkCommand("status", ok=True)
_USAGE = WorkCommand("status", ok=True, usage=True)
_NONE = WorkCommand()
_OFF_OVERLAY = Overlay()


def _answer(text: str, overlay: Overlay = _OFF_OVERLAY) -> tuple[str, ...]:
    command = work_command(text)
    assert command.ok
    return replies(changed(overlay, command, directive()), command)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/normal", _OFF),
        ("  /normal \n", _OFF),
        ("/normal now", _NONE),
        ("/work", _ON_8),
        ("/work off", _OFF),
        ("/work OFF", _OFF),
        ("/work status", _STATUS),
        ("/work 1", WorkCommand("on", 1, ok=True)),
        ("/work 50", WorkCommand("on", 50, ok=True)),
        ("work", _NONE),
        ("please /work", _NONE),
        ("", _NONE),
        (" ", _NONE),
    ],
)
@pytest.mark.requirement("W-7", "W-8", "W-9", "W-10", "W-11", "W-12", "W-13")
def test_a_line_is_read(text: str, command: WorkCommand) -> None:
    assert work_command(text) == command


@pytest.mark.requirement("W-3")
def test_the_default_is_eight_turns() -> None:
    assert DEFAULT_WORK_OVERLAY_TURNS == 8 == work_command("/work").turns


@pytest.mark.parametrize("text", ["/work x", "/work 5 6", "/work 5\ndo it", "/work off now"])
@pytest.mark.requirement("W-14", "X-11")
def test_a_malformed_command_is_answered_by_status_and_usage(text: str) -> None:
    assert work_command(text) == _USAGE
    left = "仕事モード残り：5ターン。解除は /normal です。"
    assert _answer(text, Overlay(5, "d")) == (left, USAGE)
    assert USAGE == "使い方: /work [N] | /work status | /work off"


@pytest.mark.parametrize("text", ["/work 0", "/work 51", "/work 100"])
@pytest.mark.requirement("WC-3")
def test_a_number_out_of_range_counts_as_status(text: str) -> None:
    assert work_command(text) == _USAGE
    assert changed(Overlay(5, "d"), work_command(text), "d") == Overlay(5, "d")


@pytest.mark.parametrize("text", ["/workspace", "/worker 3", "/works", "/work5", "/normalise"])
@pytest.mark.requirement("WB-1")
def test_the_first_word_is_compared_whole(text: str) -> None:
    assert work_command(text) == _NONE


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("／ｗｏｒｋ　５", WorkCommand("on", 5, ok=True)),
        ("/WORK", _ON_8),
        ("/work　", _ON_8),
        ("　／ｗｏｒｋ　ｏｆｆ　", _OFF),
        ("／ＮＯＲＭＡＬ", _OFF),
        ("／ｗｏｒｋ　ｓｔａｔｕｓ", _STATUS),
        ("/work １２", WorkCommand("on", 12, ok=True)),
        ("／ｗｏｒｋｓｐａｃｅ", _NONE),
    ],
)
@pytest.mark.requirement("WB-5")
def test_what_an_ime_types_is_read_as_plain(text: str, command: WorkCommand) -> None:
    assert work_command(text) == command


@pytest.mark.parametrize("number", ["-0", "+5", "1e1", "5.0", "005", "٥", "0x5", "-3", "5_0"])
@pytest.mark.requirement("WB-6")
def test_only_one_or_two_digits_are_a_number(number: str) -> None:
    assert work_command(f"/work {number}") == _USAGE


@pytest.mark.requirement("WB-6")
def test_two_digits_may_begin_with_a_zero() -> None:
    assert work_command("/work 08") == _ON_8
    assert work_command("/work 00") == _USAGE


@given(st.text())
@pytest.mark.requirement("W-7")
def test_any_text_is_read_as_one_kind_or_none(text: str) -> None:
    command = work_command("/work " + text)
    assert (command.kind == "on") == (1 <= command.turns <= 50)
    assert command.ok and command.kind
    if not work_command(text).ok:
        assert work_command(text) == _NONE


@pytest.mark.requirement("W-16")
def test_on_sets_turns_and_directive() -> None:
    assert changed(Overlay(), work_command("/work 3"), directive()) == Overlay(3, directive())


@pytest.mark.parametrize("text", ["/normal", "/work off"])
@pytest.mark.requirement("W-17", "W-37")
def test_off_clears_both_at_once(text: str) -> None:
    assert changed(Overlay(3, "d"), work_command(text), "d") == Overlay(0, "")


@pytest.mark.requirement("W-18")
def test_status_changes_nothing() -> None:
    assert changed(Overlay(3, "d"), work_command("/work status"), "d") == Overlay(3, "d")


@pytest.mark.requirement("W-27")
def test_on_is_confirmed_with_its_number() -> None:
    assert _answer("/work") == ("了解しました。以後8ターン、仕事モードで進めます。",)
    assert _answer("/work 3") == ("了解しました。以後3ターン、仕事モードで進めます。",)


@pytest.mark.requirement("W-28")
def test_status_tells_what_is_left_and_the_way_out() -> None:
    left = "仕事モード残り：5ターン。解除は /normal です。"
    assert _answer("/work status", Overlay(5, "d")) == (left,)


@pytest.mark.parametrize("text", ["/normal", "/work off"])
@pytest.mark.requirement("W-29")
def test_off_is_confirmed(text: str) -> None:
    assert _answer(text, Overlay(5, "d")) == ("了解しました。会話モードに戻します。",)


@pytest.mark.requirement("WC-2")
def test_status_while_off_tells_how_to_switch_on() -> None:
    off = "現在は会話モードです。仕事モードは /work で有効にできます。"
    assert _answer("/work status") == (off,)
    assert _answer("/work x") == (off, USAGE)


@pytest.mark.requirement("W-27", "W-28", "W-29")
def test_in_english_the_replies_are_english() -> None:
    on = changed(Overlay(), _ON_8, "d")
    assert replies(on, _ON_8, "en") == ("Understood. Work mode is on; answers left: 8.",)
    assert replies(on, _USAGE, "en") == (
        "Work mode is on; answers left: 8. /normal ends it.",
        "Usage: /work [N] | /work status | /work off",
    )
    assert replies(Overlay(), _OFF, "en") == ("Understood. Back to talking.",)
    assert replies(Overlay(), _STATUS, "en") == ("This is plain talking. /work begins work mode.",)
