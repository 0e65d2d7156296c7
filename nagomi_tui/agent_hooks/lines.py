"""Hooks as lines in an agent's settings file, between two comments that mark them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.agent_hooks.json_text import Edit, apply
from nagomi_tui.agent_hooks.plan import Unfit
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent_hooks.plan import HookedAgent, Status

_BEGIN: Final = "# nagomi: these lines are its own; `nagomi hooks remove` takes them away\n"
_END: Final = "# nagomi: end\n"
_OURS: Final = re.compile(
    r"^# nagomi: these lines.*\n(?:.*\n)*?# nagomi: end(?:\n|\Z)", re.MULTILINE
)


def status(agent: HookedAgent, text: str) -> Status:
    """Return whether the file holds our lines, exactly as this version writes them.

    Raises:
        Unfit: the user has settings that do the same.
    """
    found = _OURS.search(text)
    _check(agent, _OURS.sub("", text))
    if found is None:
        return "absent"
    return "installed" if found[0] == _block(agent) else "outdated"


def with_hooks(agent: HookedAgent, text: str) -> tuple[str, list[Edit]]:
    """Return the text with our lines at its end, and the edits that undo it.

    Raises:
        Unfit: the user has settings that do the same.
    """
    clean = without_hooks(text)
    _check(agent, clean)
    ends = "" if not clean or clean.endswith("\n") else "\n"
    return apply(clean, [Edit(len(clean), len(clean), ends + _block(agent))])


def without_hooks(text: str) -> str:
    """Return the text without our lines."""
    return _OURS.sub("", text)


def _block(agent: HookedAgent) -> str:
    return f"{_BEGIN}{agent.text}{_END}"


def _check(agent: HookedAgent, text: str) -> None:
    if agent.hooks.taken and re.search(agent.hooks.taken, text, re.MULTILINE):
        raise Unfit(
            translatable(
                "{path} names what is to be done at such a time already. Nothing was changed."
            )
        )
