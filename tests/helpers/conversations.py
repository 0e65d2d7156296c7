"""Conversations for tests: a store with a clock of its own, and what a request must hold to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nagomi_tui.agent.conversations.store import Conversations

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.providers.interface import Message


class Ticking:
    """A clock that goes on by a second each time it is asked."""

    def __init__(self) -> None:
        self.now = 1_234_567_889.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def hide(text: str) -> str:
    """Cover the one secret of these tests."""
    return text.replace("hunter2", "***")


def store(folder: Path, agent_id: str = "default", *, mask_user: bool = True) -> Conversations:
    """Return an agent's conversations in a folder."""
    return Conversations(folder, agent_id, now=Ticking(), mask=hide, mask_user=lambda: mask_user)


def transcript(folder: Path, id: str, agent_id: str = "default") -> Path:
    """Return where a conversation's transcript is."""
    return folder / ".sessions" / "agents" / agent_id / "sessions" / f"{id}.jsonl"


def index(folder: Path, agent_id: str = "default") -> Path:
    """Return where an agent's index is."""
    return folder / ".sessions" / "agents" / agent_id / "sessions.json"


def text(said: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": said}


def use(id: str, **given: object) -> dict[str, Any]:
    """Return a block that uses a tool."""
    return {"type": "tool_use", "id": id, "name": "read_file", "input": given}


def assert_sendable(messages: list[Message]) -> None:
    """Check what the Messages API asks for: sides take turns, tool pairs are whole, ids differ."""
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)
    seen: set[str] = set()
    wanted: list[str] = []
    for message in messages:
        blocks = _blocks(message)
        assert blocks
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert sorted(answered) == sorted(wanted)
        assert all(block["type"] == "tool_result" for block in blocks[: len(answered)])
        wanted = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert len(set(wanted)) == len(wanted) and not seen & set(wanted)
        seen |= set(wanted)
        assert all(block["text"].strip() for block in blocks if block["type"] == "text")
    assert wanted == []


def _blocks(message: Message) -> list[dict[str, Any]]:
    content = message["content"]
    return [text(content)] if isinstance(content, str) else content
