"""What the agent's requests to its model used and cost today, by why the model was asked.

Conversations, single questions, the agent's own loop and summaries are counted alike, and so are
answers that broke off, whose tokens are estimated. The count lasts over a restart.
"""

from __future__ import annotations

import contextlib
import logging
import time
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.agent.providers.models import dearest
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_json

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.providers.interface import Clock, Route, Usage

_log = logging.getLogger(__name__)
SPENT_FILE: Final = "agent-spent.json"
"""The name of the file, in the state folder."""


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What requests of one kind used; `cost` in US$ is that of the requests with known prices."""

    requests: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    """Requests whose cost is not known."""
    assumed: float = 0.0
    """US$ for those, as with the dearest model that is known."""

    def with_request(self, usage: Usage) -> Spent:
        """Return what is spent with one request more."""
        return Spent(
            requests=self.requests + 1,
            tokens=self.tokens + usage.total,
            cost=self.cost + (usage.cost or 0.0),
            unpriced=self.unpriced + (usage.cost is None),
            assumed=self.assumed + (dearest(usage) if usage.cost is None else 0.0),
        )


class Today(msgspec.Struct, frozen=True, kw_only=True):
    """What was spent on one day of the local time zone, such as `2026-11-28`."""

    day: str = ""
    routes: dict[str, Spent] = {}

    @property
    def cost(self) -> float:
        """US dollars, as far as they are known."""
        return sum(spent.cost for spent in self.routes.values())

    @property
    def assumed(self) -> float:
        """US dollars for the requests whose cost is not known, as with the dearest known model."""
        return sum(spent.assumed for spent in self.routes.values())

    @property
    def unpriced(self) -> int:
        """Requests whose cost is not known."""
        return sum(spent.unpriced for spent in self.routes.values())


class Ledger:
    """Counts requests, and keeps the count on disk; if the disk is full, in memory."""

    def __init__(self, path: Path, now: Clock = time.time) -> None:
        self._path = path
        self._now = now
        self._held = _read(path)
        self._adding = Lock()

    def add(self, route: Route, usage: Usage) -> None:
        """Count a request; threads may call this at the same time."""
        with self._adding:
            today = self.today()
            spent = today.routes.get(route, Spent()).with_request(usage)
            self._held = Today(day=today.day, routes={**today.routes, route: spent})
            with contextlib.suppress(OSError):
                files.write(self._path, msgspec.json.encode(self._held))

    def today(self) -> Today:
        """Return what was spent since midnight."""
        day = f"{datetime.fromtimestamp(self._now(), UTC).astimezone():%Y-%m-%d}"
        return self._held if self._held.day == day else Today(day=day)


def _read(path: Path) -> Today:
    try:
        return from_json(files.read(path), Today)
    except FileNotFoundError:
        return Today()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as exc:
        _log.warning("%s is counted anew: %s", path, exc)
        return Today()
