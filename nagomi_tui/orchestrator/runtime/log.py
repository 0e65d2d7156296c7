"""The log of the resident processes: every line of it is masked, tracebacks too (N-86)."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui import files
from nagomi_tui.core.masking import mask

if TYPE_CHECKING:
    from types import TracebackType

_log = logging.getLogger(__name__)
_LIMIT: Final = 5 * 1024 * 1024
_FORMAT: Final = "%(asctime)s orchestrator %(process)d %(levelname)s %(name)s: %(message)s"


class MaskingFormatter(logging.Formatter):
    """Masks what is to be written, when it is whole: a traceback may quote a secret."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text, masked."""
        return mask(super().format(record))


class _File(logging.FileHandler):
    """Ends nobody who wants to tell something where it cannot be written.

    Without a free file it goes to stderr, which leads to the same file, open since the start.
    """

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
            if self.stream is not None and self.stream.tell() > _LIMIT:
                self.close()
                os.replace(self.baseFilename, aside(Path(self.baseFilename)))
        except OSError:
            with contextlib.suppress(OSError):
                os.write(2, f"{self.format(record)}\n".encode(errors="replace"))


def write_to(path: Path) -> None:
    """Write the log to a file; one that has grown long is put aside once."""
    try:
        if path.exists() and path.stat().st_size > _LIMIT:
            os.replace(path, aside(path))
        files.append(path).close()
        handler: logging.Handler = _File(path, encoding="utf-8", delay=True)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(MaskingFormatter(_FORMAT))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.raiseExceptions = False
    sys.excepthook = _unforeseen
    threading.excepthook = lambda failed: _unforeseen(
        failed.exc_type, failed.exc_value, failed.exc_traceback
    )


def aside(path: Path) -> Path:
    """Where the log before this one is."""
    return path.with_suffix(".old.log")


def mask_old(path: Path) -> None:
    """Mask what a version wrote that did not mask yet; others may have the file open."""
    for written in (path, aside(path)):
        try:
            masked = mask(files.read(written, 2 * _LIMIT).decode("utf-8", "replace"))
            with open(written, "r+", encoding="utf-8") as file:
                file.write(masked)
                file.truncate()
        except OSError as exc:
            _log.info("no log to mask: %s", exc)


def _unforeseen(
    kind: type[BaseException], exc: BaseException | None, trace: TracebackType | None
) -> None:
    """Log what nobody caught, instead of Python's own unmasked words on stderr."""
    if exc is not None and issubclass(kind, Exception):
        _log.critical("this ends the orchestrator", exc_info=(kind, exc, trace))
