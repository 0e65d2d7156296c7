"""What programs of a session on a hand find of nagomi, and what they tell and ask there.

In a pack the programs lie in the folder `given` beside this module; where nagomi is installed, in
its own. What they ask is not carried out here: the worker passes it on, and tells of which session
it is.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import psutil

from nagomi_worker.inside.door import Door, Visitor
from nagomi_worker.inside.places import Places
from nagomi_worker.pty.command import PROGRAMS, SHELLS
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.runtime.proc import is_service
from nagomi_worker.sessions.delivery import Delivery
from nagomi_worker.sessions.session import Session
from nagomi_worker.wire import messages
from nagomi_worker.wire.trust import make_private

_HERE: Final = Path(__file__).resolve().parent
_ABOVE: Final = (_HERE.parents[1], _HERE.parents[2])
"""Where nagomi is installed, and the tree of its sources."""
_EVENT: Final = (
    _HERE / "given" / "event.py",
    *(above / "nagomi_tui" / "event.py" for above in _ABOVE),
)
_SHELLS: Final = (
    _HERE / "given" / "shell",
    _ABOVE[0] / "nagomi_tui" / "_shipped" / "config" / "shell",
    _ABOVE[1] / "config" / "shell",
)
_NAME: Final = "nagomi"
_PROGRAM: Final = """\
#!/bin/sh
# nagomi's own: inside of a session it asks the workplace that the session belongs to.
exec "${NAGOMI_PYTHON:-python3}" -IS "${NAGOMI_INSIDE:?is not set: this is no session of nagomi}/nagomi.py" "$@"
"""


def variables(socket: str, aside: Path) -> dict[str, str]:
    """Return the variables of a session; `aside` is where a program can be put if not at home."""
    found = {
        "NAGOMI_SOCKET": socket,
        "NAGOMI_PYTHON": sys.executable,
        "NAGOMI_INSIDE": str(_HERE),
        "NAGOMI_EVENT": _first(_EVENT),
        PROGRAMS: _program(aside),
        SHELLS: _first(_SHELLS),
    }
    return {name: value for name, value in found.items() if value}


def _first(places: tuple[Path, ...]) -> str:
    return next((str(place) for place in places if place.exists()), "")


def _program(aside: Path) -> str:
    """Return a folder that holds the program `nagomi` and nothing else; "" if none can be made."""
    for place in (*_caches(), aside):
        with contextlib.suppress(OSError):
            folder = place / "bin"
            make_private(str(folder))
            if not _forbids_programs(folder):
                _keep(folder / _NAME)
                return str(folder)
    return ""


def _caches() -> tuple[Path, ...]:
    cache = os.environ.get("XDG_CACHE_HOME", "")
    home = os.path.expanduser("~")
    if not os.path.isabs(cache):
        cache = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return (Path(cache, "nagomi"),) if cache else ()


def _forbids_programs(folder: Path) -> bool:
    """Tell whether the disk there lets no program be run."""
    no_exec = getattr(os, "ST_NOEXEC", 0)
    return sys.platform != "win32" and bool(os.statvfs(folder).f_flag & no_exec)


def _keep(path: Path) -> None:
    """Write the program if it is not there as it should be, whole or not at all."""
    try:
        if path.read_text() == _PROGRAM and os.access(path, os.X_OK):
            return
    except OSError:
        pass
    new = path.with_name(f".{_NAME}-{os.getpid()}")
    new.write_text(_PROGRAM)
    new.chmod(0o700)
    new.replace(path)


_MOST: Final = 8
"""Most agents that are remembered of one session."""
_NOT_ALIVE: Final = ("zombie", "stopped", "dead")


class Agents:
    """Remembers the agents of each session, by what programs say: their word is nobody's proof."""

    def __init__(self) -> None:
        self._known: dict[str, dict[int, psutil.Process]] = {}

    def alive(self, session_id: str, pid: int) -> tuple[int, ...]:
        """Return those of a session's agents that still run, before `pid` tells of an event."""
        known = self._known.setdefault(session_id, {})
        found = tuple(one for one, process in known.items() if _lives(process))
        if pid > 0 and pid not in found:
            try:
                known[pid] = psutil.Process(pid)
            except (psutil.Error, OverflowError):
                known.pop(pid, None)
            while len(known) > _MOST:
                del known[next(iter(known))]
        return found

    def forget(self, session_id: str) -> None:
        self._known.pop(session_id, None)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() not in _NOT_ALIVE
    except psutil.Error:
        return False


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


class Programs:
    """Hears the programs at the door, and answers them in the words of the workplace."""

    def __init__(self, loop: Loop, delivery: Delivery, sessions: Mapping[str, Session]) -> None:
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
            if runs and len(line) <= messages.EVENT_BYTES:
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
                messages.Asked(session_id=said.session, number=self._last, request=text)
            )

    def left(self, visitor: Visitor) -> None:
        """Tell that a program waits no more."""
        for number, (session_id, one) in self._waiting.items():
            if one is visitor:
                del self._waiting[number]
                self._delivery.send(messages.Asked(session_id=session_id, number=number))
                return

    def answered(self, message: messages.Answered) -> None:
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
            messages.Hook(
                session_id=kept.session_id,
                event=kept.event,
                age=max(0, round(1000 * (self._loop.now() - kept.at))),
                alive=self._agents.alive(kept.session_id, kept.pid),
                service=is_service(kept.pid),
            )
        )


def _refusal(sentence: str) -> bytes:
    return json.dumps({"type": "failed", "message": sentence, "code": "away"}).encode() + b"\n"


class Inside:
    """The socket for programs of sessions, who hears them, and where sessions are."""

    def __init__(
        self, loop: Loop, delivery: Delivery, sessions: Mapping[str, Session], path: Path | None
    ) -> None:
        """`path` is the worker's own socket; a worker without one has none for programs."""
        self.programs = Programs(loop, delivery, sessions)
        self.places = Places(loop, delivery)
        self._path = path
        # Programs trust a socket only below two folders that are this user's alone.
        self._door = (
            Door(loop, path.parent / "in" / path.name, self.programs.heard, self.programs.left)
            if path
            else None
        )

    def variables(self) -> dict[str, str]:
        """Return the variables by which programs of a session find the socket; none if there is none."""
        if self._door is None or self._path is None or sys.platform == "win32":
            return {}
        try:
            return variables(self._door.open(), self._path.parent)
        except OSError as exc:
            _log.warning("programs of sessions cannot reach the workplace: %s", exc)
            return {}

    def attached(self, session: Session) -> None:
        """Tell the peer of a session what it has missed."""
        self.programs.attached(session)
        self.places.forget(session)

    def close(self) -> None:
        """End the socket."""
        if self._door is not None:
            self._door.close()
