"""What can be wrong with a conversation, and its entry in the index (SC-2, W-1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from nagomi_tui.text.words import Words, translatable

_ALWAYS: Final = ("label", "created_at", "last_active", "message_count")
"""Fields that are written even if empty; others are left out then."""
_FLAGS: Final = ("work_overlay_turns_left", "work_overlay_directive")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation in the index."""

    id: str
    label: str = ""
    created_at: str = ""
    """ISO 8601, UTC."""
    last_active: str = ""
    """ISO 8601, UTC."""
    message_count: int = 0
    """The number of messages, not of records (SB-16)."""
    summary: str = ""
    """The summary of the newest compaction."""
    work_overlay_turns_left: int = 0
    work_overlay_directive: str = ""


FIELDS: Final = {one.name: one.type for one in msgspec.structs.fields(Entry) if one.name != "id"}
"""The fields of an entry in the index, with their types."""


def entry_of(id: str, kept: object) -> Entry:
    """Return an entry of the index's JSON; what is not as it should be is left out.

    What is not there itself may stand among its flags (WC-1).
    """
    found = kept if isinstance(kept, dict) else {}
    found = _flags(found) | found
    return Entry(id=id, **{name: found[name] for name in FIELDS if is_fit(name, found.get(name))})


def is_fit(name: str, value: object) -> bool:
    """Tell whether a value can stand in a field."""
    return isinstance(value, FIELDS[name]) and not isinstance(value, bool)


def changed(kept: object, fields: dict[str, Any]) -> dict[str, Any]:
    """Return an entry's JSON with fields changed; fields unknown to nagomi are kept.

    Raises:
        ValueError: there is no such field, or the value does not fit.
    """
    for name, value in fields.items():
        if name not in FIELDS or not is_fit(name, value):
            raise ValueError(f"{name} of a conversation cannot be {value!r}")
    found = {**(kept if isinstance(kept, dict) else {}), **fields}
    if moved := fields.keys() & _flags(found).keys():
        found["flags"] = {name: one for name, one in found["flags"].items() if name not in moved}
    return {
        name: value
        for name, value in found.items()
        if value or name not in fields or name in _ALWAYS
    }


def _flags(kept: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the overlay that stand among an entry's flags."""
    flags = kept.get("flags")
    known = flags if isinstance(flags, dict) else {}
    return {name: one for name, one in known.items() if name in _FLAGS}


def iso(seconds: float) -> str:
    """Return a time, given in seconds since the epoch, as the index writes it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def seconds_of(iso: str) -> float:
    """Return a time of the index in seconds since the epoch; 0 if it is none."""
    try:
        return datetime.fromisoformat(iso).timestamp()
    except ValueError:
        return 0.0


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
