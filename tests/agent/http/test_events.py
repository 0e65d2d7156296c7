"""Server-sent events: of a real workplace, resumed, with gaps, and at the end of the agent."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from nagomi_tui.agent.http import app, events
from nagomi_tui.agent.http.events import EventLog
from nagomi_tui.api import messages
from tests.helpers.http_api import Served, served, unix_socket
from tests.helpers.waiting import until
from tests.helpers.workplace import workplace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


@pytest.fixture(scope="module")
def api(clean_machine: None) -> Iterator[Served]:
    with workplace(), served() as found:
        yield found


class Stream:
    """A client that listens."""

    def __init__(self, api: Served, last: str = "") -> None:
        self._peer = unix_socket(api.files.socket)
        more = f"Last-Event-ID: {last}\r\n" if last else ""
        self._peer.sendall(f"GET /api/events HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode())
        self._lines = self._peer.makefile("r", encoding="utf-8", newline="\n")
        self.status = int(self._lines.readline().split()[1])
        self.last = last

    def next(self, kind: str) -> Any:
        """Return the data of the next event of a kind."""
        event = ""
        for line in self._lines:
            name, _, value = line.rstrip("\n").partition(": ")
            if name == "id":
                self.last = value
            if name == "event":
                event = value
            if name == "data" and event == kind:
                return json.loads(value)
        raise EOFError

    def close(self) -> None:
        """Go away."""
        self._lines.close()
        self._peer.close()


def _new(api: Served, cmd: str) -> str:
    return str(api.post("/api/sessions", {"cmd": cmd, "cwd": "/tmp"}).json["session_id"])


def test_sessions_turns_and_calls_are_told_and_told_again(api: Served) -> None:
    stream = Stream(api)
    assert stream.status == 200
    made = _new(api, "sh -c 'echo done; exit 3'")
    assert stream.next("session")["session"]["session_id"] == made
    seen = stream.last
    turn = stream.next("turn_completed")
    assert (turn["session"], turn["verdict"]["state"]) == (made, "failure")
    assert made in stream.next("called")["sessions"]
    stream.close()

    again = Stream(api, seen)
    assert again.next("turn_completed") == turn
    again.close()


@pytest.mark.parametrize("last", ["nonsense", "00000000-5", "{run}-99999", "{run}-x"])
def test_whoever_was_away_too_long_is_told_of_a_gap(api: Served, last: str) -> None:
    run = api.events._run
    stream = Stream(api, last.replace("{run}", run))
    assert stream.next("gap") == {}
    made = _new(api, "cat")
    # A session of another test may change meanwhile.
    while stream.next("session")["session"]["session_id"] != made:
        pass
    stream.close()


def test_more_streams_than_allowed_are_refused(
    api: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MOST_STREAMS", 2)
    until(lambda: _opens(api))
    streams = [Stream(api), Stream(api)]
    streams.append(Stream(api))
    assert [stream.status for stream in streams] == [200, 200, 429]
    for stream in streams:
        stream.close()
    until(lambda: _opens(api))


def _opens(api: Served) -> bool:
    stream = Stream(api)
    stream.close()
    return stream.status == 200


def test_it_ends_within_two_seconds_with_streams_and_a_question_open(clean_machine: None) -> None:
    with workplace():
        with served() as api:
            streams = [Stream(api) for _ in range(5)]
            asking = unix_socket(api.files.socket)
            body = b'{"question": "hm"}'
            asking.sendall(
                b"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            )
            half = socket.create_connection(("127.0.0.1", api.port))
            half.sendall(b"GET /api")
        assert api.ended_after[0] < 2
        assert not api.files.socket.exists()
        for peer in (asking, half):
            peer.close()
        for stream in streams:
            with pytest.raises(EOFError):
                stream.next("none")
            stream.close()


def _changed(number: int) -> messages.SessionRemoved:
    return messages.SessionRemoved(session_id=f"s{number}")


async def _take(stream: AsyncIterator[bytes], count: int) -> list[str]:
    found: list[str] = []
    while len(found) < count:
        with anyio.fail_after(5):
            lines = (await anext(stream)).decode()
        if "event: " in lines:
            found.append(lines.partition("event: ")[2].split("\n")[0])
    return found


async def test_who_falls_behind_is_told_of_a_gap_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "KEPT", 10)

    log = EventLog()
    stream = log.stream()
    await anext(stream)
    log.tell(_changed(0))
    assert await _take(stream, 1) == ["removed"]
    for number in range(50):
        log.tell(_changed(number))
    assert await _take(stream, 1) == ["gap"]
    log.tell(_changed(51))
    assert await _take(stream, 1) == ["removed"]
    log.close()
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


async def test_a_quiet_stream_says_something_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "BEAT_SECONDS", 0.05)

    stream = EventLog().stream()
    await anext(stream)
    assert await anext(stream) == b":\n\n"
    await stream.aclose()  # type: ignore[attr-defined]


def test_what_is_kept_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "KEPT_BYTES", 2000)
    log = EventLog()
    for number in range(1000):
        log.tell(_changed(number))
    assert 0 < len(log._events) < 50
