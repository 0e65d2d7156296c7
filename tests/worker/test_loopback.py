"""Loopback ports in place of Unix sockets: both sides prove that they know the secret."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.resident import LockedListener
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire import loopback, protocol, transport, trust
from nagomi_worker.wire.transport import LoopbackListening
from tests.helpers.users import STRANGER, environment, need_users, python
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_worker.wire.peer import Stream

HELLO = protocol.encode(protocol.Hello(version=1, capabilities=(), pid=1))


class Served:
    """A worker's listener at a path, and the peers that it let in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.came: list[Stream] = []
        self.loop = Loop()
        self._listener = LockedListener(self.loop, path, lambda one, _: self.came.append(one))
        self._wake, woken = socket.socketpair()
        self.loop.watch(woken.fileno(), read=self._over, write=None)
        self._ending = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._woken = woken

    def close(self) -> None:
        self._wake.send(b"x")
        self._thread.join()
        self._listener.close()
        for one in (self._wake, self._woken, *self.came):
            one.close()
        self.loop.close()

    def _over(self) -> None:
        self._ending = True

    def _run(self) -> None:
        while not self._ending:
            self.loop.turn(block=True)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr("nagomi_worker.resident.listen", LoopbackListening)
    monkeypatch.setenv("NAGOMI_SOCKETS", "loopback")
    with tempfile.TemporaryDirectory(prefix="ng", dir="/tmp") as root:
        os.mkdir(inner := Path(root) / "run", 0o700)
        made = Served(inner / "w")
        yield made
        made.close()


@contextmanager
def reached(path: Path) -> Iterator[socket.socket]:
    with transport.connect_to(str(path), 5.0) as peer:
        yield peer


def port_and_secret(path: Path) -> tuple[int, str]:
    port, secret = path.read_text().split()
    return int(port), secret


def ends(peer: socket.socket) -> bool:
    """Tell whether the other side closes the connection, without a word."""
    peer.settimeout(10)
    try:
        return peer.recv(1) == b""
    except ConnectionError:
        return True


def test_who_knows_the_secret_is_let_in(served: Served) -> None:
    assert stat.S_IMODE(served.path.stat().st_mode) == 0o600
    with reached(served.path) as peer:
        peer.sendall(HELLO)
        until(lambda: served.came, "the client")


def test_who_knows_another_secret_says_nothing(served: Served) -> None:
    port, secret = port_and_secret(served.path)
    other = served.path.with_name("other")
    other.write_text(f"{port} {'0' * len(secret)}\n")
    other.chmod(0o600)
    with pytest.raises(trust.Untrusted, match="peer"):
        loopback.connect(str(other))
    assert served.came == []


@pytest.mark.parametrize("proof", [b"0" * 64 + b"\n", b"\xff" * 65, HELLO + b" " * 65])
def test_who_proves_nothing_is_shut_out(served: Served, proof: bytes) -> None:
    port, _ = port_and_secret(served.path)
    with socket.create_connection(("127.0.0.1", port), 5) as peer:
        peer.sendall(b"0" * 32 + b"\n")
        said = peer.recv(200)
        assert len(said) == 97
        peer.sendall(proof)
        assert ends(peer)
    assert served.came == []


def test_a_proof_cannot_be_used_again(served: Served) -> None:
    """What a client once said is of no use to who repeats it, since the server draws a number, too."""
    port, secret = port_and_secret(served.path)
    number = "1" * 32
    with ExitStack() as stack:
        first, again = (
            stack.enter_context(socket.create_connection(("127.0.0.1", port), 5)) for _ in "12"
        )
        first.sendall(f"{number}\n".encode())
        drawn = first.recv(200).decode()[:32]
        proof = f"{loopback._proof(secret, 'client', number, drawn)}\n".encode()
        first.sendall(proof + HELLO)
        until(lambda: served.came, "the client")
        again.sendall(f"{number}\n".encode())
        assert again.recv(200).decode()[:32] != drawn
        again.sendall(proof + HELLO)
        assert ends(again)
    assert len(served.came) == 1


def test_nothing_is_proved_to_who_listens_at_a_free_port(served: Served) -> None:
    """A port that a worker has left may be anybody's by now; he learns a number drawn for him."""
    _, secret = port_and_secret(served.path)
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        path = served.path.with_name("left")
        path.write_text(f"{stranger.getsockname()[1]} {secret}\n")
        path.chmod(0o600)
        heard = []

        def listen() -> None:
            peer = stranger.accept()[0]
            with peer:
                heard.append(peer.recv(1000))
                peer.sendall(b"0" * 96 + b"\n")
                heard.append(peer.recv(1000))

        thread = threading.Thread(target=listen)
        thread.start()
        with pytest.raises(trust.Untrusted):
            loopback.connect(str(path))
        thread.join()
    assert len(heard[0]) == 33
    assert heard[1] == b""
    assert secret.encode() not in heard[0]


def test_a_file_that_others_can_read_is_not_trusted(served: Served) -> None:
    served.path.chmod(0o640)
    with pytest.raises(trust.Untrusted, match="open"):
        loopback.connect(str(served.path))


@pytest.mark.parametrize("text", ["", "1", "x y\n", f"0 {'0' * 64}\n", f"99999 {'0' * 64}\n"])
def test_a_file_of_another_form_is_nobody_s(served: Served, text: str) -> None:
    path = served.path.with_name("odd")
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(OSError, match="does not tell"):
        loopback.connect(str(path))


def test_another_user_s_file_is_not_trusted(served: Served) -> None:
    need_users()
    os.chown(served.path, STRANGER, STRANGER)
    with pytest.raises(trust.Untrusted, match="owner"):
        loopback.connect(str(served.path))


def test_another_user_can_neither_read_the_file_nor_get_in(served: Served) -> None:
    need_users()
    for folder in (served.path.parent, served.path.parent.parent):
        folder.chmod(0o755)
    words = (
        "import socket, sys\n"
        "try: open(sys.argv[1])\n"
        "except PermissionError: print('closed')\n"
        "with socket.create_connection(('127.0.0.1', int(sys.argv[2])), 5) as peer:\n"
        "    peer.sendall(b'0' * 32 + b'\\n')\n"
        "    peer.recv(200)\n"
        "    peer.sendall(b'0' * 65)\n"
        "    try: print(peer.recv(1))\n"
        "    except ConnectionError: print(b'')\n"
    )
    port, _ = port_and_secret(served.path)
    done = subprocess.run(
        python(STRANGER, "-c", words, str(served.path), str(port)),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["closed", "b''"], done.stderr
    assert served.came == []
