"""The front end's copy of sessions and settings, and what of them is in front of the user."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from nagomi_tui.api import messages as m
from nagomi_tui.sessions.order import Listing, arranged, is_list, is_over, next_in_need
from nagomi_tui.sessions.session import AT_WORK, Condition, Session, has_ended
from nagomi_tui.settings.checks import fitting
from nagomi_tui.settings.model import Settings
from nagomi_tui.view.character.faces import Faces, pose
from nagomi_tui.view.character.library import Library

CHAT_COMMAND: Final = "nagomi chat"
"""The command line of the chat with the resident agent."""


class Place(msgspec.Struct, frozen=True):
    """What was in front of the user."""

    focused: str
    lanes: tuple[str, ...]
    view: str
    zoomed: bool

    def among(self, sessions: Collection[str]) -> Place | None:
        """Return the place as far as its sessions exist; None if the one in front has gone."""
        if self.focused not in sessions:
            return None
        lanes = tuple(lane for lane in self.lanes if lane in sessions)
        return msgspec.structs.replace(self, lanes=lanes)


class Places:
    """Remembers one session and one place."""

    def __init__(self) -> None:
        self.before = ""
        """Id of the session that was in front before this one."""
        self._left: Place | None = None
        self._arrived = ""
        """Id of the session that the last jump went to."""

    def moved(self, focused: str, to: str) -> None:
        """Note that another session came to the front."""
        if focused and focused != to:
            self.before = focused

    def jumped(self, place: Place, to: str) -> None:
        """Note a jump. Several in a row leave one place: that before the first."""
        if self._left is None or place.focused != self._arrived:
            self._left = place
        self._arrived = to

    def take_left(self) -> Place | None:
        """Return, once, the place that was left by jumps."""
        left, self._left, self._arrived = self._left, None, ""
        return left


class Told(msgspec.Struct, frozen=True):
    """What its user was told: in the bar, or by a call."""

    at: float
    """Seconds since the epoch."""
    text: str
    session: str = ""
    """Id of the session that it is about, or ""."""
    name: str = ""
    """The session's name then."""


class Overview:
    """Tiles or a list, whether ended sessions are folded, and which sessions are marked."""

    def __init__(self) -> None:
        self.wishes: dict[str, bool] = {}
        """By the size of the screen, a list (True) or tiles (False), as the user has chosen there;
        elsewhere the room decides."""
        self._size = ""
        self._by_room = False
        """Whether the room alone would have them listed now."""
        self.listed = False
        """Whether sessions are listed now."""
        self.unfolded = False
        """Whether ended sessions are shown one by one."""
        self._marked: set[str] = set()
        self._focused = ""
        self._held = ""
        """Id of the focused session if it stood among those that run when it got the focus: it
        does not jump away from its user when its end is seen."""
        self._over: set[str] | None = None
        """Ids of those that stood at the end last; None before anything was shown."""

    @property
    def wish(self) -> bool | None:
        """A list (True) or tiles (False), as the user has chosen; None goes by the room."""
        return self.wishes.get(self._size)

    def fits(self, count: int, width: int, height: int, settings: Settings) -> bool:
        """Return whether `count` sessions are to be listed in a view of this size; note it."""
        self._size = _of_size(width, height)
        self._by_room = _fits_as_list(count, width, height, settings, wish=None)
        self.listed = self._by_room if self.wish is None else self.wish
        return self.listed

    def would_list(self, count: int, width: int, height: int, settings: Settings) -> bool:
        """Return whether so many sessions would be listed in a view of this size."""
        wish = self.wishes.get(_of_size(width, height))
        return _fits_as_list(count, width, height, settings, wish=wish)

    def switch(self) -> None:
        """Go on to the next of: what the room decides, the other of list and tiles, and this one.

        It holds for screens of this size.
        """
        if self.wish is None:
            self.wishes[self._size] = not self._by_room
        elif self.wish is not self._by_room:
            self.wishes[self._size] = self._by_room
        else:
            del self.wishes[self._size]

    def arranged(self, sessions: Sequence[Session], focused: str) -> Listing:
        """Return the sessions, which are given by their place, as they are shown now."""
        if focused != self._focused:
            stays = self._over is not None and focused not in self._over
            self._focused, self._held = focused, focused if stays else ""
        self._over = {one.session_id for one in sessions if is_over(one)} - {self._held}
        return arranged(
            sessions, focused, held=self._held, needy_first=self.listed, unfolded=self.unfolded
        )

    def mark(self, session_id: str) -> None:
        """Mark a session for what is done with several at once, or take its mark off."""
        self._marked ^= {session_id}

    def unmark_all(self) -> None:
        """Take off all marks."""
        self._marked.clear()

    def marked(self, sessions: Iterable[Session]) -> list[Session]:
        """Return those of the sessions that are marked; marks are seen in the list, and count there."""
        found = [session for session in sessions if session.session_id in self._marked]
        return found if self.listed else []


def _of_size(width: int, height: int) -> str:
    return f"{width}x{height}"


def _fits_as_list(
    count: int, width: int, height: int, settings: Settings, *, wish: bool | None
) -> bool:
    return is_list(
        count,
        width,
        height,
        wish=wish,
        tile_columns=settings.tile_columns,
        tile_rows=settings.tile_rows,
    )


_TOLD: Final = 200
"""So much of what was told can be read again."""

HISTORY: Final = 200
"""Sent texts that the prompt remembers for each session."""

TOUR_SECONDS: Final = 20.0
"""Seconds for which a visited session is skipped, so that the key goes round all that wait."""

THINKING_SECONDS: Final = 1.0
"""Seconds for which a session is seen to think over what it was sent, if nothing else has come."""
_AT_EASE: Final = frozenset({Condition.IDLE, Condition.LISTENING, Condition.RUNNING})

SAYS_SECONDS: Final = 30.0
"""Seconds for which a sentence of the resident agent stays in the balloon."""


class ViewName(StrEnum):
    """The views that the user can switch between."""

    RUN = "run"
    CHAT = "chat"


class AppState:
    """Changes when the orchestrator tells something; screens read it."""

    def __init__(self, library: Library | None = None) -> None:
        self.library = library or Library(())
        self.faces = Faces()
        self.far = False
        """Whether the terminal is remote, so that its line may be slow."""
        self.sessions: dict[str, Session] = {}
        self.settings = Settings()
        self.recent: tuple[str, ...] = ()
        self.welcomed = False
        """Whether the orchestrator has told how things stand."""
        self.focused = ""
        self.enlarged = ""
        """Id of the session whose tile is enlarged, or ""; the focus may be elsewhere."""
        self.overview = Overview()
        self._asked: tuple[str, float | None] = ("", None)
        """Id of the session that `asking` returned last, and when it was typed into before it asked."""
        self.zoomed = False
        self.bare = False
        """Whether even the thin line over a zoomed session is hidden."""
        self.view = ViewName.RUN
        self.lanes: list[str] = []
        self.to_program = False
        """Whether keys go straight to the program in the chat view, and not to the prompt."""
        self.agent = m.Agent()
        """How the resident agent stands; its `pid` is 0 while it does not run."""
        self.message = ""
        """The sentence that the bar shows for a while, or ""."""
        self.message_is_error = False
        self.offered = ""
        """The agent in front whose user is asked to let it tell its state, or ""."""
        self.told: deque[Told] = deque(maxlen=_TOLD)
        """What was told last, the newest at the end."""
        self.places = Places()
        self._toured: set[str] = set()
        """Ids of sessions visited on the tour of those that wait."""
        self._toured_at = float("-inf")
        self._sent_at: dict[str, float] = {}
        """When each session was sent a text by the prompt last, in monotonic seconds."""
        self.drafts: dict[str, str] = {}
        self.history: dict[str, list[str]] = {}

    @property
    def ordered(self) -> list[Session]:
        return sorted(self.sessions.values(), key=rank)

    @property
    def listing(self) -> Listing:
        """The sessions as the overview arranges them now."""
        return self.overview.arranged(self.ordered, self.focused)

    @property
    def current(self) -> Session | None:
        """The session that has the focus."""
        return self.sessions.get(self.focused)

    def asking(self) -> str:
        """Return the id of the session in front from a question of its on to the turn's end, or "".

        So its tile does not shrink and grow between the questions of one turn, nor by itself: what
        is a question no more in more rows, while nobody types, may be one in fewer.
        """
        current, (asked, typed_at) = self.current, self._asked
        now = current.condition if current else None
        if current and now is Condition.ATTENTION and not current.secret:
            self._asked = current.session_id, current.last_input_at
        elif (
            not current
            or current.session_id != asked
            or not (now in AT_WORK or (now is Condition.IDLE and current.last_input_at == typed_at))
        ):
            self._asked = "", None
        return self._asked[0]

    @property
    def has_own_input(self) -> bool:
        """Whether the session in front is nagomi's own chat, which has an input of its own."""
        current = self.current
        return current is not None and current.cmd == CHAT_COMMAND and not has_ended(current)

    @property
    def keys_to_program(self) -> bool:
        """Whether the keys go to the program in front, and not to the prompt below the lanes."""
        return self.to_program or self.has_own_input

    @property
    def waiting(self) -> list[Session]:
        """Sessions that need the user, in order; not the one in front of them."""
        return [session for session in self.ordered if session.waits]

    def apply(self, message: m.ToClient) -> bool:
        """Apply a message of the orchestrator; return whether the list of sessions has changed."""
        match message:
            case m.Welcome():
                self.sessions = {session.session_id: session for session in message.sessions}
                self.settings, self.recent = fitting(message.settings), message.recent
                self.welcomed = True
            case m.SessionChanged(session=session):
                self.sessions[session.session_id] = session
            case m.SessionRemoved(session_id=session_id):
                self._forget(session_id)
            case m.SettingsChanged(settings=settings):
                self.settings = fitting(settings)
                return False
            case m.Agent():
                self.agent = message
                return False
            case _:
                return False
        self._hold_place()
        self.show_faces()
        return True

    def show_faces(self) -> None:
        """Update the face of each session's character."""
        self.faces.hold = self.settings.face_hold
        for session in self.sessions.values():
            self.faces.hear(self.answering(session), time.monotonic())

    def sent(self, session_id: str) -> None:
        """Note that the prompt has sent a text to a session."""
        self._sent_at[session_id] = time.monotonic()
        self.show_faces()

    def settle_sent(self) -> bool:
        """Forget what was sent long enough ago; return whether that changes what is shown."""
        due = time.monotonic() - THINKING_SECONDS
        over = [name for name, sent_at in self._sent_at.items() if sent_at <= due]
        for name in over:
            del self._sent_at[name]
        if over:
            self.show_faces()
        return bool(over)

    def answering(self, session: Session) -> Session:
        """Return a session that thinks for a moment over what the prompt has sent to it (N-69)."""
        sent_at = self._sent_at.get(session.session_id, float("-inf"))
        if time.monotonic() >= sent_at + THINKING_SECONDS or session.condition not in _AT_EASE:
            return session
        return msgspec.structs.replace(session, phase=Condition.THINKING, summary="")

    def face_line(self, session: Session) -> str:
        """Return the face of a session's character on one line, or "" if faces are off."""
        character = self.library.one(session.character_id)
        if character is None or not self.settings.tile_faces:
            return ""
        return character.line(self.faces.phase(session.session_id))

    def agent_says(self, now: float) -> str:
        """Return what the resident agent said a moment ago; `now` in seconds since the epoch."""
        return self.agent.says if now < self.agent.said_at + SAYS_SECONDS else ""

    def pose(self, session: Session) -> Condition:
        """Return the phase that the character shows; for an idle session, that of the resident agent."""
        agent = self.agent
        return pose(self.faces.phase(session.session_id), agent.mode if agent.pid else "calm")

    @property
    def still(self) -> bool:
        """Whether nothing may move by itself."""
        return self.far or self.settings.reduced_motion

    def _forget(self, session_id: str) -> None:
        gone = self.sessions.pop(session_id, None)
        if session_id == self.enlarged:
            self.enlarged = ""
        self.drafts.pop(session_id, None)
        self.history.pop(session_id, None)
        self._sent_at.pop(session_id, None)
        self.faces.forget(session_id)
        if gone is not None and session_id == self.focused:
            later = [session for session in self.ordered if rank(session) >= rank(gone)]
            self.focused = (later or self.ordered[-1:] or [gone])[0].session_id

    def _hold_place(self) -> None:
        """Keep focus and lanes on sessions that exist."""
        if self.focused not in self.sessions:
            self.focused = next((session.session_id for session in self.ordered), "")
        self.lanes = [lane for lane in self.lanes if lane in self.sessions]
        if not self.lanes and self.focused:
            self.lanes = [self.focused]
        if not self.sessions:
            self.zoomed, self.enlarged = False, ""

    def fps(self, session_id: str) -> int:
        """Return the most frames a second that a session is to be drawn with."""
        if session_id == self.focused:
            return self.settings.focused_fps
        return self.settings.other_fps

    def focus(self, session_id: str) -> None:
        """Move the focus; in the chat view its lane shows the session."""
        if session_id not in self.sessions:
            return
        if session_id not in self.lanes:
            at = self.lanes.index(self.focused) if self.focused in self.lanes else 0
            self.lanes[at : at + 1] = [session_id]
        self.places.moved(self.focused, session_id)
        self.focused = session_id

    @property
    def place(self) -> Place:
        """What is in front of the user."""
        return Place(self.focused, tuple(self.lanes), self.view.value, self.zoomed)

    def go_back(self) -> bool:
        """Go back to where the user was before jumping; return False if that is nowhere."""
        left = self.places.take_left()
        place = left.among(self.sessions) if left else None
        if place is None:
            return False
        self.lanes = list(place.lanes) or [place.focused]
        self.view, self.zoomed = ViewName(place.view), place.zoomed
        self.focus(place.focused)
        return True

    def step(self, by: int) -> str:
        return _around([session.session_id for session in self.ordered], self.focused, by)

    def next_waiting(self, now: float) -> str:
        """Return the id of the session that has waited longest, or ""; if asked soon again, the next."""
        if now > self._toured_at + TOUR_SECONDS:
            self._toured.clear()
        self._toured_at = now
        self._toured.add(self.focused)
        found = next_in_need(self.sessions.values(), self._toured)
        if found is None:
            self._toured = {self.focused}
            found = next_in_need(self.sessions.values(), self._toured)
        return found.session_id if found else ""

    def by_number(self, number: int) -> str:
        """Return the id of the session with this number, or ""."""
        found = (entry.session_id for entry in self.ordered if entry.number == number)
        return next(found, "")

    def numbers_from(self, tens: int) -> bool:
        """Tell whether a session's number begins with this digit and has a second one."""
        return any(entry.number // 10 == tens for entry in self.sessions.values())

    @property
    def without_lane(self) -> list[Session]:
        """Sessions that have no lane, those behind the focused one first."""
        order = self.ordered
        at = next((at for at, one in enumerate(order) if one.session_id == self.focused), -1) + 1
        return [one for one in order[at:] + order[:at] if one.session_id not in self.lanes]

    def open_lane(self, session_id: str) -> None:
        """Give a session a lane beside the focused one, if it has none."""
        if session_id not in self.lanes:
            beside = self.lanes.index(self.focused) + 1 if self.focused in self.lanes else 0
            self.lanes.insert(beside, session_id)

    def close_lane(self) -> bool:
        """Close the focused lane, unless it is the last one; return whether it was closed."""
        if len(self.lanes) < 2 or self.focused not in self.lanes:
            return False
        at = self.lanes.index(self.focused)
        self.lanes.remove(self.focused)
        self.places.moved(self.focused, "")
        self.focused = self.lanes[min(at, len(self.lanes) - 1)]
        return True

    def note(self, text: str, session_id: str = "") -> None:
        """Keep what is told, so that it can be read again; what is told again moves to the end."""
        session = self.sessions.get(session_id)
        if self.told and (self.told[-1].text, self.told[-1].session) == (text, session_id):
            self.told.pop()
        self.told.append(Told(time.time(), text, session_id, session.name if session else ""))

    def remember(self, session_id: str, text: str) -> None:
        """Keep a sent text for the prompt's history."""
        history = self.history.setdefault(session_id, [])
        if not history or history[-1] != text:
            history.append(text)
        del history[:-HISTORY]


def rank(session: Session) -> tuple[int, int]:
    """Return the key to sort by place; an older orchestrator tells only numbers."""
    return session.place, session.number


def _around(order: list[str], at: str, by: int) -> str:
    if not order:
        return ""
    return order[(order.index(at) + by) % len(order)] if at in order else order[0]


def elapsed(session: Session, now: float) -> float:
    """Return the seconds to show: for how long it has been so, working, waiting or over."""
    start = session.created_at if session.started_at is None else session.started_at
    if has_ended(session):
        since = session.ended_at or session.last_output_at or start
    else:
        since = session.away_since or session.phase_since or start
    return max(0.0, now - since)
