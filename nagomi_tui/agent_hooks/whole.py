"""Hooks in a file of nagomi's own, which an agent reads beside others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent_hooks.json_text import Edit
from nagomi_tui.agent_hooks.plan import OURS, Unfit
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent_hooks.plan import HookedAgent, Standing


def standing(agent: HookedAgent, text: str) -> Standing:
    """Tell whether the file is there as this version writes it.

    Raises:
        Unfit: it is somebody else's.
    """
    if not text:
        return "absent"
    _check(text)
    return "installed" if text == agent.text else "outdated"


def with_hooks(agent: HookedAgent, text: str) -> tuple[str, list[Edit]]:
    """Return our file in the place of none, and the way back.

    Raises:
        Unfit: there is somebody else's.
    """
    if text:
        _check(text)
    return agent.text, [Edit(0, len(agent.text), text)]


def without_hooks(text: str) -> str | None:
    """Return nothing in the place of our file.

    Raises:
        Unfit: it is somebody else's.
    """
    _check(text)
    return None


def _check(text: str) -> None:
    if OURS not in text:
        raise Unfit(
            translatable("{path} is there already and is not of nagomi. Nothing was changed.")
        )
