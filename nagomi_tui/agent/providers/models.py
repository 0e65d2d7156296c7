"""Models' prices and request limits, by the user's table, then nagomi's in `config/`; and what was spent today."""

from __future__ import annotations

import contextlib
import logging
import re
import time
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Final

import msgspec

from nagomi_tui.agent.providers.interface import Clock, Route, Usage
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_builtins, from_json
from nagomi_tui.system.paths import config_folder, shipped

_log = logging.getLogger(__name__)
DEFAULT_LIMIT: Final = 180_000
"""The most tokens in a request to a model that the table does not list (S-28, X-21)."""
_DATED: Final = re.compile(r"-(20[0-9]{2}-?[0-9]{2}-?[0-9]{2}|latest)$")
_MILLION: Final = 1_000_000


class Prices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars per million tokens, for requests with more than `tokens` input tokens."""

    tokens: int = 0
    input: float
    output: float
    cache_read: float | None = None
    """None means the price of `input`."""
    cache_write: float | None = None
    """None means the price of `input`."""


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of the table."""

    names: tuple[str, ...]
    limit: int = DEFAULT_LIMIT
    """The most tokens in a request."""
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    above: Prices | None = None
    listed: bool = True
    """Whether the table has this entry, and it is no stand-in for an unknown model."""

    def prices(self, tokens: int) -> Prices | None:
        """Return the prices for a request with this many input tokens; None if not known."""
        if self.above is not None and tokens > self.above.tokens:
            return self.above
        if self.input is None or self.output is None:
            return None
        return Prices(
            input=self.input,
            output=self.output,
            cache_read=self.cache_read,
            cache_write=self.cache_write,
        )

    def priced(self, usage: Usage) -> Usage:
        """Return the usage of one request with its cost in US dollars added, if that is known."""
        return msgspec.structs.replace(usage, cost=self._cost(usage))

    def _cost(self, usage: Usage) -> float | None:
        prices = self.prices(usage.input + usage.cache_read + usage.cache_write)
        if prices is None:
            return None
        read = prices.input if prices.cache_read is None else prices.cache_read
        write = prices.input if prices.cache_write is None else prices.cache_write
        paid = usage.input * prices.input + usage.output * prices.output
        return (paid + usage.cache_read * read + usage.cache_write * write) / _MILLION


def dearest(usage: Usage) -> float:
    """Return what a usage costs in US dollars with the dearest model that is listed.

    With it the requests to a model without prices count towards a limit in money.
    """
    listed = (model for table in _tables() for model in _read(table))
    costs = [model.priced(usage).cost for model in listed]
    return max((cost for cost in costs if cost is not None), default=0.0)


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: tuple[Model, ...] = ()


def model_of(name: str) -> Model:
    """Return a model's entry from the first table with one, or a default entry if there is none.

    A table that cannot be read is logged and skipped.
    """
    for table in _tables():
        for model in _read(table):
            if name in model.names or _DATED.sub("", name) in model.names:
                return model
    return Model(names=(name,), listed=False)


def _tables() -> tuple[Path, ...]:
    return (config_folder() / "models.toml", shipped("config") / "models.toml")


def _read(table: Path) -> tuple[Model, ...]:
    try:
        found = tomllib.loads(files.read_text(table))
        return from_builtins(found, _Table).model
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, RecursionError, ValueError) as exc:
        _log.warning("%s is not used: %s", table, exc)
        return ()


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
    """Counts what requests used and cost today, by why the model was asked; kept over a restart.

    Conversations, single questions, the agent's own loop and summaries are counted alike, and so are
    answers that broke off, whose tokens are estimated. If the disk is full it is kept in memory.
    """

    def __init__(self, path: Path, now: Clock = time.time) -> None:
        self._path = path
        self._now = now
        self._held = _read_today(path)
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


def _read_today(path: Path) -> Today:
    try:
        return from_json(files.read(path), Today)
    except FileNotFoundError:
        return Today()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as exc:
        _log.warning("%s is counted anew: %s", path, exc)
        return Today()
