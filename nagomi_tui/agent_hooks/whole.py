"""A separate file of nagomi's that the agent loads beside others: hooks, or a slash command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from nagomi_tui.agent_hooks.json_text import Edit
from nagomi_tui.agent_hooks.plan import GUARD, OURS, HookSet, Unfit
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent_hooks.plan import Status


class Whole(HookSet, Protocol):
    """What is a file of its own."""

    @property
    def text(self) -> str:
        """The file's text, which names `OURS` or `GUARD`."""


def status(file: Whole, text: str) -> Status:
    """Return whether the file is exactly as this version writes it; an empty one is "absent".

    Raises:
        Unfit: the file is not nagomi's.
    """
    if not text:
        return "absent"
    _check(text)
    return "installed" if text == file.text else "outdated"


def with_hooks(file: Whole, text: str) -> tuple[str, list[Edit]]:
    """Return our file's text, and the edit that undoes the change.

    Raises:
        Unfit: there is a file already that is not nagomi's.
    """
    if text:
        _check(text)
    return file.text, [Edit(0, len(file.text), text)]


def without_hooks(text: str) -> str | None:
    """Return None: without our hooks there is no file.

    Raises:
        Unfit: the file is not nagomi's.
    """
    _check(text)
    return None


def _check(text: str) -> None:
    if OURS not in text and GUARD not in text:
        raise Unfit(
            translatable("{path} is there already and is not of nagomi. Nothing was changed.")
        )
