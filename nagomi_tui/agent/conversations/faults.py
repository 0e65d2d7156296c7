"""Errors of finding, opening and writing conversations, and faults found in their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent.conversations.entries import Entry
    from nagomi_tui.text.words import Words


class ConversationFault(Exception):
    """Something about a conversation failed; as text, it is an English sentence for the user."""

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message.format(**values))
        self._message = message
        self._values = values

    def say(self, words: Words) -> str:
        """Return the sentence in the user's language."""
        return words.say(self._message, **self._values)


class BadName(ConversationFault):
    """A name cannot become part of a path (SB-18)."""

    def __init__(self, name: str) -> None:
        super().__init__(
            translatable(
                "{name} cannot be the name of a conversation or an agent: "
                "use letters, digits, '.', '_' and '-', with no '.' first and no '..'."
            ),
            name=repr(name),
        )


class NoConversation(ConversationFault):
    """No conversation has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            translatable("There is no conversation {name}; /list shows those there are."), name=name
        )


class Ambiguous(ConversationFault):
    """Several conversations fit a name."""

    def __init__(self, name: str, entries: tuple[Entry, ...]) -> None:
        listed = ", ".join(f"{entry.id} ({entry.label})" for entry in entries)
        super().__init__(
            translatable("Several conversations begin with {name}: {listed}. Type more of it."),
            name=name,
            listed=listed,
        )
        self.entries = entries


class Busy(ConversationFault):
    """Another process, or another part of this one, holds a conversation or the index."""

    def __init__(self, pid: int) -> None:
        """`pid` is the holder's process id; 0 if it is not known."""
        super().__init__(
            translatable(
                "Another process (pid {pid}) has this conversation open; "
                "end it, or go on there or in another conversation."
            ),
            pid=pid or "?",
        )
        self.pid = pid


class NotWritten(ConversationFault):
    """A write to the disk failed; everything written before is still there."""

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(
            translatable(
                "{path} cannot be written: {reason}. All that was saved before is kept; "
                "make room or mend that, and say it again."
            ),
            path=path,
            reason=reason,
        )


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of faulty lines in the part of a transcript that was read; the lines stay there."""

    garbled: int = 0
    """Lines that are not a valid record."""
    unknown: int = 0
    """Records of unknown kinds."""
    stray: int = 0
    """Tool results without a matching tool call."""
    torn: int = 0
    """1 if the last line had been cut off when the file was opened; it is not among `garbled`."""

    def __bool__(self) -> bool:
        return bool(self.garbled or self.unknown or self.stray or self.torn)
