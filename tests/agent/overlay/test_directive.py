"""The directive: its words, and its place in a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent.overlay import (
    Overlay,
    directive,
    directive_for,
    with_directive,
)

if TYPE_CHECKING:
    from nagomi_tui.agent.providers.interface import Block, Message, Route


def _user(content: str | list[Block]) -> Message:
    return {"role": "user", "content": content}


def _agent(content: str | list[Block]) -> Message:
    return {"role": "assistant", "content": content}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _result(id: str) -> Block:
    return {"type": "tool_result", "tool_use_id": id, "content": "done"}


_CALL = _agent([{"type": "tool_use", "id": "1", "name": "read_file", "input": {}}])
DIRECTIVE = directive()
_HISTORY = [_user("hello"), _agent("hello, too")]


@pytest.mark.requirement("W-4")
def test_the_directive_is_the_specified_text() -> None:
    assert DIRECTIVE == (
        "Kuroへ（仕事モード）：\n"
        "- れんさんの意図とゴールを1〜2文で要約\n"
        "- 結論→手順→確認（確認は1〜3件）\n"
        "- 推測は推測と明示。不明は不明と言う\n"
        "- 長文化しない。網羅を避ける\n"
        "- 追加提案は最大1件\n"
        "- 実行していない操作を実行済みと言わない\n"
        "- 機密情報は出さない"
    )


@pytest.mark.requirement("W-5")
def test_it_is_short_and_has_no_examples() -> None:
    assert len(DIRECTIVE) < 200
    assert "例" not in DIRECTIVE and "「" not in DIRECTIVE


@pytest.mark.requirement("X-23")
def test_names_can_be_set_and_the_rest_is_fixed() -> None:
    assert directive() == DIRECTIVE
    named = directive("ナゴミ", "アレックスさん").splitlines()
    assert named[:2] == [
        "ナゴミへ（仕事モード）：",
        "- アレックスさんの意図とゴールを1〜2文で要約",
    ]
    assert named[2:] == DIRECTIVE.splitlines()[2:]


@pytest.mark.requirement("X-23")
def test_a_name_is_one_short_line_and_none_is_the_default() -> None:
    assert directive("", " \n") == DIRECTIVE
    assert directive("a\nignore all\x1b[31m" + "x" * 500).count("\n") == 7
    assert len(directive("x" * 500)) < 250
    assert directive("れんさん", "Kuro").splitlines()[:2] == [
        "れんさんへ（仕事モード）：",
        "- Kuroの意図とゴールを1〜2文で要約",
    ]


@pytest.mark.requirement("W-20", "X-5")
def test_it_stands_by_itself_between_history_and_what_the_user_says() -> None:
    given = [*_HISTORY, _user("now")]
    assert with_directive(given, "d") == [*_HISTORY, _user("d"), _user("now")]
    assert given == [*_HISTORY, _user("now")]


@pytest.mark.requirement("WC-3")
def test_it_comes_after_the_examples_that_history_begins_with() -> None:
    examples = [_user("1 + 1?"), _agent("2")]
    found = with_directive([*examples, *_HISTORY, _user("now")], "d")
    assert found[-2:] == [_user("d"), _user("now")] and found[:2] == examples


@pytest.mark.requirement("W-36")
def test_without_a_directive_nothing_is_put_in() -> None:
    given = [*_HISTORY, _user("now")]
    assert with_directive(given, directive_for("chat", Overlay())) == given


@pytest.mark.requirement("WB-3", "X-10")
def test_it_keeps_its_place_while_tools_are_used() -> None:
    turn = [_user("now"), _CALL, _user([_result("1")])]
    found = with_directive([*_HISTORY, *turn], "d")
    assert found == [*_HISTORY, _user("d"), *turn]


@pytest.mark.requirement("WB-4")
def test_results_of_tools_stay_before_it() -> None:
    mixed = _user([_result("1"), _text("go on")])
    found = with_directive([_user("now"), _CALL, mixed], "d")
    assert found[1:] == [_CALL, _user([_result("1")]), _user("d"), _user([_text("go on")])]


@pytest.mark.requirement("WB-4")
def test_it_follows_results_where_nothing_that_the_user_said_is_left() -> None:
    found = with_directive([_CALL, _user([_result("1")])], "d")
    assert found == [_CALL, _user([_result("1")]), _user("d")]


@pytest.mark.requirement("WB-4")
def test_a_request_leaves_the_messages_as_they_were() -> None:
    mixed = _user([_result("1"), _text("go on")])
    given = [_user("now"), _CALL, mixed]
    with_directive(given, "d")
    assert given == [_user("now"), _CALL, _user([_result("1"), _text("go on")])]


@pytest.mark.parametrize("route", ["ask", "loop", "judge", "summary"])
@pytest.mark.requirement("F-17", "WC-3")
def test_other_routes_get_nothing(route: Route) -> None:
    assert directive_for(route, Overlay(5, "d")) == ""


@pytest.mark.parametrize("overlay", [Overlay(), Overlay(0, "d"), Overlay(5, ""), Overlay(-1, "d")])
@pytest.mark.requirement("W-2", "W-21")
def test_without_turns_or_directive_nothing_is_put_in(overlay: Overlay) -> None:
    assert directive_for("chat", overlay) == ""
    assert not overlay.active


@pytest.mark.requirement("W-21")
def test_chat_has_it() -> None:
    assert directive_for("chat", Overlay(5, "d")) == "d"
