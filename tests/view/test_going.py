"""What is being removed loses its parts one by one; what reaches it meanwhile does no harm."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from textual.widget import Widget

from nagomi_tui.api.messages import Agent, Failed
from nagomi_tui.sessions.session import Condition, GuardStanding, State
from nagomi_tui.text.rows import Style
from nagomi_tui.view.dialogs.agents import AgentModeDialog
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens.chat_view import ChatView
from nagomi_tui.view.screens.framed import Framed
from nagomi_tui.view.screens.list_view import ListView
from nagomi_tui.view.screens.prompt import Prompt
from nagomi_tui.view.screens.run_view import RunView
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.helpers.app_pilot import Visit

AGENTS = [
    session(n, f"agent {n}", agent="claude", phase=Condition.ATTENTION, waits=True)
    for n in range(1, 9)
]
ENDED = session(9, "ended", state=State.EXITED, exit_code=3)
GUARDED = session(1, "guarded", agent="claude", guard=GuardStanding(proposed=1))
ASKED = {
    "verdict": {"state": "attention", "confidence": 0.9, "summary": ""}, "rule": "", "draft": "",
    "question": {"question_id": "q", "text": "Go on?", "choices": [{"key": "1", "label": "Yes"}]},
}  # fmt: skip
NO = Failed(id=1, message="no", code="refused")


class Slow(Widget):
    """A part that takes its time to go."""

    def __init__(self, leave: asyncio.Event) -> None:
        super().__init__()
        self._leave = leave

    async def on_unmount(self) -> None:
        await self._leave.wait()


@asynccontextmanager
async def going(
    here: Visit, node: Any, parts: str, go: Callable[[], object]
) -> AsyncIterator[None]:
    """Have a view or dialog be removed, and stay so until the block ends, without these parts of it."""
    leave = asyncio.Event()
    await node.mount(Slow(leave))
    try:
        assert node.query(parts)
        go()
        while node.query(parts):  # the pilot would wait for what goes
            await asyncio.sleep(0.01)
        assert node.is_attached
        yield
    finally:
        leave.set()
    await here.pilot.pause()
    assert here.app.is_running


def late(view: Any, frames: list[Framed]) -> list[Callable[[], object]]:
    """Return what timers, answers and messages call of a view."""
    calls = [frame.on_resize for frame in frames]
    if isinstance(view, ChatView):
        scrolled = TerminalPane.Scrolled(frames[0].pane)
        return [
            *calls,
            view._show_question,
            view.focus_prompt,
            lambda: view.on_text_area_changed(Prompt.Changed(view._prompt)),
            lambda: view.on_terminal_pane_scrolled(scrolled),
        ]
    if isinstance(view, ListView):
        return [*calls, view._settled, view._redraw]
    assert isinstance(view, RunView)
    return [*calls, view._keep_in_sight, view._show_gists, lambda: view.watch_scroll_y(0, 1)]


@pytest.mark.parametrize(
    ("keys", "kind", "parts"),
    [(("S",), RunView, ".gist"), ((), ListView, ".ending"), (("v",), ChatView, "Prompt")],
)
async def test_what_comes_late_to_a_view_does_no_harm(
    keys: tuple[str, ...], kind: type[Any], parts: str
) -> None:
    """The front end ended: nothing was there that matched ".gist"."""
    with FakeOrchestrator(*AGENTS, ENDED) as server:
        for one in AGENTS:
            server.screens[one.session_id] = [[("Do you want to proceed?", Style())]]
            server.asked[one.session_id] = ASKED
        async with visit(server, (100, 30)) as here:
            await here.leader(*keys)
            await here.rests(server)
            stage = here.app.parts.main.stage
            (view,) = stage.children
            assert isinstance(view, kind)
            await here.until(lambda: "agent 1" in here.text())
            frames = list(view.query(Framed))
            async with going(here, view, parts, stage.rebuild):
                for call in late(view, frames):
                    call()
                for frame in frames:
                    frame.show(ENDED, focused=False, fps=5)


@pytest.mark.parametrize(
    ("key", "says", "parts"), [("c", "New session", "Input"), ("G", "test it", "OptionList")]
)
async def test_what_comes_late_to_a_dialog_does_no_harm(key: str, says: str, parts: str) -> None:
    with FakeOrchestrator(GUARDED) as server:
        server.guard = {"proposal": ["test it"], "offered": ["test it"]}
        async with visit(server, (100, 30)) as here:
            await here.leader(key)
            await here.sees(says)
            await here.rests(server)
            shown: Any = here.app.screen
            calls: list[Callable[[], object]] = (
                [lambda: shown._show("cmd", "", ("make",)), lambda: shown._answered("no")]
                if key == "c"
                else [partial(one, NO) for one in (shown._noticed, shown._undone, shown._diffed)]
            )
            async with going(here, shown, parts, lambda: shown.dismiss(None)):
                for call in calls:
                    call()


async def test_how_the_agent_stands_may_come_as_its_dialog_opens_and_closes() -> None:
    with FakeOrchestrator(GUARDED) as server:
        async with visit(server, (100, 40)) as here:
            shown = AgentModeDialog(Agent(mode="calm"), server.address.parent)
            shown.stands(Agent(mode="calm"))
            here.app.push_screen(shown)
            await here.until(lambda: shown.query("#kept"))
            async with going(here, shown, "#kept", lambda: shown.dismiss(None)):
                shown.stands(Agent(mode="calm"))
