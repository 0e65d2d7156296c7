"""Copies a value with some fields changed."""

from __future__ import annotations

import dataclasses
from typing import Any


def replace(struct: Any, /, **changes: Any) -> Any:
    """Return a copy with other values in some fields."""
    return dataclasses.replace(struct, **changes)
