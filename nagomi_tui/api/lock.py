"""The lock file of a workplace, which is one of the worker's kind."""

from __future__ import annotations

from nagomi_worker.lock import Busy, FileLock

__all__ = ["Busy", "FileLock"]
