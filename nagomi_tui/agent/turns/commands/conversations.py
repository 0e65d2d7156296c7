"""Commands for conversations: begin, list, switch, export, say again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.agent.conversations.faults import Ambiguous, NoConversation
from nagomi_tui.agent.talk.events import Reply

if TYPE_CHECKING:
    from nagomi_tui.agent.turns.commands.desk import Desk, Listed


async def new(desk: Desk, label: str) -> Reply:
    """Begin a conversation with a label, or without one (S-26)."""
    begun = await desk.begin(label)
    line = desk.words.say("Begun: {name}", name=_name(begun))
    return Reply(lines=(line,), status=desk.status)


async def list_all(desk: Desk, argument: str) -> Reply:
    """List the conversations, the latest first, with the current one marked (SC-5)."""
    current = desk.status.conversation
    return Reply(lines=tuple(_line(entry, current) for entry in desk.entries()))


def _line(entry: Listed, current: str) -> str:
    mark = " <-- current" if entry.id == current else ""
    last = entry.last_active[:19]
    return f"    {_name(entry)}  msgs={entry.message_count}  last={last}{mark}"


def _name(entry: Listed) -> str:
    return f"{entry.id} ({entry.label})" if entry.label else entry.id


async def switch(desk: Desk, name: str) -> Reply:
    """Open the only conversation whose id or label is, or begins with, `name` (S-27, SC-4)."""
    if not name:
        return _refused("Usage: /switch <session_id>")
    try:
        entry = await desk.switch(desk.find(name).id)
    except NoConversation:
        return _refused(f"Session not found: {name}")
    except Ambiguous as exc:
        return _refused(f"Ambiguous prefix, matches: {', '.join(map(_name, exc.entries))}")
    line = desk.words.say(
        "Now in {name}; messages: {count}.", name=_name(entry), count=entry.message_count
    )
    return Reply(lines=(line, *desk.notice.splitlines()), status=desk.status)


def _refused(line: str) -> Reply:
    return Reply(lines=(line,), failed=True)


async def export(desk: Desk, file: str) -> Reply:
    """Return the conversation as Markdown; the front end writes it to `file`, if one is named."""
    return Reply(lines=tuple(desk.export().splitlines()))


async def retry(desk: Desk, argument: str) -> Reply:
    """Have the front end send the user's latest message again."""
    text = desk.last_said()
    if not text:
        return _refused(desk.words.say("Nothing was said in this conversation yet."))
    return Reply(say=text)
