"""Each action of the registry has a handler, and no handler is without an action."""

from __future__ import annotations

import pytest

from nagomi_tui.view.keymap.actions import BY_NAME, CLICKED_ONLY
from tests.helpers.app_pilot import visit
from tests.helpers.fake_orchestrator import FakeOrchestrator, session


async def test_the_table_of_handlers_is_the_registry() -> None:
    with FakeOrchestrator(session(1, "one")) as server:
        async with visit(server) as here:
            numbers = {f"go_{number}" for number in range(1, 10)}
            assert here.app.parts.actions.table.keys() == BY_NAME.keys() - numbers | CLICKED_ONLY


async def test_an_action_that_nobody_knows_is_named() -> None:
    with FakeOrchestrator(session(1, "one")) as server:
        async with visit(server) as here:
            with pytest.raises(ValueError, match="no_such_thing"):
                here.app.parts.actions.perform("no_such_thing")
