"""What is lit on a row, and what a rule reads of it."""

from __future__ import annotations

from nagomi_tui.judge.evidence import View
from nagomi_tui.judge.screen_rules import region
from nagomi_tui.text.rows import INVERSE, Row, Run, Style, is_bar, marked

REVERSE = Style(flags=INVERSE)
PANEL, CHOSEN = Style(bg=4), Style(bg=6)


def row(*runs: tuple[str, Style]) -> Row:
    return Row(tuple(Run(text, style) for text, style in runs))


def test_a_button_in_reverse_is_lit() -> None:
    buttons = row(("  ", Style()), (" Allow ", REVERSE), ("   Deny", Style()))
    assert marked(buttons, 80) == "  ⟦ Allow ⟧   Deny"
    assert marked(row(("  Allow   Deny", Style())), 80) == ""


def test_on_a_panel_only_what_differs_from_it_is_lit() -> None:
    line = row(("   Run it?  ", PANEL), (" Yes ", CHOSEN), (" No         ", PANEL))
    assert marked(line, 80) == "   Run it?  ⟦ Yes ⟧ No"
    assert marked(row((" a status line".ljust(80), REVERSE)), 80) == ""


def test_a_row_lit_from_end_to_end_is_a_bar() -> None:
    assert is_bar(row(("status".ljust(80), REVERSE)), 80)
    assert not is_bar(row(("1  Allow".ljust(40), REVERSE)), 80)


def test_a_rule_reads_the_last_rows_with_signs_or_nothing() -> None:
    view = View(at=0.0, rows=("Run it?", "", " Yes", " No"), lit=((2, "⟦ Yes ⟧"),))
    assert region(view, "lit:2") == "⟦ Yes ⟧\n No"
    assert region(view, "lit:1") == ""
