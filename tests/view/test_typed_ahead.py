"""What was typed ahead goes on once the keys are with whom it is meant for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.widgets import Input

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
    keyboard = SimpleNamespace(
        resume=lambda *, in_text: told.append("resume in text" if in_text else "resume")
    )
    typed_ahead = TypedAhead(
        cast("Any", SimpleNamespace(screen=SimpleNamespace(focused=focused))),
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


def test_what_is_typed_right_behind_a_refused_key_is_for_nobody() -> None:
    """The name of a lane, and Enter, were sent to the agent in front where no lane was to be chosen."""
    sent: list[Any] = []
    dropped: list[int] = []
    timers: list[Any] = []

    def after(seconds: float, work: Any) -> Any:
        timers.append(work)
        return SimpleNamespace(cancel=lambda: timers.remove(work) if work in timers else None)

    def pass_by() -> None:
        for work in [one for one in timers if one.__name__ == "_swallow"]:
            timers.remove(work)
            work()

    io = SimpleNamespace(call=lambda work: work(), after=after)
    link = SimpleNamespace(
        io=io, post=lambda work: work(), send=sent.append, on_keys_dropped=dropped.append
    )
    routed = RoutedInput(cast("Any", link), sent.append, lambda: None)
    routed.router.session = "one"

    def refuse(key: str) -> None:
        routed.refuse()
        routed.resume()

    routed.on_leader = refuse
    routed.resume()
    for kind, data in (
        (Kind.KEY, b"\x1d"), (Kind.TEXT, b"a"), (Kind.TEXT, b"api"), (Kind.KEY, b"\r"),
        (Kind.PASTE, b"1"),
    ):  # fmt: skip
        routed.router.take(Token(kind, data))
    pass_by()
    routed.router.take(Token(Kind.TEXT, b"1"))
    pass_by()
    assert not sent and not dropped
    pass_by()
    assert dropped == [6]
    routed.router.take(Token(Kind.TEXT, b"x"))
    assert [one.text for one in sent] == ["x"]
    routed.on_leader = lambda _key: routed.resume()
    refuse("a")
    for data in (b"b", b"\x1d", b"z", b"y"):
        routed.router.take(Token(Kind.KEY if data == b"\x1d" else Kind.TEXT, data))
    pass_by()
    pass_by()
    assert [one.text for one in sent] == ["x", "y"] and dropped == [6, 1]
