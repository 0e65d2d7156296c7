"""A front end in a terminal of its own, as its user has it."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Final

from tests.helpers.outer import Outer

if TYPE_CHECKING:
    from pathlib import Path

REACT_SECONDS: Final = 10.0
"""Longest until a front end shows what a key asks for, on a machine that others use too."""


def front_end(*, path: Path | None = None, **env: str) -> Outer:
    """Open the front end; `path` is a folder of programs that come before the system's."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "NAGOMI_HOME")}
    kept |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "NAGOMI_LANG": "en", **env}
    if path is not None:
        kept["PATH"] = f"{path}:{kept['PATH']}"
    return Outer([sys.executable, "-m", "nagomi_tui"], kept, cols=120, rows=30)


def reacts(outer: Outer) -> float:
    """Open help and close it; return after how many seconds it was there."""
    began = time.monotonic()
    outer.keys("C-]", "?")
    outer.wait("Type to filter", timeout=REACT_SECONDS)
    took = time.monotonic() - began
    outer.keys("Escape")
    outer.wait(lambda screen: "Type to filter" not in screen, timeout=REACT_SECONDS)
    return took


def leave(outer: Outer) -> None:
    """Detach, as a user does."""
    outer.keys("C-]", "d")
    outer.wait("[left 0]", timeout=REACT_SECONDS)
