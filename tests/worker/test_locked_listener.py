"""One worker at a path; it stays while there is something to stay for."""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING

from nagomi_worker.resident import LockedListener, lock_path
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.wire import protocol
from nagomi_worker.wire.transport import connect, listen
from tests.helpers.waiting import until
from tests.helpers.worker import Worker

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_worker.wire.peer import Stream
    from tests.helpers.worker import Link

HELLO = protocol.encode(protocol.Hello(version=1, capabilities=(), pid=1))


def test_a_second_worker_at_a_path_ends_with_a_sentence(worker: Worker, link: Link) -> None:
    link.start("a", "cat")
    second = Worker(worker.path)
    assert second.process.wait(10) == 1
    assert second.process.stderr is not None
    words = second.process.stderr.read().decode()
    second.process.stderr.close()
    assert words.count("\n") == 1
    assert "A worker serves at" in words
    link.type("a", "still\n")
    link.wait_text("a", "still\r\nstill\r\n")


def test_the_socket_is_for_its_owner_alone(worker: Worker, link: Link) -> None:
    assert stat.S_IMODE(worker.path.stat().st_mode) == 0o600
    assert not lock_path(worker.path).name.startswith("w")


def test_a_stale_socket_is_replaced(folder: Path) -> None:
    path = folder / "w"
    killed = Worker(path)
    killed.link()
    killed.process.kill()
    killed.end()
    assert path.exists()
    second = Worker(path)
    try:
        second.link()
    finally:
        second.end()
    assert not path.exists()


def test_a_path_that_was_swept_away_is_made_again(tmp_path: Path, folder: Path) -> None:
    loop = Loop()
    came: list[Stream] = []
    place = folder / "sub" / "w"
    listener = LockedListener(loop, place, lambda stream, _: came.append(stream), look_seconds=0.01)
    shutil.rmtree(place.parent)

    def back() -> bool:
        loop.turn(block=True)
        return place.exists()

    until(back, "the path")
    client = connect(place)
    client.sendall(HELLO)
    until(lambda: loop.turn(block=False) or came, "the client")
    client.close()
    came[0].close()
    listener.close()
    loop.close()
    assert not place.exists()


def test_an_idle_worker_ends_by_itself(folder: Path) -> None:
    worker = Worker(folder / "w", "--idle", "0.3")
    link = worker.link()
    link.start("a", "cat")
    link.close()
    again = worker.link()
    again.send(protocol.StopSession(session_id="a"))
    again.send(protocol.Attach(session_id="a"))
    again.wait(protocol.Exit, "a")
    assert worker.process.poll() is None
    again.send(protocol.Forget(session_id="a"), protocol.Ping())
    again.wait(protocol.Pong)
    again.close()
    assert worker.process.wait(10) == 0
    worker.end()
    assert os.listdir(folder) == []


def test_hang_up_and_interrupt_do_not_end_it(worker: Worker, link: Link) -> None:
    for number in (1, 2):
        worker.process.send_signal(number)
    link.send(protocol.Ping())
    link.wait(protocol.Pong)


def test_listen_makes_the_folder_private(folder: Path) -> None:
    listening = listen(folder / "new" / "w")
    assert stat.S_IMODE((folder / "new").stat().st_mode) == 0o700
    listening.close()
