"""Notes that workers keep of their sessions: those of the version before bring the list back."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nagomi_tui.api import messages
from nagomi_tui.system import paths
from tests.helpers.workplace import Place, create, only, plain, until, workplace

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection

_ALWAYS = {"session_id", "number", "name", "cmd", "cwd", "agent", "created_at", "started_at"}
_NOTE = (Path(__file__).parent / "note.json").read_text()


def test_a_session_without_a_record_is_what_its_note_says() -> None:
    golden = json.loads(_NOTE)
    with workplace() as place:
        with place.connect() as connection:
            made = create(connection, "cat", name="cat", agent="claude", env={"KEY": "1"})
            until(lambda: _listed(connection)[0]["pid"])
        place.end_residents()
        noted = _noted(place)
        assert _ALWAYS <= set(noted["session"]) <= set(golden["session"])
        assert {"session", "env_names"} <= set(noted) <= set(golden)
        _note(place, made, _NOTE.replace("SESSION", made))
        for file in (place.home / "state").glob("sessions.*"):
            file.unlink()
        place.start()
        with place.connect() as connection:
            session = only(until(lambda: _listed(connection)))
    kept = {**golden["session"], "session_id": made}
    del kept["cmd_masked"]  # the worker knows the whole command
    assert {key: session[key] for key in kept} == kept


def _listed(connection: Connection) -> Any:
    return plain(connection.request(messages.ListSessions(id=0), timeout=30))["sessions"]


def _noted(place: Place) -> Any:
    """Return the note of the one session, as its worker tells it."""
    answer = _asked(place, {"type": "list_sessions"})
    return json.loads(only(answer["sessions"])["note"])


def _note(place: Place, session_id: str, text: str) -> None:
    _asked(place, {"type": "note", "session_id": session_id, "text": text})
    assert _noted(place) == json.loads(text)


def _asked(place: Place, *orders: dict[str, Any]) -> Any:
    """Tell the worker of the session something, and return what sessions it holds."""
    hello = {"type": "hello", "version": 1, "capabilities": ["ack"], "pid": 1}
    lines = [hello, *orders, {"type": "list_sessions"}]
    for path in paths.socket_folder().glob("w-*[0-9a-f]"):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(20)
            peer.connect(str(path))
            peer.sendall(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
            with peer.makefile("rb") as told:
                found = next(one for one in map(json.loads, told) if one["type"] == "sessions")
        if found["sessions"]:
            return found
    raise AssertionError("no worker holds a session")
