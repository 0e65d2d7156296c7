"""Agents that nobody has described, each with shapes of its own: at work, asking, done."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nagomi_tui.api import messages
from tests.end_to_end.test_agent_hooks import press
from tests.end_to_end.test_claude import Watch
from tests.helpers import unknown_agent
from tests.helpers.workplace import PATIENCE, create, session, until, workplace

pytestmark = pytest.mark.slow


SMALL, LARGE = (80, 24), (200, 50)


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        pytest.param(kind, size, marks=[pytest.mark.variant] * (number > 1))
        for number, (kind, size) in enumerate(
            zip(unknown_agent.KINDS, (SMALL, LARGE, SMALL, LARGE, SMALL), strict=True)
        )
    ],
)
def test_an_agent_of_no_known_shape_calls_when_it_asks(
    kind: str, size: tuple[int, int], tmp_path: Path
) -> None:
    program = tmp_path / "zubrowka"
    program.write_text(f"#!{sys.executable}\n" + Path(unknown_agent.__file__).read_text())
    program.chmod(0o755)
    with workplace() as place, place.connect() as connection, place.connect() as watching:
        cols, rows = size
        made = create(connection, f"{program} {kind}", str(tmp_path), rows=rows, cols=cols)

        def shows(*phases: str) -> None:
            until(lambda: session(connection, made)["phase"] in phases, f"{phases}")

        shows("idle")
        with Watch(watching, made).begun() as watch:
            send = messages.Send(id=0, session=made, text="hello", enter=False)
            connection.request(send, timeout=PATIENCE)
            press(connection, made, "enter")
            watch.shows("busy")
            watch.shows("attention")
            press(connection, made, "enter")
            watch.shows("success")
        assert watch.phases.count("attention") == 1, watch.phases
