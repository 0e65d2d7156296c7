"""The last lines that sessions without a pane say something in, read from time to time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.api.messages import Capture, Captured, Failed
from nagomi_tui.core.session.session import AT_WORK, has_ended
from nagomi_tui.core.text.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.view.connection.roles import RequestLink

AGAIN_SECONDS: Final = 2.0
"""Seconds from reading a session to reading it again."""
LINES: Final = 4
"""Lines that are kept of each."""


class Gists:
    """Asks for the screens of sessions, one request for each at a time, and keeps their gist."""

    def __init__(self, link: RequestLink, changed: Callable[[], object]) -> None:
        """`changed` is called when a session says something else than before."""
        self._link = link
        self._changed = changed
        self._lines: dict[str, tuple[str, ...]] = {}
        self._due: dict[str, float] = {}
        """When each is read again, on the monotonic clock; infinite while an answer is awaited."""
        self._states: dict[str, Session] = {}

    def of(self, session_id: str) -> tuple[str, ...]:
        """Return the last lines of a session, the newest last; none while they are not known."""
        return self._lines.get(session_id, ())

    def read(self, sessions: Iterable[Session]) -> None:
        """Read those that may say something new; an ended one says it once."""
        now = time.monotonic()
        for session in sessions:
            known = self._states.get(session.session_id)
            if has_ended(session) and known is not None and has_ended(known):
                continue
            if now >= self._due.get(session.session_id, 0.0):
                self._ask(session)

    def _ask(self, session: Session) -> None:
        session_id = session.session_id
        self._due[session_id] = float("inf")

        def answered(answer: Captured | Failed) -> None:
            self._due[session_id] = time.monotonic() + AGAIN_SECONDS
            if isinstance(answer, Failed):
                return
            from nagomi_tui.core.judge.gist import gist  # only lists of sessions need it

            self._states[session_id] = session
            agent = bool(session.agent_name)
            unasked = agent and session.is_unasked
            rests = session.phase not in AT_WORK and not has_ended(session)
            told = () if unasked else gist(answer.text, LINES, agent=agent, rests=rests)
            lines = tuple(printable(line) for line in told)
            if lines != self._lines.get(session_id):
                self._lines[session_id] = lines
                self._changed()

        self._link.request(Capture(id=0, session=session_id), answered)
