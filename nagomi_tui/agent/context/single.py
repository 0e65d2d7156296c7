"""The context guard for a single question: one message, no history, no stored summary (F-15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.agent.context.estimate import tokens_in
from nagomi_tui.agent.context.guard import ContextGuard
from nagomi_tui.agent.context.results import shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.agent.common.values import Message
    from nagomi_tui.agent.providers.interface import Provider

_LEAST: Final = 200
"""The fewest characters that are left of a question, however small the window is."""


def _middle_out(text: str, characters: int) -> str:
    return shortened(text, characters)


def guarded(
    provider: Provider, limit: int, shorten: Callable[[str, int], str] = _middle_out
) -> ContextGuard:
    """Return a guard that fits a question with its answer into `limit` tokens.

    `shorten(text, n)` cuts a text to about `n` characters; by default it leaves out the middle.
    """

    def cut(messages: list[Message], tokens: int) -> None:
        text = messages[-1]["content"]
        if isinstance(text, str):
            share = max(0, tokens) / max(1, tokens_in(text))
            messages[-1] = messages[-1] | {
                "content": shorten(text, max(_LEAST, int(len(text) * min(1.0, share))))
            }

    return ContextGuard(provider, limit=limit, save=_nothing_kept, shorten=cut)


def _nothing_kept(summary: str, upto: int) -> None:
    """Store nothing: a single question has no history to summarise."""
