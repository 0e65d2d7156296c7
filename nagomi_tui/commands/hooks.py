"""Hooks of coding agents: install, remove, show, status; and `event`, which they can run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from nagomi_tui.commands.parser import add
from nagomi_tui.commands.speech import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    # `nagomi_tui/cli.py` carries it out itself; here it is only named for the help.
    sender = add(commands, "event", event, tr("hand an agent's hook event on (for its hooks)"))
    sender.usage = "nagomi event AGENT [JSON]"


def event(words: Sequence[str]) -> NoReturn:
    """Hand on one event; this ends the process, always with 0 and in silence."""
    from nagomi_tui.event import main

    main([*words[:1], "", *words[1:]])
