"""Nothing that sessions, folders and the clipboard hold gets out as a control character."""

from __future__ import annotations

import re

import pytest

from nagomi_tui.sessions.session import Condition
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

EVIL = "na\u202e\x9bme\u2066\x1b[1m"
BAD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
HOSTILE = session(
    1, EVIL, phase=Condition.ERROR, waits=True, cmd=EVIL, cwd=f"/{EVIL}", branch=EVIL, title=EVIL,
    summary=EVIL, agent=EVIL,
)  # fmt: skip


@pytest.mark.parametrize("keys", ["", "z", "v", "y", "R", "X", "x", "r", "c", ":", "/", "s", "w"])
async def test_no_view_or_dialog_lets_such_characters_out(keys: str) -> None:
    with FakeOrchestrator(HOSTILE) as orchestrator:
        async with visit(orchestrator, (120, 30)) as here:
            widths = {strip.cell_length for strip in strips(here)}
            if keys:
                await here.leader(keys)
            await here.sees("na")
            here.app.parts.messages.tell(EVIL)
            await here.pilot.pause()
            assert not BAD.search(here.text())
            assert {strip.cell_length for strip in strips(here)} == widths == {120}


async def test_what_was_pasted_into_a_prompt_is_shown_plain() -> None:
    with FakeOrchestrator(session(1, "a")) as orchestrator:
        async with visit(orchestrator) as here:
            await here.leader("v")
            await here.until(lambda: here.app.query("Prompt"))
            here.app.query_one("Prompt").text = f"draft {EVIL}"  # type: ignore[attr-defined]
            await here.sees("draft na")
            assert not BAD.search(here.text())


def strips(here: object) -> list[object]:
    return here.app.screen._compositor.render_strips()  # type: ignore[attr-defined]
