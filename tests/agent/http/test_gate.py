"""Who may not use the API, and what too much of it meets: refused, and the workplace untouched."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent.http import serving
from nagomi_tui.agent.http.serving import Bucket
from tests.helpers.http_api import Served, served, unix_socket
from tests.helpers.waiting import until
from tests.helpers.workplace import workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEW = json.dumps({"cmd": "touch /tmp/never", "cwd": "/tmp"}).encode()


@pytest.fixture(scope="module")
def api(clean_machine: None) -> Iterator[Served]:
    with workplace(), served() as found:
        yield found
        assert found.get("/api/sessions").json["sessions"] == []


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "REQUEST_SECONDS", 0.5)


def _peer(api: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", api.port), timeout=30)


def _all(peer: socket.socket) -> bytes:
    """Return what is said until the connection ends."""
    said = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := peer.recv(65536):
            said += piece
    return said


def _sentence(said: bytes) -> tuple[int, str]:
    head, _, body = said.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


@pytest.mark.requirement("MB-16")
def test_the_token_is_in_a_file_of_its_owner_and_opens(api: Served) -> None:
    assert api.by_tcp("GET", "/api/sessions").status == 200
    assert stat.S_IMODE(os.stat(api.files.token).st_mode) == 0o600
    assert len(api.token) >= 32
    assert stat.S_IMODE(os.stat(api.files.socket).st_mode) == 0o600
    assert api.api.status().base == f"http://127.0.0.1:{api.port}"


@pytest.mark.requirement("MB-16")
def test_a_token_that_others_could_read_is_made_anew(api: Served) -> None:
    before = api.token
    api.files.token.chmod(0o644)
    assert api.by_tcp("GET", "/api", Authorization=f"Bearer {before}").status == 401
    assert api.token != before
    assert api.by_tcp("GET", "/api").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer \u00e9"}, 401),
        ({"Authorization": "Basic bmFnb21pOg=="}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:{port}"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:{port}"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Type": ""}, 415),
    ],
)
@pytest.mark.requirement("MB-16")
def test_whoever_may_not_is_refused_in_a_sentence(
    api: Served, headers: dict[str, str], status: int
) -> None:
    given = {name: one.replace("{port}", str(api.port)) for name, one in headers.items()}
    refused = api.by_tcp("POST", "/api/sessions", _NEW, **given)
    assert refused.status == status
    assert refused.error.endswith(".") and refused.json["code"]
    assert "access-control-allow-origin" not in refused.headers
    assert ("www-authenticate" in refused.headers) == (status == 401)


@pytest.mark.requirement("MB-16")
def test_a_page_of_another_origin_gets_no_leave_to_ask(api: Served) -> None:
    """What a browser asks before a POST of JSON with a token from another page."""
    refused = api.by_tcp(
        "OPTIONS",
        "/api/sessions",
        Authorization="",
        Origin="http://evil.example",
        Access_Control_Request_Method="POST",
        Access_Control_Request_Headers="authorization,content-type",
    )
    assert refused.status == 403
    assert not [name for name in refused.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Content-Type": "text/plain"}],
)
@pytest.mark.requirement("MB-16")
def test_the_unix_socket_asks_for_no_token_and_for_all_else(
    api: Served, headers: dict[str, str]
) -> None:
    connection = api.unix()
    usual = {"Content-Type": "application/json"}
    connection.request("POST", "/api/sessions", body=_NEW, headers=usual | headers)
    assert connection.getresponse().status in (403, 415, 421)
    connection.close()


@pytest.mark.requirement("MB-16")
def test_two_hosts_or_two_lengths_are_refused(api: Served) -> None:
    for doubled in ("Host: evil.example", "Content-Length: 3\r\nContent-Length: 4"):
        with _peer(api) as peer:
            host = f"Host: 127.0.0.1:{api.port}"
            token = f"Authorization: Bearer {api.token}"
            peer.sendall(
                f"POST /api/mode HTTP/1.1\r\n{host}\r\n{token}\r\n{doubled}\r\n\r\n".encode()
            )
            assert _sentence(_all(peer))[0] in (400, 421)


@pytest.mark.requirement("MB-16")
def test_100_megabytes_are_refused_told_or_in_pieces(api: Served) -> None:
    told = api.by_tcp("POST", "/api/ask", b"x" * 100_000_000)
    assert (told.status, told.json["code"]) == (413, "too_long")
    with _peer(api) as peer:
        peer.sendall(_head(api, "Transfer-Encoding: chunked"))
        _send_chunks(peer, 100_000_000)
        peer.sendall(b"0\r\n\r\n")
        status, sentence = _sentence(peer.recv(65536))
        assert status == 413 and "1024 KiB" in sentence
    assert api.get("/api/mode").status == 200


def _head(api: Served, *more: str) -> bytes:
    lines = [
        "POST /api/ask HTTP/1.1",
        f"Host: 127.0.0.1:{api.port}",
        f"Authorization: Bearer {api.token}",
        "Content-Type: application/json",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def _send_chunks(peer: socket.socket, count: int) -> None:
    piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    for _ in range(count // 65536):
        peer.sendall(piece)


@pytest.mark.requirement("MB-16")
def test_a_thousand_connections_that_say_nothing_keep_nobody_out(api: Served) -> None:
    peers = [_peer(api) for _ in range(1000 if _files() > 1100 else 400)]
    try:
        # Whoever has the token gets in at once, by loopback and by the Unix socket.
        assert _status(api) == 200
        assert api.get("/api/sessions").status == 200
        told = [_sentence(said) for said in map(_now, peers) if said]
        assert {status for status, _ in told} == {503}
        assert "come back" in told[0][1]
        assert _now(peers[-1]) == b"", "the newest one is held, too"
    finally:
        for peer in peers:
            peer.close()


@pytest.mark.requirement("MB-16")
def test_more_connections_than_places_are_told_to_come_later(api: Served) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(serving.MOST_CONNECTIONS):
            stack.enter_context(unix_socket(api.files.socket))
        last = stack.enter_context(unix_socket(api.files.socket))
        status, sentence = _sentence(_all(last))
        assert status == 503 and "come back" in sentence
        assert _status(api) == 200, "loopback has places of its own"
    until(lambda: api.get("/api/sessions").status == 200)


@pytest.mark.parametrize("headers", ["Host: 127.0.0.1:{port}", "Host: evil.example"])
@pytest.mark.requirement("MB-16")
def test_the_body_of_whoever_may_not_is_not_read(api: Served, headers: str) -> None:
    """300,000 chunks of a byte, which took the agent seconds to read."""
    with _peer(api) as peer:
        before = api.in_loop(time.thread_time)
        begins = f"POST /api/mode HTTP/1.1\r\n{headers.format(port=api.port)}\r\n"
        peer.sendall(f"{begins}Transfer-Encoding: chunked\r\n\r\n".encode())
        with contextlib.suppress(OSError):
            peer.sendall(b"1\r\nx\r\n" * 300_000)
        assert _sentence(_all(peer))[0] in (401, 421)
        assert api.in_loop(time.thread_time) - before < 0.3


@pytest.mark.requirement("MB-16")
def test_two_lengths_are_refused_and_what_follows_is_no_request(api: Served) -> None:
    with _peer(api) as peer:
        second = _head(api).replace(b"POST /api/ask", b"GET /api")
        told = _head(api, "Transfer-Encoding: chunked", f"Content-Length: {5 + len(second)}")
        peer.sendall(told + b"0\r\n\r\n" + second)
        said = _all(peer)
        assert said.count(b"HTTP/1.1") == 1 and _sentence(said)[0] == 400


def test_another_version_of_http_is_refused(api: Served) -> None:
    with _peer(api) as peer:
        peer.sendall(_head(api).replace(b"HTTP/1.1", b"HTTP/3.0"))
        assert _sentence(_all(peer))[0] == 400


def test_slow_clients_that_have_gone_leave_no_word_in_the_log(
    api: Served, hurried: None, caplog: pytest.LogCaptureFixture
) -> None:
    """They say a byte more and go, unseen by a loop that is busy until they are too late."""
    peers = [_peer(api) for _ in range(20)]
    for peer in peers:
        peer.sendall(b"GET /api HT")
    until(lambda: _status(api) == 200)

    def busy() -> None:
        for peer in peers:
            peer.sendall(b"T")
            peer.close()
        time.sleep(0.6)

    api.in_loop(busy)
    with _peer(api) as peer:
        assert _sentence(_all(peer))[0] == 408, "the others' time is over, too"
    assert not caplog.records


def _files() -> int:
    import resource

    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def _now(peer: socket.socket) -> bytes:
    """Return what was said at once, which is nothing to those who were let in."""
    peer.settimeout(0.02)
    try:
        return peer.recv(65536)
    except (TimeoutError, ConnectionResetError):
        return b""


def _status(api: Served) -> int:
    try:
        return api.by_tcp("GET", "/api").status
    except OSError:
        return 0


@pytest.mark.parametrize("begins", ["GET /api HT", "", "POST /api/ask HTTP/1.1\r\nX: "])
@pytest.mark.requirement("MB-16")
def test_a_request_that_dribbles_in_is_ended(api: Served, hurried: None, begins: str) -> None:
    """Headers a byte at a time (slow loris), or nothing at all."""
    with _peer(api) as peer:
        begun = time.monotonic()
        with contextlib.suppress(OSError):
            peer.sendall(begins.encode())
            while time.monotonic() < begun + 1.2:
                peer.sendall(b"a" if begins else b"")
                time.sleep(0.05)
        assert _sentence(_all(peer)) == (408, "The request did not come in time.")


@pytest.mark.requirement("MB-16")
def test_a_body_that_dribbles_in_is_ended(api: Served, hurried: None) -> None:
    with _peer(api) as peer:
        peer.sendall(_head(api, "Content-Length: 1000"))
        peer.sendall(b'{"question"')
        assert _sentence(_all(peer))[0] == 408


@pytest.mark.requirement("MB-16")
def test_a_second_request_that_dribbles_in_is_ended(api: Served, hurried: None) -> None:
    with _peer(api) as peer:
        request = _head(api).replace(b"POST /api/ask", b"GET /api")
        peer.sendall(request)
        peer.sendall(request[:20])
        said = _all(peer)
        assert said.startswith(b"HTTP/1.1 200") and b"HTTP/1.1 408" in said


@pytest.mark.parametrize(
    "said",
    [b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 40_000, b"\n\n!"],
)
def test_what_is_no_http_is_refused(api: Served, said: bytes) -> None:
    with _peer(api) as peer:
        peer.sendall(said + b"\r\n\r\n")
        assert _sentence(_all(peer)) == (400, "This is no request of HTTP.")


@pytest.mark.requirement("MB-16")
def test_more_requests_than_the_rate_are_refused(api: Served) -> None:
    request = _head(api).replace(b"POST /api/ask", b"GET /api")
    with _peer(api) as peer:
        peer.sendall(request * 300)
        said = b""
        while b"HTTP/1.1 429" not in said:
            said += peer.recv(65536)
        assert b"retry-after: 1" in said
    until(lambda: _status(api) == 200)


def test_a_bucket_saves_up_to_its_burst() -> None:
    now = [0.0]
    bucket = Bucket(2, 3, lambda: now[0])
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now[0] = 0.5
    assert [bucket.take() for _ in range(2)] == [True, False]
    now[0] = 100
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_a_process_of_another_user_is_not_served(
    api: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nagomi_worker.wire.trust.peer_uid", lambda peer: 12345)
    with unix_socket(api.files.socket) as peer:
        with contextlib.suppress(BrokenPipeError):
            peer.sendall(b"GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert _all(peer) == b""
