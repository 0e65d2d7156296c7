"""The status line: two lines in three sets of icons."""

from __future__ import annotations

import re

import msgspec
import pytest

from nagomi_tui.guard.decide.documents import Mode
from nagomi_tui.guard.decide.status_line import (
    LEAST_TOKENS,
    Context,
    Style,
    Told,
    Tree,
    context_of,
    rendered,
    tree_of,
)


def _bare(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _told(**window: object) -> Told:
    return msgspec.convert({"model": {"id": "x"}, "context_window": window}, Told)


@pytest.mark.parametrize(
    ("style", "above", "below"),
    [
        ("emoji", "█████░░░░░ 55.0% (110k/200k) | ⚙️ h-x", "🛠️ Implement | ✎ 3 ↑ 2↓ 1 | 💼 4 open | main"),
        ("ascii", "#####----- 55.0% (110k/200k) | Task: h-x", "Mode: Implement | * 3 + 2- 1 | 4 open | main"),
        ("nerd_fonts", "\uf080 █████░░░░░ 55.0% (110k/200k) | \uf0ae h-x", "\uf0ad Implement | ✎ 3 ↑ 2↓ 1 | \uf07c 4 open | \ue0a0 main"),
    ],
)  # fmt: skip
@pytest.mark.requirement("DC-36")
def test_three_sets_of_icons(style: Style, above: str, below: str) -> None:
    tree = Tree("main", edited=3, ahead=2, behind=1)
    text = rendered(Context(110_000, 200_000), "h-x", Mode.IMPLEMENTATION, tree, 4, style)
    assert _bare(text) == f"{above}\n{below}"


@pytest.mark.requirement("DC-36")
def test_without_task_branch_and_repository() -> None:
    tree = Tree(commit="abc1234")
    text = _bare(rendered(Context(17_000, 160_000), None, Mode.DISCUSSION, tree, 0, "emoji"))
    assert text.splitlines() == [
        "█░░░░░░░░░ 10.6% (17k/160k) | ⚙️ No Task",
        "💬 Discuss | ✎ 0 | 💼 0 open | @abc1234 [detached]",
    ]
    assert _bare(rendered(Context(1, 2), None, Mode.DISCUSSION, None, 0, "ascii")).endswith(
        "Mode: Discuss | 0 open"
    )


@pytest.mark.parametrize(
    ("percent", "colour"), [(49, "114"), (50, "215"), (79, "215"), (80, "203")]
)
@pytest.mark.requirement("DC-36")
def test_green_orange_and_red(percent: int, colour: str) -> None:
    text = rendered(Context(percent * 1000, 100_000), None, Mode.DISCUSSION, None, 0, "emoji")
    assert text.startswith(f"\x1b[38;5;{colour}m")


@pytest.mark.parametrize(
    ("window", "context"),
    [
        ({}, Context(LEAST_TOKENS, 160_000)),
        ({"context_window_size": 1_000_000}, Context(LEAST_TOKENS, 1_000_000)),
        ({"context_window_size": 7}, Context(LEAST_TOKENS, 160_000)),
        ({"context_window_size": -1, "used_percentage": 50}, Context(80_000, 160_000)),
        (
            {"context_window_size": 200_000, "current_usage": {"input_tokens": 1, "cache_read_input_tokens": 50_000, "cache_creation_input_tokens": 9}},
            Context(50_010, 200_000),
        ),
    ],
)  # fmt: skip
@pytest.mark.requirement("H-24", "DB-25", "DC-36")
def test_a_size_that_cannot_be_is_not_believed(window: dict[str, object], context: Context) -> None:
    assert context_of(_told(**window)) == context


@pytest.mark.requirement("DC-36")
def test_a_model_of_a_million_is_known_by_its_name() -> None:
    told = msgspec.convert({"model": {"id": "claude-sonnet[1m]"}}, Told)
    assert context_of(told).limit == 800_000


@pytest.mark.requirement("DC-36")
def test_what_git_tells() -> None:
    lines = [
        "# branch.oid abcdef123456",
        "# branch.head main",
        "# branch.upstream o/main",
        "# branch.ab +2 -1",
        "1 .M N... a",
        "2 R. N... b",
        "u UU N... c",
        "? new",
    ]
    assert tree_of(lines) == Tree("main", "abcdef1", 3, 2, 1)
    assert tree_of(["# branch.oid abcdef123456", "# branch.head (detached)"]).branch == ""
