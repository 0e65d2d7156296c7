"""Why no worker can run on the far side, as a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Unusable(Exception):
    """No worker can run there; `message` is the English sentence, with named placeholders."""

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message.format(**values))
        self.message = message
        self.values = values


class Ended(Unusable):
    """The line ended before a worker ran; `said` are its last lines, and stderr may tell more."""

    def __init__(self, message: str, said: Sequence[str], **values: object) -> None:
        super().__init__(message, **values)
        self.said = said
