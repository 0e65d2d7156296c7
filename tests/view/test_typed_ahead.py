"""What was typed ahead goes on once the keys are with whom it is meant for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.widgets import Input

from nagomi_tui.text.key_names import BEHIND_SECONDS
from nagomi_tui.view.driver.keyboard import TypedAhead
from nagomi_tui.view.driver.routed_input import RoutedInput
from nagomi_tui.view.driver.tokens import Kind, Token


@pytest.mark.parametrize(
    ("textual_has_keys", "focused", "done"),
    [
        (False, None, ["route", "resume"]),
        (True, Input(), ["resume in text"]),
    ],
    ids=["a dialog has closed", "a dialog is in front"],
)
def test_the_keys_are_routed_before_it_goes_on(
    textual_has_keys: bool, focused: Input | None, done: list[str]
) -> None:
    """Under load the first key behind a new name was given to the screen below the dialog."""
    told: list[str] = []
    routed = SimpleNamespace(
        resume=lambda *, in_text, moved: told.append("resume in text" if in_text else "resume"),
    )
    keyboard = SimpleNamespace(do=lambda work: work(routed), target=None)
    typed_ahead = TypedAhead(
        cast("Any", SimpleNamespace(screen=SimpleNamespace(focused=focused), screen_stack=[])),
        cast("Any", SimpleNamespace(after_refresh=lambda work: work())),
        cast("Any", keyboard),
        textual_has_keys=lambda: textual_has_keys,
        route_keys=lambda: told.append("route"),
    )
    typed_ahead.go_on()
    assert told == done


def test_no_key_overtakes_the_one_before_it_whatever_is_over_meanwhile() -> None:
    """A session that came while Tab was handled let the letters behind it into the field before."""
    given: list[object] = []
    timer = SimpleNamespace(cancel=lambda: None)
    io = SimpleNamespace(call=lambda work: work(), after=lambda _seconds, _work: timer)
    link = SimpleNamespace(io=io, post=lambda work: work())
    routed = RoutedInput(cast("Any", link), given.append, lambda: None)
    routed.on_key_given = lambda: None
    routed.resume(in_text=True)
    routed.router.take(Token(Kind.KEY, b"\t"))
    routed.router.take(Token(Kind.TEXT, b"a"))
    routed.resume(in_text=True)
    assert [cast("Any", one).key for one in given] == ["tab"]
    routed.key_done()
    routed.resume(in_text=True)
    assert [cast("Any", one).key for one in given] == ["tab", "a"]


class Line:
    """The keyboard's way to sessions, with time that passes when a test says so."""

    def __init__(self, session: str) -> None:
        self.sent: list[Any] = []
        self.dropped: list[int] = []
        self._timers: list[Any] = []
        self._now = 0.0
        io = SimpleNamespace(call=lambda work: work(), after=self._after)
        link = SimpleNamespace(
            io=io, post=lambda work: work(), send=self.sent.append,
            on_keys_dropped=self.dropped.append,
        )  # fmt: skip
        self.routed = RoutedInput(cast("Any", link), self.sent.append, lambda: None)
        self.routed.router.session = session
        self.routed.resume()

    def _after(self, seconds: float, work: Any) -> Any:
        timer = SimpleNamespace(work=work, at=self._now + seconds)
        timer.cancel = lambda: self._timers.remove(timer) if timer in self._timers else None
        self._timers.append(timer)
        return timer

    def passes(self, seconds: float = BEHIND_SECONDS) -> None:
        """Let a moment pass."""
        self._now += seconds
        for timer in [one for one in self._timers if one.at <= self._now]:
            self._timers.remove(timer)
            timer.work()

    def type(self, *keys: bytes) -> None:
        for key in keys:
            kind = Kind.KEY if key[0] < 32 else Kind.PASTE if len(key) > 9 else Kind.TEXT
            self.routed.router.take(Token(kind, key))

    @property
    def keys(self) -> list[str]:
        return [one.key for one in self.sent]


LEADER = b"\x1d"


def test_what_is_typed_right_behind_a_refused_key_is_for_nobody() -> None:
    """The name of a lane, and Enter, were sent to the agent in front where no lane was to be chosen."""
    line = Line("one")

    def refuse(key: str) -> None:
        line.routed.refuse()
        line.routed.resume()

    line.routed.on_leader = refuse
    line.type(LEADER, b"a", b"api", b"\r", b"a paste of a line")
    line.passes(0.3)
    line.type(b"1")
    line.passes(0.3)
    assert not line.sent and not line.dropped
    line.passes(0.2)
    assert line.dropped == [6]
    line.type(b"x")
    assert line.keys == ["x"]
    line.routed.on_leader = lambda _key: line.routed.resume()
    refuse("a")
    line.type(b"b", LEADER, b"z", b"y")
    assert line.keys == ["x", "y"] and line.dropped == [6, 1]
    line.routed.on_leader = refuse
    line.type(LEADER, b"a paste of a line")
    line.passes()
    assert line.keys == ["x", "y"]


@pytest.mark.parametrize(
    ("closing", "behind", "sent"),
    [
        (b"\r", b"\r\r", ""), (b"n", b"n", ""), (b"n", b"\r", ""), (b"q", b"q", ""),
        (b"\r", b"ls\r", "l s enter"), (b"q", b"\rx\r", "x enter"),
    ],
)  # fmt: skip
def test_a_key_pressed_once_more_than_a_dialog_needs_is_for_nobody(
    closing: bytes, behind: bytes, sent: str
) -> None:
    """A second Enter on a question whether to quit approved what an agent asked behind it."""
    line = Line("")

    def closes() -> None:
        line.routed.router.session = "one"
        line.routed.key_done()
        line.routed.resume(moved=True)

    line.routed.on_key_given = closes
    line.type(closing)
    del line.sent[:]
    line.type(*(bytes([one]) for one in behind))
    assert " ".join(line.keys) == sent
    line.passes()
    line.type(b"\r")
    assert " ".join(line.keys) == f"{sent} enter".strip()


@pytest.mark.parametrize(
    ("in_text", "closing", "pause", "sent"),
    [
        (False, b"\r", False, ""), (False, b"n", False, ""), (True, b"\x1b", False, ""),
        (True, b"\r", False, "1 x"), (False, b"n", True, "1 x"), (True, b"\x1b", True, "1 x"),
    ],
)  # fmt: skip
def test_what_is_typed_before_a_dialog_was_seen_is_for_no_session_behind_it(
    in_text: bool, closing: bytes, pause: bool, sent: str
) -> None:
    """ "x", Enter and "1" in one go closed the question whether to stop, and approved what stood behind it."""
    line = Line("one")

    def opens(_key: str) -> None:
        line.routed.router.session = ""
        line.routed.resume(in_text=in_text)

    def closes() -> None:
        line.routed.router.session = "one"
        line.routed.key_done()
        line.routed.resume(moved=True)

    line.routed.on_leader, line.routed.on_key_given = opens, closes
    line.type(LEADER, b"x")
    if pause:
        line.passes()
    line.type(closing)
    del line.sent[:]
    line.type(b"1", b"x")
    line.passes()
    line.passes()
    assert " ".join(line.keys) == sent and bool(line.dropped) is not bool(sent)


def test_a_second_escape_in_the_menu_is_for_nobody() -> None:
    line = Line("one")
    line.type(LEADER, b"\x1b", b"\x1b")
    assert not line.sent
    line.type(b"x")
    assert line.keys == ["x"]


def test_escape_closes_what_a_leader_key_opens_right_behind_a_dialog() -> None:
    """Closed with `q` and another opened at once, Escape was taken for a second key to close the first."""
    line = Line("")

    def moves(session: str, *, moved: bool) -> None:
        line.routed.router.session = session
        line.routed.key_done()
        line.routed.resume(moved=moved)

    line.routed.on_key_given = lambda: moves("one", moved=True)
    line.routed.on_leader = lambda _key: moves("", moved=False)
    line.type(b"q", LEADER, b"W")
    del line.sent[:]
    line.type(b"\x1b")
    assert line.keys == ["escape"]
