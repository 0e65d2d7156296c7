"""A view that is being removed loses its parts one by one; what reaches it meanwhile does no harm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.sessions.session import Condition, State
from nagomi_tui.text.rows import Style
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.prompt.prompt import Prompt
from nagomi_tui.view.screens.chat_view import ChatView
from nagomi_tui.view.screens.framed import Framed
from nagomi_tui.view.screens.list_view import ListView
from nagomi_tui.view.screens.run_view import RunView, Tile
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

if TYPE_CHECKING:
    from collections.abc import Callable

AGENTS = [
    session(n, f"agent {n}", agent="claude", phase=Condition.ATTENTION, waits=True)
    for n in range(1, 9)
]
ENDED = session(9, "ended", state=State.EXITED, exit_code=3)
ASKED = {
    "verdict": {"state": "attention", "confidence": 0.9, "summary": ""}, "rule": "", "draft": "",
    "question": {"question_id": "q", "text": "Go on?", "choices": [{"key": "1", "label": "Yes"}]},
}  # fmt: skip


def late(view: Any, frames: list[Framed]) -> list[Callable[[], object]]:
    """Return what timers, answers and messages call of a view."""
    if isinstance(view, ChatView):
        scrolled = TerminalPane.Scrolled(frames[0].pane)
        return [
            view._show_question,
            view.focus_prompt,
            lambda: view.on_text_area_changed(Prompt.Changed(view._prompt)),
            lambda: view.on_terminal_pane_scrolled(scrolled),
        ]
    if isinstance(view, ListView):
        return [view._settled, view._redraw]
    assert isinstance(view, RunView)
    return [view._keep_in_sight, view._show_gists, lambda: view.watch_scroll_y(0, 1)]


@pytest.mark.parametrize(
    ("keys", "kind"), [(("S",), RunView), ((), ListView), (("v",), ChatView)], ids=str
)
async def test_what_comes_late_to_a_view_that_goes_does_no_harm(
    keys: tuple[str, ...], kind: type[Any]
) -> None:
    """The front end ended: nothing was there that matched ".gist"."""
    with FakeOrchestrator(*AGENTS, ENDED) as server:
        for one in AGENTS:
            server.screens[one.session_id] = [[("Do you want to proceed?", Style())]]
            server.asked[one.session_id] = ASKED
        async with visit(server, (100, 30)) as here:
            await here.leader(*keys)
            await here.rests(server)
            (view,) = here.app.parts.main.stage.children
            assert isinstance(view, kind)
            frames = list(view.query(Framed))
            await here.until(lambda: "agent 1" in here.text())
            for one in reversed(list(view.query("*"))):
                if not isinstance(one, Framed):
                    await one.remove()
            for call in [*late(view, frames), *(frame.on_resize for frame in frames)]:
                call()
            for tile in frames:
                if isinstance(tile, Tile):
                    tile.show_gist(["Do you want to proceed?"])
                tile.show(ENDED, focused=False, fps=5)
            await here.pilot.pause()
            assert here.app.is_running
