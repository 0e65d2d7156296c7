"""Menus for the arrow keys, as real programs draw them, and what only looks like one."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.choices import Menu, read_lit, read_menu, read_open
from nagomi_tui.judge.evidence import View

SEEN = {
    "inquirer": ("? Select a package manager\n❯ npm\n  yarn\n  pnpm\n\n↑↓ navigate • ⏎ select", 3),
    "inquirer's checkboxes": ("? Select features\n❯◯ ts\n ◯ jsx\n ◉ router\n\n↑↓ navigate • space select", 3),
    "inquirer for Python": ("[?] What size do you need?:\n > Jumbo\n   Large\n   Standard", 3),
    "questionary": ("? Which one? (Use arrow keys)\n » alpha\n   beta\n   gamma", 3),
    "questionary's checkboxes": ("? Select toppings (Use arrow keys to move)\n » ○ cheese\n   ○ ham", 2),
    "prompts": ("? Pick a color › - Use arrow-keys. Return to submit.\n❯   Red\n    Green\n    Blue", 3),
    "enquirer": ("? Pick a flavor …\n  apple\n▸ grape\n  cherry", 3),
    "clack": ("│\n◆  Pick a type.\n│  ○ TypeScript\n│  ● JavaScript\n│  ↑/↓ to navigate\n└", 2),
    "simple-term-menu": ("What now?\n> apply\n  skip\n  quit", 3),
    "Claude Code's trust": ("Is this yours?\n\nIt will read, edit, and execute files here.\n\nSecurity guide\n\n ❯ No, exit\n   Yes, I trust it\n\n Enter to confirm · Esc to cancel", 2),
    "beaupy": ("Who won?\n> He\n  She\n  They\n\n(enter to confirm)", 3),
}  # fmt: skip

NO_MENUS = {
    "a finder": "  /etc/apt\n> /etc/X11\n  149/149 ─────\n> ",
    "a finder upside down": "Where?\n> \n  2/2 ─────\n> /etc/X11\n  /etc/apt",
    "hot keys": "Watch Usage:\n › Press a to run all tests.\n › Press q to quit watch mode.",
    "an input with words above": "Tips for getting started:\n\n > Type your message\n   ~/folder (main)",
    "an input with a status below": "How can I help?\n> hello\n\n  model  ~/folder",
    "a quotation": "He said:\n> that is fine\nand went on.",
    "a server": "  VITE ready in 300 ms:\n\n  ➜  Local:   http://localhost:5173/\n  ➜  press h + enter to show help",
    "an answered menu": "✔ Select a package manager npm\nadded 3 packages\n",
    "a box with tips": " Tips\n\n ❯ hello\n   there\n\n Enter to send",
    "one option": "? Which one?\n❯ npm\n",
    "no question": "Building\n> one\n  two",
    "nothing": "",
}  # fmt: skip


def rows(screen: str) -> tuple[str, ...]:
    return (*screen.split("\n"), "", "")


@pytest.mark.parametrize(("screen", "count"), SEEN.values(), ids=SEEN)
@pytest.mark.requirement("N-85")
def test_a_menu_is_read_with_all_that_it_offers(screen: str, count: int) -> None:
    menu = read_menu(rows(screen))
    assert menu is not None
    assert len(menu.options) == count
    assert menu.text in screen
    assert all(option in screen and option[0].isalpha() for option in menu.options)


@pytest.mark.parametrize("screen", NO_MENUS.values(), ids=NO_MENUS)
@pytest.mark.requirement("NB-5")
def test_what_only_looks_like_a_menu_calls_nobody(screen: str) -> None:
    assert read_menu(rows(screen)) is None


def test_the_mark_moves_and_the_menu_stays_the_same() -> None:
    first = read_menu(rows("Which?\n❯ a\n  b"))
    assert first == read_menu(rows("Which?\n  a\n❯ b")) == Menu("Which?", ("a", "b"))


def test_where_a_program_has_told_that_it_asks_its_words_may_stand_farther_up() -> None:
    screen = rows("Make it the default?\nIt handles prompts.\n\n❯ Yes, set it\n  No, keep it")
    assert read_menu(screen) is None
    assert read_menu(screen, asks=True) == Menu(
        "Make it the default?", ("Yes, set it", "No, keep it")
    )


@pytest.mark.requirement("N-85")
def test_at_most_three_rows_of_hints_stand_below_a_menu() -> None:
    menu = "Which?\n❯ a\n  b\n"
    assert read_menu(rows(menu + "x y\nx y\nx y")) is not None
    assert read_menu(rows(menu + "x y\nx y\nx y\nx y")) is None


def test_what_an_agent_asks_stands_above_the_name_of_the_answer_and_its_status_below() -> None:
    screen = rows("Which one?\n\nName:\n❯ a\n  b\n\nmodel\n\nfolder\n\nmode")
    assert read_menu(screen, asks=True) == Menu("Which one?", ("a", "b"))
    assert read_menu(screen) is None
    assert read_menu(rows("Name:\n❯ a\n  b"), asks=True) == Menu("Name:", ("a", "b"))


@pytest.mark.parametrize(
    ("screen", "found"),
    [
        ("2/2 x\nWhich?\n> a\n  b", False),
        ("2/2 x\nhere\nWhich?\n> a\n  b", True),
        ("Which?\n> a\n  b\n\n\n2/2 x", False),
        ("Which?\n> a\n  b\n\n", True),
    ],
)
@pytest.mark.requirement("NB-5")
def test_what_a_finder_counts_stands_close_to_its_list(screen: str, found: bool) -> None:
    assert (read_menu(rows(screen)) is not None) is found


@pytest.mark.requirement("NB-5")
def test_a_menu_begins_below_its_question_and_not_at_the_end_of_the_screen() -> None:
    assert read_menu(("❯ a", "  b", "Which?", "  c")) is None
    assert read_menu(("Which?", "❯ a", "  b")) == Menu("Which?", ("a", "b"))


@pytest.mark.requirement("NB-5")
def test_only_one_row_is_marked_and_all_have_a_box_or_none() -> None:
    assert read_menu(rows("Which?\n❯ a\n❯ b")) is None
    assert read_menu(rows("Which?\n● a\n● b")) is None
    assert read_menu(rows("Which?\n● a\n○ b")) == Menu("Which?", ("a", "b"))
    assert read_menu(rows("Which?\n❯ ○ a\n    b")) is None


APART = {
    "a question": "What should we buy?\n\n> [ ] carrots\n  [ ] celery\n\nPress q to quit.",
    "a request": "Please choose your language:\n\n* Java\n  Python",
}
"""What Bubble Tea and pick draw: an empty row below what is asked."""


@pytest.mark.parametrize("screen", APART.values(), ids=APART)
@pytest.mark.requirement("N-85")
def test_an_empty_row_parts_a_menu_of_a_program_from_its_question(screen: str) -> None:
    menu = read_menu(rows(screen), apart=True)
    assert menu is not None
    assert (menu.text, len(menu.options)) == (screen.split("\n")[0], 2)
    assert read_menu(rows(screen)) is None, "an agent has its field there"
    assert read_menu(rows("Ready in 300 ms:\n\n> a\n  b"), apart=True) is None


OPEN = {
    "a toggle": ("? Can you confirm › no / yes", 1, "? Can you confirm › no / yes"),
    "a drawn cursor": ("✔ Number: █", 1, "✔ Number:"),
    "a field": ("What is it called?\n\n> Pikachu\n\n(esc to quit)", 5, "What is it called?"),
    "a filter": ("? Select actions\n❯   2/2\n❯ hello\n  weather", 1, "? Select actions"),
}
CLOSED = {
    "a REPL below a question": ("Need help?\n> ", 1),
    "a bar": ("loading ████████ █", 1),
    "Go's tests": ("?   \tpkg\t[no test files]", 1),
    "hot keys": ("Watch Usage\n › Press a to run all tests.", 2),
    "nothing": ("", 0),
}


@pytest.mark.requirement("N-85")
def test_what_stands_open_at_the_end_of_a_drawn_screen_asks() -> None:
    for name, (screen, cursor, asked) in OPEN.items():
        assert read_open(rows(screen), cursor) == asked, name
    for name, (screen, cursor) in CLOSED.items():
        assert read_open(rows(screen), cursor) == "", name


LIT = {
    "terminal-kit": ("Wohin soll deployt werden?\n\n staging\n production", " staging", 2),
    "in the column of what asks": ("Pick one:\nred\ngreen\nblue\n\nq quits", "green", 3),
}
NOT_LIT = {
    "a part of a row": ("What failed?\n FAIL  a.test.js\n PASS  b.test.js", " FAIL "),
    "no question": ("Files\n a.txt\n b.txt", " a.txt"),
    "a question alone": ("Files\n Which one?", " Which one?"),
    "one choice": ("Which one?\n\n a.txt", " a.txt"),
    "two lit rows": ("Which one?\n a\n a", " a"),
}


@pytest.mark.requirement("N-85")
def test_a_menu_whose_choice_is_lit_needs_no_mark() -> None:
    for name, (screen, chosen, count) in LIT.items():
        menu = read_lit(lit_in(screen, chosen))
        assert menu is not None, name
        assert read_lit(lit_in(screen, chosen, bar=True)) == menu, name
        assert (menu.text, len(menu.options)) == (screen.split("\n")[0], count), name
    for name, (screen, chosen) in NOT_LIT.items():
        assert read_lit(lit_in(screen, chosen)) is None, name


def lit_in(screen: str, chosen: str, *, bar: bool = False) -> View:
    """Return a view in which these words are lit, or the whole rows that hold them."""
    found = [(at, row) for at, row in enumerate(screen.split("\n")) if chosen in row]
    if bar:
        return View(at=0.0, rows=rows(screen), bars=frozenset(at for at, _ in found))
    lit = tuple((at, row.replace(chosen, f"⟦{chosen}⟧")) for at, row in found)
    return View(at=0.0, rows=rows(screen), lit=lit)
