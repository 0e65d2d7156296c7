"""What was typed into a session elsewhere, until its worker has said that it was taken."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from nagomi_worker.wire.protocol import SendInput

if TYPE_CHECKING:
    from collections.abc import Iterable


MOST_PARTS: Final = 64
"""Pieces of texts whose names are remembered."""


class Inputs:
    """Numbers the input of a session, and keeps what may have been lost with a line."""

    def __init__(self) -> None:
        self._number = 0
        self._unsure: deque[SendInput] = deque()
        self.parts: deque[str] = deque(maxlen=MOST_PARTS)
        """Names of the pieces of texts that were typed already, of those that a client may send again."""

    @property
    def unsure(self) -> Iterable[SendInput]:
        """What must be sent again over a new line."""
        return tuple(self._unsure)

    def kept(self, session_id: str, text: str, part: str) -> SendInput:
        """Return the order to type this, which is kept until it was taken."""
        self._number += 1
        order = SendInput(session_id=session_id, text=text, number=self._number, part=part)
        self._unsure.append(order)
        return order

    def taken(self, number: int) -> None:
        """Note that the worker has taken the input up to this number."""
        self._number = max(self._number, number)
        while self._unsure and (self._unsure[0].number or 0) <= number:
            self._unsure.popleft()
