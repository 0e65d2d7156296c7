"""The largest terminal that a session may have."""

from __future__ import annotations

from typing import Final

COLS_LIMIT: Final = 1000
ROWS_LIMIT: Final = 500
