"""Plain text is replaced exactly by what is final, as a real terminal engine shows it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_tui.agent.chat.shown import Shown
from nagomi_tui.agent.talk.events import Question, ToolEnded, ToolStarted, TurnEnded
from nagomi_tui.masking import REDACTED
from nagomi_tui.terminal.ghostty.engine import GhosttyEngine
from nagomi_tui.text import words
from nagomi_tui.text.markdown import Pieces, Renderer
from tests.helpers.examples import examples

ANSWER = """\
# Heading

Six sessions run. **Two** wait for you; the build has failed and its log is long.

1. `claude` asks whether it may edit
2. 日本語の項目です。長い行は折り返されます。

   - nested

```python
def f(x: int) -> str:
    return f"{x} 日本語の長い文字列がここにあります" * 2

```

| name | state |
|---|---|
| List<String> | ok |

> quoted

The end.
"""


class FakeScreen:
    """The terminal that a turn is shown on: an engine of a size that may change."""

    color = True
    can_move = True

    def __init__(self, columns: int = 40, rows: int = 12) -> None:
        self.columns, self.rows = columns, rows
        self.engine = GhosttyEngine(columns, rows)
        self.written = 0

    def size(self) -> tuple[int, int]:
        return self.columns, self.rows

    def write(self, text: str) -> None:
        self.written += len(text)
        self.engine.feed(text.encode())

    def line(self, text: str, sgr: str = "") -> None:
        self.write(f"{text}\r\n")

    def styled(self, text: str, sgr: str) -> str:
        return text

    def resize(self, columns: int) -> None:
        self.columns = columns
        self.engine.resize(columns, self.rows)

    def text(self) -> list[str]:
        """Return all lines, those that were scrolled away too."""
        last = self.engine.screen_line + self.rows
        lines = [row.text.rstrip() for row in self.engine.lines(self.engine.first_line, last)]
        while lines and not lines[-1]:
            lines.pop()
        return lines


def rendered(text: str, columns: int) -> list[str]:
    """Return what a text looks like that has come at once, on a terminal without an end."""
    screen = FakeScreen(columns, 500)
    shown = Shown(screen, words.of("en"))  # type: ignore[arg-type]
    shown.text(text)
    shown.ended(TurnEnded("done", text))
    return screen.text()


def streamed(screen: FakeScreen, text: str, size: int) -> Shown:
    shown = Shown(screen, words.of("en"))  # type: ignore[arg-type]
    for at in range(0, len(text), size):
        shown.text(text[at : at + size])
    return shown


@examples(30)
@given(st.integers(1, 17), st.integers(12, 100), st.integers(14, 40))
def test_a_streamed_answer_looks_as_one_that_came_at_once(
    size: int, columns: int, rows: int
) -> None:
    screen = FakeScreen(columns, rows)
    streamed(screen, ANSWER, size).ended(TurnEnded("done"))
    assert screen.text() == rendered(ANSWER, columns)


def test_text_is_seen_while_it_comes() -> None:
    screen = FakeScreen()
    shown = streamed(screen, "# Head\n\nSome **text", 3)
    assert screen.text() == ["Head", "", "Some **text"]
    shown.ended(TurnEnded("done"))
    assert screen.text() == ["Head", "", "Some **text"]


def test_a_block_of_code_that_is_taller_than_the_screen_is_shown_once_and_whole() -> None:
    lines = [f"line {number}" for number in range(50)]
    text = "\n".join(["```", *lines, "```"]) + "\n"
    for size in (1, 10, 1000):
        screen = FakeScreen(30, 8)
        streamed(screen, text, size).ended(TurnEnded("done"))
        assert screen.text() == ["```", *lines, "```"]


def test_a_paragraph_without_an_end_stays_plain_and_is_shown_once() -> None:
    text = " ".join(f"word{number}" for number in range(120))
    screen = FakeScreen(30, 8)
    streamed(screen, text, 5).ended(TurnEnded("done"))
    assert "".join("".join(screen.text()).split()) == "".join(text.split())


@pytest.mark.parametrize("columns", [20, 60])
def test_nothing_is_lost_when_the_width_changes_in_a_piece(columns: int) -> None:
    screen = FakeScreen(40, 12)
    shown = streamed(screen, "one two three four five six seven eight nine", 4)
    screen.resize(columns)
    shown.text(" ten **eleven**\n\nand **after**\n\n")
    shown.ended(TurnEnded("done"))
    text = " ".join(" ".join(screen.text()).split())
    for word in ("one", "nine", "ten", "eleven", "and after"):
        assert text.count(word) == 1, text
    assert "**after**" not in text


def test_what_is_written_grows_as_the_answer_does() -> None:
    """O(n): a longer answer costs as much more as it is longer, however small its chunks."""
    short, long = FakeScreen(80, 24), FakeScreen(80, 24)
    streamed(short, ANSWER * 5, 4).ended(TurnEnded("done"))
    streamed(long, ANSWER * 50, 4).ended(TurnEnded("done"))
    assert long.written < 11 * short.written


def test_control_characters_of_a_model_do_nothing() -> None:
    screen = FakeScreen()
    shown = streamed(screen, "a\x1b[2Jb\x1b]0;title\x07c\n\n```\n\x1b[1mx\n```\n", 1)
    shown.ended(TurnEnded("done"))
    assert screen.engine.title == ""
    assert screen.text()[0].replace(" ", "") == "a[2Jb]0;titlec"


def test_tools_stand_between_the_pieces() -> None:
    screen = FakeScreen()
    shown = streamed(screen, "Let me look.", 4)
    shown.tool_started(ToolStarted("1", "read_file", "read_file notes.md"))
    assert screen.text() == ["Let me look.", "▸ read_file notes.md"]
    shown.tool_ended(ToolEnded("1", True, "12 lines"))
    shown.tool_started(ToolStarted("2", "why_session", "why_session 3"))
    shown.tool_ended(ToolEnded("2", False, "no such session"))
    shown.text("Well.")
    shown.ended(TurnEnded("done"))
    assert screen.text() == [
        "Let me look.",
        "✓ read_file notes.md · 12 lines",
        "✗ why_session 3 · no such session",
        "",
        "Well.",
    ]


def test_a_question_hides_nothing() -> None:
    screen = FakeScreen(80, 20)
    shown = Shown(screen, words.of("en"))  # type: ignore[arg-type]
    shown.question(
        Question("1", "send_to_session", "send to 3", "rm x\x1b[2K\r\u202eecho", risk="high")
    )
    assert screen.text() == [
        "? send to 3",
        r"  rm x\x1b[2K\r\u202eecho",
        "  risk: high",
        "  o once · n no (Enter: no)",
    ]


@pytest.mark.parametrize("columns", [60, 24])
def test_what_is_asked_stands_above_its_keys_where_the_screen_is_low(columns: int) -> None:
    screen = FakeScreen(columns, 8)
    shown = Shown(screen, words.of("en"))  # type: ignore[arg-type]
    detail = "what goes out with it, told in a sentence or two\n" * 8
    shown.question(Question("1", "consent", "Send it?", detail))
    rows = screen.text()
    assert "? Send it?" in rows[-3:-1]
    assert "no" in rows[-1]


def test_html_and_generic_types_are_text() -> None:
    pieces = Pieces()
    (piece,) = [*pieces.feed("a List<String> and <b>bold</b>\n"), *pieces.end()]
    assert "List<String> and <b>bold</b>" in Renderer(color=False).render(piece, 80)


@pytest.mark.requirement("N-86")
@pytest.mark.parametrize(
    "text", ["KEY=***REDACTED***;", "- **bold ***REDACTED*** x**", "> `***REDACTED***`", "# ***REDACTED***"]
)  # fmt: skip
def test_what_stands_for_a_secret_keeps_its_stars(text: str) -> None:
    assert REDACTED in text
    (piece,) = [*(pieces := Pieces()).feed(f"{text} and ***more***\n"), *pieces.end()]
    rendered = Renderer(color=False).render(piece, 80)
    assert REDACTED in rendered and "***more" not in rendered


@pytest.mark.parametrize("color", [True, False])
def test_no_color_leaves_attributes_only(color: bool) -> None:
    text = Renderer(color=color).render(
        [*(pieces := Pieces()).feed("```py\n"), *pieces.feed("import x\n"), *pieces.end()][0], 80
    )
    assert ("\x1b[35m" in text) is color
    assert "\x1b[2m" in text
