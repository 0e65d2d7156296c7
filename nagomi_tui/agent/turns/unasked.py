"""What the agent says of its own accord: it stands in a conversation, also while that is closed.

A reminder goes to the conversation that it was set in, all else to the one that was used last. The
words are an answer's record like any other, with a mark and the time before them, so that the model
knows by itself what it has said. An open conversation shows them at once, and writes them between
turns only.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections import deque
from datetime import UTC, datetime
from typing import Final, NamedTuple, Protocol

import anyio.to_thread

from nagomi_tui.agent.conversations.conversation import UNASKED, Conversation
from nagomi_tui.agent.conversations.entries import ConversationFault, NoConversation
from nagomi_tui.agent.conversations.store import Conversations
from nagomi_tui.agent.providers.interface import Clock, Mask, Message

_log = logging.getLogger(__name__)
_MARKED: Final = re.compile(re.escape(UNASKED) + r" (\d{4}-\d\d-\d\d) (\d\d:\d\d)\] ")
LATEST: Final = ""
"""In place of a conversation's id: the one that was used last."""
MOST_LINES: Final = 6
"""Last lines of a chat that others of the agent's parts see."""
LINE_LENGTH: Final = 300
_LOOKED_THROUGH: Final = 40
_MOST_SPOKEN: Final = 20


class Spoken(NamedTuple):
    """Words that nobody asked for, and when and where they were said."""

    at: float
    text: str
    conversation: str


class OpenChat(Protocol):
    """An open conversation, as far as it hears what was said unasked."""

    @property
    def id(self) -> str:
        """The id of the conversation that is open."""

    async def hear(self, line: str) -> None:
        """Write what was said into the conversation, between turns, and show it."""


class Unasked:
    """Writes into conversations what nobody asked for; those in `open_chats` show it, too."""

    def __init__(self, conversations: Conversations, *, mask: Mask, now: Clock) -> None:
        self._conversations = conversations
        self._mask = mask
        self._now = now
        self.open_chats: list[OpenChat] = []
        self._spoken: deque[Spoken] = deque(maxlen=_MOST_SPOKEN)

    async def say(self, text: str, conversation: str = LATEST, at: float = 0.0) -> bool:
        """Say something in a conversation; return False if it could not be written.

        `at` is when it was said, in seconds since the epoch, if that is not now. What stands there
        with the same time already is not written again; without its conversation, nothing is.
        """
        said_at = at or self._now()
        line = marked(self._mask(text), said_at)
        try:
            id = conversation or self._conversations.latest().id
            self._spoken.append(Spoken(said_at, " ".join(self._mask(text).split()), id))
            if chat := next((one for one in self.open_chats if one.id == id), None):
                await chat.hear(line)
            else:
                await anyio.to_thread.run_sync(self._write, id, line)
        except NoConversation:
            _log.info("a conversation is gone, so nothing is said there")
        except ConversationFault as fault:
            _log.warning("what was said is not in its conversation: %s", fault)
            return False
        return True

    def _write(self, id: str, line: str) -> None:
        with self._conversations.open(self._conversations.find(id).id) as opened:
            write(opened, line)

    def spoken_since(self, since: float, *, besides: str) -> list[Spoken]:
        """Return what was said since then in other conversations than this one."""
        return [one for one in self._spoken if one.at > since and one.conversation != besides]

    def last_lines(self) -> tuple[str, ...]:
        """Return the last lines of the conversation that was used last; none if it is not readable."""
        with contextlib.suppress(ConversationFault, OSError):
            for entry in self._conversations.entries():
                return lines_of(self._conversations.read(entry.id))
        return ()


def marked(text: str, at: float) -> str:
    """Return the words with the mark that nobody asked for them, and when they were said."""
    when = datetime.fromtimestamp(at, UTC).astimezone()
    return f"{UNASKED} {when:%Y-%m-%d %H:%M}] {' '.join(text.split())}"


def readable(line: str, now: float) -> str:
    """Return a marked line as users are shown it: the time, and the date of another day, then it."""
    found = _MARKED.match(line)
    if found is None:
        return line
    today = f"{datetime.fromtimestamp(now, UTC).astimezone():%Y-%m-%d}"
    when = found[2] if found[1] == today else f"{found[1]} {found[2]}"
    return f"{when} {line[found.end() :]}"


def words_of(message: Message, now: float | None) -> str:
    """Return the text of a message as users read it, without what was said unasked if `now` is None."""
    texts = _texts([message])
    if now is None:
        return "\n\n".join(text for text in texts if not text.startswith(UNASKED))
    return "\n\n".join(readable(text, now) for text in texts)


def write(conversation: Conversation, line: str) -> bool:
    """Write a line into an open conversation unless it stands there; return whether it was written."""
    if any(line in text for text in _texts(conversation.messages()[-_LOOKED_THROUGH:])):
        return False
    conversation.append_unasked(line)
    return True


def said_last(messages: list[Message]) -> tuple[str, ...]:
    """Return what was said unasked since the user's last message."""
    if not messages or messages[-1]["role"] != "assistant":
        return ()
    return tuple(text for text in _texts(messages[-1:]) if text.startswith(UNASKED))


def lines_of(messages: list[Message]) -> tuple[str, ...]:
    """Return the last lines that user and agent said, each on one line."""
    said = [
        f"{message['role']}: {' '.join(text.split())[:LINE_LENGTH]}"
        for message in messages[-_LOOKED_THROUGH:]
        for text in _texts([message])
        if text.strip()
    ]
    return tuple(said[-MOST_LINES:])


def _texts(messages: list[Message]) -> list[str]:
    texts: list[str] = []
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            texts.append(content)
        else:
            texts += [str(one.get("text", "")) for one in content if one.get("type") == "text"]
    return texts
