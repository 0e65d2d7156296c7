"""Predicted echo in a pane: over the rows that were sent, which stay as they are."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api.messages import Frame, Paste, Press, TypeText
from nagomi_tui.text.predicted_echo import ERASE, OTHER
from nagomi_tui.text.rows import INVERSE, Cursor, Modes, Style
from nagomi_tui.view.driver import routed_input
from nagomi_tui.view.pane import layers
from nagomi_tui.view.pane.buffer import PaneBuffer
from nagomi_tui.view.pane.viewport import Viewport

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.api.messages import Message

COLS = 20
Runs = tuple[tuple[str, int, int], ...]


class StillLink:
    """A link as far as a buffer needs it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def post(self, work: Callable[[], object]) -> None:
        work()


class Pane:
    """A buffer of three rows whose middle one has the cursor, and a clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, draws_cursor: bool = False) -> None:
        self.now = 50.0
        monkeypatch.setattr(layers.time, "monotonic", lambda: self.now)
        link: Any = StillLink()
        self.buffer = PaneBuffer(link, Viewport(own_size=True), lambda: None)
        self.buffer.begin(1, "a")
        self.buffer.resize(COLS, 3)
        self._draws = draws_cursor
        self._frames = 0
        self.draw("> ")

    def draw(self, text: str, *, line: int = 40) -> None:
        """Have a frame arrive."""
        self._frames += 1
        runs: Runs = ((text, 0, 1), (" ", 1, 1)) if self._draws else ((text, 0, 1),)
        frame = Frame(
            view=1,
            frame=self._frames,
            session="a",
            rows=((0, (("above", 0, 1),)), (1, runs)),
            styles=(Style(), Style(flags=INVERSE)),
            full=False,
            cursor=Cursor(visible=False) if self._draws else Cursor(len(text), 1),
            modes=Modes(),
            line=line,
            first_line=0,
            last_line=line + 2,
            left=0,
            top=0,
            cols=COLS,
            screen_rows=3,
        )
        assert self.buffer.take(frame)

    def prove(self) -> None:
        """Type a key whose echo takes a while."""
        assert not self.buffer.typed("a")
        self.now += 0.2
        self.draw("> a")

    @property
    def text(self) -> str:
        return self.buffer.rows[1].row.text


def test_the_rows_that_were_sent_stay_and_those_shown_are_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pane = Pane(monkeypatch)
    pane.prove()
    sent = list(pane.buffer.plain)
    assert pane.buffer.typed("b")
    assert pane.text == "> ab"
    assert pane.buffer.plain == sent
    assert pane.buffer.rows[1].cells[3] == ("b", Style(underline=1))
    assert pane.buffer.rows[0] is sent[0]
    assert pane.buffer.cursor == Cursor(4, 1)
    shown = pane.buffer.rows[1]
    pane.draw("> a", line=40)
    assert pane.text == "> ab"
    pane.draw("> ab")
    assert pane.buffer.rows[1] is pane.buffer.plain[1]
    assert pane.buffer.rows[1] is not shown
    assert pane.buffer.echo_wait is None


def test_a_wrong_guess_goes_when_it_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pane = Pane(monkeypatch)
    pane.prove()
    pane.buffer.typed("b")
    wait = pane.buffer.echo_wait
    assert wait is not None
    pane.now += wait / 2
    assert not pane.buffer.look_for_echo()
    pane.now += wait / 2
    assert pane.buffer.look_for_echo()
    assert (pane.text, pane.buffer.cursor) == ("> a", Cursor(3, 1))


def test_a_cursor_that_the_program_draws_is_found_and_moved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pane = Pane(monkeypatch, draws_cursor=True)
    pane.prove()
    assert pane.buffer.typed("b")
    cells = pane.buffer.rows[1].cells
    assert cells[3:6] == [
        ("b", Style(underline=1)),
        (" ", Style(flags=INVERSE)),
        (" ", Style()),
    ]
    assert not pane.buffer.cursor.visible


@pytest.mark.parametrize("change", ["forget", "resize", "session", "scroll"])
def test_it_begins_anew_with_another_session_size_or_line(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = Pane(monkeypatch)
    pane.prove()
    pane.buffer.typed("b")
    if change == "forget":
        assert pane.buffer.forget_echo()
    elif change == "resize":
        pane.buffer.resize(COLS + 1, 3)
    elif change == "session":
        pane.buffer.begin(1, "a")
    else:
        pane.draw("> a", line=41)
    assert "b" not in pane.text
    pane.draw("> a", line=41)
    pane.buffer.typed("c")
    assert pane.text == "> a"


def test_scrolled_panes_and_those_that_begin_in_the_middle_are_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pane = Pane(monkeypatch)
    assert pane.buffer.follows_from_the_left
    pane.buffer.viewport.fix(3, 42)
    assert not pane.buffer.follows_from_the_left


@pytest.mark.parametrize(
    ("message", "key"),
    [
        (Press(session="a", key="a", text="a"), "a"),
        (Press(session="a", key="a", mods=1, text="A"), "A"),
        (Press(session="a", key="space", text=" "), " "),
        (Press(session="a", key="手", text="手"), "手"),
        (Press(session="a", key="backspace"), ERASE),
        (Press(session="a", key="backspace", mods=2), OTHER),
        (Press(session="a", key="a", mods=4, text=""), OTHER),
        (Press(session="a", key="a", mods=2, text="a"), OTHER),
        (Press(session="a", key="enter"), OTHER),
        (Press(session="a", key="left"), OTHER),
        (Press(session="a", key="left_shift"), None),
        (Press(session="a", key="a", text="a", action="release"), None),
        (TypeText(session="a", text="much"), OTHER),
        (Paste(session="a", text="much"), OTHER),
    ],
)
def test_which_keys_are_guessed_with(message: Message, key: str | None) -> None:
    assert routed_input.guessed_key(message) == key  # type: ignore[arg-type]
