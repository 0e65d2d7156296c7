"""What a model costs and how long a request to it may be: a table in `config/`, the user's first."""

from __future__ import annotations

import logging
import re
import tomllib
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui import files
from nagomi_tui.paths import config_folder, shipped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from nagomi_tui.agent.providers.interface import Usage

_log = logging.getLogger(__name__)
DEFAULT_LIMIT: Final = 180_000
"""Most tokens of a request to a model that the table does not know (S-28, X-21)."""
_DATED: Final = re.compile(r"-(20[0-9]{2}-?[0-9]{2}-?[0-9]{2}|latest)$")
_MILLION: Final = 1_000_000


class Prices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens; for requests with more than `tokens` of them."""

    tokens: int = 0
    input: float
    output: float
    cache_read: float | None = None
    """None: as `input`."""
    cache_write: float | None = None
    """None: as `input`."""


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of the table."""

    names: tuple[str, ...]
    limit: int = DEFAULT_LIMIT
    """Most tokens of a request."""
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    above: Prices | None = None

    def prices(self, tokens: int) -> Prices | None:
        """Return the prices of a request with so many input tokens; None if they are not known."""
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
        """Return the tokens of one request with what they cost in US dollars, if that is known."""
        return msgspec.structs.replace(usage, cost=self._cost(usage))

    def _cost(self, usage: Usage) -> float | None:
        prices = self.prices(usage.input + usage.cache_read + usage.cache_write)
        if prices is None:
            return None
        read = prices.input if prices.cache_read is None else prices.cache_read
        write = prices.input if prices.cache_write is None else prices.cache_write
        paid = usage.input * prices.input + usage.output * prices.output
        return (paid + usage.cache_read * read + usage.cache_write * write) / _MILLION


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    model: tuple[Model, ...] = ()


def model_of(name: str, tables: Iterable[Path] | None = None) -> Model:
    """Return the entry of a model, of the first table that has one; a default of one that none has.

    A table that cannot be read is left out, and logged.
    """
    for table in _tables() if tables is None else tables:
        for model in _read(table):
            if name in model.names or _DATED.sub("", name) in model.names:
                return model
    return Model(names=(name,))


def _tables() -> tuple[Path, ...]:
    return (config_folder() / "models.toml", shipped("config") / "models.toml")


def _read(table: Path) -> tuple[Model, ...]:
    try:
        found = tomllib.loads(files.read_text(table))
        return msgspec.convert(found, _Table).model
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, RecursionError, ValueError) as exc:
        _log.warning("%s is not used: %s", table, exc)
        return ()
