"""Predicted echo: keys and rows with their times in, an overlay out (issue 16, item 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.text.predicted_echo import ERASE, OTHER, PROOFS, CursorLine, PredictedEcho

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH: Final = 40
PROMPT: Final = "$ "


class Far:
    """A program at the end of a line: it gets a key some time after it was typed."""

    def __init__(self, seconds: float = 0.2, *, answers: Callable[[Far, str], None]) -> None:
        self.echo = PredictedEcho()
        self.now = 100.0
        self.text, self.x, self.number = PROMPT, len(PROMPT), 7
        self._seconds = seconds
        self._answers = answers
        self._on_the_way: list[tuple[float, str]] = []
        self.draw()

    @property
    def line(self) -> CursorLine:
        """What it has drawn."""
        cells: list[str] = []
        for char in self.text:
            cells += [char, ""] if ord(char) > 0x2FFF else [char]
        return CursorLine(self.number, tuple(cells + [" "] * (WIDTH - len(cells))), self.x)

    def draw(self) -> None:
        """Have the line arrive."""
        self.echo.saw(self.line, self.now)

    def type(self, *keys: str, every: float = 0.05) -> None:
        """Type keys, one after another."""
        for key in keys:
            self.echo.typed(key, self.now)
            self._on_the_way.append((self.now + self._seconds, key))
            self.wait(every)

    def wait(self, seconds: float, *, draws: bool = True) -> None:
        """Let time go by; what arrives is answered and drawn."""
        until = self.now + seconds
        while self._on_the_way and self._on_the_way[0][0] <= until:
            self.now, key = self._on_the_way.pop(0)
            self._answers(self, key)
            if draws:
                self.draw()
        self.now = until
        self.echo.look(self.now)

    @property
    def shown(self) -> str:
        """The line as it is shown, with a bar where the cursor is."""
        line = self.line
        cells, x = list(line.cells), line.x
        overlay = self.echo.overlay()
        if overlay is not None:
            assert overlay.number == line.number
            x = overlay.x
            for at, text in overlay.cells:
                cells[at] = text
        before = "".join(cells[:x])
        return f"{before}|{''.join(cells[x:]).rstrip()}"


def echoes(far: Far, key: str) -> None:
    """A shell's line."""
    if key == OTHER:
        far.number, far.text, far.x = far.number + 1, PROMPT, len(PROMPT)
    elif key == ERASE:
        if len(far.text) > len(PROMPT):
            far.x -= 2 if ord(far.text[-1]) > 0x2FFF else 1
            far.text = far.text[:-1]
    else:
        far.text += key
        far.x += 2 if ord(key) > 0x2FFF else 1


def is_silent(_far: Far, _key: str) -> None:
    """A password's prompt."""


def stars(far: Far, key: str) -> None:
    """A password's prompt that counts."""
    echoes(far, key if key in (OTHER, ERASE) else "*")


def shouts(far: Far, key: str) -> None:
    """A program that changes what is typed."""
    echoes(far, key.upper())


def commands(far: Far, key: str) -> None:
    """A full-screen program whose keys are commands."""
    if key in "xd":
        far.text = far.text[:-1] or "~"
    elif key in "jk":
        far.number += 1 if key == "j" else -1
    elif key == "~":
        far.text = far.text.swapcase()
    far.x = min(far.x, len(far.text))


def test_after_one_key_was_echoed_the_others_are_shown_at_once() -> None:
    far = Far(answers=echoes)
    far.type(*"ls", every=0.01)
    assert far.shown == "$ |"
    far.wait(0.185)
    assert far.text == "$ l"
    assert far.shown == "$ ls|"
    far.type(*" -l")
    assert far.shown == "$ ls -l|"
    far.wait(1)
    assert far.echo.overlay() is None
    assert far.text == "$ ls -l"


def test_a_quick_line_needs_no_prediction() -> None:
    far = Far(0.02, answers=echoes)
    for char in "make test":
        far.type(char, every=0.015)
        assert far.echo.overlay() is None


def test_a_line_that_becomes_slow_and_quick_again_is_noticed() -> None:
    far = Far(0.02, answers=echoes)
    far.type(*"abc")
    far._seconds = 0.3
    far.type(*"defgh", every=0.4)
    far.type("i")
    assert far.shown.endswith("i|")
    far.wait(1)
    far._seconds = 0.005
    far.type(*"jklmnopqrstuvw", every=0.1)
    far.type("x", every=0.001)
    assert far.shown.endswith("w|")


def test_a_backspace_takes_back_what_was_typed_and_no_more() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far.type(*"bc", ERASE)
    assert far.shown == "$ ab|"
    far.type(ERASE, ERASE)
    assert far.shown == "$ |"
    far.type(ERASE)
    far.wait(2)
    assert far.shown == "$ |"
    assert far.text == PROMPT


def test_behind_another_key_nothing_is_shown_until_an_echo_is_seen_again() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far.type("b", OTHER, every=0.01)
    assert far.shown == "$ ab|"
    far.type(*"pass", every=0.01)
    assert far.shown == "$ ab|"
    far._answers = is_silent
    far.wait(0.16)
    assert far.shown == "$ ab|"
    far.type(*"word")
    assert far.shown == "$ ab|"
    far.wait(far.echo.patience)
    assert far.shown == "$ a|"


def test_a_key_that_undoes_the_line_takes_guesses_back_and_is_no_fault() -> None:
    def undoes(far: Far, key: str) -> None:
        if key == OTHER:
            far.text, far.x = PROMPT, len(PROMPT)
        else:
            echoes(far, key)

    far = Far(answers=undoes)
    far.type("a", every=0.3)
    far.type("b", OTHER, "c", every=0.01)
    far.wait(0.3)
    assert far.shown == "$ c|"
    far.type("d")
    assert far.shown == "$ cd|"


def test_nothing_is_shown_of_a_password_even_after_an_echo() -> None:
    far = Far(answers=echoes)
    far.type("s", every=0.3)
    far.type(*"udo", every=0.3)
    far._answers = is_silent
    far.type(OTHER)
    for key in (*"a long secret", OTHER):
        far.type(key)
        assert far.echo.overlay() is None


def test_after_a_wrong_guess_several_keys_are_awaited() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far._answers = shouts
    far.type("b")
    assert far.shown == "$ ab|"
    far.wait(0.2)
    assert far.shown == "$ aB|"
    far._answers = echoes
    for char in "cdefg"[:PROOFS]:
        far.type(char, every=0.01)
        assert far.echo.overlay() is None
        far.wait(0.3)
    far.type("h")
    assert far.shown == "$ aBcdefgh|"


def test_a_guess_that_nothing_answers_vanishes_in_time() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far._answers = is_silent
    far.type("b")
    assert far.shown == "$ ab|"
    far.wait(far.echo.patience)
    assert far.echo.overlay() is None


def test_a_key_is_waited_for_to_the_end_of_its_patience() -> None:
    echo = PredictedEcho()
    echo.typed("a", 100.0)
    assert echo.due is None  # no line was seen yet
    end = 100.0 + echo.patience
    echo.saw(CursorLine(1, (" ",) * WIDTH, 0), end)
    assert echo.due == end
    echo.look(end)
    assert echo.due is None


def test_what_was_given_up_is_not_waited_for_beside_the_next_key() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far._answers = is_silent
    far.type("b")
    far.wait(far.echo.patience)
    far.type("c", every=0)
    assert far.echo.due == far.now + far.echo.patience


def test_a_guess_that_no_cursor_was_seen_of_is_taken_for_wrong() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far.type("b")
    far.echo.saw(None, far.now)
    far.wait(far.echo.patience, draws=False)
    far.draw()
    far.type("c", every=0.3)
    far.type("d")
    assert far.echo.overlay() is None


def test_a_key_that_was_taken_back_before_it_was_seen_is_no_fault() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far.type("b", ERASE, every=0.01)
    far.wait(far.echo.patience, draws=False)
    far.type("c", every=0.01)
    assert far.shown == "$ ac|"


def test_what_was_typed_behind_another_key_outlives_the_guesses_before_it() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far._answers = is_silent
    far.type("b", OTHER, "c", every=0.01)
    assert far.echo.due is not None
    far.wait(far.echo.due - far.now + 0.001)
    far.draw()
    assert far.echo.due is not None


def test_keys_that_wait_behind_enter_are_found_in_the_new_line() -> None:
    far = Far(answers=echoes)
    far.type(*"ls", OTHER, *"pwd", every=0.01)
    assert far.echo.overlay() is None
    far.wait(0.205)
    assert far.number == 8
    assert far.shown == "$ pwd|"


def test_at_the_end_of_a_row_and_before_other_text_nothing_is_guessed() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far.type(*"b" * WIDTH, every=0.001)
    overlay = far.echo.overlay()
    assert overlay is not None
    assert overlay.x == WIDTH - 1
    inside = Far(answers=echoes)
    inside.text, inside.x = "$ ab cd", 4
    inside.draw()
    inside.type("x", every=0.01)
    assert inside.echo.due is None


def test_a_backspace_before_other_text_is_not_guessed() -> None:
    """As before what a shell proposes there."""
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far.text = "$ abc"
    far.draw()
    far.type(ERASE, every=0.01)
    assert far.echo.due is None


def test_a_line_without_a_prompt_is_taken_back_to_its_first_cell() -> None:
    far = Far(answers=echoes)
    far.text, far.x = "", 0
    far.draw()
    far.type("a", every=0.3)
    far._answers = is_silent
    far.type(ERASE)
    assert far.shown == "|"


def test_a_run_of_more_than_500_characters_is_not_guessed() -> None:
    for count, x in ((500, 500), (501, None)):
        echo = PredictedEcho()
        echo.saw(CursorLine(1, (" ",) * 600, 0), 0.0)
        for at in range(count):
            echo.typed("a", at / 10_000)
        echo.saw(CursorLine(1, ("a",) + (" ",) * 599, 1), 0.2)
        overlay = echo.overlay()
        assert (overlay.x if overlay else None) == x


def test_a_wide_character_takes_two_cells() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far.type(*"手紙", ERASE)
    assert far.shown == "$ a手|"
    far.wait(1)
    assert far.shown == "$ a手|"


def test_a_cursor_elsewhere_hides_what_is_guessed() -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    far.type("b")
    far.echo.saw(None, far.now)
    assert far.echo.overlay() is None
    far.number += 1
    far.draw()
    assert far.echo.overlay() is None


class Step(NamedTuple):
    """What a user and a line do next."""

    key: str
    every: float
    draws: bool


KEYS = st.sampled_from([*"abxjk~ ", "手", ERASE, OTHER])
STEPS = st.lists(
    st.builds(Step, KEYS, st.sampled_from([0.0, 0.03, 0.2, 0.9]), st.booleans()), max_size=40
)
PROGRAMS = (echoes, is_silent, stars, shouts, commands)


@given(STEPS, st.sampled_from(PROGRAMS), st.sampled_from([0.0, 0.06, 0.3]))
def test_whatever_is_typed_nothing_is_left_over_the_line_in_the_end(
    steps: list[Step], program: Callable[[Far, str], None], seconds: float
) -> None:
    far = Far(seconds, answers=program)
    for step in steps:
        far.type(step.key, every=0.0)
        far.wait(step.every, draws=step.draws)
    far.wait(10)
    far.draw()
    far.wait(far.echo.patience)
    assert far.echo.overlay() is None
    assert far.echo.due is None


@given(STEPS, st.sampled_from((is_silent, stars)))
def test_what_is_not_echoed_is_never_shown(
    steps: list[Step], program: Callable[[Far, str], None]
) -> None:
    far = Far(answers=program)
    for step in steps:
        far.type(step.key, every=0.0)
        assert far.echo.overlay() is None
        far.wait(step.every)
        assert far.echo.overlay() is None


@given(st.lists(st.tuples(st.sampled_from([*"ab ~手"]), st.sampled_from([0.0, 0.03, 0.25]))))
def test_a_program_that_echoes_is_predicted_without_a_fault(keys: list[tuple[str, float]]) -> None:
    far = Far(answers=echoes)
    far.type("a", every=0.3)
    typed = f"{PROMPT}a"
    for key, every in keys[:12]:
        far.type(key, every=0.0)
        typed += key
        assert far.shown.rstrip() == f"{typed}|"
        far.wait(every)


@given(STEPS, st.sampled_from(PROGRAMS))
def test_what_was_drawn_is_never_changed(
    steps: list[Step], program: Callable[[Far, str], None]
) -> None:
    """The overlay names cells of the line with the cursor, and says nothing of any other."""
    far = Far(answers=program)
    for step in steps:
        far.type(step.key, every=0.0)
        overlay = far.echo.overlay()
        if overlay is not None:
            assert overlay.number == far.number
            assert all(far.line.cells[at] != text for at, text in overlay.cells)
            assert 0 <= overlay.x < WIDTH
        far.wait(step.every)
