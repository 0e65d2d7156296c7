"""A log of emergency stops in the project (DC-11)."""

from __future__ import annotations

import contextlib
import os
from datetime import datetime
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking import mask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.guard.files.project import Project

NAME: Final = "mode-revert-debug.log"
_LONGEST: Final = 200
"""Characters that are kept of a prompt."""
_LARGEST: Final = 256 * 1024
"""Bytes beyond which the log begins anew."""


def note(project: Project, prompt: str, phrases: Sequence[str]) -> None:
    """Note a stop with its time, the beginning of its prompt, and the phrases that stop.

    A stop never fails for its log.
    """
    told = " ".join(mask(prompt[:_LONGEST]).split())
    when = datetime.now().astimezone().isoformat(timespec="seconds")
    line = f"{when} stopped by {told!r}; phrases: {', '.join(phrases)}\n".encode()
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    with contextlib.suppress(OSError):
        fd = os.open(project.sessions / NAME, flags, 0o600)
        try:
            if os.fstat(fd).st_size > _LARGEST:
                os.ftruncate(fd, 0)
            os.write(fd, line)
        finally:
            os.close(fd)
