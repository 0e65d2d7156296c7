"""The last lines of a screen that say something."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.account import gist
from nagomi_tui.text.cells import cells

AGENT = """
● I have added the test, and it fails as it should.
  3 files changed

╭──────────────────────────────────────────────────────────╮
│ > Try "write a test for timer.py"                        │
╰──────────────────────────────────────────────────────────╯
  ? for shortcuts                       auto-accept edits on
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one\ntwo\nthree\n\n", ("two", "three")),
        ("made it\n~/api $ \n", ("made it",)),
        ("│ 12 files  │\n└───────────┘", ("12 files",)),
        ("…\n===\n", ()),
        ("終わりました。\n❯ ", ("終わりました。",)),
    ],
)
def test_what_says_nothing_is_left_out(text: str, lines: tuple[str, ...]) -> None:
    assert gist(text, 2) == lines


def test_a_panel_beside_an_agents_words_is_left_out() -> None:
    """As Claude Code 2.1.332 shows it at 170 columns."""
    words = [
        "● メモを書きます。",
        "● Write(note.md)",
        "  ⎿  Wrote 1 line",
        "",
        "● Done. Shall I test it?",
        "",
    ]
    panel = ["2 files changed", "─" * 60, "note.md (untracked)", "─" * 60, "New file", ""]
    rows = [
        f"{word:<{60 - (cells(word) - len(word))}}│{beside}"
        for word, beside in zip(words, panel, strict=True)
    ]
    text = "\n".join([*rows, "─" * 120, "❯ ", "─" * 120, "  ? for shortcuts"])
    assert gist(text, 4, agent=True) == (
        "● メモを書きます。", "● Write(note.md)", "⎿  Wrote 1 line", "● Done. Shall I test it?",
    )  # fmt: skip
    table = "\n".join(["│ file │ lines │"] * 6 + ["a" * 50 + " │ b"])
    assert gist(table, 1, agent=True) == ("a" * 50 + " │ b",)


def test_of_an_agent_the_field_to_type_in_is_left_out_with_what_is_below_it() -> None:
    assert gist(AGENT, 1, agent=True) == ("3 files changed",)


def test_of_an_agent_a_hint_at_the_right_edge_is_left_out() -> None:
    """Claude Code 2.1.332 shows its effort there for some seconds after its start."""
    hint = " " * 60 + "◐ medium · /effort"
    told = AGENT.replace("  3 files changed\n", f"  3 files changed\n\n{hint}\n")
    assert hint in told
    assert gist(told, 1, agent=True) == ("3 files changed",)
    assert gist(hint, 1) == ("◐ medium · /effort",)


def test_of_an_agent_the_banner_is_left_out_and_a_bar_of_progress_is_not() -> None:
    """A restarted Claude Code shows the one, though it was asked something before."""
    banner = " ▐▛███▛█   Claude Code v2.1.332\n▝▜██████▀  Opus 5.5\n ▝▝   ▝▝   ~/proj\n"
    field = "─" * 60 + "\n❯ \n" + "─" * 60 + "\n"
    assert gist(f"{banner}\n{field}", 4, agent=True) == ()
    assert gist(f"{banner}\n████░░░ 45 % built\n{field}", 4, agent=True) == ("░░░ 45 % built",)


@pytest.mark.parametrize(
    "footer",
    [
        "✻ Brewed for 3s · done 4:37 AM",
        "Worked for <1s • 07:04",
        "Worked for 1m 02s",
        "Tokens: 2.5k sent, 5 received.",
        "▣  Build · model · 9.4s",
        "Shift+Tab to accept edits",
        "✻ Ruminating…",
        "· Galloping… (5s · ↓ 80 tokens · esc to interrupt)",
        "⠹ Thinking... (esc to cancel, 2s)",
        "◐ Working",
    ],
)
def test_of_an_agent_what_its_turn_took_what_keys_do_and_its_spinner_is_left_out(
    footer: str,
) -> None:
    told = AGENT.replace("  3 files changed\n", f"\n{footer}\n")
    assert gist(told, 1, agent=True) == ("● I have added the test, and it fails as it should.",)
    assert gist("- Ran for 3s", 1) == ("- Ran for 3s",)


@pytest.mark.parametrize(
    ("screen", "told"),
    [
        ("> \n  3/3 ────────────────", "3/3"),
        ("beta\n^G Help       ^O Write Out  ^W Where Is\n^X Exit       ^R Read File", "beta"),
        ("^C was pressed twice", "^C was pressed twice"),
    ],
    ids=["fzf", "nano", "no keys"],
)
def test_rules_behind_words_and_rows_of_keys_are_left_out(screen: str, told: str) -> None:
    assert gist(screen, 1) == (told,)


CODEX = """
› please run it

• I run it.

✗ You canceled the request to run touch /etc/zz

■ Conversation interrupted - tell it what to do


› Ask Codex to do anything

  gpt-5 default · ~/proj · please run it
  ← for agents · ? for shortcuts                    ⚠ 2 warnings · f2 to view
"""


def test_a_field_without_edges_is_left_out_with_what_is_below_it() -> None:
    told = ("✗ You canceled the request to run touch /etc/zz", "■ Conversation interrupted - tell it what to do")  # fmt: skip
    assert gist(CODEX, 2, agent=True) == told
    assert (
        gist(CODEX.replace("› Ask Codex to do anything", "› half a draft"), 1, agent=True)
        == told[1:]
    )


def test_the_choices_of_a_dialog_are_no_field() -> None:
    dialog = "› please run it\n\n  Run this?\n\n› 1. Yes, proceed (y)\n  2. No (esc)\n"
    assert gist(dialog, 1, agent=True) == ("2. No (esc)",)


@pytest.mark.parametrize("line", ["Upload stuck at 45%", "<html>", "done 100 %", "that costs 5 $"])
def test_a_last_line_that_looks_like_a_prompt_is_told_where_no_program_rests(line: str) -> None:
    assert gist(f"begin\n{line}", 1, rests=False) == (line,)


def test_a_prompt_is_left_out_at_the_end_and_where_nothing_was_typed_behind_it() -> None:
    assert gist("~ $ make\nbuilt in 3 s\n~ $\n~ $", 2) == ("~ $ make", "built in 3 s")
    assert gist("50%\nbuilt\n~ $", 2) == ("50%", "built")


def test_an_agents_spinner_with_the_tip_below_it_is_not_told() -> None:
    told = "● I will run the tests.\n✻ Thinking…\n  ⎿  Tip: Press ← on an empty prompt to go back"
    assert gist(told, 1, agent=True) == ("● I will run the tests.",)
    assert gist("✻ Thinking…", 1) == ("✻ Thinking…",)


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (("● The heater has four levels. I read its", "  module; nothing else uses it."),
         "● The heater has four levels. I read its module; nothing else uses it."),
        (("• I changed one line in", "  `greet.py`."), "`greet.py`."),
        (("● こたつの ねつを はかる ところを なおし", "  ました。"), "● こたつの ねつを はかる ところを なおしました。"),
        (("● This row is full to the right edge, and", "  - a list begins"), "- a list begins"),
        (("● This row is full to the right edge, and", "", "  another begins"), "another begins"),
        (("  This row is full to the right edge, and", "  2. is a choice"), "2. is a choice"),
    ],
)  # fmt: skip
def test_a_sentence_that_an_agent_broke_over_rows_is_one(told: tuple[str, ...], line: str) -> None:
    screen = "\n".join((*told, "", "─" * 42, "❯ ", "─" * 42))
    assert gist(screen, 1, agent=True)[-1] == line
