"""Both engines, for tests that hold for either."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator

import pytest

from nagomi_tui.terminal.choose import open_engine
from nagomi_tui.terminal.engine import Engine

NATIVE = importlib.util.find_spec("pyghostty") is not None
Make = Callable[..., Engine]


@pytest.fixture(
    params=[
        pytest.param("ghostty", marks=pytest.mark.skipif(not NATIVE, reason="no wheel here")),
        "pyte",
    ]
)
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Open engines of one kind; they are closed at the test's end."""
    opened: list[Engine] = []

    def open_one(cols: int = 40, rows: int = 6, *, history: int = 20_000) -> Engine:
        opened.append(open_engine(cols, rows, prefer=request.param, history=history))
        assert opened[-1].version.startswith(request.param)
        return opened[-1]

    yield open_one
    for engine in opened:
        engine.close()
