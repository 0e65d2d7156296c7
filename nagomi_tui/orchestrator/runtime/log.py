"""The log of the resident processes: every line of it is masked, tracebacks too (N-86)."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Final

from nagomi_tui.masking import mask
from nagomi_tui.system import files

_log = logging.getLogger(__name__)
_LIMIT: Final = 5 * 1024 * 1024
_FORMAT: Final = "%(asctime)s orchestrator %(process)d %(levelname)s %(name)s: %(message)s"


class MaskingFormatter(logging.Formatter):
    """Masks whole records, tracebacks included, since these may quote a secret."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text, masked."""
        return mask(super().format(record))


class _File(logging.FileHandler):
    """A log file whose faults never reach the caller.

    If no file can be opened, it writes to stderr, which is the same file, open since the start.
    """

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
            if self.stream is not None and self.stream.tell() > _LIMIT:
                self.close()
                _set_aside(Path(self.baseFilename))
        except OSError:
            with contextlib.suppress(OSError):
                os.write(2, f"{self.format(record)}\n".encode(errors="replace"))


def write_to(path: Path) -> None:
    """Write the log to a file; if that has grown long, rename it first."""
    try:
        if path.exists() and path.stat().st_size > _LIMIT:
            _set_aside(path)
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


def _set_aside(path: Path) -> None:
    """Have a new log begin; Windows lets nobody rename a file that is anybody's stderr."""
    try:
        os.replace(path, aside(path))
    except PermissionError:
        shutil.copyfile(path, aside(path))
        os.truncate(path, 0)


def aside(path: Path) -> Path:
    """Return the path of the log before this one."""
    return path.with_suffix(".old.log")


def _unforeseen(
    kind: type[BaseException], exc: BaseException | None, trace: TracebackType | None
) -> None:
    """Log an uncaught exception, masked, in place of Python's own report on stderr."""
    if exc is not None and issubclass(kind, Exception):
        _log.critical("this ends the orchestrator", exc_info=(kind, exc, trace))
