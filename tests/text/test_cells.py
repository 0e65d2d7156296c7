"""Text is measured and cut in cells, never inside a character."""

from __future__ import annotations

import pytest

from nagomi_tui.text import cells
from nagomi_tui.text.cells import line_starts

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("value", "width"),
    [("", 0), ("abc", 3), ("日本語", 6), ("ｶﾅ", 2), ("e\u0301", 1), (FAMILY, 2), ("a\x07b", 2)],
)
@pytest.mark.requirement("NB-19")
def test_cells_counts_what_the_terminal_shows(value: str, width: int) -> None:
    assert cells.cells(value) == width


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
@pytest.mark.requirement("NB-19")
def test_cut_never_splits_a_wide_character_or_cluster(
    value: str, width: int, expected: str
) -> None:
    assert cells.cut(value, width) == expected
    assert cells.cells(cells.cut(value, width)) <= max(width, 0)


@pytest.mark.requirement("NB-19")
def test_every_width_gives_whole_clusters_within_it() -> None:
    value = f"作業場{FAMILY}e\u0301 work"
    for width in range(20):
        shown = cells.cut(value, width)
        assert cells.cells(shown) <= width
        assert value.startswith(shown.rstrip("…").rstrip())
        assert cells.cells(cells.pad(value, width)) == width


def test_cut_left_keeps_the_end_of_a_folder() -> None:
    assert cells.cut_left("~/home/nagomi", 8) == "…/nagomi"
    assert cells.cut_left("~/仕事/場", 5) == "…/場"
    assert cells.cut_left("abcd", 4) == "abcd"
    assert cells.cut_left("abcd", 3) == "…cd"
    assert [cells.cut_left("abcd", width) for width in (1, 0, -1)] == ["…", "", ""]


def test_of_items_those_are_kept_that_fit_and_the_last_one() -> None:
    foot = "↑↓ 移動 · Ctrl+R default · Esc"
    told = [cells.fitting_items(foot, width) for width in (30, 29, 13, 12, 3, 1)]
    assert told == [foot, "↑↓ 移動 · Esc", "↑↓ 移動 · Esc", "Esc", "Esc", "Esc"]


def test_cut_middle_keeps_both_ends_of_a_name() -> None:
    cut = [cells.cut_middle(f"nagomi-frontend-claude-{n}", 16) for n in (1, 2)]
    assert cut == ["nagomi-f…laude-1", "nagomi-f…laude-2"]
    assert cells.cut_middle("仕事場の様子", 8) == "仕事…子"
    assert cells.cut_middle("abcd", 4) == "abcd"
    assert [cells.cut_middle("abcd", width) for width in (3, 2, 1, 0, -1)] == [
        "a…d", "a…", "…", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "00:00"),
        (9.9, "00:09"),
        (61, "01:01"),
        (3599, "59:59"),
        (3600, "1 h"),
        (15.7 * 3600, "15 h"),
        (47.9 * 3600, "47 h"),
        (48 * 3600, "2 d"),
        (3.5 * 86400, "3 d"),
        (-5, "00:00"),
    ],
)
@pytest.mark.requirement("N-43")
def test_elapsed_time_is_minutes_and_seconds_then_hours_then_days(
    seconds: float, shown: str
) -> None:
    assert cells.clock(seconds) == shown


def test_short_folder_writes_only_the_home_itself_as_a_tilde() -> None:
    assert cells.short_folder("/home/aki/w", "/home/aki") == "~/w"
    assert cells.short_folder("/home/aki", "/home/aki/") == "~"
    assert cells.short_folder("/home/akira", "/home/aki") == "/home/akira"


def test_the_root_is_no_home() -> None:
    assert cells.short_folder("/etc", "/") == "/etc"
    assert cells.short_folder("/etc", "") == "/etc"


def test_printable_leaves_no_control_character() -> None:
    assert cells.printable("a\nb\x1b[31m\u202ec") == "a b [31m c"


def test_fuzzy_prefers_whole_words_then_word_starts_then_scattered_letters() -> None:
    names = ["new session", "next waiting", "rename", "answer"]
    ranked = sorted(
        (name for name in names if cells.fuzzy_score("ne", name) is not None),
        key=lambda name: cells.fuzzy_score("ne", name) or 0,
    )
    assert ranked[:2] == ["new session", "next waiting"]
    assert cells.fuzzy_score("xyz", "rename") is None
    assert cells.fuzzy_score("", "rename") == 0


def _scores(query: str, *names: str) -> list[int]:
    found = [cells.fuzzy_score(query, name) for name in names]
    return [score for score in found if score is not None]


def test_fuzzy_weighs_a_run_and_a_word_start_alike_and_gaps_by_their_length() -> None:
    assert cells.fuzzy_score("abcx", "abc-x") == cells.fuzzy_score("ax", "a-x") == 100
    for nearer, farther in (("abcd", "abccd"), ("a-bcd", "a-bccd"), ("abcd", "azbzd")):
        first, second = _scores("abd", nearer, farther)
        assert first < second


def test_fuzzy_asks_for_each_letter_once_more() -> None:
    assert cells.fuzzy_score("nn", "one") is None
    assert cells.fuzzy_score("n n", "none") is not None


def test_fuzzy_prefers_the_shorter_of_two_equals_and_the_earlier_of_two_wholes() -> None:
    short, long = _scores("sl", "session list", "session list of every folder")
    assert short < long
    early, late = _scores("list", "list of sessions", "session list")
    assert early < late
    starts, within = _scores(
        "続け", "3 質問  呼んでいます: 続けますか？", "離れる（みんな動き続けます）"
    )
    assert starts < within


def test_a_query_that_is_in_the_text_as_it_is_beats_its_scattered_letters_however_far_behind() -> (
    None
):
    far, scattered = _scores("ab", "c" * 300 + "ab", "a-b")
    assert far < scattered


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("hello wonderful world", 10, ["hello ", "wonderful ", "world"]),
        ("extraordinarily", 6, ["extrao", "rdinar", "ily"]),
        ("部屋はあたたかい。", 16, ["部屋はあたたか", "い。"]),
        ("これは「部屋」です", 8, ["これは", "「部屋」", "です"]),
        ("auto は空き", 8, ["auto は", "空き"]),
        ("ab cd ef", 5, ["ab cd ", "ef"]),
        ("ab abcdefgh", 5, ["ab ", "abcde", "fgh"]),
        ("部屋ab", 5, ["部屋", "ab"]),
        ("ab部屋", 3, ["ab", "部", "屋"]),
        ("a部屋", 3, ["a部", "屋"]),
        ("部屋", 1, ["部", "屋"]),
        ("(部屋。)", 5, ["(部", "屋。)"]),
        ("s 送る · w コミット · q 閉じる", 16, ["s 送る · ", "w コミット · ", "q 閉じる"]),
        ("s send all · w commit · q close", 21, ["s send all · ", "w commit · q close"]),
        ("a · bb cc · d", 7, ["a · ", "bb cc · ", "d"]),
        ("ab · これはとても長い", 12, ["ab · これは", "とても長い"]),
        ("", 5, [""]),
    ],
)
def test_lines_begin_where_japanese_and_english_allow(
    text: str, width: int, lines: list[str]
) -> None:
    starts = [0, *line_starts(text, width), len(text)]
    assert [text[a:b] for a, b in zip(starts, starts[1:], strict=False)] == lines


@pytest.mark.parametrize(
    ("value", "width", "lines"),
    [
        ("  hello wonderful world ", 10, ["hello", "wonderful", "world"]),
        ("部屋は", 4, ["部屋", "は"]),
        ("ab", 0, ["a", "b"]),
        ("", 5, [""]),
    ],
)
def test_folded_text_has_no_blanks_at_the_ends_of_its_lines(
    value: str, width: int, lines: list[str]
) -> None:
    assert cells.fold(value, width) == lines


@pytest.mark.parametrize(
    ("value", "width", "lines"),
    [
        ("ab cde fg", 6, ["ab cde", "fg"]),
        ("ab abcde", 5, ["ab", "abcde"]),
        ("ab abc", 4, ["ab", "abc"]),
        ("ab 日本語の部屋", 7, ["ab 日本", "語の部", "屋"]),
        ("abcd 日本日本", 5, ["abcd", "日本", "日本"]),
        ("abcdefg h", 3, ["abc", "def", "g h"]),
        ("日", 1, ["日"]),
        ("日 a", 1, ["日", "a"]),
        ("  ", 5, []),
    ],
)
def test_wrapped_words_fill_lines_and_only_a_long_one_is_parted(
    value: str, width: int, lines: list[str]
) -> None:
    assert cells.wrap(value, width) == lines
