"""Starts the orchestrator when nobody answers."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

LAUNCH_AFTER_SECONDS: Final = 0.3
_LAUNCH_AGAIN_SECONDS: Final = 10.0


class Launcher:
    """Starts the orchestrator in a thread, since that may take a second and keys must not wait.

    `on_failed` is called in that thread with the reason if it could not be started.
    """

    def __init__(
        self, launch: Callable[[], object] | None, on_failed: Callable[[Exception], object]
    ) -> None:
        self._launch = launch or _ensure_running
        self._on_failed = on_failed
        self._refused_since: float | None = None
        self._launching = False

    def answered(self) -> None:
        """Note that the orchestrator answers."""
        self._refused_since = None

    def refused(self) -> None:
        """Note that nobody answers; when that has lasted a while, start an orchestrator."""
        now = time.monotonic()
        if self._refused_since is None:
            self._refused_since = now
        elif now - self._refused_since > LAUNCH_AFTER_SECONDS and not self._launching:
            self._launching = True
            threading.Thread(target=self._run, name="nagomi-launch", daemon=True).start()

    def _run(self) -> None:
        pause = 0.0
        try:
            self._launch()
        except Exception as exc:
            pause = _LAUNCH_AGAIN_SECONDS
            self._on_failed(exc)
        finally:
            self._refused_since = time.monotonic() + pause
            self._launching = False


def _ensure_running() -> None:
    from nagomi_tui.api.launch import ensure_running  # rarely needed, and slow to import

    ensure_running()
