"""Hooks in a separate file of nagomi's, which the agent loads beside others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent_hooks.json_text import Edit
from nagomi_tui.agent_hooks.plan import OURS, Unfit
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent_hooks.plan import HookedAgent, Status


def status(agent: HookedAgent, text: str) -> Status:
    """Return whether the file is exactly as this version writes it; an empty one is "absent".

    Raises:
        Unfit: the file is not nagomi's.
    """
    if not text:
        return "absent"
    _check(text)
    return "installed" if text == agent.text else "outdated"


def with_hooks(agent: HookedAgent, text: str) -> tuple[str, list[Edit]]:
    """Return our file's text, and the edit that undoes the change.

    Raises:
        Unfit: there is a file already that is not nagomi's.
    """
    if text:
        _check(text)
    return agent.text, [Edit(0, len(agent.text), text)]


def without_hooks(text: str) -> str | None:
    """Return None: without our hooks there is no file.

    Raises:
        Unfit: the file is not nagomi's.
    """
    _check(text)
    return None


def _check(text: str) -> None:
    if OURS not in text:
        raise Unfit(
            translatable("{path} is there already and is not of nagomi. Nothing was changed.")
        )
