"""What `nagomi ls` and `next` print of some sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.api import messages, printing
from nagomi_tui.core.session.waiting import next_in_need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.words import Words

_NOBODY_WAITS: Final = 3
"""The exit code of `nagomi next` where nobody waits."""


def listing(
    request: messages.Print, found: Sequence[Session], words: Words, *, home: str
) -> messages.Printed:
    """Return the list of these sessions; folders below `home` are shown with `~`."""
    listed = tuple(messages.whole(info) for info in found)
    if request.json:
        return messages.Printed(text=printing.as_json(listed), code=0)
    text = printing.table(listed, words, width=request.width, home=home)
    return messages.Printed(text=text, code=0)


def first_in_need(
    request: messages.Print, found: Sequence[Session], words: Words
) -> messages.Printed:
    """Return which of these sessions has waited longest for the user."""
    info = next_in_need(found)
    waiting = None if info is None else messages.whole(info)
    text = printing.as_json(waiting) if request.json else printing.in_need(waiting, words)
    return messages.Printed(text=text, code=_NOBODY_WAITS if info is None else 0)
