"""What programs of sessions say: events of agents are handed on, requests are answered by others.

Nothing of it is carried out here. The worker only says of which session it is, and it holds that.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from nagomi_worker.inside.agents import Agents
from nagomi_worker.wire import programs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_worker.inside.door import Visitor
    from nagomi_worker.inside.interface import Watching
    from nagomi_worker.sessions.delivery import Delivery
    from nagomi_worker.sessions.session import Session

_log = logging.getLogger(__name__)
_KEPT: Final = 200
"""Most events that are kept while nobody is connected: later ones tell more."""
_AWAY: Final = "The workplace cannot be reached now. Its line is tried again by itself."
_NOBODY: Final = "This is no session of the workplace any more."


class _Said(msgspec.Struct):
    """What is read of a line here."""

    type: str
    session: str
    pid: int = 0


class _Kept(NamedTuple):
    session_id: str
    event: str
    pid: int
    at: float


class Desk:
    """Hears the programs at the door, and answers them in the words of the workplace."""

    def __init__(self, loop: Watching, delivery: Delivery, sessions: Mapping[str, Session]) -> None:
        self._loop = loop
        self._delivery = delivery
        self._sessions = sessions
        self._agents = Agents()
        self._kept: deque[_Kept] = deque(maxlen=_KEPT)
        self._waiting: dict[int, tuple[str, Visitor]] = {}
        """Programs that wait for an answer, by number, each with its session's id."""
        self._last = 0

    def heard(self, visitor: Visitor, line: bytes) -> None:
        """Hand on what a program has said."""
        try:
            said = msgspec.json.decode(line, type=_Said)
            text = line.decode()
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
            _log.warning("a program said what is no message: %s", exc)
            visitor.close()
            return
        session = self._sessions.get(said.session)
        runs = session is not None and session.ended is None
        if said.type == "hook":
            if runs and len(line) <= programs.EVENT_BYTES:
                self._tell(_Kept(said.session, text, said.pid, self._loop.now()))
            visitor.close()
        elif not runs:
            visitor.answer(_refusal(_NOBODY))
        elif self._delivery.peer is None or not self._delivery.peer.answers:
            visitor.answer(_refusal(_AWAY))
        else:
            self._last += 1
            self._waiting[self._last] = said.session, visitor
            self._delivery.send(
                programs.Asked(session_id=said.session, number=self._last, request=text)
            )

    def left(self, visitor: Visitor) -> None:
        """Tell that a program waits no more."""
        for number, (session_id, one) in self._waiting.items():
            if one is visitor:
                del self._waiting[number]
                self._delivery.send(programs.Asked(session_id=session_id, number=number))
                return

    def answered(self, message: programs.Answered) -> None:
        """Hand an answer on to the program that waits for it, if it still does."""
        session_id, visitor = self._waiting.pop(message.number, ("", None))
        if visitor is not None and session_id == message.session_id:
            visitor.answer(message.answer.encode("utf-8", "replace") + b"\n")

    def attached(self, session: Session) -> None:
        """Hand on what agents told while nobody was connected."""
        for kept in [one for one in self._kept if one.session_id == session.session_id]:
            self._kept.remove(kept)
            self._tell(kept)

    def alone(self) -> None:
        """Refuse those who wait: whoever was to answer them has gone."""
        waiting, self._waiting = self._waiting, {}
        for _, visitor in waiting.values():
            visitor.answer(_refusal(_AWAY))

    def forget(self, session: Session) -> None:
        """Forget what is known of a session's agents."""
        self._agents.forget(session.session_id)
        for kept in [one for one in self._kept if one.session_id == session.session_id]:
            self._kept.remove(kept)

    def _tell(self, kept: _Kept) -> None:
        session = self._sessions[kept.session_id]
        if self._delivery.peer is None or session.cursor is None:
            self._kept.append(kept)
            return
        self._delivery.send(
            programs.Hook(
                session_id=kept.session_id,
                event=kept.event,
                age=max(0, round(1000 * (self._loop.now() - kept.at))),
                alive=self._agents.alive(kept.session_id, kept.pid),
                service=self._agents.is_service(kept.pid),
            )
        )


def _refusal(sentence: str) -> bytes:
    return json.dumps({"type": "failed", "message": sentence, "code": "away"}).encode() + b"\n"
