"""Messages about reminders: what the user wants to be told, and when."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from nagomi_tui.api.messages.base import Message, Request, Result
from nagomi_tui.sessions.reminding import WORDS_LIMIT, Reminder

When = Annotated[str, Meta(min_length=1, max_length=400)]


class ReminderStanding(Result, frozen=True, kw_only=True):
    """A reminder, and in words when it is told."""

    reminder: Reminder
    said: str


class ReminderList(Result, frozen=True, kw_only=True):
    """The reminders that are open, the earliest first, and the last ones that were told."""

    open: tuple[ReminderStanding, ...]
    told: tuple[ReminderStanding, ...]


class Remind(Request[ReminderStanding], frozen=True, kw_only=True, tag="remind"):
    """Tell the user something at a time, or when a session comes to something.

    `when` is such as `20m`, `at 17:00`, `tomorrow 9:00`, `3 fails`, `3 fails twice`, `3 succeeds`,
    `3 is done`, `3 asks`, `3 ends`, `3 is idle`, `3 is quiet for 5m` or `3 says REGEX`. What holds
    already is told at once. It is kept on disk when this is answered, and told once.
    """

    when: When
    words: Annotated[str, Meta(max_length=WORDS_LIMIT)] = ""
    conversation: str = ""
    """The agent's conversation that is told, too."""


class ListReminders(Request[ReminderList], frozen=True, kw_only=True, tag="list_reminders"):
    """Return all reminders."""


class CancelReminder(Request[ReminderStanding], frozen=True, kw_only=True, tag="cancel_reminder"):
    """Drop a reminder that is open, by its number."""

    number: int


class ReminderWritten(Message, frozen=True, kw_only=True, tag="reminder_written"):
    """A reminder that was told stands in its conversation now."""

    number: int


class Reminded(Message, frozen=True, kw_only=True, tag="reminded"):
    """A reminder is told; `said` is the sentence in the client's language."""

    reminder: Reminder
    said: str


RemindersFromClient: TypeAlias = Remind | ListReminders | CancelReminder | ReminderWritten
RemindersToClient: TypeAlias = Reminded
