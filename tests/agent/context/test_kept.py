"""The guard's summaries in a conversation on disk: they are there again when it is opened anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from nagomi_tui.agent.context.window import ContextGuard
from nagomi_tui.agent.conversations.store import Conversations
from nagomi_tui.agent.overlay import directive, with_directive
from nagomi_tui.agent.providers.choose import provider_of
from nagomi_tui.agent.providers.interface import Answered, ModelRequest
from nagomi_tui.settings.model import Settings
from tests.helpers.model_server import model_server, says

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.conversations.conversation import Conversation
    from nagomi_tui.agent.providers.interface import Message

LIMIT = 3_000


def asked(conversation: Conversation, url: str) -> list[Message]:
    """Ask once, with the overlay's directive in the request; return what the request became."""
    messages = with_directive(conversation.messages(), directive())
    request = ModelRequest(system="s", messages=messages)

    async def story() -> None:
        provider = provider_of(Settings(agent_url=url), {})
        guard = ContextGuard(provider, limit=LIMIT, save=conversation.compact)
        events = [event async for event in guard.ask(request)]
        assert isinstance(events[-1], Answered)
        await provider.close()

    anyio.run(story)
    return request.messages


@pytest.mark.requirement("SB-5", "X-6")
def test_a_summary_stands_in_the_conversation_that_is_opened_anew(tmp_path: Path) -> None:
    store = Conversations(tmp_path, now=lambda: 1.0, mask=str)
    sid = store.create("long").id
    with model_server() as server:
        server.tokens = None
        server.otherwise = says("In short: 色は青。")
        with store.open(sid) as conversation:
            for at in range(30):
                conversation.append_user(f"{at}: " + "a long question " * 20)
                conversation.append_assistant([{"type": "text", "text": "a long answer " * 20}])
            conversation.append_user("and now?")
            before = conversation.total()
            sent = asked(conversation, server.url)
            kept = conversation.messages()
            assert kept[0]["content"] == "[Previous conversation summary]\nIn short: 色は青。"
            assert [m for m in sent if m["content"] != directive()] == kept
            assert conversation.total() == before
        with store.open(sid) as again:
            assert again.messages() == kept
            requests = len(server.asked)
            asked(again, server.url)
            assert len(server.asked) == requests + 1, "the overflow is not back"
