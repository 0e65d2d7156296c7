"""How many examples property tests try: always the same few, or many new ones by `make examples`."""

from __future__ import annotations

import os
from typing import Final

from hypothesis import HealthCheck, settings

_TIMES: Final = int(os.environ.get("NAGOMI_TEST_EXAMPLES", "0"))
"""How many times as many examples are tried, all of them new; with 0 the same ones in each run."""


def examples(count: int) -> settings:
    """Return what has a property test try so many examples."""
    return settings(max_examples=count * (_TIMES or 1))


def use() -> None:
    """Make it so for all property tests.

    How long an example takes says nothing where tests run side by side.
    """
    settings.register_profile(
        "shared",
        derandomize=not _TIMES,
        max_examples=100 * (_TIMES or 1),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("shared")
