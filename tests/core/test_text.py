"""Text is measured and cut in cells, never inside a character."""

from __future__ import annotations

import pytest

from nagomi_tui.core.text import text
from nagomi_tui.core.text.text import line_starts

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("value", "width"),
    [("", 0), ("abc", 3), ("日本語", 6), ("ｶﾅ", 2), ("e\u0301", 1), (FAMILY, 2), ("a\x07b", 2)],
)
def test_nb19_cells_counts_what_the_terminal_shows(value: str, width: int) -> None:
    assert text.cells(value) == width


@pytest.mark.parametrize(
    ("value", "width", "expected"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("日本語です", 10, "日本語です"),
        ("日本語です", 9, "日本語で…"),
        ("日本語です", 8, "日本語…"),
        (f"a{FAMILY}b", 3, "a…"),
        (f"a{FAMILY}bc", 4, f"a{FAMILY}…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("anything", 1, "…"),
        ("anything", 0, ""),
    ],
)
def test_nb19_cut_never_splits_a_wide_character_or_cluster(
    value: str, width: int, expected: str
) -> None:
    assert text.cut(value, width) == expected
    assert text.cells(text.cut(value, width)) <= max(width, 0)


def test_nb19_every_width_gives_whole_clusters_within_it() -> None:
    value = f"作業場{FAMILY}e\u0301 work"
    for width in range(20):
        shown = text.cut(value, width)
        assert text.cells(shown) <= width
        assert value.startswith(shown.rstrip("…").rstrip())
        assert text.cells(text.pad(value, width)) == width


def test_cut_left_keeps_the_end_of_a_folder() -> None:
    assert text.cut_left("~/home/nagomi", 8) == "…/nagomi"
    assert text.cut_left("~/仕事/場", 5) == "…/場"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "00:00"),
        (9.9, "00:09"),
        (61, "01:01"),
        (3599, "59:59"),
        (3600, "1:00:00"),
        (-5, "00:00"),
    ],
)
def test_n43_elapsed_time_is_minutes_and_seconds(seconds: float, shown: str) -> None:
    assert text.clock(seconds) == shown


def test_short_folder_writes_only_the_home_itself_as_a_tilde() -> None:
    assert text.short_folder("/home/aki/w", "/home/aki") == "~/w"
    assert text.short_folder("/home/aki", "/home/aki/") == "~"
    assert text.short_folder("/home/akira", "/home/aki") == "/home/akira"


def test_printable_leaves_no_control_character() -> None:
    assert text.printable("a\nb\x1b[31m\u202ec") == "a b [31m c"


def test_fuzzy_prefers_whole_words_then_word_starts_then_scattered_letters() -> None:
    names = ["new session", "next waiting", "rename", "answer"]
    ranked = sorted(
        (name for name in names if text.fuzzy_score("ne", name) is not None),
        key=lambda name: text.fuzzy_score("ne", name) or 0,
    )
    assert ranked[:2] == ["new session", "next waiting"]
    assert text.fuzzy_score("xyz", "rename") is None
    assert text.fuzzy_score("", "rename") == 0


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("hello wonderful world", 10, ["hello ", "wonderful ", "world"]),
        ("extraordinarily", 6, ["extrao", "rdinar", "ily"]),
        ("部屋はあたたかい。", 16, ["部屋はあたたか", "い。"]),
        ("これは「部屋」です", 8, ["これは", "「部屋」", "です"]),
        ("auto は空き", 8, ["auto は", "空き"]),
        ("", 5, [""]),
    ],
)
def test_lines_begin_where_japanese_and_english_allow(
    text: str, width: int, lines: list[str]
) -> None:
    starts = [0, *line_starts(text, width), len(text)]
    assert [text[a:b] for a, b in zip(starts, starts[1:], strict=False)] == lines
