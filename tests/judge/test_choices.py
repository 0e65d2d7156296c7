"""Questions with their choices, and drafts, read from rendered screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.judge.choices import read_arrows, read_draft, read_question
from nagomi_tui.judge.questions import Choice, InputRule, Question, QuestionRule
from nagomi_tui.judge.samples import question_rules, screen_of
from nagomi_tui.text.rows import FAINT, INVERSE, PLAIN, RGB, Cursor, Row, Run, Style
from tests.helpers.judge_story import BOOK

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.judge.screen_rules import Manifest

RULE = "─" * 40

ALLOW = f"""
● Bash(touch made.txt)
{RULE}
 Bash command

   touch made.txt

 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and don't ask again for touch commands
   3. No, and tell Claude what to do differently (esc)

 Esc to cancel · Tab to amend
"""


def plain(text: str) -> Run:
    return Run(text, PLAIN)


def program(name: str) -> Manifest:
    found = BOOK.named(name)
    assert found is not None
    return found


def asked(name: str, screen: str) -> Question | None:
    return read_question(program(name).question, *screen_of(screen))


def read(screen: str) -> Question:
    found = asked("any", screen)
    assert found is not None
    return found


def keys(question: Question | None) -> list[str]:
    return [choice.key for choice in question.choices] if question else []


def test_a_permission_dialog_is_read_with_what_it_is_about() -> None:
    question = asked("claude", ALLOW)
    assert question is not None
    assert question.text == "Do you want to proceed?"
    assert question.details == ("Bash command", "touch made.txt")
    assert keys(question) == ["1", "2", "3"]
    assert question.choices[1].label.startswith("Yes, and don't ask again")
    assert not question.by_line


def test_a_dialog_in_a_frame_is_read_without_it() -> None:
    question = asked(
        "any",
        """
✦ I do it.
╭────────────────────────────╮
│ ? WriteFile  Writing to a  │
│ ╭────────────────────────╮ │
│ │ 1 hello                │ │
│ ╰────────────────────────╯ │
│ Apply this change?         │
│                            │
│ ● 1. Allow once            │
│   2. No (esc)              │
╰────────────────────────────╯
""",
    )
    assert question is not None and question.text == "Apply this change?"
    assert question.details == ("? WriteFile Writing to a", "1 hello")
    assert question.choices == (Choice("1", "Allow once"), Choice("2", "No (esc)"))


@pytest.mark.parametrize(("left", "right"), [("", ""), ("│", " │")])
def test_a_choice_that_is_broken_over_two_rows_is_whole(left: str, right: str) -> None:
    rows = [" Go on?", " ❯ 1. Yes, and always allow this", "   folder", "   2. No", "   (esc)"]
    screen = "\n".join(f"{left}{row:33}{right}".rstrip() for row in rows)
    labels = [choice.label for choice in read(screen).choices]
    assert labels == ["Yes, and always allow this folder", "No"]


def test_the_marker_and_the_width_change_nothing_about_which_question_it_is() -> None:
    first = asked("claude", ALLOW)
    moved = asked("claude", ALLOW.replace("❯ 1.", "  1.").replace("  3.", "❯ 3."))
    wider = asked("claude", ALLOW.replace("   touch made.txt", "   touch\n   made.txt"))
    assert first and moved and wider
    assert first.question_id == moved.question_id == wider.question_id


def test_another_command_under_the_same_words_is_another_question() -> None:
    first, other = asked("claude", ALLOW), asked("claude", ALLOW.replace("touch", "rm -rf"))
    assert first and other and first.question_id != other.question_id


def test_numbers_in_an_answer_are_no_menu() -> None:
    assert asked("claude", f"● 1. First\n  2. Second\n{RULE}\n❯ 1. Yes\n{RULE}\n  ? help") is None


def test_a_numbered_plan_above_the_menu_is_no_part_of_it() -> None:
    screen = f"""
{RULE}
 Ready to code?
   1. Read the file
   2. Change it
 Would you like to proceed?
 ❯ 1. Yes, and auto-accept edits
   2. No, keep planning

 Esc to cancel
"""
    question = asked("claude", screen)
    assert question is not None
    assert question.choices == (
        Choice("1", "Yes, and auto-accept edits"),
        Choice("2", "No, keep planning"),
    )
    assert question.text == "Would you like to proceed?"


@pytest.mark.parametrize(
    ("screen", "found", "default"),
    [
        ("Continue? [y/N] ", ["y", "n", "enter"], "n"),
        ("Continue? [Y/n]: ", ["y", "n", "enter"], "y"),
        ("Overwrite (y/n)? ", ["y", "n", "enter"], ""),
        ("Proceed (yes/no)?", ["yes", "no", "enter"], ""),
        ("続けますか? [y/N] ", ["y", "n", "enter"], "n"),
        ("Ok to proceed? (y) ", ["y", "n", "enter"], ""),
        ("rm: remove write-protected regular file 'x'? ", ["y", "n", "enter"], ""),
        ("replace a? [y]es, [n]o, [A]ll, [r]ename: ", ["y", "n", "A", "r", "enter"], ""),
        ("Press Enter to continue", ["enter"], ""),
        ("Press any key to continue . . . ", ["enter"], ""),
        ("1) red\n2) blue\n#? ", ["1", "2", "enter"], ""),
        ("Password: ", [], ""),
        ("What is your name? ", [], ""),
        ("dev@box:~ [main] $ ", [], ""),
        ("Continue? [y/N] y\nDone.\n$ ", [], ""),
        ("answer (y/n) as you were told", [], ""),
        ("Continue? [Y/N] ", ["Y", "N", "enter"], ""),
        ("1) red\n#? ", [], ""),
        ("1) red\n2) blue\n\n#? ", ["1", "2", "enter"], ""),
        ("1) red\n\n2) blue\n#? ", [], ""),
        ("1) red\n2) blue\nwords\n#? ", [], ""),
        ("words\n1) red\n2) blue\n#? ", ["1", "2", "enter"], ""),
    ],
)  # fmt: skip
def test_lines_that_ask(screen: str, found: list[str], default: str) -> None:
    question = asked("generic", screen)
    assert keys(question) == found
    assert question is None or question.default == default


def test_what_is_typed_behind_a_question_leaves_it_the_same() -> None:
    empty, typed = asked("generic", "Continue? [y/N] "), asked("generic", "Continue? [y/N] y")
    assert empty and typed
    assert (empty.question_id, empty.typed) == (typed.question_id, "")
    assert typed.typed == "y"
    assert typed.by_line
    assert typed.choice("Y") == Choice("y", "y")
    assert typed.choice("x") is None


def test_a_question_over_two_rows_is_read_as_one_line() -> None:
    rows = (Row((plain("Do you really want to do"),), wrapped=True), Row((plain(" it? [y/N] "),)))
    question = read_question(program("generic").question, rows, Cursor(x=11, y=1))
    assert question is not None
    assert question.text == "Do you really want to do it? [y/N]"


def test_what_a_rule_leaves_out_is_no_detail_and_no_question() -> None:
    rule = QuestionRule(
        name="q", option=r"^(?P<key>\d)\. (?P<label>.*)$", leave_out="^hint", begins="^──"
    )
    screen = "above\n────\nAbout it\n\n─╿\nhint: press it?\nGo on?\n1. Yes\n2. No"
    question = read_question((rule,), *screen_of(screen))
    assert question is not None
    assert (question.text, question.details) == ("Go on?", ("About it",))


@pytest.mark.parametrize(
    ("options", "found", "default"),
    [
        ("Y", ["Y", "enter"], ""),
        ("Y/n", ["y", "n", "enter"], "y"),
        ("Y/N", ["Y", "N", "enter"], ""),
    ],
)
def test_a_capital_is_the_default_where_the_other_choices_are_small(
    options: str, found: list[str], default: str
) -> None:
    rule = QuestionRule(name="q", line=r"(?P<asked>Go on\?) \[(?P<options>.*)\]")
    question = read_question((rule,), *screen_of(f"Go on? [{options}]"))
    assert question is not None
    assert (keys(question), question.default) == (found, default)


def test_a_long_text_behind_a_question_is_no_answer_to_it() -> None:
    rule = QuestionRule(name="q", line=r"(?P<asked>Go on\?) (?P<typed>.*)$", choices=(Choice("y"),))
    for length, found in ((80, True), (81, False)):
        screen = screen_of("Go on? " + "y" * length)
        assert (read_question((rule,), *screen) is not None) is found


def test_a_cursor_below_the_rows_stands_behind_no_question() -> None:
    rules, rows = program("generic").question, (Row((plain("Continue? [y/N] "),)),)
    assert read_question(rules, rows, Cursor(x=16, y=0)) is not None
    assert read_question(rules, rows, Cursor(x=16, y=1)) is None


def test_a_cursor_stands_behind_blanks_that_its_row_does_not_hold() -> None:
    rows = (Row((plain("1) red"),)), Row((plain("2) blue"),)), Row((plain("#?"),)))
    assert keys(read_question(program("generic").question, rows, Cursor(x=3, y=2)))


def test_a_question_ends_where_the_cursor_stands_and_begins_with_its_line() -> None:
    rows = (
        Row((plain("Is it [y/N] "),)),
        Row((plain("Continue? [y/N] and more"),)),
    )
    question = read_question(program("generic").question, rows, Cursor(x=16, y=1))
    assert question is not None
    assert question.text == "Continue? [y/N]"


def box(*runs: Run) -> tuple[Row, ...]:
    return (Row((plain(RULE),)), Row((plain("❯\xa0"), *runs)), Row((plain(RULE),)))


@pytest.mark.parametrize(
    ("runs", "draft"),
    [
        ((), ""),
        ((plain("fix it"),), "fix it"),
        ((Run('Try "edit"', Style(flags=FAINT)),), ""),
        ((Run("hint", Style(fg=RGB | 0x999999)),), ""),
        ((Run("R", Style(flags=INVERSE)), Run("esend it", Style(flags=FAINT))), ""),
        ((plain("fix "), Run("i", Style(flags=INVERSE)), plain("t")), "fix it"),
        ((plain("fix i"), Run("t", Style(flags=INVERSE))), "fix it"),
        ((Run("·", Style(flags=FAINT)),), "·"),
        ((Run("a", Style(flags=FAINT)),), ""),
        ((Run("--", Style(flags=FAINT)),), ""),
        ((Run("Re", Style(flags=INVERSE)), Run("send it", Style(flags=FAINT))), "Re"),
        ((Run("R", Style(flags=INVERSE)), plain("esend it")), "Resend it"),
        ((Run("R", PLAIN), Run("esend it", Style(flags=FAINT))), "R"),
        ((plain("written "), Run("and a suggestion", Style(flags=FAINT))), "written"),
    ],
)
def test_only_what_was_typed_is_a_draft(runs: tuple[Run, ...], draft: str) -> None:
    rule = program("claude").input
    assert rule is not None
    assert read_draft(rule, box(*runs)) == draft


def test_a_screen_without_an_input_has_no_draft() -> None:
    assert read_draft(InputRule(marker="> "), (Row((plain("nothing"),)),)) is None


def test_a_rule_that_fails_its_sample_is_named_and_left_out(tmp_path: Path) -> None:
    problems: list[str] = []
    good = {"name": "good", "line": r"(?P<asked>Go on\?.*)(?P<typed>)$",
            "choices": [{"key": "y"}], "sample": [{"screen": "Go on?", "keys": ["y", "enter"]}]}  # fmt: skip
    bad = {**good, "name": "bad", "sample": [{"screen": "Go on?", "keys": ["x"]}]}
    broken = {**good, "name": "broken", "line": "("}
    kept = question_rules("mine", [good, bad, broken, {"nam": 1}], tmp_path, problems)
    assert [rule.name for rule in kept] == ["mine:good"]
    assert len(problems) == 3
    assert "question bad is left out" in str(problems[0])


TIP = ' Tip: auto mode handles these prompts for you — choose "switch to auto mode"'


@pytest.mark.parametrize("tip", [f"{TIP}\n below", f"{TIP} below"])
def test_an_advertisement_is_no_detail_wherever_it_is_broken(tip: str) -> None:
    screen = (
        f"{'─' * 80}\n Bash command\n{tip}\n Make it\n{'╌' * 80}\n touch a\n{'╌' * 80}\n"
        " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend\n"
    )
    question = asked("claude", screen)
    assert question is not None
    assert question.details == ("Bash command", "Make it", "touch a")


def test_a_command_that_a_dialog_names_twice_is_told_once() -> None:
    screen = """
╭──────────────────────────────╮
│ ? Shell  touch x; echo hi    │
│ ╭──────────────────────────╮ │
│ │ touch x; echo hi         │ │
│ ╰──────────────────────────╯ │
│ Allow execution of [Shell]?  │
│                              │
│ ● 1. Allow once              │
│   2. Allow for this session  │
│   3. No, suggest changes (esc)│
╰──────────────────────────────╯
"""
    assert read(screen).details == ("? Shell touch x; echo hi",)


def test_the_folder_behind_a_choice_that_was_broken_is_told_with_it() -> None:
    screen = """
│╭──────────────────────────────────────────────────────────────────────────╮│
││ Do you want to run this command?                                         ││
││                                                                          ││
││ ❯ 1. Yes                                                                 ││
││   2. Yes, and don't ask again for `sleep` and `touch` in this repo       ││
││   (/tmp/day/proj)                                                        ││
││   3. No, and tell Copilot what to do differently (Esc to stop)           ││
│╰──────────────────────────────────────────────────────────────────────────╯│
"""
    assert read(screen).choices[1].label.endswith("in this repo (/tmp/day/proj)")


def test_a_dialog_is_told_with_its_buttons_and_answered_on_its_own_screen() -> None:
    box = ("┌──────┤ Setup ├──────┐", "│                     │", "│ Remove all of it?   │",
           "│                     │", "│   <Yes>     <No>    │", "└─────────────────────┘")  # fmt: skip
    rows, cursor = screen_of("\n" * 3 + "\n".join(" " * 20 + row for row in box))
    asked = read_arrows(rows, asks=False)
    assert asked is not None and asked.choices == ()
    assert (asked.text, asked.options) == ("Remove all of it?", ("Yes", "No"))
