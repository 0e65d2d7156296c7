"""Messages that call the user: turns that ended, the child's own bell, sounds, toasts."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from nagomi_tui.api.messages.base import Message, Request, Result
from nagomi_tui.sessions.reminding import WORDS_LIMIT, Reminder

# --- what is answered


class SoundStanding(Result, frozen=True, kw_only=True):
    """How sound stands for whoever asks."""

    way: str
    """The name of what plays, `bell`, or `off`."""
    why: str
    """A sentence where `way` is not what one expects."""
    far: bool
    """The user is at another machine."""
    muted_until: float | None
    """Seconds since the epoch, while it is muted."""
    quiet: bool
    """Nothing may be heard now."""
    pid: int
    """The process that plays, or 0."""
    notices: Literal["desktop", "terminal"]
    """Who shows notices."""


# --- from a client


class Sound(Request[SoundStanding], frozen=True, kw_only=True, tag="sound"):
    """Ask how sound stands, try the one of `kind`, or have none for `seconds` (0 ends that)."""

    do: Literal["status", "test", "mute"] = "status"
    kind: Literal["failure", "attention", "success"] = "attention"
    seconds: float = 0.0


# --- to a client


class Called(Message, frozen=True, kw_only=True, tag="called"):
    """Sessions call the user: several at once are one call. Texts are plain, and masked."""

    sessions: tuple[str, ...]
    kind: Literal["failure", "attention", "success"]
    """The strongest of them."""
    title: str
    body: str
    inside: bool = True
    """Show it in front ends."""
    notice: bool = True
    """Have the terminal show it; without that the desktop does."""
    hushed: bool = False
    """Nothing may be heard now."""


class GoTo(Message, frozen=True, kw_only=True, tag="go_to"):
    """Go to the session: its notice was clicked."""

    session: str


class Speaking(Message, frozen=True, kw_only=True, tag="speaking"):
    """A sound for the session begins, and takes about `seconds`; or it has ended (N-47)."""

    session: str
    on: bool
    seconds: float = 0.0


class Event(Message, frozen=True, kw_only=True, tag="event"):
    """The child rang, notified, or wants text on the clipboard: `kind` as in `ScreenEvent`."""

    session: str
    kind: str
    text: str = ""
    title: str = ""
    count: int = 1
    """How often it said this kind of thing since the last event: the newest is told."""


CallsFromClient: TypeAlias = Sound
CallsToClient: TypeAlias = Called | GoTo | Speaking | Event


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
