"""The log of the agent's process: stderr, which leads to the workplace's log; masked (N-86)."""

from __future__ import annotations

import logging
import sys
from typing import Final

from nagomi_tui.core.masking import mask

_FORMAT: Final = "%(asctime)s agent %(process)d %(levelname)s %(name)s: %(message)s"


class _Masked(logging.Formatter):
    """Masks a record when it is whole: a traceback may quote a secret."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text, masked."""
        return mask(super().format(record))


def begin() -> None:
    """Write what went wrong to stderr; libraries say only what is serious."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Masked(_FORMAT))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("nagomi_tui").setLevel(logging.INFO)
    logging.raiseExceptions = False
