"""What lies over a session's lines."""

from __future__ import annotations

from nagomi_tui.text.selection import (
    END,
    At,
    Hyperlink,
    Look,
    Marks,
    Selection,
    Shape,
    Stretch,
    by_line,
    over_rows,
)


def test_marks_say_what_lies_over_a_line() -> None:
    marks = Marks(
        selection=Selection(At(5, 2), At(6, 3), Shape.TEXT),
        matches=by_line([(5, 8, 4), (6, 0, 2)], 10),
        found=by_line([(6, 0, 2)], 10),
        link=Hyperlink("https://a.example", At(6, 4), At(7, 1)),
        cursor=At(6, 3),
    )
    assert marks.on(5) == (Stretch(8, 10, Look.MATCH), Stretch(2, END, Look.SELECTED))
    assert marks.on(6) == (
        Stretch(4, END, Look.LINK), Stretch(0, 2, Look.MATCH), Stretch(0, 2, Look.MATCH),
        Stretch(0, 2, Look.FOUND), Stretch(0, 4, Look.SELECTED), Stretch(3, 4, Look.CURSOR),
    )  # fmt: skip
    assert marks.on(7) == (Stretch(0, 2, Look.LINK),)
    assert marks.on(8) == ()


def test_a_match_goes_on_in_the_next_row() -> None:
    assert over_rows(3, 8, 14, 10) == [(3, (8, 10)), (4, (0, 10)), (5, (0, 2))]


def test_a_match_that_fills_its_row_goes_no_further() -> None:
    assert over_rows(3, 8, 2, 10) == [(3, (8, 10))]
    assert over_rows(3, 10, 2, 10) == [(3, (10, 11)), (4, (0, 1))]


def test_nothing_lies_over_the_lines_around() -> None:
    marks = Marks(link=Hyperlink("https://a.example", At(4, 2), At(4, 5)), cursor=At(3, 0))
    assert marks.on(3) == (Stretch(0, 1, Look.CURSOR),)
    assert marks.on(4) == (Stretch(2, 6, Look.LINK),)
    assert marks.on(5) == Marks().on(4) == ()
