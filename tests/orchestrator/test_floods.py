"""However fast a program says it: front ends hear the newest of each kind, and not too often."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from tests.helpers.flooding import KINDS, command
from tests.helpers.workplace import PATIENCE, create, session, text_of, until, wait_for

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

SECONDS = 2.0
MOST = 12 * SECONDS + 40
"""Messages of one kind in that time."""


def start(connection: Connection, session_id: str) -> None:
    connection.send(messages.TypeText(session=session_id, text="\n"))


def over(connection: Connection, session_id: str) -> int:
    """Wait for the end of the flood; return the number of the last that was said."""
    wait_for(connection, session_id, "^over [0-9]+")
    found = re.search(r"over (\d+)", text_of(connection, session_id))
    assert found
    return int(found[1])


def resident_mb(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) // 1024


@pytest.mark.parametrize("kind", [*KINDS, "mixed"])
def test_a_flood_comes_as_a_trickle(shared_place: Place, kind: str) -> None:
    with shared_place.connect(front_end=True) as front_end, shared_place.connect() as other:
        session_id = create(other, command(kind, SECONDS))
        front_end.send(messages.Focus(session=session_id))
        start(front_end, session_id)
        last = over(other, session_id)
        until(lambda: session(other, session_id)["title"] == f"the last of {last}", patience=1.0)
        heard = [m for m in front_end.pushed(0.5) if not isinstance(m, messages.Frame)]
    assert last > 100
    told = Counter(
        f"{type(m).__name__} {m.kind}{m.text[:1] if m.kind == 'command' else ''}"
        if isinstance(m, messages.Event)
        else type(m).__name__
        for m in heard
    )
    assert max(told.values()) < MOST, told
    changed = [m.session for m in heard if isinstance(m, messages.SessionChanged)]
    assert changed[-1].title == f"the last of {last}"
    events = [m for m in heard if isinstance(m, messages.Event)]
    if kind in ("notify", "clipboard", "cwd"):
        assert sum(event.count for event in events) == last
        assert str(last) in events[-1].text
    if kind == "command":
        ends = [event.text for event in events if event.text.startswith("D")]
        assert ends[-1] == f"D;{last % 2}"


def test_a_front_end_that_does_not_read_costs_little(place: Place) -> None:
    with place.connect(front_end=True) as stuck, place.connect() as other:
        ids = [create(other, command("mixed", 2 * SECONDS, rate=500)) for _ in range(3)]
        before = resident_mb(place.orchestrator)
        for session_id in ids:
            stuck.send(messages.View(view=1, session=session_id, cols=120, rows=30))
            start(stuck, session_id)
        lasts = [over(other, session_id) for session_id in ids]
        assert resident_mb(place.orchestrator) < before + 60
        heard = list(stuck.pushed(1.0))
        titles = {
            m.session.session_id: m.session.title
            for m in heard
            if isinstance(m, messages.SessionChanged)
        }
        assert titles == dict(zip(ids, (f"the last of {last}" for last in lasts), strict=True))


def bells(connection: Connection) -> int:
    heard = connection.pushed(0.5)
    return sum(isinstance(m, messages.Event) and m.kind == "bell" for m in heard)


def test_a_bell_of_another_session_rings_as_a_call_would(place: Place) -> None:
    rings = r"sh -c 'while read x; do printf \\007; echo rang; done'"
    with place.connect(front_end=True) as front_end:
        first, behind = create(front_end, rings), create(front_end, rings)
        front_end.send(messages.Focus(session=first))

        def ring(session_id: str) -> int:
            for _ in range(3):
                front_end.send(messages.TypeText(session=session_id, text="\n"))
                time.sleep(0.3)
            wait_for(front_end, session_id, "rang")
            return bells(front_end)

        assert ring(behind) == 1
        assert ring(first) == 3
        front_end.request(messages.Sound(id=0, do="mute", seconds=60.0), timeout=PATIENCE)
        time.sleep(1.0)
        assert ring(behind) == 0
        assert ring(first) == 3
