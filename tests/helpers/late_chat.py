"""`python -m tests.helpers.late_chat SECONDS`: nagomi, whose chat view is long in being made."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Final

from nagomi_tui import cli
from nagomi_tui.view.screens.chat_view import ChatView

SECONDS: Final = float(sys.argv[1])

_on_mount = ChatView.on_mount


async def _late(view: ChatView) -> None:
    # As when the orchestrator tells of something meanwhile.
    view.app.parts.main.route_keys()  # type: ignore[attr-defined]
    await asyncio.sleep(SECONDS)
    _on_mount(view)


def main() -> None:
    """Open the workplace."""
    os.environ["NAGOMI_ZYGOTE"] = "0"
    ChatView.on_mount = _late  # type: ignore[assignment, method-assign]
    sys.exit(cli.main([]))


if __name__ == "__main__":
    main()
