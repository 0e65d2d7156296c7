"""The guard before a single question: one message without a history, and nothing to be kept (F-15)."""

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
"""Characters that stay of a question, however small the window is."""


def _middle_out(text: str, characters: int) -> str:
    return shortened(text, characters)


def guarded(
    provider: Provider, limit: int, shorten: Callable[[str, int], str] = _middle_out
) -> ContextGuard:
    """Return the guard of a question that has at most `limit` tokens with its answer.

    `shorten` makes a text of about so many characters out of a longer one.
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
    """Keep no summary: there was nothing before the question."""
