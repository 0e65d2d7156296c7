"""What was typed ahead goes on once the keys are with whom it is meant for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.widgets import Input

from nagomi_tui.view.driver.keyboard import TypedAhead


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
