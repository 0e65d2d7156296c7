"""The work overlay's directive, and its position in a request (W-4, W-20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.agent.providers.blocks import results_of
from nagomi_tui.core.text.plain import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.agent.common.values import Block, Message
    from nagomi_tui.agent.providers.interface import ModelRequest

AGENT: Final = "Kuro"
USER: Final = "れんさん"
NAME_LENGTH: Final = 40
"""The longest name in the directive, in characters."""

WORK_OVERLAY_DIRECTIVE: Final = """\
Kuroへ（仕事モード）：
- れんさんの意図とゴールを1〜2文で要約
- 結論→手順→確認（確認は1〜3件）
- 推測は推測と明示。不明は不明と言う
- 長文化しない。網羅を避ける
- 追加提案は最大1件
- 実行していない操作を実行済みと言わない
- 機密情報は出さない"""
"""Short and without examples, so that the model gives it weight (W-5)."""


def directive(agent: str = AGENT, user: str = USER) -> str:
    """Return the directive with these names; an empty name keeps the default one (X-23)."""
    names = {AGENT: _name(agent) or AGENT, USER: _name(user) or USER}
    first, second, rest = WORK_OVERLAY_DIRECTIVE.split("\n", 2)
    return "\n".join(
        (first.replace(AGENT, names[AGENT]), second.replace(USER, names[USER]), rest),
    )


def _name(name: str) -> str:
    return " ".join(printable(name).split())[:NAME_LENGTH]


def with_directive(messages: Sequence[Message], directive: str) -> list[Message]:
    """Return the messages with the directive as a separate message before the user's last one.

    The directive is added to one request only and never stored (WB-4). Tool results in the user's
    last message stay before it: adapters merge consecutive messages of one role, and servers
    require tool results first in the merged one. An empty directive changes nothing.
    """
    if not directive:
        return list(messages)
    at = next((i for i in reversed(range(len(messages))) if _said(messages[i])), len(messages))
    before, current = list(messages[:at]), list(messages[at : at + 1])
    if current and (results := results_of(current[0])):
        before.append({**current[0], "content": results})
        current = [{**current[0], "content": _said(current[0])}]
    inserted: Message = {"role": "user", "content": directive}
    return [*before, inserted, *current, *messages[at + 1 :]]


def overlaid(request: ModelRequest, directive: str) -> ModelRequest:
    """Return a request with the directive added, as the last step before sending it (WB-2).

    Shorten or summarise a request before this call, so that every retry has the directive and no
    summary contains it.
    """
    return msgspec.structs.replace(request, messages=with_directive(request.messages, directive))


def _said(message: Message) -> str | list[Block]:
    """Return what the user said in a message: its content without tool results."""
    if message["role"] != "user":
        return []
    content: str | list[Block] = message["content"]
    if isinstance(content, str):
        return content
    return [block for block in content if block.get("type") != "tool_result"]
