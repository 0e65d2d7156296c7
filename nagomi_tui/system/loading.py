"""Loading a program's modules without looking through them for garbage, again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept() -> Iterator[None]:
    """Keep what is imported in the block for good; the garbage collector would take up to a third of its time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
