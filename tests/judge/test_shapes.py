"""What agents share, read by form: a field to type in, and what moves in place."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from nagomi_tui.judge.evidence import (
    AT_WORK,
    Evidence,
    Foreground,
    Key,
    Says,
    Source,
    Typed,
    View,
    Wait,
)
from nagomi_tui.judge.judge import Judge
from nagomi_tui.judge.screen_rules import ANY, FIELD_GONE, Looks, read_screen
from nagomi_tui.judge.shapes import Motion, above_field, has_field, shows_progress
from nagomi_tui.judge.verdict import State
from tests.helpers.judge_story import BOOK

RULE = "─" * 40
BOX = (RULE, "❯ ", RULE, "  model")


def view(*rows: str, at: float = 0.0, title: str = "", alt: bool = True) -> View:
    end = {"cursor_y": len(rows) - 1, "cursor_x": len(rows[-1])}
    return View(at=at, rows=rows, title=title, alt_screen=alt, **end)


@pytest.mark.parametrize(
    ("rows", "there"),
    [
        (BOX, True),
        (("┃", "┃  Ask", "┃", "╹" + "▀" * 30, "  folder"), True),
        (("╭" + RULE + "╮", "│ >                │", "╰" + RULE + "╯", "hints"), True),
        (("▄" * 40, " >   Type", "▀" * 40, " folder"), True),
        (("Made it.", RULE, "ask> "), True),
        (("╭" + RULE + "╮", "│ May it run?      │", "│ ❯ 1. Yes   │", "╰" + RULE + "╯"), False),
        (("┃  A permission is needed", "┃   Allow   Reject", "┃"), False),
        (("> hello", "an answer", "$ "), False),
        ((*BOX, "1", "2", "3", "4", "5", "6"), False),
    ],
)
def test_a_field_is_drawn_between_edges_or_behind_a_bar(rows: tuple[str, ...], there: bool) -> None:
    assert has_field(view(*rows)) is there


@pytest.mark.parametrize(
    ("rows", "cursor", "there"),
    [
        (("╔" + "═" * 40 + "╗", "║ » hello  ║", "╚" + "═" * 40 + "╝"), (9, 1), True),
        (("+" + "-" * 40 + "+", "| >      |", "+" + "-" * 40 + "+"), (4, 1), True),
        (("+" + "-" * 40 + "+", "|        |", "+" + "-" * 40 + "+"), (4, 1), False),
        (("▔" * 40, "▶ hello", "▁" * 40), (7, 1), True),
        (
            (RULE, " ▶ Run it?", "   $ make", " ▶ 1. Once", "   2. Reject", RULE, " model"),
            (0, 6),
            False,
        ),
        (("said", "┃", "┃ > / commands", "┃", "▶ mode", ""), (0, 5), True),
        (("said", "┃", "┃ > / commands", "┃ Press escape again", "┃", "▶ mode", ""), (0, 6), True),
        (("said", "┃", "┃ > Yes", "┃   No", "┃", "▶ mode", ""), (0, 6), False),
        (("said", "┃ > quoted", "more", "┃", "▶ mode", ""), (0, 5), False),
        (("said", "", "▌ hello", "", "  ctrl+k: menu"), (7, 2), True),
        (("said", "  ╷", "  │ Type here", "  ╵", "  model"), (4, 2), True),
        (("said", "", "┃  May it?", "┃  Yes   No", ""), (5, 3), False),
        (("┃ 動かしますか。", "┃ ▶ はい", "┃   いいえ", "┗" + "━" * 40), (0, 3), False),
    ],
)
def test_a_field_has_edges_of_any_kind(
    rows: tuple[str, ...], cursor: tuple[int, int], there: bool
) -> None:
    assert has_field(View(at=0.0, rows=rows, cursor_x=cursor[0], cursor_y=cursor[1])) is there


def test_a_bar_that_is_lit_from_end_to_end_is_an_edge() -> None:
    rows = ("said", " READY   model", "> hello")
    shown = View(at=0.0, rows=rows, cursor_x=7, cursor_y=2)
    assert not has_field(shown)
    assert has_field(msgspec.structs.replace(shown, bars=frozenset({1})))


def test_what_stands_above_the_field_is_without_its_edge() -> None:
    assert above_field(view("said", *BOX)) == ("said",)


@pytest.mark.parametrize(
    ("rows", "there"),
    [
        (("said", "", "› one", "  "), True),
        (("said", "", "› one", "  two", "", "  three"), True),
        (("said", "", "› one", "", "", "  two"), False),
        (("said", "", "› one", "", "• Made it.", "  two"), False),
        (("said", "", "› 1. Yes", "  2. No"), False),
        (("said", "› one", "  "), False),
        (("said", "", "› one", ""), False),
    ],
)
def test_a_draft_of_several_lines_is_a_field(rows: tuple[str, ...], there: bool) -> None:
    assert has_field(view(*rows)) is there


@pytest.mark.parametrize(
    ("frames", "moves"),
    [
        (("⠋ Asking", "⠙ Asking", "⠹ Asking"), True),
        (("◐ Asking (1s)", "◓ Asking (1s)", "◑ Asking (2s)"), True),
        (("■■⬝⬝ wait", "⬝■■⬝ wait", "⬝⬝■■ wait"), True),
        ((" ░█    Asking", "  ░█   Asking", "   ░█  Asking"), True),
        (("Running 3s", "Running 4s", "Running 5s"), True),
        (("model  0:03", "model  0:04", "model  0:05"), True),
        (("🌑 Asking", "🌒 Asking", "🌓 Asking"), True),
        (("[===  ] Asking", "[ === ] Asking", "[  ===] Asking"), True),
        (("/ Busy 1s", "- Busy 1s", "% Busy 1s", "| Busy 2s"), True),
        (("Reading, 3% done", "Reading, 6% done", "Reading, 9% done"), True),
        (("next try in 9 seconds", "next try in 8 seconds", "next try in 7 seconds"), True),
        (("残り 9秒", "残り 8秒", "残り 7秒"), True),
        (("name  size", "name   size", "name    size"), False),
        (("⠋ Asking", "* Asking", "* Asking"), False),
        (("one", "two", "three"), False),
        (("12:00:01", "12:00:02", "12:00:03"), False),
        (("> █", ">  ", "> █"), False),
    ],
)
def test_what_moves_changes_in_place_by_a_sign_or_a_count(
    frames: tuple[str, ...], moves: bool
) -> None:
    motion = Motion()
    for number, row in enumerate(frames):
        motion.take(view("above", row, at=number * 0.5), begun=True)
    assert (motion.lasts(len(frames) * 0.5) > 0) is moves


def test_what_text_pushes_down_while_it_turns_moves() -> None:
    motion = Motion()
    for number, sign in enumerate("⠋⠙⠹"):
        rows = (*(f"word {one}" for one in range(number)), f"{sign} Asking", "")
        motion.take(view(*rows, at=number * 0.5), begun=True)
    assert motion.lasts(1.5)


@pytest.mark.parametrize(("turned", "moves"), [(0, False), (3, True)])
def test_what_is_drawn_anew_for_another_size_begins_no_movement_and_ends_none(
    turned: int, moves: bool
) -> None:
    motion = Motion()
    for number, sign in enumerate("⠋⠙⠹⠸⠼⠴"):
        seen = view(f"{sign} Asking", at=number * 0.5)
        motion.take(replace(seen, resized=number >= turned), begun=True)
    assert (motion.lasts(3.0) > 0) is moves


def test_the_sign_of_an_end_moves_no_more_than_a_moment() -> None:
    motion = Motion()
    for number, sign in enumerate("⠋⠙⠹*"):
        motion.take(view(f"{sign} Asked", at=number * 0.5), begun=True)
    assert motion.lasts(1.5) == pytest.approx(2.2)
    assert not motion.lasts(1.5, patient=False) > 1.5


@pytest.mark.parametrize("begun", [True, False])
def test_a_light_that_travels_over_a_text_moves_once_something_was_asked(begun: bool) -> None:
    motion = Motion()
    for number in range(6):
        seen = view("Asking the oracle", "> ", at=number * 0.5)
        motion.take(msgspec.structs.replace(seen, tints=(number, 0)), begun=begun)
    assert (motion.lasts(3.0) > 3.0) is begun


def test_a_clock_that_runs_at_rest_tells_nothing_later() -> None:
    motion = Motion()
    clocks = [view(f"session 0:{number:02}", at=float(number)) for number in range(8)]
    for number, seen in enumerate(clocks):
        motion.take(seen, begun=number > 3)
    assert not motion.lasts(7.0)


def test_what_has_stopped_or_is_gone_moves_no_more() -> None:
    motion = Motion()
    for number, row in enumerate(("⠋ Asking", "⠙ Asking", "⠹ Asking")):
        motion.take(view(row, at=number * 0.5), begun=True)
    assert not motion.lasts(9.0)
    motion.take(view("Asked.", at=1.2), begun=True)
    assert not motion.lasts(1.2)


def test_a_field_that_gives_way_in_mid_turn_is_told_and_after_a_rest_is_not() -> None:
    looks = Looks(BOOK.named(ANY), BOOK.named(ANY))
    looks.read(view(*BOX), 0.0)
    working = looks.read(view(" ⠋ Asking (esc to cancel)", *BOX, at=1.0), 1.0)
    assert working is not None and working.says in AT_WORK
    gone = looks.read(view("Something", "unheard of", at=2.0), 2.0)
    assert gone is not None and (gone.rule, gone.says) == (FIELD_GONE, Says.BUSY)
    looks.read(view(*BOX, at=3.0), 3.0)
    help_ = looks.read(view("Keys and their meaning", at=4.0), 4.0)
    assert help_ is not None and help_.says is Says.REST


def show(judge: Judge, *views: View) -> None:
    for one in views:
        seen = Foreground(
            at=one.at, command="node", leader=True, wait=Wait.KEYS, canonical=False, echo=False
        )
        judge.feed(seen)
        judge.feed(one)


def judged(*views: View, command: str = "newagent") -> State:
    judge = Judge(command, BOOK, at=0.0)
    show(judge, *views)
    judge.tick(views[-1].at + 3.0)
    judge.tick(views[-1].at + 4.0)
    return judge.shown.state


def test_an_agent_of_no_known_name_is_judged_by_its_shapes() -> None:
    work = view(" ⠋ Asking (esc to cancel)", *BOX, at=2.0)
    assert judged(view(*BOX, at=1.0)) is State.UNKNOWN
    assert judged(view(*BOX, at=1.0), work) is State.THINKING
    assert judged(view(*BOX, at=1.0), work, view("So.", *BOX, at=5.0)) is State.SUCCESS
    dialog = view("May it run?", " ● 1. Yes", "   2. No", at=5.0)
    assert judged(view(*BOX, at=1.0), work, dialog) is State.ATTENTION


def test_an_agent_that_goes_on_after_a_dialog_is_not_done_meanwhile() -> None:
    work = view(" ⠋ Asking (esc to cancel)", *BOX, at=2.0)
    dialog = view("May it run?", " ● 1. Yes", "   2. No", at=5.0)
    judge = Judge("newagent", BOOK, at=0.0)
    show(judge, view(*BOX, at=1.0), work, dialog)
    judge.tick(6.0)
    judge.feed(Typed(at=6.5, key=Key.ENTER))
    show(judge, view("So.", *BOX, at=7.0))
    judge.tick(9.0)
    assert judge.shown.state is State.THINKING
    judge.tick(10.0)
    judge.tick(10.5)
    assert judge.shown.state is State.SUCCESS


def test_a_turn_that_stands_still_without_its_field_asks() -> None:
    work = view(" ⠋ Asking (esc to cancel)", *BOX, at=2.0)
    strange = view("Quelque chose", "d'inconnu", at=5.0)
    assert judged(view(*BOX, at=1.0), work, strange) is State.ATTENTION


def test_a_dialog_by_its_shape_outranks_a_rest_by_the_agents_own_rules() -> None:
    judge = Judge("claude", BOOK, at=0.0)
    judge.feed(Evidence(source=Source.TITLE, says=Says.REST, at=0.5))
    judge.feed(view(RULE, "❯ hello", RULE, "May I?", " › 1. Ja", "   2. Nein", "Taste", at=1.0))
    judge.tick(3.0)
    assert judge.shown.state is State.ATTENTION


def test_a_field_stands_below_what_stood_above_it_from_the_beginning() -> None:
    """Nanocoder has its cursor elsewhere, and after Escape it shows no sign before the words."""
    rows = ("Interrupted.", "What shall I do?", "┃", "┃ please do it", "┃", "▶ normal mode")
    shown = View(at=0.0, rows=rows, cursor_y=5, label="What shall I do?")
    assert above_field(shown) == rows[:2]
    for others in (rows[:3] + ("┃ May it run?",) + rows[3:], rows[:2] + ("Asking",)):
        assert not has_field(replace(shown, rows=others))


@pytest.mark.parametrize("agent", ["gemini", "qwen", "copilot", "cline", "opencode", "aider"])
def test_a_failure_by_its_shape_outranks_that_an_agent_has_its_field_again(agent: str) -> None:
    work = view(" ⠋ Asking (esc to cancel)", *BOX, at=2.0)
    failed = view("Error: 502 Bad Gateway", *BOX, at=5.0)
    assert judged(view(*BOX, at=1.0), work, failed, command=agent) is State.FAILURE


@pytest.mark.parametrize(
    ("title", "state"), [("◇  Ready (work)", State.SUCCESS), ("work", State.THINKING)]
)
@pytest.mark.parametrize("agent", ["newagent", "gemini"])
def test_a_sign_of_work_that_stands_still_is_left_over_where_the_title_rests(
    agent: str, title: str, state: State
) -> None:
    """On a resize an agent's rows may be pushed up, and its spinner stays where it was."""
    views = [
        view(f" {sign} Asking (esc to cancel)", *BOX, at=2.0 + at) for at, sign in enumerate("⠋⠙⠹")
    ]
    still = replace(view(" ⠹ Asking (esc to cancel)   So.", *BOX, at=9.0), title=title)
    assert judged(view(*BOX, at=1.0), *views, still, command=agent) is state


def test_how_a_turn_ended_stands_when_its_sign_is_covered() -> None:
    work = view(" ⠋ Asking (esc to cancel)", *BOX, at=2.0)
    broken = view("ℹ Request cancelled.", *BOX, at=5.0)
    covered = view("ℹ Request cancelled.", "/quit", "/quiet", "/queue", "/quick", *BOX, at=9.0)
    assert judged(view(*BOX, at=1.0), work, broken) is State.UNKNOWN
    assert judged(view(*BOX, at=1.0), work, broken, covered) is State.UNKNOWN


def test_what_the_user_said_is_no_button_though_it_is_drawn_on_another_ground() -> None:
    """Codex draws it so; on a resize its field may be gone for a moment."""
    rows = ("", "› run the tests, or say no", "", "• Working (3s)", "  no cancel here")
    shapes = BOOK.named(ANY)
    assert shapes is not None
    lit = tuple((at, f"⟦{rows[at]}⟧") for at in range(3))
    shown = View(at=1.0, rows=rows, cursor_y=4, lit=lit, bars=frozenset({0, 1, 2}))
    alone = View(at=1.0, rows=rows, cursor_y=4, lit=lit[1:2], bars=frozenset({1}))
    for one in (shown, alone):
        said = read_screen(shapes, one)
        assert said is None or said.says is not Says.WAITS
    button = View(at=1.0, rows=("Write it?", "  Yes   No"), cursor_y=1, lit=((1, "⟦  Yes ⟧  No"),))
    said = read_screen(shapes, button)
    assert said is not None and said.says is Says.WAITS and "⟦" not in said.text


@pytest.mark.parametrize(("row", "shows"), [("  40%", True), ("100%", True), ("101%", False)])
def test_a_share_of_the_whole_shows_progress(row: str, shows: bool) -> None:
    assert shows_progress(("Copying", row)) is shows
